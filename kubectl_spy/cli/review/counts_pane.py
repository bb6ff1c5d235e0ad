"""The table of counts: by manager, kind, namespace and pointer."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rich.text import Text

from kubectl_spy.cli.review.rows import Rows
from kubectl_spy.cli.review.session import Kept
from kubectl_spy.core.changes.filtering import Filter
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.summary.counts import Counts, most_first
from kubectl_spy.core.wording import many
from kubectl_spy.render.inert import inert


class Row(NamedTuple):
    """A line of the table: a heading, or a count with the filter for it."""

    text: str
    number: int = 0
    kept: Kept | None = None


def table(counts: Counts, *, several: bool, complete: bool) -> list[Row]:
    """Return the rows of *counts*. *several* says to count by namespace, too."""
    rows = [Row(f"{many(counts.changes, 'change')}{'' if complete else ' so far'}")]

    def add(title: str, of: dict[str, int], kept: Callable[[str], Kept]) -> None:
        if of:
            rows.append(Row(title))
        rows.extend(Row(each, of[each], kept(each)) for each in most_first(of))

    add("by manager, without Events", counts.managers, _by)
    add("by kind", counts.kinds, lambda kind: _named(f"={kind}"))
    if several:
        add("by namespace", counts.namespaces, _within)
    add("by pointer, without Events", counts.fields, _at)
    return rows


class CountsPane(Rows):
    """The table, with a cursor of its own."""

    DEFAULT_CSS = "CountsPane { display: none; height: 1fr; }"

    def __init__(self) -> None:
        super().__init__(self.choose, id="counts")
        self._rows: list[Row] = []
        self._moved = False

    def refill(self, rows: list[Row]) -> None:
        """Show *rows*. The cursor is on top until a key moves it, and on its row then.

        While changes are counted, another row may come to the top.
        """
        there = self.kept if self._moved else None
        same = (n for n, each in enumerate(rows) if there and each.kept == there)
        first = (n for n, each in enumerate(rows) if each.kept)
        self._rows = rows
        self.show_rows(len(rows), next(same, next(first, -1)))

    def show_rows(self, count: int, cursor: int) -> None:
        """Show the rows, with the headings above the first."""
        super().show_rows(count, cursor)
        if not any(each.kept for each in self._rows[: max(0, cursor)]):
            self.scroll_to(y=0, animate=False, force=True, immediate=True)

    @property
    def kept(self) -> Kept | None:
        """The filter of the row with the cursor."""
        return (
            self._rows[self.cursor].kept if 0 <= self.cursor < len(self._rows) else None
        )

    def row(self, number: int) -> Text:
        """Return a line of the table."""
        text, count, kept = self._rows[number]
        if kept is None:
            return Text(text, style="bold")
        return Text(f"{count:>8,}  {inert(text)}")

    def move(self, by: int) -> None:
        """Move the cursor, past headings."""
        rows = [n for n, each in enumerate(self._rows) if each.kept]
        if not rows:
            return
        self._moved = True
        wanted = min(max(self.cursor + by, rows[0]), rows[-1])
        ahead = (n for n in rows if n >= wanted)
        behind = (n for n in reversed(rows) if n <= wanted)
        self.show_rows(len(self._rows), next(ahead if by > 0 else behind))

    def choose(self, number: int) -> None:
        """Set the cursor to a row that is no heading."""
        if self._rows[number].kept is not None:
            self._moved = True
            self.show_rows(len(self._rows), number)

    def top(self) -> None:
        """Begin on top."""
        self._rows, self._cursor, self._moved = [], -1, False


def _by(name: str) -> Kept:
    return Kept(f"by:={name}", Filter(managers=(f"={name.lower()}",)))


def _named(word: str) -> Kept:
    return Kept(word, Filter(words=(word,)))


def _within(name: str) -> Kept:
    return Kept(f"-n {name}", Filter(namespaces=(name,)))


def _at(path: str) -> Kept:
    return Kept(path or "/", Filter(pointers=(pointer.parse(path),)))
