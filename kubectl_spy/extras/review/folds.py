"""What a recording says up to a line, folded as `summary`, `trace` and `spans` do."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from kubectl_spy.core.changes.lines import HEADERS, BadLine
from kubectl_spy.core.changes.playback import Playback
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item, Logged
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.extras.spans.drawing.gantt import Gantt
from kubectl_spy.extras.spans.model.span_log import SpanLog
from kubectl_spy.render.columns import wrapped
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.summary import Sections, none_failed
from kubectl_spy.render.tracing.parts import Parts
from kubectl_spy.render.tracing.tree import TreeRenderer
from kubectl_spy.sources.recording.index import DAMAGED, Index
from kubectl_spy.sources.recording.recording import Recording


def declared_first(index: Index) -> list[Selection]:
    """Return the selections that are declared before anything else is said."""
    found: list[Selection] = []
    declared = dict(zip(index.declarations, index.declared, strict=True))
    for line in range(len(index)):
        if line in declared:
            found.append(declared[line].selection)
        elif index.type(line) not in (*HEADERS, DAMAGED):
            break
    return found


_FAR = 2_000  # after a read of more lines, keep pages of earlier versions, too
_BACK = 32  # the most such pages
_KEPT = 128  # pages that are kept in memory


class Page(NamedTuple):
    """What a view shows of an object at one line."""

    lines: list[str]  # [] if there is nothing of it
    now: float  # the time of the last item
    unlisted: tuple[Selection, ...]  # what was not listed yet


class View(Protocol):
    """Takes in items, and draws what belongs to some objects."""

    def taking(self, item: Item | Aside) -> Iterable[None]:
        """Take in an item, step by step."""

    def lines(
        self, roots: Sequence[str], now: float, *, width: int, full: bool
    ) -> list[str]:
        """Return the lines about the objects with these uids; [] if none is there."""


class Fold:
    """Reads the lines of *index* in their order into a view that *make* returns.

    A view cannot forget. To go back, all is read again, but recent pages are kept.
    """

    def __init__(self, index: Index, make: Callable[[Scope], View]) -> None:
        self._index = index
        self._make = make
        self._pages: OrderedDict[tuple[int, int, int, bool], Page] = OrderedDict()
        """By the line that they end before, object, width, and whether in full."""
        self._wanted: tuple[int, int, int, bool] | None = None
        self._stops: list[int] = []  # where pages are made on the way to it
        self._begin()

    def _begin(self) -> None:
        self._scope = Scope(others=declared_first(self._index))
        self._view = self._make(self._scope)
        self._playback = Playback(keys=self._index.recording.keys)
        self._read = 0  # lines, the last one maybe in part
        self._steps: Iterator[None] = iter(())  # what is left of the last one
        self._seen: defaultdict[int, dict[str, None]] = defaultdict(dict)
        """The uids of each object up to here."""
        self._now = 0.0  # the time of the last item

    def page(
        self, subject: int, line: int, until: float, *, width: int, full: bool
    ) -> Page | int:
        """Return the page about an object at *line*, and what follows up to a change.

        It is read until that monotonic time. Return how many percent are read so far.
        """
        end = self._end(line)
        wanted = end, subject, width, full
        if wanted in self._pages:
            self._pages.move_to_end(wanted)
            return self._pages[wanted]
        if end < self._read:
            self._begin()
        if self._wanted != wanted:
            self._wanted, before = wanted, []
            if end - self._read > _FAR:  # so that going back is quick
                lines = self._index.lines(subject)
                at = bisect_right(lines, line)
                before = [self._end(each) for each in lines[max(0, at - _BACK) : at]]
            self._stops = sorted({end, *before})
        for stop in self._stops:
            key = stop, subject, width, full
            if stop < self._read or key in self._pages:
                continue
            for _ in self._up_to(stop):
                if time.monotonic() >= until:
                    return min(self._read * 100 // end, 99)
            self._pages[key] = self._page(subject, width=width, full=full)
            while len(self._pages) > _KEPT:
                self._pages.popitem(last=False)
            if stop < end and time.monotonic() >= until:
                return self._read * 100 // end
        return self._pages[wanted]

    def _end(self, line: int) -> int:
        """Return the line of the next change after *line*, or the end."""
        index, end = self._index, line + 1
        while end < len(index) and not index.subject(end):
            end += 1
        return end

    def _page(self, subject: int, *, width: int, full: bool) -> Page:
        roots = tuple(self._seen.get(subject, ()))
        lines = self._view.lines(roots, self._now, width=width, full=full)
        return Page(lines, self._now, tuple(self._scope.coverage.unlisted))

    def _up_to(self, stop: int) -> Iterator[None]:
        """Read on, step by step. Who stops in between goes on later."""
        while True:
            for _ in self._steps:  # `yield from` would close it with this one
                yield
            if self._read >= stop:
                return
            self._steps = self._take(self._read)
            self._read += 1

    def _take(self, number: int) -> Iterator[None]:
        """Take in what a line says; nothing if it is damaged."""
        index = self._index
        if index.type(number) == DAMAGED:
            self._playback.lost()
            return
        with suppress(BadLine):  # the playback has noted it
            for item in self._playback.observe(index.line(number)):
                self._now = item.time
                if isinstance(item, ChangeRecord) and not item.of_stream:
                    self._seen[index.subject(number)][item.identity] = None
                yield from self._view.taking(item)
                yield


class SpansView:
    """Draws what `spans` prints."""

    def __init__(self, scope: Scope, palette: Palette) -> None:
        self._log = SpanLog(scope)
        self._scope = scope
        self._palette = palette

    def taking(self, item: Item | Aside) -> Iterable[None]:
        """Take in an item, at once."""
        if not isinstance(item, Aside):
            self._log.observe(item)
        return ()

    def lines(
        self, roots: Sequence[str], now: float, *, width: int, full: bool
    ) -> list[str]:
        """Return the bars of what these objects led to; [] if there is none."""
        self._log.begin_at(roots)
        spans = self._log.spans(self._log.time)
        if not spans:
            return []
        namespace = self._scope.namespace
        gantt = Gantt(self._palette, namespace=namespace, zone=None, full=full)
        return gantt.lines(spans, self._log.time, width=width)


class TreeView:
    """Draws what `trace --at` prints."""

    def __init__(self, scope: Scope, palette: Palette) -> None:
        self._trace = Trace(scope)
        self._scope = scope
        self._palette = palette

    def taking(self, item: Item | Aside) -> Iterable[None]:
        """Take in an item, at once."""
        if isinstance(item, Logged):
            self._trace.log(item)
        else:
            self._trace.observe(item)
        return ()

    def lines(
        self, roots: Sequence[str], now: float, *, width: int, full: bool
    ) -> list[str]:
        """Return the tree of the objects with these uids; [] if none is there."""
        self._trace.begin_at(roots)
        picture = self._trace.picture()
        if not picture.roots:
            return []
        namespace = picture.roots[0].namespace  # the object's, which is on the screen
        parts = Parts(self._palette, namespace=namespace, full=full)
        return TreeRenderer(parts, full=full).tree(
            picture,
            max(now, picture.time),
            self._trace.reasons(picture),
            width=width,
        )


class AnswerView:
    """Draws what `summary` prints: fights, failures, and what likely caused them."""

    def __init__(self, scope: Scope, palette: Palette, recording: Recording) -> None:
        self._recording = recording
        self._coverage = scope.coverage
        self._summary = Summary(scope, lambda record: True)
        self._palette = palette

    def taking(self, item: Item | Aside) -> Iterator[None]:
        """Take in an item, step by step: to look at what fails may take a second."""
        return self._summary.taking(item)

    def lines(
        self, roots: Sequence[str], now: float, *, width: int, full: bool
    ) -> list[str]:
        """Return what failed, or that nothing did. The *roots* make no difference."""
        self._summary.pass_time(now)
        failures = self._summary.failures()
        spaces = len({each.top.namespace for each in failures})
        sections = Sections(self._palette, width, full=full, days=1, spaces=spaces)
        lasting = sections.lasting(self._summary, failures)
        texts = (*lasting, *sections.over(failures))
        lines = [line for text in texts for line in text.splitlines() or [""]]
        damaged = bool(self._recording.damages)
        found = self._summary
        nothing = none_failed(found, self._coverage, found.began, now, damaged=damaged)
        return lines[1:] or wrapped(nothing, width)
