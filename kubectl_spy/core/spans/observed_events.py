"""Events over time: each with all its observed occurrences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.clocks import Instant
from kubectl_spy.core.cluster.events import ClusterEvent, cluster_event
from kubectl_spy.core.cluster.relations import Relations
from kubectl_spy.core.spans.clocks import WHOLE_SECOND, Clocks
from kubectl_spy.core.spans.naming import container_of
from kubectl_spy.core.spans.track import Track

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


class Occurrence(NamedTuple):
    """One time at which an Event happened, and the version of it that says so."""

    at: Instant
    event: ClusterEvent


class ObservedEvent(NamedTuple):
    """An Event, and its occurrences that were observed or that it holds."""

    occurrences: tuple[Occurrence, ...]
    lasted: float  # seconds from first to last time, when first observed
    again: bool = False  # whether there were earlier occurrences, which were dropped
    deleted: bool = False

    @property
    def first(self) -> Occurrence:
        """The first occurrence that is kept."""
        return self.occurrences[0]


class ObservedEvents:
    """Folds records of Events, and finds those about an object.

    Events may come before their object, and after it is gone. A deleted Event is just
    an hour old, so it is kept.
    """

    def __init__(self, tracks: Mapping[str, Track], relations: Relations) -> None:
        self._tracks = tracks
        self._relations = relations
        self._by_subject: dict[str, dict[str, ObservedEvent]] = {}
        self._subject_of: dict[str, str] = {}  # of each Event that exists
        self._updated: dict[str, float] = {}
        """When the last Event about each subject was observed."""

    def observe(self, record: ChangeRecord, lost_at: float | None = None) -> None:
        """Take in a version of an Event.

        Clocks learn nothing from it: anybody may write Events with any time.
        """
        if record.gone:
            uid = record.identity
            events = self._by_subject.get(self._subject_of.pop(uid, ""), {})
            if uid in events:
                events[uid] = events[uid]._replace(deleted=True)
            return
        if not isinstance(record.document, dict):
            return
        event = cluster_event(record.document)
        event = event._replace(uid=event.uid or record.identity)
        if not event.subject:
            return
        self._updated[event.subject] = record.time
        self._subject_of[event.uid] = event.subject
        events = self._by_subject.setdefault(event.subject, {})
        known = events.get(event.uid)
        if known is None:
            events[event.uid] = _first_observed(record, event, lost_at)
        elif _is_newer(event, known.occurrences[-1].event):
            at = Instant(record.time)
            if (record.initial or record.listed) and event.last is not None:
                at = Instant(event.last, record.time, lost_at)
            occurrences = (*known.occurrences, Occurrence(at, event))
            events[event.uid] = known._replace(occurrences=occurrences)

    def about(self, track: Track, clocks: Clocks) -> list[ObservedEvent]:
        """Return the Events about an object, by their first occurrence."""
        found = [*self._by_subject.get(track.uid, {}).values()]
        for alias in self._relations.aliases(track.uid):
            events = self._by_subject.get(alias)
            if not events:
                continue
            namesakes = [self._tracks[uid] for uid in self._relations.called(alias)]
            found += (
                each
                for each in events.values()
                if _subject(each, namesakes, clocks) is track
            )
        return sorted(found, key=lambda it: (it.first.at.time, it.first.event.order))

    def sweep(self, *, before: float) -> None:
        """Drop Events observed *before* a time about objects that are not tracked."""
        for subject, updated in list(self._updated.items()):
            known = subject in self._tracks or self._relations.called(subject)
            if updated < before and not known:
                self._drop(subject)

    def trim(self, track: Track, before: float, clocks: Clocks) -> None:
        """Drop the occurrences *before* a time of Events about an object.

        The last one of an Event that is not deleted stays, as it may happen again.
        """
        for subject in (track.uid, *self._relations.aliases(track.uid)):
            events = self._by_subject.get(subject, {})
            for uid, event in list(events.items()):
                known = event.occurrences
                kept = tuple(it for it in known if clocks.local(it.at) >= before)
                if not kept and event.deleted:
                    del events[uid]
                elif len(kept) < len(known) > 1:
                    kept = kept or known[-1:]
                    events[uid] = ObservedEvent(kept, 0.0, True, event.deleted)

    def forget(self, uid: str) -> None:
        """Drop an object and the Events about it."""
        names = uid, *self._relations.aliases(uid)
        self._relations.forget(uid)
        for name in names:
            if not self._relations.called(name):
                self._drop(name)

    def _drop(self, subject: str) -> None:
        self._by_subject.pop(subject, None)
        self._updated.pop(subject, None)


def _subject(
    event: ObservedEvent, namesakes: Iterable[Track], clocks: Clocks
) -> Track | None:
    """Return the one of several *namesakes*, one after another, that it is about.

    That is the last one that existed when it first happened. An Event before all of
    them is about the first, unless it has no uid: then its object was gone before.
    """
    in_turn = sorted(namesakes, key=lambda each: (_created(each, clocks), each.uid))
    at = clocks.local(event.first.at) + WHOLE_SECOND
    existing = [each for each in in_turn if _created(each, clocks) <= at]
    if existing:
        return existing[-1]
    last = clocks.local(event.occurrences[-1].at) + WHOLE_SECOND
    if last < _created(in_turn[0], clocks) and not event.first.event.about:
        return None
    return in_turn[0]


def _created(track: Track, clocks: Clocks) -> float:
    created = track.created
    return track.first_seen if created is None else clocks.local(created)


def _is_newer(after: ClusterEvent, before: ClusterEvent) -> bool:
    """Return whether it happened again. Old versions may arrive after new ones."""
    later = (after.last or 0.0) > (before.last or 0.0)
    return after.times > before.times or (later and after.times == before.times)


def _first_observed(
    record: ChangeRecord, event: ClusterEvent, lost_at: float | None
) -> ObservedEvent:
    first, last = event.first, event.last
    if (record.initial or record.listed) and first is not None:
        times = sorted({first, max(first, last or first)})
        instants = (Instant(each, record.time, lost_at) for each in times)
        return ObservedEvent(tuple(Occurrence(each, event) for each in instants), 0.0)
    lasted = 0.0
    if first is not None and last is not None:
        lasted = max(last - first, 0.0)
    return ObservedEvent((Occurrence(Instant(record.time), event),), lasted)


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
