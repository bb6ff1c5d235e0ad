"""The items of a recording: what was recorded, of what is asked for and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kubectl_spy.cli.run.first_lists import types_of
from kubectl_spy.cli.run.options import OfRecording, Options
from kubectl_spy.cli.run.play import Batch
from kubectl_spy.cli.run.reading import check_damages, not_in, tell_damages
from kubectl_spy.cli.run.view import Scene, View, ViewSpec
from kubectl_spy.cli.run.window import Window, extent
from kubectl_spy.core.changes.audit import AuditLog
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.points import First, Last
from kubectl_spy.core.changes.record import (
    Aside,
    ChangeRecord,
    Item,
    Listed,
    Logged,
    as_record,
)
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.render.denials import not_listed
from kubectl_spy.sources.recording.object_filter import ObjectFilter

if TYPE_CHECKING:
    from kubectl_spy.cli.run.waiting import Wait

_TOGETHER = 64  # items whose text is written at once


class RecordedItems:
    """The items of a recording. *audit* tells who made each change."""

    live = False

    def __init__(
        self,
        options: Options,
        asked: OfRecording,
        spec: ViewSpec,
        scene: Scene,
        wanted: ObjectFilter,
        view: View,
        window: Window,
        left: float | None,
    ) -> None:
        self.now, self.left = 0.0, left
        self.audit: AuditLog | None = None
        self._options = options
        self._asked = asked
        self._spec = spec
        self._whole = spec.owned or spec.whole
        assert scene.recording is not None
        self._recording = scene.recording
        self._wanted = wanted
        self._scope = scene.scope
        self._view = view
        self._terminal = scene.terminal
        self._window = window
        self._reported = 0  # how many damages were reported
        self._empty = True
        self._found = False  # whether any object to show was there
        self._narrows = bool(options.words or options.namespace or asked.selectors)
        homes = {each.namespace for each in self._recording.declared}
        self._astray = options.namespace not in {None, *homes} and self._ends_last
        """Whether nothing came of the namespace. One that was recorded may be empty."""
        self._initial = Counter[Selection]()

    @property
    def _ends_last(self) -> bool:
        return isinstance(self._window.end, Last)

    def __iter__(self) -> Iterator[Batch]:
        awaited = bool(self._options.awaited)
        # A pipe may stop for long: what came through it is shown.
        piped = self._recording.read_once
        one_by_one = awaited or piped or isinstance(self._window.end, First)
        size = 1 if one_by_one else _TOGETHER
        items: list[Item | Aside] = []
        showing, damages = True, self._recording.damages
        for item, shown in self._items():
            if items and shown is not showing:
                yield self._batch(items, shown=showing)
                items = []
            showing = shown
            if shown:
                self._empty = False
                if awaited:
                    self.now = item.time
                    yield Batch()  # what time alone does comes first
            items.append(item)
            if len(items) >= size or len(damages) > self._reported:
                yield self._batch(items, shown=showing)
                items = []
        if items:
            yield self._batch(items, shown=showing)

    def _batch(self, items: list[Item | Aside], *, shown: bool) -> Batch:
        self.now = items[-1].time
        return Batch(map(self._noted, items), shown)

    def _noted(self, item: Item | Aside) -> Item | Aside:
        """Return *item*, and note which list is there when the view takes it in."""
        if not isinstance(item, ChangeRecord | Aside):
            self._scope.coverage.observe(item)
        return item

    def _items(self) -> Iterator[tuple[Item | Aside, bool]]:
        """Yield the items up to the end, and whether to show them."""
        damages = self._recording.damages
        for item in self._recording:
            if len(damages) > self._reported:
                self._reported = tell_damages(
                    self._recording, self._terminal, self._reported
                )
            if self._window.is_over(item, self._view):
                return
            shown = True
            if isinstance(item, Logged):
                yield item, True
                continue
            if isinstance(item, EarlierWrite):
                # Labels of that time are not known.
                selects = bool(self._asked.selectors)
                if not selects and (self._whole or as_record(item) in self._wanted):
                    yield item, self._window.has_begun(item)
                continue
            # A view of what belongs together needs all of it.
            if self._narrows and not self._whole:
                if item not in self._wanted:
                    continue
                shown = not isinstance(
                    item, ChangeRecord
                ) or self._asked.selectors.concern(item)
                item = self._counted(item) if shown else item
            if self.audit is not None and isinstance(item, ChangeRecord):
                item = item._replace(actor=self.audit.actor(item))
            if not self._found or self._wanted.absent:
                self._find(item)
            yield item, self._window.has_begun(item) and shown

    def _find(self, item: Item) -> None:
        """Note what was asked for, and is there."""
        if not isinstance(item, ChangeRecord):
            return
        self._astray &= item.namespace != self._options.namespace
        if self._scope.is_root(item):
            self._found = True
            self._wanted.find(item)

    def _counted(self, item: Item) -> Item:
        """Return *item*. A first list has the number of the objects that are shown."""
        if isinstance(item, Listed):
            return item._replace(objects=self._initial[item.selection])
        if isinstance(item, ChangeRecord) and item.initial:
            self._initial[item.selection] += 1
        return item

    def end(self, view: View, wait: Wait | None) -> None:
        """Show what is left. Raises SpyError or WaitFailed, as `Source.end` does."""
        recording, terminal = self._recording, self._terminal
        decided = wait is not None and wait.verdict is not None
        if not decided and recording.last:
            terminal.write(view.flush(self._window.ended(recording)))
        missing = types_of(self._scope.coverage.unlisted)
        if self._ends_last and not (self._whole or self._narrows or self._spec.silent):
            of = self._scope.coverage.of
            lacking = [each for each in recording.declared if of(each).answer is None]
            if lacking:
                terminal.say(f"note: {not_listed(types_of(lacking))}")
        early = self._spec.document or self._astray
        if early and not recording.damages:
            self._check_asked(wait)  # before there is anything on standard output
        terminal.write(view.final())
        if decided:
            return
        self._window.check(recording)
        if (log := self.audit) is not None and log.asked and not log.answered:
            terminal.say(
                "note: no request in the audit log made any of "
                f"{many(log.asked, 'change')}; is it of that time and cluster?"
            )
        if self._empty and not self._window.whole:
            what = f"warning: nothing was recorded then: {extent(recording)}"
            terminal.say(what)
        check_damages(recording, terminal, self._reported)
        if error := self._check_asked(wait):
            terminal.say(f"note: {error}")
        if wait is not None:
            wait.end(recording.name)
            wait.conclude(terminal)
        if missing and self._spec.once:
            later = "it ended before they came; leave out --once to see what it has"
            raise SpyError(
                f"{recording.name} holds no list of {missing}"
                + (" up to there" if self._asked.at else ""),
                "choose a later point" if self._asked.at else later,
            )

    def _check_asked(self, wait: Wait | None) -> SpyError | None:
        """Raise SpyError if no object that was named was recorded.

        Return it if it is only a note: none was there in a namespace, say.
        """
        recording, options = self._recording, self._options
        self._wanted.check(recording.declared)
        searches_all = self._whole or self._window.whole or self._astray
        named = self._narrows and searches_all and wait is None
        absent = self._wanted.absent if self._found else ()
        missing = not self._found and self._spec.owned
        if missing or (named and (absent or not self._found)):
            words = [f"{each.type}/{each.name}" for each in absent] or options.words
            what = " ".join(words) or "what was asked for"
            where = f" in namespace {options.namespace}" if options.namespace else ""
            up_to = "" if self._ends_last else " up to there"
            message = f"{what}{where} is not in {recording.name}{up_to}"
            wanted = ObjectFilter(absent, options.namespace) if absent else self._wanted
            error = not_in(recording, wanted, message, self._scope.coverage)
            if self._spec.owned or options.words or self._astray:
                raise error
            return error
        return None
