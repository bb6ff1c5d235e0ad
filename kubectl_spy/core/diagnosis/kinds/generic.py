"""Rules for any kind: its conditions, and the finalizers that hold back its deletion.

Only its controller knows what a condition of an unknown type means. Such conditions
are shown, and do not count for or against the object.
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.fields import condition, mapping, moment, text
from kubectl_spy.core.readiness.conditions import (
    BAD,
    GOOD,
    StatusCondition,
    status_conditions,
)
from kubectl_spy.core.readiness.readiness import State, readiness
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice
from kubectl_spy.core.wording import many

# Conditions of CustomResourceDefinitions and Cluster API that explain a deletion.
_LEAVING = frozenset({"Terminating", "Deleting"})
_STATES = {
    State.CURRENT: (Verdict.OK, "Ready"),
    State.IN_PROGRESS: (Verdict.WAITING, "InProgress"),
    State.TERMINATING: (Verdict.WAITING, "Terminating"),
    State.FAILED: (Verdict.FAILING, "Failed"),
    State.UNKNOWN: (Verdict.UNKNOWN, "Present"),
}
# https://kubernetes.io/docs/concepts/architecture/garbage-collection/#foreground-deletion
_FOREGROUND = "foregroundDeletion"
_ORPHAN = "orphan"
# https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
_IN_USE = "kubernetes.io/pv-protection"


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return the state of the object by the rules that all kinds share."""
    conditions = tuple(status_conditions(entry.document))
    deleted = terminating(entry, inventory)
    if deleted is not None:
        others = _findings(entry, conditions, deleted.verdict)
        return deleted._replace(findings=(*deleted.findings, *others))
    found = readiness(entry.document, has_status=entry.has_status)
    verdict, default_phase = _STATES[found.state]
    plain = found.state is State.CURRENT and not conditions
    phase = text(entry.document, "status", "phase").split(" ")[0][:40]
    repeated = any(found.message == str(each) for each in conditions)
    return Diagnosis(
        phase=phase or ("Present" if plain else default_phase),
        verdict=verdict,
        summary="" if plain or repeated else found.message,
        findings=tuple(_findings(entry, conditions, verdict)),
        final=found.final,
    )


def _findings(
    entry: Entry, conditions: tuple[StatusCondition, ...], verdict: Verdict
) -> Iterator[Finding]:
    for each in dict.fromkeys(conditions):
        since = moment(condition(entry.document, each.type), "lastTransitionTime")
        about = f"condition/{each.type}"
        yield Finding(about, _verdict(each, verdict), each.in_full, since=since)


def _verdict(each: StatusCondition, of_object: Verdict) -> Verdict:
    if each.type in _LEAVING and each.true:
        return Verdict.WAITING
    if each.type not in GOOD | BAD:
        return Verdict.OK
    if each.status not in ("True", "False"):
        return Verdict.UNKNOWN
    if each.true is (each.type in GOOD):
        return Verdict.OK
    if each.type in BAD:
        return Verdict.FAILING
    return of_object if of_object is not Verdict.OK else Verdict.WAITING


def terminating(
    entry: Entry,
    inventory: Inventory,
    summary: str = "",
    children: tuple[Child, ...] | None = None,
) -> Diagnosis | None:
    """Return the diagnosis of an object that is being deleted, or None.

    https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/
    """
    metadata = mapping(entry.document, "metadata")
    if not metadata.get("deletionTimestamp"):
        return None
    since = moment(metadata, "deletionTimestamp")
    findings = (
        Finding(
            f"finalizer/{name}",
            Verdict.WAITING,
            f"being deleted: {_waits_for(name, entry, inventory)}",
            finalizer_remedy(name),
            since,
        )
        for name in names_in(metadata.get("finalizers"))
    )
    return Diagnosis(
        phase="Terminating",
        verdict=Verdict.WAITING,
        summary=summary,
        findings=tuple(findings),
        children=children,
        since=since,
    )


def _waits_for(finalizer: str, entry: Entry, inventory: Inventory) -> str:
    if finalizer == _FOREGROUND:
        left = Counter(each.gvk.kind for each in inventory.owned(entry.uid))
        named = " and ".join(many(count, kind) for kind, count in left.items())
        return f"first {named or 'what it owns'} must be gone"
    if finalizer == _ORPHAN:
        return "what it owns is left behind without an owner"
    claim = mapping(entry.document, "spec", "claimRef")
    if finalizer == _IN_USE and claim:
        name = f"{text(claim, 'namespace')}/{text(claim, 'name')}"
        return f"waits until PersistentVolumeClaim {name} is gone"
    return f"waits until finalizer {finalizer} is removed"


def names_in(finalizers: object) -> list[str]:
    """Return the names in a list of finalizers, each once."""
    found = finalizers if isinstance(finalizers, list) else []
    return list(dict.fromkeys(each for each in found if isinstance(each, str)))


def finalizer_remedy(finalizer: str) -> Remedy:
    """Return who has to remove a finalizer."""
    if finalizer in (_FOREGROUND, _ORPHAN, _IN_USE):
        return NO_REMEDY
    return advice("look at the controller that set {}: it has to remove it", finalizer)
