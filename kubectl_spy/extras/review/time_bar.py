"""The time bar: where changes are dense, failures, GAPs, damage, and the clock."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from rich.text import Text
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from kubectl_spy.core.changes.contents import bars, density, part_of
from kubectl_spy.extras.review.finder import Finder
from kubectl_spy.extras.review.panes import strip_of
from kubectl_spy.extras.review.session import Session

Cell = tuple[str, str]  # a character and its style
_FAILURE = "✗"
_LOSSES = {"G": "magenta", "!": "red"}


class TimeBar(Widget):
    """Two lines: bars, and marks below them. A click sets the clock."""

    class Clicked(Message):
        """A moment was clicked."""

        def __init__(self, moment: float) -> None:
            super().__init__()
            self.moment = moment

    def __init__(self, session: Session) -> None:
        super().__init__(id="bar")
        self._session = session
        self._drawn: tuple[int, int] = (-1, 0)
        self._bars = ""
        self._marks: list[str] = []
        self._cuts: list[int] = []  # the first line of each column, and the end

    def render_line(self, y: int) -> Strip:
        """Return the bars, or the marks."""
        width = self.size.width
        self._measure(width)
        failures = self._columns_of(self._session.failures)
        if y:
            return _strip(self._cells(failures), width)
        red = set(failures)
        bars = ((bar, "red" * (n in red)) for n, bar in enumerate(self._bars))
        return _strip(bars, width)

    def _cells(self, failures: Sequence[int]) -> list[Cell]:
        """Return the marks below the bars, those that matter more over others."""
        session, width = self._session, len(self._marks)
        index = session.index
        found = dict.fromkeys(failures, (_FAILURE, "red"))
        cells = [
            (mark, _LOSSES[mark]) if mark in _LOSSES else found.get(column, (mark, ""))
            for column, mark in enumerate(self._marks)
        ]
        signs = (("A", session.mark), ("▲", session.clock))
        for sign, line in signs if len(index) else ():
            if line is not None:
                column = part_of(index.times[line], *self._span, width)
                marked = cells[column][0] != " "
                cells[column] = (sign, "bold reverse" if marked else "bold")
        return cells

    def on_click(self, event: events.Click) -> None:
        """Tell the moment under the mouse."""
        begin, end = self._span
        part = (event.x + 0.5) / max(1, self.size.width)
        self.post_message(self.Clicked(begin + (end - begin) * part))

    @property
    def _span(self) -> tuple[float, float]:
        index = self._session.index
        if not len(index):
            return 0.0, 0.0
        return index.times[0], index.times[-1]

    def _columns_of(self, finder: Finder) -> list[int]:
        columns = enumerate(pairwise(self._cuts))
        return [column for column, lines in columns if finder.found_between(*lines)]

    def _measure(self, width: int) -> None:
        index = self._session.index
        if self._drawn == (len(index), width) or width < 1:
            return
        self._drawn = (len(index), width)
        begin, end = self._span
        counts = density(index.times, begin, end, width)
        self._bars = bars(counts) if index.last_version >= 0 else ""
        self._marks = [" "] * width

        def column(moment: float) -> int:
            return part_of(moment, begin, end, width)

        columns = range(width + 1)
        self._cuts = [bisect_left(index.times, each, key=column) for each in columns]
        for sign, lines in (("G", index.gaps), ("!", index.damaged)):
            for line in lines:
                self._marks[part_of(index.times[line], begin, end, width)] = sign


def _strip(cells: Iterable[Cell], width: int) -> Strip:
    """Return *cells* as a line of the screen, those of one style together."""
    runs = groupby(cells, key=itemgetter(1))
    parts = (("".join(sign for sign, _ in run), style) for style, run in runs)
    return strip_of(Text.assemble(*parts), width)
