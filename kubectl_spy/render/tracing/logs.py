"""The end of a log in a trace: short lines, and the last one whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import chop_cells

from kubectl_spy.core.changes.record import Logged
from kubectl_spy.render.columns import width
from kubectl_spy.render.inert import inert

_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_LONGEST = 1_000  # characters of a line that are shown; the others are counted
_AROUND = 17  # columns for that number, and for the mark of a log


def log_lines(log: Logged, room: int, *, dots: str, most: int) -> Iterator[str]:
    """Yield the last lines, at the *most*; the earlier ones cut to *room* columns.

    0 is any room.
    """
    if not log.lines:
        yield "log  nothing was written"
    shown = log.lines[-most:]
    for number, line in enumerate(shown, 1):
        text = inert(_COLOUR.sub("", line.expandtabs(4)))
        last, kept = number == len(shown), text[:_LONGEST]
        if room and not last and width(kept) > room - len("log  "):
            kept = chop_cells(kept, max(room - _AROUND, 1))[0]
        if len(kept) < len(text):
            kept += f"{dots} {len(text) - len(kept):,} more"
        yield f"log  {kept}{f' {dots} cut here' if last and log.cut else ''}"
