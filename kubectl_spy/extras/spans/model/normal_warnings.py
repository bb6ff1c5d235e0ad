"""Warnings that belong to the normal end of a Pod."""

from __future__ import annotations

import math

from kubectl_spy.core.cluster.clocks import Instant
from kubectl_spy.core.cluster.event_store import ObservedEvent, Occurrence
from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.extras.spans.model.clocks import Clocks
from kubectl_spy.extras.spans.model.naming import container_of
from kubectl_spy.extras.spans.model.track import Track

_PROBE_WARNINGS = frozenset({"Unhealthy", "ProbeWarning"})
_START_WARNINGS = frozenset(
    {
        "BackOff",
        "Failed",
        "FailedAttachVolume",
        "FailedCreatePodSandBox",
        "FailedMapVolume",
        "FailedMount",
        "FailedPodSandBoxStatus",
        "FailedPostStartHook",
        "FailedPrepareDynamicResources",
        "FailedScheduling",
        "FailedSync",
        "NetworkNotReady",
    }
)
"""Warnings about the start of a Pod, as opposed to its end.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/events/event.go
"""
_STOPPING = "Stopping container "
"""How the message of Killing begins if the container is not to be restarted.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/kuberuntime/kuberuntime_container.go
"""


def without_normal_warnings(
    track: Track, events: list[ObservedEvent], clocks: Clocks
) -> list[ObservedEvent]:
    """Return *events* without the warnings that belong to the normal end of a Pod.

    The kubelet runs readiness probes until the last container has stopped, and cancels
    what it is starting.
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/prober/worker.go
    """
    all_of_them = [each for event in events for each in event.occurrences]
    if track.gvk.kind != "Pod" or not any(each.event.warning for each in all_of_them):
        return events
    ended = math.inf if track.ended is None else clocks.local(track.ended)
    turns: dict[str, list[tuple[float, bool]]] = {}
    """By container: when it was started (False) or stopped for good (True)."""
    for at, event in all_of_them:
        stopped = event.reason == "Killing" and event.message.startswith(_STOPPING)
        if stopped or event.reason == "Started":
            turn = clocks.local(at), stopped
            turns.setdefault(container_of(event), []).append(turn)

    def is_normal(at: Instant, event: ClusterEvent) -> bool:
        probe, time = event.reason in _PROBE_WARNINGS, clocks.latest(at)
        if time >= ended and (probe or event.reason in _START_WARNINGS):
            return True
        before = [
            each for each in turns.get(container_of(event), ()) if each[0] <= time
        ]
        return probe and max(before, default=(0.0, False))[1]

    def corrected(each: Occurrence) -> Occurrence:
        if not each.event.warning or not is_normal(*each):
            return each
        return each._replace(event=each.event._replace(warning=False))

    return [
        event._replace(occurrences=tuple(map(corrected, event.occurrences)))
        for event in events
    ]
