"""The time bar: where changes are dense, failures, GAPs, damage, and the clock."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from rich.text import Text
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from kubectl_spy.cli.review.finder import Finder
from kubectl_spy.cli.review.pages import BOOKMARK
from kubectl_spy.cli.review.rows import strip_of
from kubectl_spy.cli.review.session import Session
from kubectl_spy.core.changes.density import bars, density, part_of

_HIT, _FAILURE = "•", "✗"


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
        index, search = self._session.index, self._session.search
        failures = self._columns_of(self._session.failures)
        if y == 0:
            text = Text(self._bars)
            for column in failures:
                text.stylize("red", column, column + 1)
            return strip_of(text, width)
        found = dict.fromkeys(failures, (_FAILURE, "red"))
        if search is not None:
            hits = self._columns_of(search.finder)
            found |= dict.fromkeys(hits, (_HIT, "yellow"))
        text = Text("".join(self._marks))
        for column, (sign, style) in found.items():
            if self._marks[column] == " ":
                drawn = Text(sign, style=style)
                text = text[:column] + drawn + text[column + 1 :]
        for column, mark in enumerate(self._marks):
            if mark != " ":
                text.stylize("magenta" if mark == "G" else "red", column, column + 1)
        if not len(index):
            return strip_of(text, width)
        signs: list[tuple[str, int | None]] = [
            (BOOKMARK, line) for line in self._session.bookmarks.lines
        ]
        signs += [("A", self._session.mark), ("▲", self._session.clock)]
        for sign, line in signs:
            if line is not None:
                column = part_of(index.times[line], *self._span, width)
                marked = text.plain[column] != " "
                drawn = Text(sign, style="bold reverse" if marked else "bold")
                text = text[:column] + drawn + text[column + 1 :]
        return strip_of(text, width)

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
        """Return the columns of what was found."""
        columns = enumerate(pairwise(self._cuts))
        return [column for column, lines in columns if finder.found_between(*lines)]

    def _measure(self, width: int) -> None:
        index = self._session.index
        if self._drawn == (len(index), width) or width < 1:
            return
        self._drawn = (len(index), width)
        begin, end = self._span
        counts = density(index.times, begin, end, width)
        self._bars = bars(counts)
        self._marks = [" "] * width

        def column(moment: float) -> int:
            return part_of(moment, begin, end, width)

        columns = range(width + 1)
        self._cuts = [bisect_left(index.times, each, key=column) for each in columns]
        for sign, lines in (("G", index.gaps), ("!", index.damaged)):
            for line in lines:
                self._marks[part_of(index.times[line], begin, end, width)] = sign
