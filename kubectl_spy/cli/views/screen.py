"""What a view knows of standard output: its colours and its width."""

from __future__ import annotations

import os
import sys

from kubectl_spy.render.palette import PLAIN, Palette, coloured
from kubectl_spy.sinks.terminal import columns_of, wants_colour


def palette_of(color: str) -> Palette:
    """Return the colours for `--color`: always, never or auto."""
    return coloured() if wants_colour(color, sys.stdout, os.environ) else PLAIN


def screen_width() -> int:
    """Return the columns of the terminal, or 0 if standard output is none."""
    columns = columns_of(sys.stdout)
    return columns() if columns else 0
