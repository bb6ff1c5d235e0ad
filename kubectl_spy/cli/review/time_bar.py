"""The time bar: where changes are dense, GAPs, damage, and the clock."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from kubectl_spy.cli.review.pages import BOOKMARK
from kubectl_spy.cli.review.rows import strip_of
from kubectl_spy.cli.review.session import Session
from kubectl_spy.core.changes.density import bars, density, part_of

_HIT = "•"


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
        self._hits: list[int] = []  # columns
        self._noted: tuple[object, int, int] = (None, 0, 0)

    def render_line(self, y: int) -> Strip:
        """Return the bars, or the marks."""
        width = self.size.width
        self._measure(width)
        if y == 0:
            return strip_of(Text(self._bars), width)
        index = self._session.index
        self._note_hits(width)
        text = Text("".join(self._marks))
        for column in self._hits:
            if self._marks[column] == " ":
                hit = Text(_HIT, style="yellow")
                text = text[:column] + hit + text[column + 1 :]
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

    def _note_hits(self, width: int) -> None:
        """Note the columns of the hits of the search."""
        search, times = self._session.search, self._session.index.times
        state = (search, 0 if search is None else search.count, width)
        if self._noted == state:
            return
        self._noted = state
        found = () if search is None else search.finder.hits.values()
        span = self._span
        columns = {
            part_of(times[line], *span, width) for each in found for line in each
        }
        self._hits = sorted(columns)

    def _measure(self, width: int) -> None:
        index = self._session.index
        if self._drawn == (len(index), width) or width < 1:
            return
        self._drawn = (len(index), width)
        begin, end = self._span
        counts = density(index.times, begin, end, width)
        self._bars = bars(counts)
        self._marks = [" "] * width
        for sign, lines in (("G", index.gaps), ("!", index.damaged)):
            for line in lines:
                self._marks[part_of(index.times[line], begin, end, width)] = sign
