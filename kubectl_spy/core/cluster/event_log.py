"""The Events about the targets and all they own, in the order they happened."""

from __future__ import annotations

from collections.abc import Hashable

from kubectl_spy.core.changes.record import ChangeRecord, Item
from kubectl_spy.core.cluster.event_store import EventStore
from kubectl_spy.core.cluster.events import ClusterEvent, is_event
from kubectl_spy.core.cluster.relations import Members
from kubectl_spy.core.cluster.scope import Scope

_DELETED = 10_000  # the most deleted Events to remember as printed


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
        self.events = EventStore(
            self._members.__contains__, each_time=each_time, deleted=_DELETED
        )
        self._news: dict[Hashable, ClusterEvent] = {}

    def observe(self, item: Item) -> None:
        """Take in an item."""
        if not isinstance(item, ChangeRecord):
            self.scope.coverage.observe(item)
            return
        if item.of_stream:
            return
        if is_event(item.gvk):
            event = self.events.observe(item)
            if event is not None and self.events.about(event.subject):
                self._report(item.identity, event)
            return
        for name in self._members.observe(item, root=self.scope.is_root(item)):
            for key, known in self.events.join(name).items():
                for each in known.occurrences:
                    self._report(key, each.event)

    def _report(self, key: str, event: ClusterEvent) -> None:
        self._news[key, event.occurrence if self._each_time else None] = event

    def news(self) -> list[ClusterEvent]:
        """Return the Events since the last call, the latest last.

        Before the first call all Events are held, because any may belong here.
        """
        self.events.trim()
        found, self._news = self._news, {}
        return sorted(found.values(), key=lambda each: each.order)
