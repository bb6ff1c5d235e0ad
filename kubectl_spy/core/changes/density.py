"""How many changes fall into each part of a time span."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import ceil

_HEIGHTS = " ▁▂▃▄▅▆▇█"


def edges(begin: float, end: float, width: int) -> list[float]:
    """Return the limits of *width* equal parts of a time span."""
    step = (end - begin) / width
    return [begin + step * part for part in range(width)] + [end]


def density(times: Sequence[float], begin: float, end: float, width: int) -> list[int]:
    """Return how many of the sorted *times* fall into each of *width* parts.

    >>> density([0, 1, 1, 4], 0, 4, 4)
    [1, 2, 0, 1]
    """
    if width < 1 or end <= begin:
        return [len(times)] * min(1, max(0, width))
    cuts = [bisect_left(times, edge) for edge in edges(begin, end, width)[:-1]]
    return [b - a for a, b in zip(cuts, [*cuts[1:], len(times)], strict=True)]


def part_of(moment: float, begin: float, end: float, width: int) -> int:
    """Return the part of the time span that *moment* falls into.

    >>> [part_of(moment, 0, 4, 4) for moment in (0, 1, 4)]
    [0, 1, 3]
    """
    if end <= begin:
        return 0
    return max(0, min(width - 1, int((moment - begin) * width / (end - begin))))


def bars(counts: Sequence[int]) -> str:
    """Return one character for each of *counts*; any but 0 is seen.

    >>> bars([0, 1, 50, 100])
    ' ▁▄█'
    """
    most = max(counts, default=0) or 1
    return "".join(_HEIGHTS[ceil(count * 8 / most)] for count in counts)
