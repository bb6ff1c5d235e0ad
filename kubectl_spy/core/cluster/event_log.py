"""The Events about the targets and all they own, in the order they happened."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord, Item, Listed, Refused
from kubectl_spy.core.cluster.events import EVENT_GROUPS, ClusterEvent, cluster_event
from kubectl_spy.core.cluster.held_events import HeldEvents
from kubectl_spy.core.cluster.relations import Members
from kubectl_spy.core.cluster.scope import Scope

_EXPIRED = 10_000  # the most deleted Events to remember as printed


class _Reported(NamedTuple):
    """The last printed state of an Event."""

    times: int
    last: float | None


class EventLog:
    """Folds records of whole objects into the Events about the roots and all they own.

    An Event comes once, and again each time it happens again. When an object turns out
    to belong, its earlier Events come, also if it is gone by then. The cost of a record
    does not depend on the number of objects.

    With *each_time* all repetitions of such an earlier Event come. Otherwise it comes
    once, with its count.
    """

    def __init__(self, scope: Scope, *, each_time: bool = False) -> None:
        self.scope = scope
        self._each_time = each_time
        self._members = Members()
        self._news: dict[str, ClusterEvent] = {}
        self._reported: dict[str, _Reported] = {}
        self._expired: dict[str, None] = {}
        self._held = HeldEvents()
        self._missing = 0

    @property
    def missing(self) -> int:
        """How many Events belong here, but were dropped before that was known."""
        return self._missing

    @property
    def uncounted(self) -> int:
        """The number of dropped Events that may belong here."""
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
        for name in self._members.observe(item, root=self.scope.is_root(item)):
            events, dropped = self._held.release(name)
            self._news |= events
            self._missing += dropped

    def news(self) -> list[ClusterEvent]:
        """Return the Events since the last call, the latest last.

        Before the first call all Events are held, because any may belong here.
        """
        self._held.trim()
        found, self._news = self._news, {}
        for key, event in found.items():
            self._reported[key] = _Reported(event.times, event.last)
        return sorted(found.values(), key=lambda each: each.order)

    def _report(self, record: ChangeRecord) -> None:
        key = record.identity
        if record.gone:
            # API servers delete Events after an hour. They stay true.
            self._expire(key)
            return
        if not isinstance(record.document, dict):
            return
        self._expired.pop(key, None)
        event = cluster_event(record.document)
        if self._each_time:
            key = f"{key} {event.times} {event.last}"
        about = event.subject
        before = self._reported.get(key)
        if not about or (before is not None and not _again(before, event)):
            return
        if not record.initial:
            event = event._replace(seen=record.time)
        if about in self._members:
            self._news[key] = event
        else:
            self._held.hold(about, key, event)

    def _expire(self, key: str) -> None:
        self._expired[key] = None
        if len(self._expired) > _EXPIRED:
            oldest = next(iter(self._expired))
            del self._expired[oldest]
            self._reported.pop(oldest, None)


def _again(before: _Reported, event: ClusterEvent) -> bool:
    """Return whether an Event happened again. Some have a count, some only a time."""
    return event.times > before.times or (event.last or 0.0) > (before.last or 0.0)
