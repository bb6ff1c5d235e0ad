"""Which controller takes an Ingress.

https://kubernetes.io/docs/concepts/services-networking/ingress/#ingress-class
"""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.services import load_balancer
from kubectl_spy.core.diagnosis.wording import listed, one_line
from kubectl_spy.core.fields import text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl

_GROUP = "networking.k8s.io"
_LEGACY = "kubernetes.io/ingress.class"
_DEFAULT = "ingressclass.kubernetes.io/is-default-class"


def class_name(entry: Entry) -> str:
    """Return the class that an Ingress names, or ""."""
    return text(entry.document, "spec", "ingressClassName") or text(
        entry.document, "metadata", "annotations", _LEGACY
    )


def class_finding(entry: Entry, seen: Inventory) -> Finding:
    """Return whether some controller takes the Ingress, as far as the API shows."""
    name = class_name(entry)
    if not name:
        return _classless(entry, seen)
    by_annotation = not text(entry.document, "spec", "ingressClassName")
    what = f"class {one_line(name, 100)}"
    if by_annotation:
        what += f" (by the old annotation {_LEGACY})"
    found = seen.named(_GROUP, "IngressClass", None, name)
    if found is not None:
        controller = text(found.document, "spec", "controller")
        by = f" of controller {one_line(controller, 100)}" if controller else ""
        return _found(Verdict.OK, f"{what}{by}")
    why = seen.unseen(_GROUP, "IngressClass")
    if why:
        return _found(Verdict.UNKNOWN, f"{what}; whether it exists is unknown: {why}")
    if by_annotation:
        # A controller that reads the annotation compares names, and asks for no object.
        return _found(Verdict.UNKNOWN, f"{what}, of which there is no IngressClass")
    there = [each.name for each in seen.every(_GROUP, "IngressClass")]
    have = f"there is {listed(there[:5])}" if there else "there is none at all"
    return _found(
        Verdict.FAILING,
        one_line(f"IngressClass {name} does not exist: {have}"),
        kubectl("get ingressclasses"),
    )


def _classless(entry: Entry, seen: Inventory) -> Finding:
    if load_balancer.addresses(entry):
        return _found(Verdict.OK, "it names no class; some controller has taken it")
    why = seen.unseen(_GROUP, "IngressClass")
    if why:
        what = f"it names no class; whether there is a default is unknown: {why}"
        return _found(Verdict.UNKNOWN, what)
    default = [
        each.name
        for each in seen.every(_GROUP, "IngressClass")
        if text(each.document, "metadata", "annotations", _DEFAULT) == "true"
    ]
    if default:
        # The API server writes it into the spec when an Ingress is created.
        what = f"it names no class, and is older than the default, {listed(default)}"
    else:
        what = "it names no class, and there is no default"
    return _found(
        Verdict.UNKNOWN,
        one_line(f"{what}: only a controller that takes every Ingress serves it"),
        advice("set spec.ingressClassName"),
    )


def _found(verdict: Verdict, what: str, remedy: Remedy = NO_REMEDY) -> Finding:
    return Finding("class", verdict, what, remedy)
