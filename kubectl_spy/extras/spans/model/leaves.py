"""The leaves of a trace: phases, pulls of images, and Events, of one object each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import NamedTuple

from kubectl_spy.core.cluster.clocks import Instant
from kubectl_spy.core.cluster.event_store import EventStore, ObservedEvent, Occurrence
from kubectl_spy.core.cluster.events import ClusterEvent, Order
from kubectl_spy.core.cluster.relations import Relations
from kubectl_spy.extras.spans.model.clocks import WHOLE_SECOND, Clocks
from kubectl_spy.extras.spans.model.naming import (
    container_of,
    event_attributes,
    event_id,
    phase_id,
    phase_service,
)
from kubectl_spy.extras.spans.model.span import Span, SpanKind
from kubectl_spy.extras.spans.model.track import Phase, Track

_REASONS = {
    **dict.fromkeys(
        (
            "Completed",
            "ContainerCannotRun",
            "ContainerCreating",
            "CrashLoopBackOff",
            "CreateContainerConfigError",
            "ErrImagePull",
            "Error",
            "ImagePullBackOff",
            "OOMKilled",
        ),
        "k8s.container.status.reason",
    ),
    **dict.fromkeys(
        ("Evicted", "NodeAffinity", "NodeLost", "Shutdown", "UnexpectedAdmissionError"),
        "k8s.pod.status.reason",
    ),
}
"""The attribute of which a phase of a Pod is a value.
https://opentelemetry.io/docs/specs/semconv/registry/attributes/k8s/
"""
_AT_ONCE = 1.5  # seconds within which the kubelet reports all about one failure


class Leaf(NamedTuple):
    """A phase, an Event or another step of one object, with its times."""

    uid: str  # of the object
    start: float
    end: float | None
    stamp: str  # The start as it was first dated, by whichever clock. It never changes.
    past: bool  # whether it began before anybody watched
    span: Span | None
    """Without a trace and a parent. None if the object just came or went."""
    event: str = ""  # the uid of the Event, if it is one
    again: bool = False  # whether the Event had happened before
    provisional: bool = False  # whether its end may still move
    cause: float = math.inf
    """The start of the change that caused it, of the object or of an owner."""
    version: str = ""
    """The resourceVersion of the object that an Event is a reaction to, if known."""

    @property
    def exact(self) -> bool:
        """Whether its start is known more exactly than to the second."""
        return not self.stamp.endswith(".000000Z")


def leaves(track: Track, events: list[ObservedEvent], clocks: Clocks) -> Iterator[Leaf]:
    """Yield what happened to an object, given the *events* about it."""
    events = _without_normal_warnings(track, events, clocks)
    if track.created is not None:
        yield _mark(track, track.created, clocks)
    deleted = None if track.deleted is None else Instant(track.deleted)
    # A phase that lasted until the deletion belongs to the trace in which it began.
    if deleted and not (track.phases and track.phases[-1].end == deleted):
        yield _mark(track, deleted, clocks)
    for phase in track.phases:
        yield _phase(track, phase, clocks)
    for event in events:
        yield from _occurrences(track, event, clocks)
    if track.gvk.kind == "Pod":
        yield from _pulls(track, events, clocks)


def _mark(track: Track, instant: Instant, clocks: Clocks) -> Leaf:
    time = clocks.local(instant)
    return Leaf(track.uid, time, time, instant.stamp, instant.past, None)


def _phase(track: Track, phase: Phase, clocks: Clocks, container: str = "") -> Leaf:
    start = clocks.local(phase.start)
    end = None if phase.end is None else max(clocks.local(phase.end), start)
    name = f"{track.gvk.kind}.{phase.name}"
    attributes = [*track.attributes]
    if container:
        attributes.append(("k8s.container.name", container))
    if track.gvk.kind == "Pod" and phase.name in _REASONS:
        attributes.append((_REASONS[phase.name], phase.name))
    span = Span(
        trace_id="",
        span_id=phase_id(track.uid, f"{name}/{container}", phase.start.stamp),
        parent_id="",
        kind=SpanKind.PHASE,
        name=name,
        service=phase_service(track.gvk, phase.name),
        start=start,
        end=end,
        attributes=tuple(attributes),
        error=phase.error,
    )
    return Leaf(track.uid, start, end, phase.start.stamp, phase.start.past, span)


def _occurrences(
    track: Track, observed: ObservedEvent, clocks: Clocks
) -> Iterator[Leaf]:
    """Yield each occurrence of an Event. An episode joins them into one span."""
    at, event = observed.occurrences[0]
    start = first = clocks.local(at)
    if at.read_at is None and not observed.again and event.lasted:
        # It began before it was observed, but not before its object existed.
        earliest = track.first_seen
        if track.initial:
            earliest = 0.0 if track.created is None else clocks.local(track.created)
        start = max(first - event.lasted, min(earliest, first))
    again = observed.again
    for instant, event in observed.occurrences:
        time = max(clocks.local(instant), first)
        span = Span(
            trace_id="",
            span_id=event_id(event.uid),
            parent_id="",
            kind=SpanKind.EVENT,
            name=f"{event.kind or track.gvk.kind}.{event.reason or 'Event'}",
            service=event.component,
            start=time if again else start,
            end=time,
            attributes=track.attributes + event_attributes(event),
            error=(event.message or event.reason) if event.warning else "",
        )
        yield Leaf(
            uid=track.uid,
            start=span.start,
            end=time,
            stamp=instant.stamp,
            past=instant.past,
            span=span,
            event=event.uid,
            again=again,
            version=_version(track, event),
        )
        again = True


def _pulls(track: Track, events: list[ObservedEvent], clocks: Clocks) -> Iterator[Leaf]:
    """Yield each try to pull an image, from Pulling to Pulled or Failed.

    If no Event ends it, it ends when the Pod moves on, or at the next try.
    """
    began: dict[str, list[Occurrence]] = {}
    ended: dict[str, list[Occurrence]] = {}
    for observed in events:
        for each in observed.occurrences:
            if each.event.reason == "Pulling":
                began.setdefault(each.event.field, []).append(each)
            elif each.event.reason in ("Pulled", "Failed"):
                ended.setdefault(each.event.field, []).append(each)

    def order(it: Occurrence) -> tuple[float, Order]:
        return clocks.local(it.at), it.event.order

    for field, tries in began.items():
        tries.sort(key=order)
        ends = sorted(ended.get(field, ()), key=order)
        for this, following in zip_longest(tries, tries[1:]):
            first = clocks.local(this.at)
            last = math.inf if following is None else clocks.local(following.at)
            own = [each for each in ends if first <= clocks.local(each.at) <= last]
            if own:
                end: Instant | None = own[0].at
            elif following is not None:
                end = following.at
            else:
                end = _moved_on(track, this.at, clocks)
            phase = Phase("PullingImage", this.at, end, _pull_error(own, clocks))
            leaf = _phase(track, phase, clocks, container_of(this.event))
            yield leaf._replace(provisional=not own)


def _version(track: Track, event: ClusterEvent) -> str:
    """Return the version of the object that its controller reacted to, or "".

    A repeated Event names that of its first time. A kubelet always names the version
    from which it started the Pod.
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/client-go/tools/record/events_cache.go
    """
    return "" if event.times > 1 or track.gvk.kind == "Pod" else event.version


def _pull_error(ends: list[Occurrence], clocks: Clocks) -> str:
    """Return the message of the failure that ended a pull, if the first end is one.

    The kubelet reports it twice: `Failed to pull image …`, which has the reason, and
    `Error: ErrImagePull`.
    """
    if not ends or not ends[0].event.warning:
        return ""
    latest = clocks.local(ends[0].at) + _AT_ONCE
    messages = [
        each.event.message
        for each in ends
        if each.event.reason == "Failed" and clocks.local(each.at) <= latest
    ]
    return max(messages, key=lambda each: "to pull" in each) or "Failed"


def _moved_on(track: Track, since: Instant, clocks: Clocks) -> Instant | None:
    """Return when a Pod stopped creating containers; None if it still does."""
    start = clocks.local(since)
    for phase in track.phases:
        end = phase.end
        creating = phase.name == "ContainerCreating"
        if creating and end is not None and clocks.local(end) >= start:
            return end
    if track.deleted is not None:
        return Instant(track.deleted)
    return None if track.phases and track.phases[-1].end is None else since


# Warnings that belong to the normal end of a Pod.

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


def _without_normal_warnings(
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


# Which Events are about an object, and which about others that had its name.


def events_about(
    track: Track,
    events: EventStore,
    tracks: Mapping[str, Track],
    relations: Relations,
    clocks: Clocks,
) -> list[ObservedEvent]:
    """Return the *events* about an object, by their first occurrence."""
    found = [*events.about(track.uid).values()]
    for alias in relations.aliases(track.uid):
        namesakes = [tracks[uid] for uid in relations.called(alias)]
        found += (
            each
            for each in events.about(alias).values()
            if _subject(each, namesakes, clocks) is track
        )
    return found and sorted(
        found,
        key=lambda it: (it.occurrences[0].at.time, it.occurrences[0].event.order),
    )


def _subject(
    event: ObservedEvent, namesakes: Iterable[Track], clocks: Clocks
) -> Track | None:
    """Return the one of several *namesakes*, one after another, that it is about.

    That is the last one that existed when it first happened. An Event before all of
    them is about the first, unless it has no uid: then its object was gone before.
    """
    in_turn = sorted(namesakes, key=lambda each: (_created(each, clocks), each.uid))
    at = clocks.local(event.occurrences[0].at) + WHOLE_SECOND
    existing = [each for each in in_turn if _created(each, clocks) <= at]
    if existing:
        return existing[-1]
    last = clocks.local(event.occurrences[-1].at) + WHOLE_SECOND
    if last < _created(in_turn[0], clocks) and not event.latest.about:
        return None
    return in_turn[0]


def _created(track: Track, clocks: Clocks) -> float:
    created = track.created
    return track.first_seen if created is None else clocks.local(created)
