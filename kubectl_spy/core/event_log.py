"""The Events about an object and all under it, in the order in which they happened."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.events import ClusterEvent
from kubectl_spy.core.record import ChangeRecord, Item
from kubectl_spy.core.trace.trace import Trace


class EventLog:
    """Folds records of whole objects into Events about what *trace* shows.

    Each comes once, and again when its count has grown. What belongs to the roots only
    later, or turns out to only later, brings its Events along; what is gone keeps its.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._members: set[str] = set()
        self._told: dict[str, int] = {}
        self._begun = False

    @property
    def namespace(self) -> str | None:
        """The one that all roots are in, if there is one."""
        return self._trace.namespace

    @property
    def listed(self) -> bool:
        """Whether all that was asked for was listed."""
        return self._trace.listed

    @property
    def complete(self) -> bool:
        """Whether everything was listed, or refused."""
        return self._trace.complete

    def observe(self, item: Item) -> None:
        """Take in what happened."""
        self._trace.observe(item)
        if isinstance(item, ChangeRecord) and self._begun:
            self._join()

    def news(self) -> list[ClusterEvent]:
        """Return what was reported since this was asked last, the latest last."""
        self._begun = True
        self._join()
        found = [each for each in self._reported() if self._is_new(each)]
        for each in found:
            self._told[each.uid] = each.times
        return sorted(found, key=_when)

    def _join(self) -> None:
        self._members.update(node.uid for node in self._trace.picture().all())

    def _reported(self) -> Iterator[ClusterEvent]:
        for uid in self._members:
            yield from self._trace.seen.events(uid)

    def _is_new(self, event: ClusterEvent) -> bool:
        return self._told.get(event.uid, 0) < event.times


def _when(event: ClusterEvent) -> tuple[float, float, str]:
    last = event.last if event.last is not None else event.first or 0.0
    return last, event.first or 0.0, event.uid
