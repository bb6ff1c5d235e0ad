"""Curves over a number of objects, as one SVG: no library is worth three panels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 300, 240
LEFT, TOP, RIGHT, BOTTOM = 52, 40, 14, 44
COLOURS = ("#1f6feb", "#c2410c", "#15803d")

Curve = Mapping[int, float]
"""A value at each number of objects."""


class Panel(NamedTuple):
    """What is drawn over the number of objects: a curve for each tool, from zero."""

    title: str
    curves: Mapping[str, Curve]


def svg(panels: Sequence[Panel], unit: str) -> str:
    """Return *panels* side by side; *unit* says what there is 10, 100, … of."""
    parts = [_panel(panel, number * WIDTH, unit) for number, panel in enumerate(panels)]
    width, height = WIDTH * len(panels) + RIGHT, HEIGHT + 24
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    for number, name in enumerate(names):
        x, y = LEFT + number * 260, HEIGHT + 10
        colour = COLOURS[number % len(COLOURS)]
        parts.append(
            f'<line x1="{x}" y1="{y}" x2="{x + 20}" y2="{y}" stroke="{colour}" '
            f'stroke-width="2"/>{_text(x + 26, y + 4, name, "start")}'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _panel(panel: Panel, left: int, unit: str) -> str:
    sizes = sorted({size for curve in panel.curves.values() for size in curve})
    most = max(value for curve in panel.curves.values() for value in curve.values())
    step = _step(most)
    top = step * math.ceil(most / step)
    low, high = math.log10(sizes[0]), math.log10(sizes[-1])

    def across(size: int) -> float:
        share = (math.log10(size) - low) / (high - low)
        return left + LEFT + share * (WIDTH - LEFT - RIGHT)

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM)

    parts = [_text(left + LEFT, 20, panel.title, "start", ' font-weight="bold"')]
    for number in range(round(top / step) + 1):
        y = up(number * step)
        parts.append(
            f'<line x1="{left + LEFT}" y1="{y:.1f}" x2="{left + WIDTH - RIGHT}" '
            f'y2="{y:.1f}" stroke="#d4d4d4"/>'
        )
        parts.append(_text(left + LEFT - 6, y + 4, f"{number * step:,g}", "end"))
    below = HEIGHT - BOTTOM + 16
    parts += [_text(across(size), below, f"{size:,}", "middle") for size in sizes]
    middle = left + LEFT + (WIDTH - LEFT - RIGHT) / 2
    parts.append(_text(middle, HEIGHT - BOTTOM + 32, unit, "middle"))
    for number, curve in enumerate(panel.curves.values()):
        colour = COLOURS[number % len(COLOURS)]
        points = [(across(size), up(curve[size])) for size in sorted(curve)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" '
            f'stroke-width="2"/>'
        )
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
            for x, y in points
        ]
    return "\n".join(parts)


def _step(most: float) -> float:
    """Return the round number that goes into *most* some four times."""
    power = float(10 ** math.floor(math.log10(most)))
    return next(
        power * part for part in (0.2, 0.5, 1.0, 2.0, 5.0) if most / (power * part) <= 5
    )


def _text(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>'
        f"{escape(text)}</text>"
    )
