"""Lines that are drawn again and again in the same place of a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.control import Control
from rich.live import Live
from rich.text import Text

_MARGIN = 1
"""Lines of the screen that stay free: what was said last stays in sight."""

_ECHO = 3
"""Columns that stay free: what the terminal echoes of a Ctrl-C must begin no line."""


class Redrawn:
    """A place on *stream*, a terminal, from the first `show` until `close`.

    Lines may have ANSI colours in them, and nothing else.
    """

    def __init__(self, stream: TextIO) -> None:
        self._console = Console(
            file=stream, highlight=False, markup=False, emoji=False, soft_wrap=False
        )
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._size = self._console.size

    @property
    def height(self) -> int:
        """How many lines there is room for now."""
        return max(self._console.size.height - _MARGIN, 1)

    @property
    def width(self) -> int:
        """How many columns there is room for now."""
        return max(self._console.size.width - _ECHO, 1)

    def show(self, lines: Sequence[str]) -> None:
        """Show *lines*, those that are too long cut, in the place of the last ones."""
        self._live.start()
        size = self._console.size
        if size != self._size:
            # How the terminal folded what it showed before, nobody knows.
            self._size = size
            self._console.control(Control.clear(), Control.home())
        self._live.update(_cut(lines, size.width - _ECHO), refresh=True)

    def print_above(self, line: str) -> None:
        """Print *line*, from any thread, above the place."""
        self._console.print(Text(line))

    def close(self, lines: Sequence[str]) -> None:
        """Leave *lines* behind, whole, however many and however long."""
        if self._live.is_started:
            self._live.update(_drawn(lines))
            self._live.stop()


def _drawn(lines: Sequence[str]) -> Text:
    text = Text.from_ansi("\n".join(lines))
    text.overflow = "fold"
    return text


def _cut(lines: Sequence[str], width: int) -> Text:
    drawn = [Text.from_ansi(line) for line in lines]
    for line in drawn:
        line.truncate(max(width, 1), overflow="ellipsis")
    return Text("\n").join(drawn)
