"""What a diagnosis cannot know because it may not be listed, or was not asked for."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory, owner_uids
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.wording import one_line
from kubectl_spy.core.remedy import NO_REMEDY, advice


class _Below(NamedTuple):
    """A kind that stands below others in a trace."""

    group: str
    resource: str
    """As kubectl and RBAC name it."""
    lost: str
    """What a trace lacks where objects of the kind are not known."""


_BELOW = {
    "Pod": _Below("", "pods", "its Pods are"),
    "ReplicaSet": _Below("apps", "replicasets.apps", "its ReplicaSets and Pods are"),
    "Job": _Below("batch", "jobs.batch", "its Jobs and their Pods are"),
}
_FORBIDDEN = "may not list "
"""How a reason begins that rights would mend."""


def unseen_kinds(entry: Entry, seen: Inventory, *kinds: str) -> tuple[Finding, ...]:
    """Return a finding for each of *kinds* that is not fully known.

    None if something above *entry* is there: that says it already, once.
    """
    if any(seen.entry(uid) for uid in owner_uids(entry.document)):
        return ()
    return tuple(
        _unseen(kind, why)
        for kind in kinds
        if (why := seen.unseen(_BELOW[kind].group, kind, entry.namespace))
    )


def _unseen(kind: str, why: str) -> Finding:
    _, resource, lost = _BELOW[kind]
    # https://kubernetes.io/docs/reference/access-authn-authz/rbac/
    forbidden = why.startswith(_FORBIDDEN)
    return Finding(
        f"{kind.lower()}s",
        Verdict.UNKNOWN,
        f"unknown: {one_line(why)}, so {lost} not shown",
        remedy=advice("ask for list and watch on {}", resource)
        if forbidden
        else NO_REMEDY,
    )
