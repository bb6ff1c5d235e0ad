"""The time, by our clock and by the clocks of the Pods' nodes.

Clocks may differ by minutes, so times of two clocks are never compared. If a status was
written some seconds ago, the node's clock has advanced by at least as much since then.
Only the Pod itself tells what that clock has shown. So every trace that shows the Pod
gives the same answer, whatever else is watched.

There is one exception: what began before the watch is dated by the cluster
(`Entry.since`), so its remedy may come as much too early or late as clocks differ.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.fields import condition, mapping, mappings, moment
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339

_STATUSES = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


class Instant(NamedTuple):
    """A point in time, by our clock or by that of the cluster."""

    time: float  # seconds since the epoch
    read_at: float | None = None
    """When we read *time* from the cluster; None if *time* is by our clock."""
    lost_at: float | None = None
    """When the connection was lost during which it happened."""

    @property
    def past(self) -> bool:
        """Whether it was before anybody watched."""
        return self.read_at is not None and self.lost_at is None

    @property
    def stamp(self) -> str:
        """The unconverted time, for ids: comparing clocks does not change it."""
        return rfc3339(max(self.time, 0.0))


class Clocks:
    """Keeps the *time* of the last record, and how far the nodes' clocks are behind."""

    def __init__(self) -> None:
        self.time = 0.0
        self._behind: dict[str, float] = {}
        """By Pod, how far its node's clock is behind ours at most, in seconds."""
        self._awaited: set[int] = set()  # future times that a diagnosis depends on

    def observe(self, time: float) -> None:
        """Note that a record was observed at *time*."""
        self.time = max(self.time, time)

    def ours(self, pod: str, time: float) -> float:
        """Return the latest time of our clock when the node's clock shows *time*."""
        return time + self._behind.get(pod, math.inf)

    def is_before(self, time: float) -> bool:
        """Return whether the last record came before *time*. If so, wait for *time*."""
        if not 0 < self.time < time:
            return False
        if time < math.inf:
            self._awaited.add(math.ceil(time))
        return True

    def pass_to_next(self, until: float) -> bool:
        """Move to the next awaited time, if it is not after *until*."""
        if not self._awaited:
            return False
        self._awaited = {each for each in self._awaited if each > self.time}
        due = min(self._awaited, default=math.inf)
        if due > until:
            return False
        self.time = float(due)
        return True

    def read(self, record: ChangeRecord) -> None:
        """Read from a Pod what the clock of its node showed at the last write."""
        if record.gvk.kind != "Pod":
            return
        shown = [time for time in _shown(record.document) if time is not None]
        written = record.time if record.written is None else record.written
        behind = written - max(shown, default=-math.inf)
        uid = record.identity
        self._behind[uid] = min(self._behind.get(uid, math.inf), behind)

    def forget(self, uid: str) -> None:
        self._behind.pop(uid, None)


def _shown(pod: JSON) -> list[float | None]:
    """Return times in a Pod's status that only its kubelet writes.

    The condition Ready is left out, because the node controller writes it, too:
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/util/node/controller_utils.go
    """
    found = [moment(condition(pod, "ContainersReady"), "lastTransitionTime")]
    status = mapping(pod, "status")
    for each in [it for name in _STATUSES for it in mappings(status, name)]:
        found += (
            moment(each, "state", "running", "startedAt"),
            moment(each, "state", "terminated", "finishedAt"),
            moment(each, "lastState", "terminated", "finishedAt"),
        )
    return found
