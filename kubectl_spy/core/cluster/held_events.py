"""Keeps the Events about objects, also about those that are not known yet."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from kubectl_spy.core.cluster.events import FATES, ClusterEvent, Order

_KEPT = 10_000  # the most Events to hold
_SIZE = 32 * 1024 * 1024  # the most characters of all their messages
_DROPPED = 100_000  # the most dropped Events to remember


class HeldEvents:
    """Holds the last version of each Event until its object joins.

    `trim` keeps the latest. The keys of dropped Events are remembered.
    """

    def __init__(self) -> None:
        self._about: dict[str, dict[str, ClusterEvent]] = {}
        self._oldest: list[tuple[Order, str, str]] = []  # a heap; some are not held
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
        """Return the Events of an object by key, and how many others were dropped."""
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


_EVENTS = 50  # the most Events to keep of one object
_FATES = 1_000  # the most Pods of which to keep who removed them


class Reported:
    """Keeps the Events about objects, also those that are not known yet.

    Objects go by the names that Events use: `core/cluster/references.py`.
    """

    def __init__(self) -> None:
        self._about: dict[str, dict[str, ClusterEvent]] = {}
        self._ordered: dict[str, tuple[ClusterEvent, ...]] = {}
        self._held = HeldEvents()
        self._fates: dict[tuple[str, str], ClusterEvent] = {}

    def hold(self, key: str, event: ClusterEvent) -> None:
        """Hold *event* with its *key*: its object is not known yet."""
        self._held.hold(event.subject, key, event)

    def trim(self) -> None:
        """Drop the oldest held Events above a limit."""
        self._held.trim()

    def join(self, about: str) -> bool:
        """Add the held Events of an object. Return whether there are any."""
        held = self._held.release(about)[0]
        for key, event in held.items():
            self.add(key, event)
        return bool(held)

    def add(self, key: str, event: ClusterEvent) -> None:
        """Add *event* with its *key*: its object is known."""
        self._ordered.pop(event.subject, None)
        events = self._about.setdefault(event.subject, {})
        events[key] = event
        if len(events) > _EVENTS:
            del events[min(events, key=lambda each: events[each].order)]

    def about(self, name: str) -> tuple[ClusterEvent, ...]:
        """Return the Events about an object, the latest last."""
        found = self._ordered.get(name)
        if found is None:
            events = self._about.get(name, {}).values()
            found = tuple(sorted(events, key=lambda each: each.order))
            self._ordered[name] = found
        return found

    def forget(self, about: str) -> None:
        self._about.pop(about, None)
        self._ordered.pop(about, None)

    def decides(self, event: ClusterEvent) -> bool:
        """Return whether *event* is the latest that says who removed a Pod. Keep it.

        The Pod may be gone before the watch began.
        """
        if event.kind != "Pod" or event.reason not in FATES:
            return False
        name = event.namespace, event.name
        known = self._fates.get(name)
        if known is not None and known.order > event.order:
            return False
        self._fates[name] = event
        if len(self._fates) > _FATES:
            del self._fates[min(self._fates, key=lambda each: self._fates[each].order)]
        return True

    def fate(self, namespace: str, name: str) -> ClusterEvent | None:
        """Return the Event that says who removed the Pod of that name, or None."""
        return self._fates.get((namespace, name))
