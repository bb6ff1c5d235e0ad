"""Text in the columns of a terminal: some characters take two of them, some none."""

from __future__ import annotations

from rich.cells import cell_len, chop_cells

_FEW = 8
"""Characters that one column may have: more than that of accents is not looked at."""


def width(text: str) -> int:
    """Return how many columns *text* takes.

    >>> [width(text) for text in ("web", "\u955c\u50cf", "e\u0301")]
    [3, 4, 1]
    """
    return len(text) if text.isascii() else cell_len(text)


def cut(text: str, columns: int, dots: str) -> str:
    """Return as much of *text* as there are *columns* for, and *dots* for the rest.

    >>> cut("\u955c\u50cf\u62c9", 4, "…")
    '\u955c…'
    """
    if len(text) <= _FEW * columns and width(text) <= columns:
        return text
    return _beginning(text, columns - width(dots)) + dots[: max(columns, 0)]


def pad(text: str, columns: int) -> str:
    """Return *text* with blanks behind it, up to *columns*."""
    return text + " " * (columns - width(text))


def _beginning(text: str, columns: int) -> str:
    if columns <= 0:
        return ""
    text = text[: _FEW * columns]
    return text[:columns] if text.isascii() else chop_cells(text, columns)[0]
