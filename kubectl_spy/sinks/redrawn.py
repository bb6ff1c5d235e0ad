"""Redraw lines in the same place of a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.control import Control
from rich.live import Live
from rich.text import Text

_MARGIN = 1
"""Lines of the screen that stay free, for the latest message."""
_ECHO = 3
"""Columns that stay free: the echo of a Ctrl-C, `^C`, must not begin a line."""


class Redrawn:
    """A place on *stream*, a terminal, from the first `show` until `close`.

    Lines may hold ANSI colours, and no other sequences.
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
        """The lines of the place, as the terminal is now."""
        return max(self._console.size.height - _MARGIN, 1)

    @property
    def width(self) -> int:
        """The columns of the place, as the terminal is now."""
        return max(self._console.size.width - _ECHO, 1)

    def show(self, lines: Sequence[str]) -> None:
        """Show *lines* in place of the last ones; long ones are cut."""
        self._live.start()
        size = self._console.size
        if size != self._size:
            # Terminals differ in how they fold the old lines.
            self._size = size
            self._console.control(Control.clear(), Control.home())
        self._live.update(_cut(lines, size.width - _ECHO), refresh=True)

    def print_above(self, line: str) -> None:
        """Print *line*, from any thread, above the place."""
        self._console.print(Text(line))

    def close(self, lines: Sequence[str]) -> None:
        """Leave what is shown, or all of *lines* instead, folded if they are long."""
        if self._live.is_started:
            if lines:
                text = Text.from_ansi("\n".join(lines))
                text.overflow = "fold"
                self._live.update(text)
            self._live.stop()


def _cut(lines: Sequence[str], width: int) -> Text:
    drawn = [Text.from_ansi(line) for line in lines]
    for line in drawn:
        line.truncate(max(width, 1), overflow="ellipsis")
    return Text("\n").join(drawn)
