"""What time it is: by our records, and by the clocks of the Pods' nodes.

Clocks may differ by minutes, so a time of one is never compared with a time of another.
A time in a status that was written some seconds ago is at least so many seconds in the
past of the node's clock. Only the Pod itself says what that clock has shown, so that
every trace that shows the Pod knows the same, whatever else is watched.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.fields import condition, mappings, moment
from kubectl_spy.core.objects import JSON

_STATUSES = (
    "initContainerStatuses",
    "containerStatuses",
    "ephemeralContainerStatuses",
)


class Clocks:
    """Keeps *time*, when the last record was observed, and what nodes showed then."""

    def __init__(self) -> None:
        self.time = 0.0
        self._behind: dict[str, float] = {}
        """By Pod, by how much its node's clock is behind ours at the most."""
        self._awaited: set[int] = set()
        """Times that were asked for and had not come."""

    def observe(self, time: float) -> None:
        """Know that something was observed at *time*."""
        self.time = max(self.time, time)

    def ours(self, pod: str, time: float) -> float:
        """Return by when, at the latest, the clock of the Pod's node is at *time*."""
        return time + self._behind.get(pod, math.inf)

    def is_before(self, time: float) -> bool:
        """Tell whether the last record came before *time*, and wait for that if so."""
        if not 0 < self.time < time:
            return False
        if time < math.inf:
            self._awaited.add(math.ceil(time))
        return True

    def pass_to_next(self, until: float) -> bool:
        """Let time pass to the next one that was asked for, if that is by *until*."""
        if not self._awaited:
            return False
        self._awaited = {each for each in self._awaited if each > self.time}
        due = min(self._awaited, default=math.inf)
        if due > until:
            return False
        self.time = float(due)
        return True

    def read(self, record: ChangeRecord) -> None:
        """Take from a Pod what the clock of its node had shown when it was written."""
        if record.gvk.kind != "Pod":
            return
        shown = [time for time in _shown(record.document) if time is not None]
        written = record.time if record.written is None else record.written
        behind = written - max(shown, default=-math.inf)
        uid = record.identity
        self._behind[uid] = min(self._behind.get(uid, math.inf), behind)

    def forget(self, uid: str) -> None:
        """Let go what is known of a Pod that is gone."""
        self._behind.pop(uid, None)


def _shown(pod: JSON) -> Iterator[float | None]:
    """Yield times in a Pod's status that only its kubelet writes.

    Of its conditions, the node controller also writes Ready:
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/util/node/controller_utils.go
    """
    yield moment(condition(pod, "ContainersReady"), "lastTransitionTime")
    for each in (it for name in _STATUSES for it in mappings(pod, "status", name)):
        yield moment(each, "state", "running", "startedAt")
        for state in ("state", "lastState"):
            yield moment(each, state, "terminated", "finishedAt")
