"""A terminal session as an animated SVG: what a screen showed, frame by frame.

Frames stand side by side, and one CSS animation moves them past the window; a row that
several frames share is drawn once. The last frame comes first: it is what is seen where
nothing moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import NamedTuple

_COLUMN, _ROW = 8.4, 18
"""Size of a character in px, in a monospaced font of 14 px."""
_MARGIN = 14
_COLOURS = {
    "default": "#d8dee9",
    "red": "#ef6b73",
    "green": "#98c379",
    "brown": "#e5c07b",
    "magenta": "#c792ea",
    "cyan": "#65c3d0",
    "brightblack": "#7f8899",
}


class Character(NamedTuple):
    """What stands in a cell of a terminal."""

    text: str
    colour: str
    bold: bool


Row = tuple[Character, ...]


class Frame(NamedTuple):
    """What a terminal showed for *seconds*."""

    rows: tuple[Row, ...]
    seconds: float


def svg(frames: Sequence[Frame], *, columns: int, rows: int, title: str) -> str:
    """Return the picture of *frames*, each as long as it was seen; it begins anew.

    The last one comes first, as the answer is what a preview or a still shows.
    """
    width = columns * _COLUMN + 2 * _MARGIN
    height = rows * _ROW + 2 * _MARGIN + _ROW
    strip = [frames[-1], *frames[:-1]]
    shared = {
        row: f"r{number}"
        for number, row in enumerate(
            dict.fromkeys(row for frame in strip for row in frame.rows if row)
        )
    }
    total = sum(frame.seconds for frame in frames)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} '
            f'{height}" role="img" aria-label="{escape(title)}">',
            f"<style>{_style(strip, width, total)}</style>",
            "<defs>",
            *(_row(row, name) for row, name in shared.items()),
            "</defs>",
            f'<rect class="back" width="{width:.0f}" height="{height}" rx="6"/>',
            f'<text class="brightblack" x="{_MARGIN}" y="{_MARGIN + 8}">'
            f"$ {escape(title)}</text>",
            f'<svg y="{_MARGIN + _ROW}" width="{width:.0f}" height="{height}">',
            '<g class="film">',
            *(
                f'<use href="#{shared[row]}" x="{_MARGIN + place * width:.1f}" '
                f'y="{_ROW * line}"/>'
                for place, frame in enumerate(strip)
                for line, row in enumerate(frame.rows)
                if row
            ),
            "</g>",
            "</svg>",
            "</svg>",
            "",
        ]
    )


def _style(frames: Sequence[Frame], width: float, total: float) -> str:
    steps, passed = [], 0.0
    for place, frame in enumerate(frames):
        at = 100 * passed / total
        steps.append(f"{at:.2f}%{{transform:translateX({-place * width:.1f}px)}}")
        passed += frame.seconds
    colours = "".join(f".{name}{{fill:{colour}}}" for name, colour in _COLOURS.items())
    return (
        "text{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
        f"white-space:pre}}.back{{fill:#1f2430}}{colours}.bold{{font-weight:bold}}"
        "@media(prefers-reduced-motion:no-preference)"
        f"{{.film{{animation:film {total:.1f}s step-end infinite}}}}"
        f"@keyframes film{{{''.join(steps)}}}"
    )


def _row(row: Row, name: str) -> str:
    return f'<text id="{name}" y="{_ROW - 5}">{"".join(_spans(row))}</text>'


def _spans(row: Row) -> Iterator[str]:
    column = 0
    for style, found in groupby(row, key=lambda each: each[1:]):
        cells = list(found)
        text = "".join(cell.text for cell in cells)
        if text.strip():
            # Every run says where it stands: fonts differ in their arrows and ticks.
            length = len(cells) * _COLUMN
            yield (
                f'<tspan x="{column * _COLUMN:.1f}" textLength="{length:.1f}" '
                f'class="{_classes(*style)}">{escape(text)}</tspan>'
            )
        column += len(cells)


def _classes(colour: str, bold: bool) -> str:
    names = [colour if colour in _COLOURS else "default"]
    return " ".join([*names, *(["bold"] if bold else [])])


def trimmed(cells: Iterable[Character]) -> Row:
    """Return a row without the empty cells at its end."""
    row = list(cells)
    while row and row[-1].text in (" ", ""):
        row.pop()
    return tuple(row)
