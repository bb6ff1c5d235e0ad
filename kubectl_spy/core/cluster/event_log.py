"""The Events about an object and all under it, in the order in which they happened."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.changes.record import (
    ChangeRecord,
    Item,
    Listed,
    Refused,
)
from kubectl_spy.core.cluster.events import EVENT_GROUPS, ClusterEvent, cluster_event
from kubectl_spy.core.cluster.held_events import HeldEvents
from kubectl_spy.core.cluster.kinship import Kin
from kubectl_spy.core.cluster.scope import Scope

_EXPIRED = 10_000
"""Events that the server has forgotten, and that are known to have been told."""


class _Told(NamedTuple):
    """What was told last of an Event."""

    times: int
    last: float | None


class EventLog:
    """Folds records of whole objects into the Events about the roots and theirs.

    Each comes once, and again when it has happened again. What belongs to the roots
    only later, or turns out to only later, brings its Events along; what is gone keeps
    its, though it came and went before anything was asked. What a record costs does not
    depend on how many objects there are.

    With *each_time* an Event also comes for each time that it happened before it was
    known to belong here; else it comes once then, with its count.
    """

    def __init__(self, scope: Scope, *, each_time: bool = False) -> None:
        self.scope = scope
        self._each_time = each_time
        self._kin = Kin()
        self._news: dict[str, ClusterEvent] = {}
        self._told: dict[str, _Told] = {}
        self._expired: dict[str, None] = {}
        self._held = HeldEvents()
        self._missing = 0

    @property
    def missing(self) -> int:
        """Events that belong here, but came too long before that was known."""
        return self._missing

    @property
    def uncounted(self) -> int:
        """Events of which nobody would know, should they turn out to belong here."""
        return self._held.uncounted

    def observe(self, item: Item) -> None:
        """Take in what happened."""
        if isinstance(item, Listed | Refused):
            self.scope.observe(item)
        if not isinstance(item, ChangeRecord) or item.of_stream:
            return
        if item.gvk.kind == "Event" and item.gvk.group in EVENT_GROUPS:
            self._report(item)
            return
        for name in self._kin.observe(item, root=self.scope.is_root(item)):
            events, dropped = self._held.release(name)
            self._news |= events
            self._missing += dropped

    def news(self) -> list[ClusterEvent]:
        """Return what was reported since this was asked last, the latest last.

        Until it is asked first, while lists are missing, all Events are held: any of
        them may belong here.
        """
        self._held.trim()
        found, self._news = self._news, {}
        for key, event in found.items():
            self._told[key] = _Told(event.times, event.last)
        return sorted(found.values(), key=lambda each: each.order)

    def _report(self, record: ChangeRecord) -> None:
        key = record.identity
        if record.gone:
            # It is an hour old: what it told stays true.
            self._expire(key)
            return
        if not isinstance(record.document, dict):
            return
        self._expired.pop(key, None)
        event = cluster_event(record.document)
        if self._each_time:
            key = f"{key} {event.times} {event.last}"
        about = event.subject
        told = self._told.get(key)
        if not about or (told is not None and not _again(told, event)):
            return
        if not record.initial:
            event = event._replace(seen=record.time)
        if about in self._kin:
            self._news[key] = event
        else:
            self._held.hold(about, key, event)

    def _expire(self, key: str) -> None:
        self._expired[key] = None
        if len(self._expired) > _EXPIRED:
            oldest = next(iter(self._expired))
            del self._expired[oldest]
            self._told.pop(oldest, None)


def _again(told: _Told, event: ClusterEvent) -> bool:
    """Return whether it has happened again: some count, some only say when."""
    return event.times > told.times or (event.last or 0.0) > (told.last or 0.0)
