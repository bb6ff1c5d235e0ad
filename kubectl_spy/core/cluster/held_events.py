"""Events about objects that do not belong to the roots, or not yet."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from kubectl_spy.core.cluster.events import ClusterEvent, Order

_KEPT = 10_000
"""Events that are held."""
_SIZE = 32 * 1024 * 1024
"""Characters that their messages have together."""
_DROPPED = 100_000
"""Events that are not held any more, and known by their keys."""


class HeldEvents:
    """Holds Events until their object joins, of each its last version.

    `trim` leaves those that happened last.

    It also remembers which Events it dropped.
    """

    def __init__(self) -> None:
        self._about: dict[str, dict[str, ClusterEvent]] = {}
        self._oldest: list[tuple[Order, str, str]] = []
        """A heap of all that was held, by time; some of it is not held any more."""
        self._count = self._size = 0
        self._dropped: dict[str, dict[str, None]] = {}
        self._drops = 0
        self.uncounted = 0
        """Events that were dropped, and of which not even that is known any more."""

    def hold(self, about: str, key: str, event: ClusterEvent) -> None:
        """Keep *event*, which is known by *key*, until what it is *about* joins."""
        if key in self._dropped.get(about, ()):
            self._undrop(about, key)
        events = self._about.setdefault(about, {})
        self._let_go(events.get(key))
        events[key] = event
        heappush(self._oldest, (event.order, about, key))
        self._count += 1
        self._size += len(event.message)

    def trim(self) -> None:
        """Drop the oldest Events beyond the limits. Only this method drops any."""
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
        """Return the Events by key, and how many more there were."""
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
        """Drop the Event that happened first."""
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
