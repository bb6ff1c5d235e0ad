"""Tells changes that say only that something is still there."""

from __future__ import annotations

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType

_BEATING = frozenset(
    {
        ("coordination.k8s.io", "Lease"),
        ("discovery.k8s.io", "EndpointSlice"),
        ("", "Endpoints"),
    }
)
"""Types that change all the time, and whose changes other objects explain."""
_BEATS = ("/lastHeartbeatTime", "/lastProbeTime", "/renewTime")


def is_churn(record: ChangeRecord) -> bool:
    """Return whether a change is one of a type that always changes, or a heartbeat.

    Nodes write one in their status every five minutes.
    https://kubernetes.io/docs/reference/node/node-status/#heartbeats
    """
    if record.type is not ChangeType.MODIFIED:
        return False
    if (record.gvk.group, record.gvk.kind) in _BEATING:
        return True
    paths = [step.path for step in record.patch]
    return bool(paths) and all(path.endswith(_BEATS) for path in paths)
