"""Namespaces: what holds back the deletion of one.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/namespace/deletion/status_condition_utils.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import (
    Diagnosis,
    Finding,
    Verdict,
    fact,
    finding,
)
from kubectl_spy.core.diagnosis.kinds import generic
from kubectl_spy.core.diagnosis.wording import brief, message_line
from kubectl_spy.core.fields import condition, mapping, moment, text
from kubectl_spy.core.remedy import NO_REMEDY, kubectl

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
        remedy = kubectl("get pods", namespace=entry.name)
        findings = (finding("NamespaceContentUnknown", "content", remedy=remedy),)
    return deleted._replace(findings=findings)


def _findings(entry: Entry) -> Iterator[Finding]:
    for name in generic.names_in(mapping(entry.document, "spec").get("finalizers")):
        if name != _OWN:
            about, remedy = f"finalizer/{name}", generic.finalizer_remedy(name)
            yield finding("NamespaceFinalizer", about, finalizer=name, remedy=remedy)
    for kind, read in (
        ("NamespaceDeletionDiscoveryFailure", _undiscovered),
        ("NamespaceDeletionGroupVersionParsingFailure", _failed),
        ("NamespaceDeletionContentFailure", _failed),
        ("NamespaceContentRemaining", _left),
        ("NamespaceFinalizersRemaining", _held),
    ):
        found = condition(entry.document, kind)
        if found.get("status") == "True":
            since = moment(found, "lastTransitionTime")
            yield read(entry.name, text(found, "message"), f"condition/{kind}", since)


def _undiscovered(
    namespace: str, message: str, about: str, since: float | None
) -> Finding:
    message = message_line(message, _WIDTH)
    return finding("APIGroupsSilent", about, message=message, since=since)


def _failed(namespace: str, message: str, about: str, since: float | None) -> Finding:
    return finding(
        "NamespaceDeletionFailed",
        about,
        message=message_line(message, _WIDTH),
        verdict=Verdict.WAITING if _UNEXPECTED in message else Verdict.FAILING,
        remedy=kubectl("describe ns {}", namespace),
        since=since,
    )


def _left(namespace: str, message: str, about: str, since: float | None) -> Finding:
    left = _LEFT.findall(brief(message))
    names = ",".join(name for name, _ in left[:_NAMED])
    return finding(
        "NamespaceHolds",
        about,
        resources=tuple(f"{name} ({count})" for name, count in left),
        message="" if left else message_line(message, _WIDTH),
        remedy=kubectl("get {}", names, namespace=namespace) if left else NO_REMEDY,
        since=since,
    )


def _held(namespace: str, message: str, about: str, since: float | None) -> Finding:
    held = _HOLDS.findall(brief(message))
    return finding(
        "NamespaceHeld",
        about,
        finalizers=tuple(
            fact("FinalizerOf", finalizer=name, objects=int(n)) for name, n in held
        ),
        message="" if held else message_line(message, _WIDTH),
        remedy=generic.finalizer_remedy(held[0][0]) if held else NO_REMEDY,
        since=since,
    )
