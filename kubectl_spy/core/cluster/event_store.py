"""Keeps Events over time, by their objects, also before these are known.

API servers delete Events after an hour. They stay true, so they are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from sys import maxsize
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.clocks import Instant
from kubectl_spy.core.cluster.events import ClusterEvent, Order, cluster_event
from kubectl_spy.core.cluster.relations import drop

_HELD = 10_000  # the most Events to hold
_SIZE = 32 * 1024 * 1024  # the most characters of all their messages
_DROPPED = 100_000  # the most dropped Events to remember


class Occurrence(NamedTuple):
    """A time at which an Event happened, and the version that reports it."""

    at: Instant
    event: ClusterEvent


class ObservedEvent(NamedTuple):
    """An Event, and its occurrences that were observed or that it holds."""

    occurrences: tuple[Occurrence, ...]
    again: bool = False  # whether there were earlier occurrences, which were dropped

    @property
    def latest(self) -> ClusterEvent:
        """The Event as of its last occurrence."""
        return self.occurrences[-1].event


class EventStore:
    """Folds records of Events, and finds those about an object by its uid or name.

    Events are held until their object is *known*, when the caller has it `join`.

    With *each_time* all occurrences of an Event are kept, and otherwise the last one.
    *most* limits the Events about one object, and *deleted* the deleted ones of all.
    """

    def __init__(
        self,
        known: Callable[[str], bool],
        *,
        each_time: bool = False,
        most: int = maxsize,
        deleted: int | None = None,
    ) -> None:
        self._known = known
        self._each_time = each_time
        self._most, self._most_deleted = most, deleted
        self._about: dict[str, dict[str, ObservedEvent]] = {}
        self._subjects: dict[str, str] = {}  # by key, of Events that exist
        self._deleted: dict[str, str] = {}  # and of those that do not
        self._held: dict[str, dict[str, ObservedEvent]] = {}
        self._oldest: list[tuple[Order, str, str]] = []  # a heap; some are not held
        self._count = self._size = 0
        self._dropped: dict[str, dict[str, None]] = {}
        self._drops = 0
        self.missing = 0  # dropped Events of objects that joined later
        self.uncounted = 0  # dropped Events that are no longer remembered

    def observe(
        self, record: ChangeRecord, lost_at: float | None = None
    ) -> ClusterEvent | None:
        """Take in a version of an Event. Return it if the Event happened (again).

        Old versions may arrive after new ones. Clocks learn nothing from Events:
        anybody may write them with any time.
        """
        key = record.identity
        if record.gone:
            self._delete(key)
            return None
        if not isinstance(record.document, dict):
            return None
        event = cluster_event(record.document)
        about = event.subject
        if not about:
            return None
        seen = None if record.initial else record.time
        event = event._replace(uid=event.uid or key, seen=seen)
        self._subjects[key] = about
        self._deleted.pop(key, None)
        known = self._known(about)
        before = (self._about if known else self._held).get(about, {}).get(key)
        if before is not None and event.occurrence <= before.latest.occurrence:
            return None
        times = _times(record, event, lost_at, again=before is not None)
        new = tuple([Occurrence(each, event) for each in times])
        if before is None or not self._each_time:
            found = ObservedEvent(new if self._each_time else new[-1:])
        else:
            found = before._replace(occurrences=before.occurrences + new)
        if known:
            self._keep(about, key, found)
            return event
        if key in self._dropped.get(about, ()):
            self._undrop(about, key)
        self._count_held(before, -1)
        self._count_held(found, 1)
        self._held.setdefault(about, {})[key] = found
        heappush(self._oldest, (event.order, about, key))
        return event

    def join(self, about: str) -> dict[str, ObservedEvent]:
        """Keep the held Events of an object that is known now. Return them by key."""
        events = self._held.pop(about, {})
        for key, event in events.items():
            self._count_held(event, -1)
            self._keep(about, key, event)
        if about in self._dropped:
            missing = len(self._dropped.pop(about))
            self._drops -= missing
            self.missing += missing
        return events

    @property
    def others(self) -> int:
        """The number of Events about objects that are not known."""
        return sum(map(len, self._held.values())) + self._drops + self.uncounted

    def trim(self) -> None:
        """Drop the oldest held Events above the limits. Remember their keys."""
        while self._count > _HELD or (self._size > _SIZE and self._count > 1):
            order, about, key = heappop(self._oldest)
            event = self._held.get(about, {}).get(key)
            if event is not None and event.latest.order == order:
                self._count_held(event, -1)
                drop(self._held, about, key)
                self._subjects.pop(key, None)
                self._dropped.setdefault(about, {})[key] = None
                self._drops += 1
            if self._drops > _DROPPED:
                about, keys = next(iter(self._dropped.items()))
                self._undrop(about, next(iter(keys)))
                self.uncounted += 1
        if len(self._oldest) > 2 * _HELD:
            self._oldest = [
                (event.latest.order, about, key)
                for about, events in self._held.items()
                for key, event in events.items()
            ]
            heapify(self._oldest)

    def about(self, name: str) -> dict[str, ObservedEvent]:
        """Return the Events about a known object, by key."""
        return self._about.get(name, {})

    def drop_before(
        self, time: float, name: str, local: Callable[[Instant], float]
    ) -> None:
        """Drop the occurrences before a *local* time of Events about an object.

        The last one of an Event that is not deleted stays, as it may happen again.
        """
        for key, event in list(self.about(name).items()):
            known = event.occurrences
            kept = tuple(each for each in known if local(each.at) >= time)
            if not kept and key not in self._subjects:
                del self._about[name][key]
            elif len(kept) < len(known) > 1:
                self._about[name][key] = ObservedEvent(kept or known[-1:], again=True)

    def forget(self, name: str) -> None:
        """Drop the Events about an object that is no longer known."""
        self._about.pop(name, None)

    def _keep(self, about: str, key: str, event: ObservedEvent) -> None:
        events = self._about.setdefault(about, {})
        events[key] = event
        if len(events) > self._most:
            del events[min(events, key=lambda each: events[each].latest.order)]

    def _count_held(self, event: ObservedEvent | None, by: int) -> None:
        if event is not None:
            self._count += by
            self._size += by * sum([len(it.event.message) for it in event.occurrences])

    def _undrop(self, about: str, key: str) -> None:
        drop(self._dropped, about, key)
        self._drops -= 1

    def _delete(self, key: str) -> None:
        about = self._subjects.pop(key, "")
        if self._most_deleted is not None:
            self._deleted[key] = about
            if len(self._deleted) > self._most_deleted:
                oldest = next(iter(self._deleted))
                drop(self._about, self._deleted.pop(oldest), oldest)


def _times(
    record: ChangeRecord, event: ClusterEvent, lost_at: float | None, *, again: bool
) -> list[Instant]:
    """Return when *event* happened: from a list its own times, from a watch now."""
    first, last = event.first, event.last
    if last is None or not (record.initial or record.listed):
        return [Instant(record.time)]
    times = {last} if again or first is None else {first, max(first, last)}
    return [Instant(each, record.time, lost_at) for each in sorted(times)]
