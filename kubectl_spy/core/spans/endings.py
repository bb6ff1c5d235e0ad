"""Warnings that belong to the normal end of a Pod, and are no errors.

The kubelet goes on with readiness probes until the last container has stopped, and
cancels what it is just starting.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/prober/worker.go
"""

from __future__ import annotations

import math

from kubectl_spy.core.spans.attributes import container_of
from kubectl_spy.core.spans.clocks import SLACK, Clocks, Instant
from kubectl_spy.core.spans.reports import Report, Sighting
from kubectl_spy.core.spans.track import Track

_PROBED = frozenset({"Unhealthy", "ProbeWarning"})
_STARTED = frozenset(
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
"""Warnings about Pods that are to start. Those about their end are not among them.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/events/event.go
"""
_STOPPING = "Stopping container "
"""What Killing says of a container that is not to be restarted.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/kuberuntime/kuberuntime_container.go
"""
_WHOLE = 1.0
"""Seconds that a time of whole seconds may be later than it says."""


def without_normal_warnings(
    track: Track, reports: list[Report], clocks: Clocks
) -> list[Report]:
    """Return *reports*, where warnings of a Pod's normal end are warnings no more."""
    sightings = [each for report in reports for each in report.times]
    if track.gvk.kind != "Pod" or not any(each.event.warning for each in sightings):
        return reports
    over = math.inf if track.over is None else clocks.ours(track.over)
    turns: dict[str, list[tuple[float, bool]]] = {}
    """By container, when it was started, and when it was stopped (True)."""
    for at, event in sightings:
        stopped = event.reason == "Killing" and event.message.startswith(_STOPPING)
        if stopped or event.reason == "Started":
            turn = clocks.ours(at), stopped
            turns.setdefault(container_of(event), []).append(turn)

    def is_normal(each: Sighting) -> bool:
        probed, latest = each.event.reason in _PROBED, _latest(each.at, clocks)
        if latest >= over and (probed or each.event.reason in _STARTED):
            return True
        before = (
            it for it in turns.get(container_of(each.event), ()) if it[0] <= latest
        )
        return probed and max(before, default=(0.0, False))[1]

    def judged(each: Sighting) -> Sighting:
        if not each.event.warning or not is_normal(each):
            return each
        return each._replace(event=each.event._replace(warning=False))

    return [
        report._replace(times=tuple(map(judged, report.times))) for report in reports
    ]


def _latest(at: Instant, clocks: Clocks) -> float:
    """Return the latest time that an Event may have happened at.

    The stream of Events may run ahead of that of Pods.
    """
    whole = at.seen is not None and at.time.is_integer()
    return clocks.ours(at) + (_WHOLE if whole else SLACK)
