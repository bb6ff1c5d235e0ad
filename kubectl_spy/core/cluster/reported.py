"""Events by the object that they are about, in the order in which they happened."""

from __future__ import annotations

from kubectl_spy.core.cluster.events import FATES, ClusterEvent
from kubectl_spy.core.cluster.held_events import HeldEvents

_EVENTS = 50
"""Events that are kept of one object: the latest."""
_FATES = 1_000
"""Pods of which it is kept who made them go."""


class Reported:
    """Keeps the Events about objects, also of those that were not seen yet.

    An object is known here by what Events name it by: `core/cluster/subjects.py`.
    """

    def __init__(self) -> None:
        self._about: dict[str, dict[str, ClusterEvent]] = {}
        self._ordered: dict[str, tuple[ClusterEvent, ...]] = {}
        self._held = HeldEvents()
        self._fates: dict[tuple[str, str], ClusterEvent] = {}

    def hold(self, key: str, event: ClusterEvent) -> None:
        """Keep *event*, known by *key*, of an object that was not seen yet."""
        self._held.hold(event.subject, key, event)

    def trim(self) -> None:
        """Drop the oldest Events of objects that were not seen, past a limit."""
        self._held.trim()

    def join(self, about: str) -> bool:
        """Take in what is held of an object; return whether that is anything."""
        held = self._held.release(about)[0]
        for key, event in held.items():
            self.add(key, event)
        return bool(held)

    def add(self, key: str, event: ClusterEvent) -> None:
        """Take in *event*, known by *key*, of an object that was seen."""
        self._ordered.pop(event.subject, None)
        events = self._about.setdefault(event.subject, {})
        events[key] = event
        if len(events) > _EVENTS:
            del events[min(events, key=lambda each: events[each].order)]

    def about(self, name: str) -> tuple[ClusterEvent, ...]:
        """Return what was reported of an object, what happened last last."""
        found = self._ordered.get(name)
        if found is None:
            events = self._about.get(name, {}).values()
            found = tuple(sorted(events, key=lambda each: each.order))
            self._ordered[name] = found
        return found

    def forget(self, about: str) -> None:
        """Let go what was reported of an object."""
        self._about.pop(about, None)
        self._ordered.pop(about, None)

    def decides(self, event: ClusterEvent) -> bool:
        """Return whether *event* is the latest that says who made a Pod go; keep it.

        The Pod may be gone before anybody has seen it.
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
        """Return the Event that says who made the Pod of that name go, if any."""
        return self._fates.get((namespace, name))
