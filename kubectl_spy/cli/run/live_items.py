"""The items of a cluster: what a watch brings, folded into records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from time import time
from typing import TYPE_CHECKING

from kubectl_spy.cli.run.first_lists import FirstLists
from kubectl_spy.cli.run.play import Batch
from kubectl_spy.cli.run.view import View
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import (
    Aside,
    ChangeRecord,
    Item,
    Listed,
    Logged,
    Refused,
)
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.errors import TimedOut
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.cli.run.waiting import Wait
    from kubectl_spy.core.cluster.target_filter import TargetFilter
    from kubectl_spy.sinks.recorder import Recorder


@dataclass(slots=True)
class LiveItems:
    """The items of a cluster. It ends with an error only."""

    events: Iterable[Iterable[WatchEvent]]
    history: History  # whose coverage is of what came, and may wait until it is shown
    scope: Scope  # whose coverage follows what the view has taken in
    lists: FirstLists
    recorder: Recorder | None
    terminal: Terminal
    filter_: TargetFilter | None  # what holds back events
    logs: Callable[[], Iterable[Logged]]
    everything: Sequence[Selection]  # the types, if no target was named
    suggest: Callable[[Selection], str]  # what may be mistyped in such a type
    absent_fails: bool  # whether a missing named object is an error
    gone_counts: bool  # whether it is none if the object was there before
    waits: bool  # whether to say at once that an object is missing, or waited for
    tells: bool  # whether to say so once all has come
    ends_when: Callable[[], bool] = lambda: False
    live: bool = True
    left: None = None  # its watch ends in time
    found: bool = False  # whether there was an object that was asked for
    said: bool = False  # whether it was said what could not be read

    @property
    def now(self) -> float:
        """The wall clock. Views wait by themselves for items that arrive late."""
        return time()

    def __iter__(self) -> Iterator[Batch]:
        # If nothing may be read, or there is no such namespace, only that is shown.
        held: list[Item | Aside] | None = [] if self.everything else None
        coverage = self.history.coverage
        for events in self.events:
            if held is None:
                yield Batch(map(self._shown, self._items(events)))
            else:
                held += self._items(events)
                batch = Batch()
                if self.found or coverage.complete:
                    if not self.found:
                        from kubectl_spy.cli.run.everything import check_readable

                        check_readable(self.everything, coverage, self.suggest)
                    batch, held = Batch(map(self._shown, held)), None
                yield batch
            if self.ends_when():
                raise TimedOut

    def _shown(self, item: Item | Aside) -> Item | Aside:
        if not isinstance(item, ChangeRecord | Aside):
            self.scope.coverage.observe(item)
        return item

    def end(self, view: View, wait: Wait | None) -> None:
        """Raise SpyError if a named object is missing that no condition waits for."""
        if self.absent_fails and not (self.gone_counts and self.found):
            self.lists.check_all()

    def _items(self, events: Iterable[WatchEvent]) -> Iterator[Item | Aside]:
        quiet, checks = True, self.absent_fails and not self.gone_counts
        for item in chain(self._folded(events), self.logs()):
            quiet = False
            if self.recorder is not None:
                self.recorder.observe(item)
            if isinstance(item, ChangeRecord):
                self.found |= item.selection.asked and not item.of_stream
            if checks and self.waits and isinstance(item, Listed):
                self.lists.check_any()
            yield item
        if checks:
            self.lists.check_any()
        if self.tells and self.lists.listed:
            self.tells = False
            notes = dict.fromkeys(map(self.lists.waiting, self.lists.selections))
            for line in filter(None, notes):
                self.terminal.say(line)
        coverage = self.history.coverage
        if self.everything and not self.said and coverage.complete:
            from kubectl_spy.cli.run.everything import none_readable, unseen

            self.said = True
            if not none_readable(self.everything, coverage):
                for line in unseen(coverage.refused):
                    self.terminal.say(line)
        # The past comes first, if it was asked for: then no time has passed yet.
        if quiet and self.recorder is not None and self.history.time:
            self.recorder.renew(self.history.advance(time()))

    def _tell(self, item: Item) -> None:
        line = ""
        if isinstance(item, Refused) and self.lists.tells:
            line = f"note: {item.message}: going on without"
        elif isinstance(item, Listed) and not item.objects and self.waits:
            line = self.lists.waiting(item.selection)
        if line:
            self.terminal.say(line)

    def _folded(self, events: Iterable[WatchEvent]) -> Iterator[Item | Aside]:
        for event in events:
            if self.recorder is not None:
                self.recorder.renew(event.time)
            if event.type is EventType.PAST:
                yield event.past
                continue
            for item in self.history.items(event):
                yield item
                self._tell(item)
            held = self.filter_ is not None and self.filter_.holds_back(event.selection)
            if self.recorder is not None and not held:
                self.recorder.reached(event)
