"""What time it is: by our records, and by the clock of each node.

Clocks may differ by minutes, so a time of one is never compared with a time of another.
A kubelet's time that was seen some seconds ago is at least so many seconds in its past.
"""

from __future__ import annotations

import math

from kubectl_spy.core.cluster.events import ClusterEvent, cluster_event
from kubectl_spy.core.fields import mappings, moment, text
from kubectl_spy.core.objects import JSON

_LEASES = "kube-node-lease"
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
        """By node, by how much its clock is behind ours at the most."""
        self._awaited: set[int] = set()
        """Times that were asked for and had not come."""

    def observe(self, time: float) -> None:
        """Know that something was observed at *time*."""
        self.time = max(self.time, time)

    def _show(self, node: str, shown: float | None, at: float) -> None:
        """Know that the clock of *node* was at least at *shown* when ours was *at*."""
        if shown is not None:
            self._behind[node] = min(self._behind.get(node, math.inf), at - shown)

    def ours(self, node: str, time: float) -> float:
        """Return the time by which, at the latest, the clock of *node* is at *time*."""
        return time + self._behind.get(node, math.inf)

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

    def read_event(self, document: dict[str, JSON], at: float) -> ClusterEvent:
        """Return what an Event says; a kubelet's clock was at its time before *at*."""
        event = cluster_event(document)
        if event.component == "kubelet":
            host = text(document, "source", "host")
            self._show(host or text(document, "reportingInstance"), event.last, at)
        return event

    def read(self, document: dict[str, JSON], at: float) -> None:
        """Take from an object, observed *at* that time, what a clock has shown."""
        kind = text(document, "kind")
        if kind == "Pod":
            node = text(document, "spec", "nodeName")
            for member in _STATUSES:
                for each in mappings(document, "status", member):
                    self._show(node, moment(each, "state", "running", "startedAt"), at)
                    for state in ("state", "lastState"):
                        over = moment(each, state, "terminated", "finishedAt")
                        self._show(node, over, at)
        elif kind == "Node":
            name = text(document, "metadata", "name")
            for each in mappings(document, "status", "conditions"):
                self._show(name, moment(each, "lastHeartbeatTime"), at)
        elif kind == "Lease" and text(document, "metadata", "namespace") == _LEASES:
            holder = text(document, "spec", "holderIdentity")
            self._show(holder, moment(document, "spec", "renewTime"), at)
