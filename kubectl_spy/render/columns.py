"""The columns of a terminal: text cut to them, and bars finer than them.

Some characters take two columns, some none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_LONGEST = 8  # characters to measure for each column: accents may be many
_EIGHTHS = " ▏▎▍▌▋▊▉█"  # https://www.unicode.org/charts/PDF/U2580.pdf


def width(text: str) -> int:
    """Return how many columns *text* takes.

    >>> [width(text) for text in ("web", "\u955c\u50cf", "e\u0301")]
    [3, 4, 1]
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # few texts need it

    return cell_len(text)


def chopped(text: str, columns: int) -> list[str]:
    """Return *text* in pieces of at most *columns*."""
    if text.isascii() and text.isprintable():
        return [text[at : at + columns] for at in range(0, len(text), columns)]
    from rich.cells import chop_cells

    return chop_cells(text, columns)


def cut(text: str, columns: int, dots: str) -> str:
    """Return *text* in at most *columns*; *dots* stand for what is cut off.

    >>> cut("\u955c\u50cf\u62c9", 4, "…")
    '\u955c…'
    """
    if len(text) <= _LONGEST * columns and width(text) <= columns:
        return text
    room = columns - width(dots)
    start = text[: _LONGEST * max(room, 0)]
    if start:
        start = chopped(start, room)[0]
    return start + dots[: max(columns, 0)]


def pad(text: str, columns: int) -> str:
    """Return *text* with blanks behind it, up to *columns*."""
    return text + " " * (columns - width(text))


class Scale(NamedTuple):
    """A period of time, and the columns that show it."""

    start: float
    end: float
    width: int

    def column(self, time: float) -> float:
        """Return the place of *time* in columns, from 0 to the width."""
        length = self.end - self.start
        if length <= 0:
            return 0.0
        share = (time - self.start) / length
        return min(max(share, 0.0), 1.0) * self.width


class Bars:
    """Draws bars in eighths of columns, or without *unicode* in ASCII columns.

    A very short one is a dot, an open one ends in an arrow.

    >>> bars = Bars(unicode=False)
    >>> [bars.bar(Scale(0, 10, 10), *span) for span in ((2, 6), (5, 5), (8, None))]
    ['  ====    ', '     .    ', '        =>']
    """

    def __init__(self, *, unicode: bool) -> None:
        self._unicode = unicode

    def bar(self, scale: Scale, start: float, end: float | None) -> str:
        """Return a bar in all columns of *scale*; *end* None is open."""
        begin = scale.column(start)
        if end is None:
            return self._open(begin, scale.width)
        until = max(scale.column(end), begin)
        if until - begin < 0.125:
            place = min(int(begin), scale.width - 1)
            return self._laid(place, "·" if self._unicode else ".", scale.width)
        if not self._unicode:
            first = min(int(begin), scale.width - 1)
            return self._laid(first, "=" * max(round(until) - first, 1), scale.width)
        return self._laid(*self._eighths(begin, until), scale.width)

    def _eighths(self, begin: float, until: float) -> tuple[int, str]:
        """Return the first column and the bar.

        Its beginning is less fine: only a half is a block at the right of a column.
        """
        first = int(begin)
        inside = begin - first
        if int(until) == first or until - first <= 1:
            if inside < 0.25:
                return first, _EIGHTHS[max(round((until - first) * 8), 1)]
            return first, "▐" if until - first > 0.75 else "▌"
        head = "█"
        if inside >= 0.75:
            first, head = first + 1, ""
        elif inside >= 0.25:
            head = "▐"
        whole = int(until) - first - len(head)
        tail = _EIGHTHS[round((until - int(until)) * 8)].strip()
        return first, head + "█" * max(whole, 0) + tail or "▏"

    def _open(self, begin: float, width: int) -> str:
        first = min(int(begin), width - 1)
        block, arrow = ("█", "▶") if self._unicode else ("=", ">")
        return self._laid(first, block * (width - first - 1) + arrow, width)

    def _laid(self, first: int, bar: str, width: int) -> str:
        return (" " * first + bar)[:width].ljust(width)


# Text in lines that fit into a terminal.

_COLOUR = r"\x1b\[[0-9;]*m"
_TOKENS = rf"{_COLOUR}|\s+|[^\s\x1b]+"
HANGING = " " * 4
"""The indent of the rest of a long line."""
_RESET = "\x1b[0m"


def plain(line: str) -> str:
    """Return *line* without its colours."""
    return re.sub(_COLOUR, "", line) if "\x1b" in line else line


def rows(line: str, columns: int) -> int:
    """Return how many rows a terminal of *columns* takes for *line*.

    >>> [rows(line, 3) for line in ("", "web", "\x1b[1mnginx\x1b[0m")]
    [1, 1, 2]
    """
    return max(len(chopped(plain(line), columns)), 1)


def wrapped(text: str, columns: int) -> list[str]:
    """Return *text* in lines of at most *columns*, broken between words.

    Longer words are broken, too. A colour is set again in each line.

    >>> wrapped("cannot pull image nginx:doesnotexist", 24)
    ['cannot pull image', 'nginx:doesnotexist']
    """
    if len(text) <= columns and width(text) <= columns:
        return [text]
    lines: list[str] = []
    line, used, colour, blank = "", 0, "", ""
    for token in re.findall(_TOKENS, text):
        if token.startswith("\x1b"):
            line += blank + token
            used, blank = used + width(blank), ""
            colour = "" if token == _RESET else token
        elif token.isspace():
            blank = token
        else:
            for part in chopped(token, columns):
                if used and used + width(blank) + width(part) > columns:
                    lines.append(line + (_RESET if colour else ""))
                    line, used, blank = colour, 0, ""
                line += blank + part
                used, blank = used + width(blank) + width(part), ""
    return [*lines, line]


def hanging(line: str, columns: int) -> str:
    """Return *line* in as many lines as it needs, the others behind an indent.

    >>> print(hanging("web-0  it failed", 14))
    web-0  it
        failed
    """
    return f"\n{HANGING}".join(wrapped(line, columns - len(HANGING)))
