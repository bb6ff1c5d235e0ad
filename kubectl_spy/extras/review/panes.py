"""The lists of objects and of versions, the text of a change, and the time bar."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from kubectl_spy.core.changes.contents import bars, density, part_of
from kubectl_spy.core.changes.record import ChangeType
from kubectl_spy.core.wording import many
from kubectl_spy.extras.review.finder import Finder
from kubectl_spy.extras.review.pages import Pages
from kubectl_spy.extras.review.session import Session
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock

# Lists and texts of any length, of which only what is on the screen is made.

_CONSOLE = Console()  # only to look up styles
_CHOSEN = Style(reverse=True)
_CHOSEN_ELSEWHERE = Style(bold=True, underline=True)


class Lines(ScrollView, can_focus=True):
    """A text that can be scrolled."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.shown: Sequence[str] = ()
        """All lines, also those that are not on the screen."""

    def show(self, lines: Sequence[str], *, again: bool) -> None:
        """Show *lines*. Without *again*, begin at their top."""
        self.shown = lines
        self.virtual_size = Size(0, len(lines))
        if not again:
            self.scroll_to(y=0, animate=False)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        number = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if number >= len(self.shown):
            return Strip.blank(width)
        text = Text.from_ansi(self.shown[number])
        return strip_of(text, width)

    def move(self, by: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_offset.y + by, animate=False)

    def page(self, by: int) -> None:
        """Scroll by pages."""
        self.move(by * max(1, self.size.height - 1))

    def end(self, by: int) -> None:
        """Go to the beginning or the end."""
        self.move(by * self.virtual_size.height)


class Rows(Lines):
    """A list with a cursor. Subclasses say what a row looks like.

    *chosen* is called with the row that was chosen, at once: keys that come together
    all count.
    """

    def __init__(self, chosen: Callable[[int], None], *, id: str) -> None:
        super().__init__(id=id)
        self._chosen = chosen
        self._count, self._cursor = 0, -1

    def row(self, number: int) -> Text:
        """Return a row of the list."""
        raise NotImplementedError

    def show_rows(self, count: int, cursor: int) -> None:
        """Show *count* rows. *cursor* is chosen."""
        self._count = count
        self.virtual_size = Size(0, count)
        if cursor != self._cursor:
            self._cursor = cursor
            region = Region(0, max(0, cursor), 1, 1)
            self.scroll_to_region(region, animate=False, force=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        number = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if number >= self._count:
            return Strip.blank(width)
        text = self.row(number)
        text.truncate(width, overflow="ellipsis")
        strip = strip_of(text, width)
        if number != self._cursor:
            return strip
        return strip.apply_style(_CHOSEN if self.has_focus else _CHOSEN_ELSEWHERE)

    def move(self, by: int) -> None:
        """Move the cursor."""
        if self._count:
            self._chosen(min(max(self._cursor + by, 0), self._count - 1))

    def end(self, by: int) -> None:
        """Go to the first or the last row."""
        self.move(by * self._count)

    def on_click(self, event: events.Click) -> None:
        """Choose the row under the mouse."""
        number = event.y + self.scroll_offset.y
        if 0 <= number < self._count:
            self._chosen(number)

    def on_focus(self) -> None:
        """Draw the cursor anew."""
        self.refresh()

    def on_blur(self) -> None:
        """Draw the cursor anew."""
        self.refresh()


def strip_of(text: Text, width: int) -> Strip:
    """Return *text* as a line of the screen."""
    return Strip(text.render(_CONSOLE)).adjust_cell_length(width)


_SIGNS = {
    "ADDED": ("+", "green"),
    "RELISTED": ("?", "magenta"),
    "DELETED": ("-", "red"),
    "LEFT": ("-", "red"),
    "GAP": ("?", "magenta"),
}
_GONE = ("DELETED", "LEFT")


class ObjectsPane(Rows):
    """The objects, and how many versions of each are shown."""

    def __init__(self, session: Session, chosen: Callable[[int], None]) -> None:
        super().__init__(chosen, id="objects")
        self._session = session

    def refill(self) -> None:
        """Show what the filter leaves."""
        objects = self._session.objects
        chosen = self._session.subject
        cursor = objects.index(chosen) if chosen in objects else -1
        self.show_rows(len(objects), cursor)

    def row(self, number: int) -> Text:
        """Return an object: faint while it is not there."""
        session = self._session
        index = session.index
        subject = session.objects[number]
        lines = index.lines(subject)
        at = bisect_right(lines, session.clock)
        there = at > 0 and index.type(lines[at - 1]) not in _GONE
        named = index.subjects[subject]
        count = f"{session.count_of(subject):,}"
        width = max(8, self.scrollable_content_region.width - len(count) - 1)
        text = Text(inert(named.label), style="" if there else "dim")
        within = Text(style="dim")
        if named.namespace and index.has_several_namespaces:
            within.append(f" -n {inert(named.namespace)}")
        # Of a name and a namespace that are too long, something is left of both.
        within.truncate(max(width - text.cell_len, width // 3), overflow="ellipsis")
        text.truncate(width - within.cell_len, overflow="ellipsis")
        text.append(within)
        text.truncate(width, pad=True)
        return text.append(f" {count}", style="dim")


class VersionsPane(Rows):
    """The versions of the object that is chosen."""

    def __init__(
        self, session: Session, pages: Pages, chosen: Callable[[int], None]
    ) -> None:
        super().__init__(chosen, id="versions")
        self._session = session
        self._pages = pages

    def refill(self) -> None:
        """Show the versions, with the one at the clock chosen."""
        versions = self._session.versions(self._session.subject)
        self.show_rows(len(versions), bisect_right(versions, self._session.clock) - 1)

    def row(self, number: int) -> Text:
        """Return a version in one line."""
        index = self._session.index
        line = self._session.versions(self._session.subject)[number]
        sign, style = _SIGNS.get(index.type(line), ("~", "yellow"))
        text = Text(sign, style=style)
        version = self._pages.version(line)
        moment = index.times[line] if version is None else version.record.time
        text.append(f" {clock(moment)} ", style="dim")
        if version is None:
            return text.append("lost", style="magenta")
        record, headline = version
        words = str(headline) or ", ".join(record.managers)
        words = words or many(len(record.patch), "operation")
        if record.type is ChangeType.ADDED and not headline:
            words = "already there" if record.initial else "added"
        if record.gone:
            words = "deleted" if record.type is ChangeType.DELETED else "left"
        return text.append(inert(words))


class ChangePane(Lines):
    """The text of a version."""

    class Resized(Message):
        """There is another width to wrap the text to."""

    def __init__(self) -> None:
        super().__init__(id="change")

    def on_resize(self) -> None:
        """Say so, once the new width is known."""
        self.post_message(self.Resized())


# The time bar: where changes are dense, failures, GAPs, damage, and the clock.

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
