"""Redraw lines in the same place of a terminal."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from itertools import accumulate

from kubectl_spy.render.wrapping import rows

Draw = Callable[[int, int], Sequence[str]]
"""Returns the lines to draw in so many rows and columns."""
_MARGIN = 1
"""Rows of the screen that stay free, for the latest message."""
_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
"""The cursor."""
_CLEAR_ROW = "\x1b[K"
_CLEAR_BELOW = f"{_CLEAR_ROW}\x1b[B\x1b[J\x1b[A"
"""Clears the row of the cursor and all below it, from the second row of the screen on.

tmux adds the whole screen to its history at 2J, and at a J in the first row.
https://github.com/tmux/tmux/blob/3.3a/screen-write.c (screen_write_clearendofscreen)
"""
_CLEAR = f"\x1b[H{_CLEAR_BELOW}"


class Redrawn:
    """A place on a terminal, from the first `show` until `close`.

    Lines may hold ANSI colours, and no other sequences. The terminal itself breaks what
    is longer than a row, so that a copy of it is one line. The cursor rests at the
    beginning of the last row: there the echo of a Ctrl-C, `^C`, begins no other row.
    """

    def __init__(
        self, write: Callable[[str], None], size: Callable[[], tuple[int, int]]
    ) -> None:
        self._write = write
        self._size = size
        self._drawn_at = (0, 0)
        self._lines: Sequence[str] = ()

    def show(self, draw: Draw) -> None:
        """Show what *draw* returns in place of the last lines."""
        size = self._size()
        start = self._back() if self._lines else f"{_HIDE}\r{_CLEAR_ROW}"
        if self._lines and size != self._drawn_at:
            start = _CLEAR  # terminals differ in how they fold the old lines
        self._drawn_at = columns, height = size
        room = max(height - _MARGIN, 1)
        lines = draw(room, columns)
        used = [*accumulate(rows(line, columns) for line in lines)]
        self._lines = lines[: bisect(used, room)] or [""]
        self._draw(start)

    def print_above(self, line: str) -> None:
        """Print *line*, from any thread, above the place."""
        self._draw(f"{self._back()}{line}\n")

    def close(self) -> None:
        """Leave what is shown."""
        if self._lines:
            self._draw(self._back(), f"\n{_SHOW}")

    def _back(self) -> str:
        """Return the sequence that clears the place and leads to its first row."""
        columns, _ = self._drawn_at
        up = sum(rows(line, columns) for line in self._lines) - 1
        return f"\r\x1b[{up}A{_CLEAR_BELOW}" if up else f"\r{_CLEAR_ROW}"

    def _draw(self, start: str, end: str = "\r") -> None:
        self._write(start + "\n".join(self._lines) + end)
