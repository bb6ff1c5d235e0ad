"""The pane of a change: a text with a cursor on one of its operations."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rich.style import Style
from rich.text import Text
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from kubectl_spy.cli.review.rows import Lines
from kubectl_spy.core.patch.operation import PatchOperation

_BEGIN = re.compile(r"  (?:add|remove|replace|move)(?: |$)")
"""How the line of an operation begins. Those below it are indented further."""
_CHOSEN = Style(reverse=True)


class ChangePane(Lines):
    """Shows a version. *chosen* is called when the cursor was moved."""

    class Resized(Message):
        """There is another width to wrap the text to."""

    def __init__(self, chosen: Callable[[], None]) -> None:
        super().__init__(id="change")
        self._operations: Sequence[PatchOperation] = ()
        self._begins: list[int] = []
        self._at = 0
        self._chosen = chosen

    def show_change(
        self,
        lines: Sequence[str],
        operations: Sequence[PatchOperation],
        *,
        again: bool = False,
    ) -> None:
        """Show *lines*, which are of *operations*. *again* leaves them scrolled."""
        self.show(lines, again=again)
        self._at = 0
        self._operations = operations
        self._begins = [
            number
            for number, line in enumerate(lines if operations else ())
            if _BEGIN.match(Text.from_ansi(line).plain)
        ]

    @property
    def operations(self) -> Sequence[PatchOperation]:
        """The operations that are shown."""
        return self._operations[: len(self._begins)]

    @property
    def operation(self) -> PatchOperation | None:
        """The operation with the cursor; None if none is shown."""
        return self.operations[self._at] if self._at < len(self.operations) else None

    def move(self, by: int) -> None:
        """Move the cursor to another operation, or scroll where there is none."""
        if abs(by) == 1 and 0 <= self._at + by < len(self._begins):
            self.choose(self._at + by)
        else:
            super().move(by)

    def choose(self, number: int) -> None:
        """Put the cursor on an operation."""
        self._at = number
        begin, end = self._extent
        region = Region(0, begin, 1, min(end - begin, self.size.height))
        self.scroll_to_region(region, animate=False, force=True)
        self.refresh()
        self._chosen()

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        strip = super().render_line(y)
        number = y + self.scroll_offset.y
        if not self.has_focus or self.operation is None or number != self._extent[0]:
            return strip
        return strip.apply_style(_CHOSEN)

    def on_resize(self) -> None:
        """Say so, once the new width is known."""
        self.post_message(self.Resized())

    def on_focus(self) -> None:
        """Draw the cursor."""
        self.refresh()
        self._chosen()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self.refresh()
        self._chosen()

    @property
    def _extent(self) -> tuple[int, int]:
        """The first line of the operation with the cursor, and the first behind it."""
        ends = [*self._begins[1:], len(self._lines)]
        return self._begins[self._at], ends[self._at]
