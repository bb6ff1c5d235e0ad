"""Keeps the Events about each object, in the order they happened."""

from __future__ import annotations

from kubectl_spy.core.cluster.events import FATES, ClusterEvent
from kubectl_spy.core.cluster.held_events import HeldEvents

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
        """Forget the Events about an object."""
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
