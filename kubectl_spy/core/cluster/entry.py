"""The last version of an object."""

from __future__ import annotations

from typing import Any, NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.objects import JSON, GroupVersionKind


class Entry(NamedTuple):
    """The last version of an object. Without a uid, *uid* is its kind and name."""

    uid: str
    gvk: GroupVersionKind
    namespace: str | None
    name: str
    document: dict[str, Any]
    time: float  # when this version was observed, in seconds since the epoch
    has_status: bool  # whether its kind has a status, by API discovery
    initial: bool  # whether it existed before the watch began
    changed: bool = False  # whether its last version came during the watch
    first: float = 0.0  # when its first version was observed, or 0 if that is this one
    replaced: bool = False
    """Whether a controller replaces it: a Pod that is being deleted, or has ended.

    https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#how-a-replicaset-works
    """

    def since(self, moment: float | None) -> float | None:
        """Return when it came, or *moment* of the cluster, if before the watch."""
        return self.time if self.changed else moment


def entry_of(record: ChangeRecord, before: Entry | None = None) -> Entry | None:
    """Return the version in *record*, which follows *before*, or None if it is gone."""
    if record.gone or not isinstance(record.document, dict):
        return None
    return Entry(
        record.identity,
        record.gvk,
        record.namespace,
        record.name,
        record.document,
        record.time,
        record.selection.resource.has_status,
        record.initial if before is None else before.initial,
        not record.initial,
        0.0 if before is None else before.first or before.time,
        record.gvk.kind == "Pod" and _is_replaced(record.document),
    )


def _is_replaced(pod: JSON) -> bool:
    ended = text(pod, "status", "phase") in ("Succeeded", "Failed")
    return ended or bool(mapping(pod, "metadata").get("deletionTimestamp"))
