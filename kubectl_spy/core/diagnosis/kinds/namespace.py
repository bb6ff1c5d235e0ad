"""Namespace: what is left in one that is being deleted, and what holds it back.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/namespace/deletion/status_condition_utils.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds import generic
from kubectl_spy.core.diagnosis.wording import brief, listed, many, one_line
from kubectl_spy.core.fields import condition, mapping, moment, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl

_LEFT = re.compile(r"([^\s:]+?)\.?\s+has\s+([0-9]+) resource instances")
_HOLDS = re.compile(r"([^\s:,]+) in ([0-9]+) resource instances")
_UNEXPECTED = "unexpected items still remain in namespace"
"""The controller says this of objects that it has only just deleted, too."""
_WIDTH = 400
_NAMED = 5
"""Types that a command lists."""
_OWN = "kubernetes"
"""The finalizer that the namespace controller removes when the Namespace is empty."""


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return how the Namespace is, and what its deletion waits for."""
    gone = generic.terminating(entry, seen)
    if gone is None:
        return generic.diagnose(entry, seen)
    findings = tuple(_findings(entry))
    if not findings and not gone.findings:
        # The controller deletes Pods first, and says nothing of those that are left.
        told = "being deleted: what is left is not reported yet; Pods go first"
        remedy = kubectl("get pods", namespace=entry.name)
        findings = (Finding("content", Verdict.WAITING, told, remedy),)
    return gone._replace(findings=(*gone.findings, *findings))


def _findings(entry: Entry) -> Iterator[Finding]:
    held = mapping(entry.document, "spec").get("finalizers")
    for name in dict.fromkeys(held if isinstance(held, list) else ()):
        if isinstance(name, str) and name != _OWN:
            told = f"waits until {name} is removed from spec.finalizers"
            about = f"finalizer/{name}"
            yield Finding(about, Verdict.WAITING, told, generic.finalizer_remedy(name))
    for kind, said in (
        ("NamespaceDeletionDiscoveryFailure", _undiscovered),
        ("NamespaceDeletionGroupVersionParsingFailure", _failed),
        ("NamespaceDeletionContentFailure", _failed),
        ("NamespaceContentRemaining", _left),
        ("NamespaceFinalizersRemaining", _held),
    ):
        found = condition(entry.document, kind)
        if found.get("status") == "True":
            verdict, told, remedy = said(entry.name, text(found, "message"))
            since = moment(found, "lastTransitionTime")
            yield Finding(f"condition/{kind}", verdict, told, remedy, since)


def _undiscovered(namespace: str, message: str) -> tuple[Verdict, str, Remedy]:
    told = f"API groups do not answer, and may hold objects: {message}"
    remedy = advice("repair or delete what is not Available: kubectl get apiservices")
    return Verdict.FAILING, one_line(told, _WIDTH), remedy


def _failed(namespace: str, message: str) -> tuple[Verdict, str, Remedy]:
    verdict = Verdict.WAITING if _UNEXPECTED in message else Verdict.FAILING
    return verdict, one_line(message, _WIDTH), kubectl("describe ns {}", namespace)


def _left(namespace: str, message: str) -> tuple[Verdict, str, Remedy]:
    """Return what is left: `Some resources are remaining: pods. has 1 resource …`."""
    left = _LEFT.findall(brief(message))
    if not left:
        return Verdict.WAITING, one_line(message, _WIDTH), NO_REMEDY
    told = f"it still holds {listed(f'{name} ({count})' for name, count in left)}"
    names = ",".join(name for name, _ in left[:_NAMED])
    return Verdict.WAITING, told, kubectl("get {}", names, namespace=namespace)


def _held(namespace: str, message: str) -> tuple[Verdict, str, Remedy]:
    """Return what holds that: `… remaining: example.com/x in 1 resource instances`."""
    held = _HOLDS.findall(brief(message))
    if not held:
        return Verdict.WAITING, one_line(message, _WIDTH), NO_REMEDY
    told = listed(f"finalizer {name} of {many(int(n), 'object')}" for name, n in held)
    return Verdict.WAITING, f"waits for {told}", generic.finalizer_remedy(held[0][0])
