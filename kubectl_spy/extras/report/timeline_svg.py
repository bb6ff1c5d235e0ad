"""A time line as SVG: how dense changes are, failures and GAPs.

Places are percentages and heights pixels, so that it is as wide as its page, and
nothing in it is stretched. Times are in seconds since the epoch, and sorted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import timezone
from math import ceil
from typing import NamedTuple

from kubectl_spy.core.changes.contents import density, edges
from kubectl_spy.core.wording import many
from kubectl_spy.render.moments import clock, day_and_clock

_PARTS = 100
_BARS, _AXIS = 70, 20  # pixels: bars, times


class Gap(NamedTuple):
    """A time in which changes may be missing."""

    since: float
    until: float
    to: str  # the id of the element that says so


class Timeline(NamedTuple):
    """What happened when."""

    begin: float
    end: float
    times: Sequence[float]  # of all changes
    failures: Sequence[float]  # of those in which something failed
    gaps: Sequence[Gap]
    shown: Sequence[tuple[float, str]]  # the times and ids of changes in the page

    def svg(self) -> str:
        """Return it as an element of a page."""
        height = _BARS + _AXIS
        inside = "".join([*self._gaps(), *self._bars(), *self._axis()])
        label = "Changes over time. The links lead to the first change of each part."
        return (
            f'<svg class="timeline" width="100%" height="{height}" role="group" '
            f'aria-label="{label}">{inside}</svg>'
        )

    def _bars(self) -> Iterator[str]:
        counts, bad = (
            density(times, self.begin, self.end, _PARTS)
            for times in (self.times, self.failures)
        )
        limits = edges(self.begin, self.end, _PARTS)
        shown = [time for time, _ in self.shown]
        most, step = max(counts, default=0) or 1, 100 / max(len(counts), 1)
        for part, count in enumerate(counts):
            if not count:
                continue
            said = f"{clock(limits[part], timezone.utc)}: {many(count, 'change')}"
            if bad[part]:
                said += f", {many(bad[part], 'failure')}"
            bars = "".join(
                self._bar(part * step, step, ceil(number * _BARS / most), name)
                for number, name in ((count, "bar"), (bad[part], "bar bad"))
                if number
            )
            first = bisect_left(shown, limits[part])
            in_page = first < len(shown) and (
                len(counts) == 1
                or part == len(counts) - 1
                or shown[first] < limits[part + 1]
            )
            to = self.shown[first][1] if in_page else ""
            yield _link(to, said, f"<title>{said}</title>{bars}", ' tabindex="-1"')

    def _bar(self, x: float, width: float, height: int, name: str) -> str:
        return (
            f'<rect class="{name}" x="{x:.2f}%" width="{width * 0.85:.2f}%" '
            f'y="{_BARS - height}" height="{height}"/>'
        )

    def _gaps(self) -> Iterator[str]:
        for gap in self.gaps:
            x, end = self._place(gap.since), self._place(gap.until)
            drawn = (
                f'<title>GAP</title><rect class="gap" x="{x:.2f}%" '
                f'width="{max(end - x, 0.4):.2f}%" y="0" height="{_BARS}"/>'
            )
            yield _link(gap.to, "GAP", drawn)

    def _axis(self) -> Iterator[str]:
        yield f'<line class="axis" x1="0" x2="100%" y1="{_BARS}" y2="{_BARS}"/>'
        days = {day_and_clock(x, timezone.utc)[0] for x in (self.begin, self.end)}
        for share, anchor in ((0, "start"), (50, "middle"), (100, "end")):
            time = self.begin + (self.end - self.begin) * share / 100
            day, at = day_and_clock(time, timezone.utc)
            said = f"{day[5:]} {at[:5]}" if len(days) > 1 else at[:8]
            place = f'x="{share}%" y="{_BARS + 15}" text-anchor="{anchor}"'
            yield f"<text {place}>{said}</text>"

    def _place(self, time: float) -> float:
        length = self.end - self.begin
        share = (time - self.begin) / length if length > 0 else 0.0
        return min(max(share, 0.0), 1.0) * 100


def _link(to: str, name: str, inside: str, more: str = "") -> str:
    """Return *inside* as a link called *name*, which is HTML, if it leads anywhere."""
    if not to:
        return f"<g>{inside}</g>"
    return f'<a href="#{to}" aria-label="{name}"{more}>{inside}</a>'
