"""Bars drawn to scale, finer than the columns of a terminal."""

from __future__ import annotations

from typing import NamedTuple

_EIGHTHS = " ▏▎▍▌▋▊▉█"
"""https://www.unicode.org/charts/PDF/U2580.pdf"""


class Scale(NamedTuple):
    """A stretch of time, and the columns there are for it."""

    start: float
    end: float
    width: int

    def column(self, time: float) -> float:
        """Return where *time* is, in columns, from 0 to the width."""
        length = self.end - self.start
        if length <= 0:
            return 0.0
        share = (time - self.start) / length
        return min(max(share, 0.0), 1.0) * self.width


class Bars:
    """Draws bars; without *unicode* of whole columns, in ASCII.

    What is too short to be seen is a dot, what is not over ends in an arrow.

    >>> bars = Bars(unicode=False)
    >>> [bars.bar(Scale(0, 10, 10), *span) for span in ((2, 6), (5, 5), (8, None))]
    ['  ====    ', '     .    ', '        =>']
    """

    def __init__(self, *, unicode: bool) -> None:
        self._unicode = unicode

    def bar(self, scale: Scale, start: float, end: float | None) -> str:
        """Return the columns of *scale* with the bar in them; *end* None is open."""
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
        """Return the first column, and the bar: its end is finer than its beginning.

        There are blocks for each eighth of a column from its left, but from its right
        there is only one half.
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
