"""Recognizes changes without news: heartbeats, renewed Leases, expired Events."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.objects import GroupVersionKind
from kubectl_spy.core.patch.operation import PatchOperation

_BEATING = frozenset(
    {
        ("coordination.k8s.io", "Lease"),
        ("discovery.k8s.io", "EndpointSlice"),
        ("", "Endpoints"),
    }
)
"""Types that change all the time, and whose changes other objects explain."""
CHURN = "Leases and EndpointSlices, heartbeats and expired Events"
_BEATS = ("/lastHeartbeatTime", "/lastProbeTime", "/renewTime")


def is_churn(record: ChangeRecord) -> bool:
    """Return whether *record* is an expired Event, or a change without news.

    An API server deletes each Event an hour after it was written last.
    """
    if record.gone:
        return record.gvk.kind == "Event"
    return record.type is ChangeType.MODIFIED and only_beats(record.gvk, record.patch)


def only_beats(gvk: GroupVersionKind, patch: Sequence[PatchOperation]) -> bool:
    """Return whether *patch* holds only heartbeats, or its type always changes.

    Nodes write one in their status every five minutes.
    https://kubernetes.io/docs/reference/node/node-status/#heartbeats
    """
    if (gvk.group, gvk.kind) in _BEATING:
        return True
    return bool(patch) and all(step.path.endswith(_BEATS) for step in patch)
