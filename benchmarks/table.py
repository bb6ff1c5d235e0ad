"""The rows of the result, and how they read as a Markdown table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchmarks.measure import Failed

Measured = float | Failed | None


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison. None is a tool or a module that is not there.

    *reach* is the ratio not to exceed, or None where nothing was promised.
    """

    what: str
    ours: Measured
    peer: str
    theirs: Measured
    reach: float | None = None
    show: Callable[[float], str] = lambda value: seconds(value)
    note: str = ""

    @property
    def ratio(self) -> float | None:
        if isinstance(self.ours, float) and isinstance(self.theirs, float):
            return self.ours / self.theirs
        return None

    @property
    def missed(self) -> bool:
        """Tell whether both were measured and the promise was not kept."""
        if self.ratio is None or self.reach is None:
            return False
        return self.ratio > self.reach

    def cells(self) -> list[str]:
        """Return the texts of the columns."""
        ratio = "–" if self.ratio is None else f"{self.ratio:.2f}"
        reach = "–" if self.reach is None else f"≤ {self.reach:g}"
        if self.ratio is not None and self.reach is not None:
            ratio += " ✗" if self.missed else " ✓"
        what = f"{self.what} ({self.note})" if self.note else self.what
        ours, theirs = (self._cell(value) for value in (self.ours, self.theirs))
        return [what, ours, self.peer, theirs, ratio, reach]

    def _cell(self, value: Measured) -> str:
        if value is None:
            return "not found"
        return "failed" if isinstance(value, Failed) else self.show(value)


def seconds(value: float) -> str:
    """Return a duration with three digits that matter."""
    if value < 1e-3:
        return f"{value * 1e6:.1f} µs"
    if value < 1:
        return f"{value * 1e3:.{2 if value < 1e-2 else 0}f} ms"
    return f"{value:.2f} s"


def megabytes(value: float) -> str:
    return f"{value / 1e6:.0f} MB"


def kilobytes(value: float) -> str:
    return f"{value / 1e3:.1f} KB"


def markdown(rows: Iterable[Row]) -> str:
    """Return *rows* as a Markdown table."""
    head = ["what", "kubectl-spy", "compared with", "takes", "ratio", "reach"]
    lines = [head, ["---"] * len(head), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def failures(rows: Iterable[Row]) -> list[str]:
    """Return what the failed cells have to say, once each."""
    values = [value for row in rows for value in (row.ours, row.theirs)]
    return list(dict.fromkeys(str(v) for v in values if isinstance(v, Failed)))
