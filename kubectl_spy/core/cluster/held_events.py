"""Holds Events about objects that do not belong to the roots yet."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from kubectl_spy.core.cluster.events import ClusterEvent, Order

_KEPT = 10_000  # the most Events to hold
_SIZE = 32 * 1024 * 1024  # the most characters of all their messages
_DROPPED = 100_000  # the most dropped Events to remember


class HeldEvents:
    """Holds the last version of each Event until its object joins.

    `trim` keeps the latest. The keys of dropped Events are remembered.
    """

    def __init__(self) -> None:
        self._about: dict[str, dict[str, ClusterEvent]] = {}
        self._oldest: list[tuple[Order, str, str]] = []
        """A heap of Events by time. Some are no longer held."""
        self._count = self._size = 0
        self._dropped: dict[str, dict[str, None]] = {}
        self._drops = 0
        self.uncounted = 0  # the number of dropped Events that are no longer remembered

    def hold(self, about: str, key: str, event: ClusterEvent) -> None:
        """Hold *event* with its *key* until the object *about* joins."""
        if key in self._dropped.get(about, ()):
            self._undrop(about, key)
        events = self._about.setdefault(about, {})
        self._let_go(events.get(key))
        events[key] = event
        heappush(self._oldest, (event.order, about, key))
        self._count += 1
        self._size += len(event.message)

    def trim(self) -> None:
        """Drop the oldest Events above the limits."""
        while self._count > _KEPT or (self._size > _SIZE and self._count > 1):
            self._drop()
        if len(self._oldest) > 2 * _KEPT:
            self._oldest = [
                (each.order, name, known)
                for name, held in self._about.items()
                for known, each in held.items()
            ]
            heapify(self._oldest)

    def release(self, about: str) -> tuple[dict[str, ClusterEvent], int]:
        """Return the Events of an object by key, and how many of its were dropped."""
        events = self._about.pop(about, {})
        for event in events.values():
            self._let_go(event)
        dropped = len(self._dropped.pop(about, ()))
        self._drops -= dropped
        return events, dropped

    def _let_go(self, event: ClusterEvent | None) -> None:
        if event is not None:
            self._count -= 1
            self._size -= len(event.message)

    def _drop(self) -> None:
        """Drop the oldest Event."""
        while True:
            order, about, key = heappop(self._oldest)
            events = self._about.get(about, {})
            if key in events and events[key].order == order:
                break
        self._let_go(events.pop(key))
        if not events:
            del self._about[about]
        self._dropped.setdefault(about, {})[key] = None
        self._drops += 1
        if self._drops > _DROPPED:
            about, keys = next(iter(self._dropped.items()))
            self._undrop(about, next(iter(keys)))
            self.uncounted += 1

    def _undrop(self, about: str, key: str) -> None:
        keys = self._dropped[about]
        del keys[key]
        self._drops -= 1
        if not keys:
            del self._dropped[about]
