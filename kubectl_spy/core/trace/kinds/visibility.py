"""What a diagnosis cannot know because it may not be listed, or was not asked for."""

from __future__ import annotations

from kubectl_spy.core.trace.inventory import Entry, Inventory, owner_uids
from kubectl_spy.core.trace.picture import Finding, Verdict

_GROUPS = {"Pod": "", "ReplicaSet": "apps", "Job": "batch"}


def unseen_kinds(entry: Entry, seen: Inventory, *kinds: str) -> tuple[Finding, ...]:
    """Return a finding for each of *kinds* that is not fully known.

    None if something above *entry* is there: that says it already, once.
    """
    if any(seen.entry(uid) for uid in owner_uids(entry.document)):
        return ()
    return tuple(
        Finding(f"{kind.lower()}s", Verdict.UNKNOWN, f"unknown: {why}")
        for kind in kinds
        if (why := seen.unseen(_GROUPS[kind], kind, entry.namespace))
    )
