"""What an object that is being deleted still waits for.

https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/
"""

from __future__ import annotations

from collections import Counter

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.counting import many
from kubectl_spy.core.fields import mapping, moment
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice

# https://kubernetes.io/docs/concepts/architecture/garbage-collection/#foreground-deletion
_FOREGROUND = "foregroundDeletion"
_ORPHAN = "orphan"


def terminating(
    entry: Entry,
    seen: Inventory,
    summary: str = "",
    children: tuple[Child, ...] | None = None,
) -> Diagnosis | None:
    """Return the diagnosis of an object that is being deleted, or None."""
    metadata = mapping(entry.document, "metadata")
    if not metadata.get("deletionTimestamp"):
        return None
    since = moment(metadata, "deletionTimestamp")
    named = metadata.get("finalizers")
    finalizers = named if isinstance(named, list) else []
    findings = [
        Finding(
            f"finalizer/{name}",
            Verdict.WAITING,
            _waits_for(name, entry, seen),
            remedy=remedy(name),
            since=since,
        )
        for name in dict.fromkeys(filter(_is_text, finalizers))
    ]
    return Diagnosis(
        phase="Terminating",
        verdict=Verdict.WAITING,
        summary=summary,
        findings=tuple(findings),
        children=children,
        since=since,
    )


def _waits_for(finalizer: str, entry: Entry, seen: Inventory) -> str:
    if finalizer == _FOREGROUND:
        left = Counter(each.gvk.kind for each in seen.owned(entry.uid))
        named = " and ".join(many(count, kind) for kind, count in left.items())
        return f"being deleted: first {named or 'what it owns'} must be gone"
    if finalizer == _ORPHAN:
        return "being deleted: what it owns is left behind without an owner"
    return f"being deleted: waits until finalizer {finalizer} is removed"


def remedy(finalizer: str) -> Remedy:
    """Return who has to remove a finalizer."""
    if finalizer in (_FOREGROUND, _ORPHAN):
        return NO_REMEDY
    return advice("look at the controller that set {}: it has to remove it", finalizer)


def _is_text(value: object) -> bool:
    return isinstance(value, str)
