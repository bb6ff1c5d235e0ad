"""Namespaces: what holds back the deletion of one.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/namespace/deletion/status_condition_utils.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict, said
from kubectl_spy.core.diagnosis.kinds import generic
from kubectl_spy.core.diagnosis.wording import brief, listed, message_line
from kubectl_spy.core.fields import condition, mapping, moment, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl
from kubectl_spy.core.wording import many

_LEFT = re.compile(r"([^\s:]+?)\.?\s+has\s+([0-9]+) resource instances")
"""`Some resources are remaining: pods. has 1 resource instances`"""
_HOLDS = re.compile(r"([^\s:,]+) in ([0-9]+) resource instances")
"""`… finalizers remaining: example.com/x in 1 resource instances`"""
_UNEXPECTED = "unexpected items still remain in namespace"
"""The controller also says this of objects that it has only just deleted."""
_WIDTH = 400
_NAMED = 5  # types that a command lists
_OWN = "kubernetes"  # the finalizer of the namespace controller


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return the state of the Namespace, and what its deletion waits for."""
    deleted = generic.terminating(entry, inventory)
    if deleted is None:
        return generic.diagnose(entry, inventory)
    findings = (*deleted.findings, *_findings(entry))
    if not findings:
        # The controller deletes Pods first, and does not report those that are left.
        what = "being deleted: what is left is not reported yet; Pods go first"
        remedy = kubectl("get pods", namespace=entry.name)
        findings = (said("content", Verdict.WAITING, what, remedy),)
    return deleted._replace(findings=findings)


def _findings(entry: Entry) -> Iterator[Finding]:
    for name in generic.names_in(mapping(entry.document, "spec").get("finalizers")):
        if name != _OWN:
            what = f"waits until {name} is removed from spec.finalizers"
            remedy = generic.finalizer_remedy(name)
            yield said(f"finalizer/{name}", Verdict.WAITING, what, remedy)
    for kind, read in (
        ("NamespaceDeletionDiscoveryFailure", _undiscovered),
        ("NamespaceDeletionGroupVersionParsingFailure", _failed),
        ("NamespaceDeletionContentFailure", _failed),
        ("NamespaceContentRemaining", _left),
        ("NamespaceFinalizersRemaining", _held),
    ):
        found = condition(entry.document, kind)
        if found.get("status") == "True":
            verdict, what, remedy = read(entry.name, text(found, "message"))
            since = moment(found, "lastTransitionTime")
            yield said(f"condition/{kind}", verdict, what, remedy, since)


def _undiscovered(namespace: str, message: str) -> tuple[Verdict, str, Remedy]:
    what = f"API groups do not answer, and may hold objects: {message}"
    remedy = advice("repair or delete what is not Available: kubectl get apiservices")
    return Verdict.FAILING, message_line(what, _WIDTH), remedy


def _failed(namespace: str, message: str) -> tuple[Verdict, str, Remedy]:
    verdict = Verdict.WAITING if _UNEXPECTED in message else Verdict.FAILING
    return verdict, message_line(message, _WIDTH), kubectl("describe ns {}", namespace)


def _left(namespace: str, message: str) -> tuple[Verdict, str, Remedy]:
    left = _LEFT.findall(brief(message))
    if not left:
        return Verdict.WAITING, message_line(message, _WIDTH), NO_REMEDY
    what = f"it still holds {listed(f'{name} ({count})' for name, count in left)}"
    names = ",".join(name for name, _ in left[:_NAMED])
    return Verdict.WAITING, what, kubectl("get {}", names, namespace=namespace)


def _held(namespace: str, message: str) -> tuple[Verdict, str, Remedy]:
    held = _HOLDS.findall(brief(message))
    if not held:
        return Verdict.WAITING, message_line(message, _WIDTH), NO_REMEDY
    what = listed(f"finalizer {name} of {many(int(n), 'object')}" for name, n in held)
    remedy = generic.finalizer_remedy(held[0][0])
    return Verdict.WAITING, f"waits for {what}", remedy
