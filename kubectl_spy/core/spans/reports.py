"""Events over time: each once, with every time that it was seen to happen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.cluster.events import ClusterEvent, cluster_event
from kubectl_spy.core.spans.clocks import Clocks, Instant
from kubectl_spy.core.spans.track import Track

_WHOLE = 1.0
"""Seconds that a time of whole seconds may be later than it says."""


class Sighting(NamedTuple):
    """A time at which an Event happened, and what it said then."""

    at: Instant
    event: ClusterEvent


class Report(NamedTuple):
    """An Event, and when it happened, as far as it was seen or says so itself."""

    times: tuple[Sighting, ...]
    before: float
    """Seconds that it had lasted already when it was first seen."""
    again: bool = False
    """Whether it had happened before that; it was let go."""
    gone: bool = False
    """Whether the Event was deleted since."""


class Reports:
    """Folds records of Events; asked for those about an object.

    They may come before that, and after it is gone. An Event that is deleted is just an
    hour old: what it told stays true.
    """

    def __init__(self) -> None:
        self._about: dict[str, dict[str, Report]] = {}
        self._of: dict[str, str] = {}
        """What each Event is about that is still there."""
        self._seen: dict[str, float] = {}
        """When something was reported of an object last."""
        self._named: dict[str, dict[str, Track]] = {}
        """By what Events may name them beside their uids, and by uid, the objects."""

    def observe(self, record: ChangeRecord, since: float | None = None) -> None:
        """Take in a version of an Event.

        *since* is as for an object's track.

        Its times tell nothing of the cluster's clock: anybody may write them.
        """
        if record.type in (ChangeType.DELETED, ChangeType.LEFT):
            self._end(record.identity)
            return
        if not isinstance(record.document, dict):
            return
        event = cluster_event(record.document)
        event = event._replace(uid=event.uid or record.identity)
        about = event.subject
        if not about:
            return
        self._seen[about] = record.time
        self._of[event.uid] = about
        reports = self._about.setdefault(about, {})
        known = reports.get(event.uid)
        if known is not None and not _grown(known.times[-1].event, event):
            return
        reports[event.uid] = _report(record, event, known, since)

    def _end(self, uid: str) -> None:
        about = self._of.pop(uid, "")
        known = self._about.get(about, {}).get(uid)
        if known is not None:
            self._about[about][uid] = known._replace(gone=True)

    def expect(self, track: Track) -> None:
        """Know an object, and what Events may name it by."""
        for alias in track.aliases:
            self._named.setdefault(alias, {})[track.uid] = track

    def of(self, track: Track, clocks: Clocks) -> list[Report]:
        """Return what was reported of the object, by its beginning."""
        found = [*self._about.get(track.uid, {}).values()]
        for alias in track.aliases:
            for report in self._about.get(alias, {}).values():
                tracks = self._named[alias].values()
                if _subject(report, tracks, clocks) is track:
                    found.append(report)
        return sorted(
            found, key=lambda each: (each.times[0].at.time, each.times[0].event.order)
        )

    def sweep(self, tracks: Iterable[Track], *, before: float) -> None:
        """Let go what happened *before* a time to objects that have no track."""
        known = set[str]()
        for track in tracks:
            known.update((track.uid, *track.aliases))
        for uid in [uid for uid in self._about if uid not in known]:
            if self._seen[uid] < before:
                self._let_go(uid)

    def trim(self, track: Track, before: float, clocks: Clocks) -> None:
        """Forget when something happened to an object *before* a time.

        Of an Event that is still there the last time stays: it may happen again.
        """
        for about in (track.uid, *track.aliases):
            reports = self._about.get(about, {})
            for each, known in list(reports.items()):
                kept = tuple(it for it in known.times if clocks.ours(it.at) >= before)
                if not kept and known.gone:
                    del reports[each]
                elif len(kept) < len(known.times) > 1:
                    times = kept or known.times[-1:]
                    reports[each] = known._replace(times=times, before=0.0, again=True)

    def forget(self, track: Track) -> None:
        """Let go an object and what was reported of it."""
        self._let_go(track.uid)
        for alias in track.aliases:
            named = self._named[alias]
            named.pop(track.uid, None)
            if not named:
                del self._named[alias]
                self._let_go(alias)

    def _let_go(self, about: str) -> None:
        self._about.pop(about, None)
        self._seen.pop(about, None)


def _subject(report: Report, tracks: Iterable[Track], clocks: Clocks) -> Track | None:
    """Return which of *tracks* it is about, where they go by the same name in turn.

    That is the last that was there when it happened first. What comes before any of
    them is about the first, unless it says no uid: then it is about one long gone.
    """
    first, last = report.times[0], report.times[-1]
    in_turn = sorted(tracks, key=lambda each: (_came(each, clocks), each.uid))
    at = clocks.ours(first.at) + _WHOLE
    there = [each for each in in_turn if _came(each, clocks) <= at]
    if there:
        return there[-1]
    ended = clocks.ours(last.at) + _WHOLE < _came(in_turn[0], clocks)
    return None if ended and not first.event.about else in_turn[0]


def _came(track: Track, clocks: Clocks) -> float:
    return track.seen if track.born is None else clocks.ours(track.born)


def _grown(before: ClusterEvent, after: ClusterEvent) -> bool:
    """Return whether it happened again: late versions tell of less, not of more."""
    later = (after.last or 0.0) > (before.last or 0.0)
    return after.times > before.times or (later and after.times == before.times)


def _report(
    record: ChangeRecord,
    event: ClusterEvent,
    known: Report | None,
    since: float | None,
) -> Report:
    seen = Sighting(Instant(record.time), event)
    first_time, last_time = event.first, event.last
    told = record.initial or record.listed
    if known is not None:
        if told and last_time is not None:
            seen = Sighting(Instant(last_time, record.time, since), event)
        return known._replace(times=(*known.times, seen))
    if told and first_time is not None:
        said = {first_time, max(first_time, last_time or first_time)}
        times = tuple(
            Sighting(Instant(each, record.time, since), event) for each in sorted(said)
        )
        return Report(times, 0.0)
    lasted = 0.0
    if first_time is not None and last_time is not None:
        lasted = max(last_time - first_time, 0.0)
    return Report((seen,), lasted)
