"""What a recording says up to a line, folded as `trace` and `spans` fold it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from kubectl_spy.core.changes.playback import Playback
from kubectl_spy.core.changes.record import ChangeRecord, Item, Logged
from kubectl_spy.core.changes.recording_format import BadLine, decode, selection_of
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.spans.span_log import SpanLog
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.render.gantt import Gantt
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.tracing.parts import Parts
from kubectl_spy.render.tracing.tree import TreeRenderer
from kubectl_spy.sources.recording.index import DAMAGED, Index
from kubectl_spy.sources.recording.recording import HEADERS


class View(Protocol):
    """Takes in items, and draws what belongs to some objects."""

    def observe(self, item: Item | Logged) -> None:
        """Take in an item."""

    def lines(
        self, roots: Sequence[str], now: float, *, width: int, full: bool
    ) -> list[str]:
        """Return the lines about the objects with these uids; [] if none is there."""


AnyView = TypeVar("AnyView", bound=View)


class Fold(Generic[AnyView]):
    """Reads the lines of *index* in their order into a view that *make* returns.

    A view cannot forget, so going back begins anew.
    """

    def __init__(self, index: Index, make: Callable[[Scope], AnyView]) -> None:
        self._index = index
        self._make = make
        self._begin()

    def _begin(self) -> None:
        self.scope = Scope(others=_declared_first(self._index))
        self.view = self._make(self.scope)
        self._playback = Playback()
        self._read = 0  # lines
        self._seen: defaultdict[int, dict[str, None]] = defaultdict(dict)
        """The uids of each object up to here."""
        self.now = 0.0
        """The time of the last item."""

    def go_to(self, line: int, until: float) -> int | None:
        """Read up to *line*, until that monotonic time. Return the percentage so far.

        Return None if all is read, also what follows up to the next change.
        """
        index, end = self._index, line + 1
        while end < len(index) and not index.subject(end):
            end += 1
        if end < self._read:
            self._begin()
        while self._read < end:
            self._take(self._read)
            self._read += 1
            if self._read % 16 == 0 and time.monotonic() >= until:
                return self._read * 100 // end
        return None

    def lines(self, subject: int, *, width: int, full: bool) -> list[str]:
        """Return the lines of the view about an object; [] if it is not there."""
        roots = tuple(self._seen.get(subject, ()))
        return self.view.lines(roots, self.now, width=width, full=full)

    def _take(self, number: int) -> None:
        index, subject = self._index, self._index.subject(number)
        if index.type(number) == DAMAGED:
            self._playback.lost()
            return
        try:
            for item in self._playback.observe(decode(index.raw(number))):
                self.now = item.time
                if isinstance(item, ChangeRecord) and not item.of_stream:
                    self._seen[subject][item.identity] = None
                self.view.observe(item)
        except BadLine:
            pass  # the playback has noted it


class SpansView:
    """Draws what `spans` prints."""

    def __init__(self, scope: Scope, palette: Palette) -> None:
        self._log = SpanLog(scope)
        self._scope = scope
        self._palette = palette

    def observe(self, item: Item | Logged) -> None:
        """Take in an item."""
        if not isinstance(item, Logged):
            self._log.observe(item)

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

    def observe(self, item: Item | Logged) -> None:
        """Take in an item."""
        if isinstance(item, Logged):
            self._trace.log(item)
        else:
            self._trace.observe(item)

    def lines(
        self, roots: Sequence[str], now: float, *, width: int, full: bool
    ) -> list[str]:
        """Return the tree of the objects with these uids; [] if none is there."""
        self._trace.begin_at(roots)
        picture = self._trace.picture()
        if not picture.roots:
            return []
        parts = Parts(self._palette, namespace=self._scope.namespace, full=full)
        return TreeRenderer(parts, full=full).tree(
            picture,
            max(now, picture.time),
            self._trace.reasons(picture),
            width=width,
        )


def _declared_first(index: Index) -> list[Selection]:
    """Return the selections that are declared before anything else is said."""
    found: list[Selection] = []
    for line in range(len(index)):
        if index.type(line) == "STREAM":
            found.append(selection_of(decode(index.raw(line))))
        elif index.type(line) not in (*HEADERS, DAMAGED):
            break
    return found
