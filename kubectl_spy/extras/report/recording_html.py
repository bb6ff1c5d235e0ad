"""A recording as one HTML page, for people who do not have kubectl spy.

It works without its script, which filters and unfolds. Text from the cluster comes
through `escaped` and `marked` only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import timezone
from itertools import groupby
from math import ceil
from typing import NamedTuple

from kubectl_spy.core.changes.contents import ObjectRow, density, edges
from kubectl_spy.core.wording import many
from kubectl_spy.extras.html.page import escaped, filled, page_of
from kubectl_spy.extras.report.change_html import Change
from kubectl_spy.render.contents import COLUMNS, cells
from kubectl_spy.render.moments import clock, day_and_clock

_MOST = 100  # the most that are listed
_ROWS = 2_000  # the most objects of a table


# The time line as SVG: how dense changes are, failures and GAPs.
#
# Places are percentages and heights pixels, so that it is as wide as its page, and
# nothing in it is stretched. Times are in seconds since the epoch, and sorted.

_PARTS = 100
_BARS, _AXIS = 70, 20  # pixels: bars, times


class Timeline(NamedTuple):
    """What happened when."""

    begin: float
    end: float
    times: Sequence[float]  # of all changes
    failures: Sequence[float]  # of those in which something failed
    gaps: Sequence[tuple[float, float, str]]
    """From when to when changes may be missing, and the id of what says so."""
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
        for since, until, to in self.gaps:
            x, end = self._place(since), self._place(until)
            drawn = (
                f'<title>GAP</title><rect class="gap" x="{x:.2f}%" '
                f'width="{max(end - x, 0.4):.2f}%" y="0" height="{_BARS}"/>'
            )
            yield _link(to, "GAP", drawn)

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


# The page.


class Shown(NamedTuple):
    """A change in the page."""

    id: str
    label: str  # the object
    time: float
    change: Change


class Section(NamedTuple):
    """The changes of one object, or all Kubernetes Events."""

    id: str
    label: str
    command: str  # what shows the changes again
    changes: Sequence[Shown]


class Row(NamedTuple):
    """An object in the table."""

    row: ObjectRow
    failures: int
    section: str  # the id of its section, or "" for none


class Told(NamedTuple):
    """A failure: what failed and which change likely did it, a line each.

    Or a fight: what is written by whom, in one line.
    """

    lines: Sequence[str]
    began: float
    until: float | None
    section: str  # the id of the section of its object, or "" for none
    bound: bool = False  # whether it began before *began*


class RecordingPage(NamedTuple):
    """What a page holds. All of it but changes and the time line is text."""

    title: str
    facts: Sequence[str]
    notices: Sequence[tuple[str, str]]  # ids, and what is missing or damaged
    timeline: Timeline
    fights: Sequence[Told]  # what is written against each other
    failures: Sequence[Told]
    unwell: Sequence[Told]  # what was well and is no more
    causes: str  # the command that says the same
    rows: Sequence[Row]
    sections: Sequence[Section]
    made: str  # by what, and when

    def html(self) -> str:
        """Return the page."""
        body = filled(
            "recording.html",
            title=escaped(self.title),
            facts="".join(f"<p>{escaped(each)}</p>" for each in self.facts),
            notices=_list(
                "notices", (f' id="{to}">{escaped(said)}' for to, said in self.notices)
            ),
            timeline=self._figure() if self.timeline.times else "",
            fights=_titled("Fights", _told(self.fights, "fight")),
            failures=self._failed() + _titled("Not well", _told(self.unwell, "object")),
            objects=_titled("Objects", self._objects()),
            sections=_titled("Changes", map(_section, self.sections)),
            made=escaped(self.made),
        )
        return page_of("recording", title=self.title, body=body)

    def _figure(self) -> str:
        drawn = self.timeline
        signs = [
            "Bars are changes, red where something failed.",
            "Bands are GAPs." if drawn.gaps else "",
            "All times are UTC.",
        ]
        caption = " ".join(filter(None, signs))
        return f"<figure>{drawn.svg()}<figcaption>{caption}</figcaption></figure>"

    def _failed(self) -> str:
        """Return what failed, why and by which change: the answer of `summary`."""
        said = (
            "<p>What failed for two seconds or longer, and the change that most likely "
            f"did it. The same says:</p>{_command(self.causes)}"
        )
        told = _told(self.failures, "failure")
        return _titled("Failures", [said, *told] if told else [])

    def _objects(self) -> Iterator[str]:
        changed = [each for each in self.rows if each.row.changes]
        others = [each for each in self.rows if not each.row.changes]
        days = {
            day
            for each in self.rows
            for day in (each.row.first // 86_400, each.row.last // 86_400)
        }
        dated = len(days) > 1
        if changed:
            yield _table(changed, dated=dated)
        if others:
            what = f"{many(len(others), 'object')} that did not change"
            yield (
                f"<details><summary>{what}</summary>"
                f"{_table(others, dated=dated)}</details>"
            )


def _titled(title: str, parts: Iterator[str] | Sequence[str]) -> str:
    inside = "".join(parts)
    if not inside:
        return ""
    name = title.lower().replace(" ", "-")
    return f'<section id="{name}"><h2>{title}</h2>{inside}</section>'


def _told(every: Sequence[Told], noun: str) -> list[str]:
    """Return the list of failures or fights, or []."""
    more = len(every) - _MOST
    items = [
        f">{_moments(each)} {_linked(each)}"
        + "".join(f"<br>{escaped(line)}" for line in each.lines[1:])
        for each in every[:_MOST]
    ]
    items += [f">… {many(more, f'more {noun}')}"] if more > 0 else []
    return [_list("failures", items)] if items else []


def _list(name: str, items: Iterator[str] | Sequence[str]) -> str:
    """Return a list of *items*, which begin with what ends their tag."""
    inside = "".join(f"<li{each}</li>" for each in items)
    return f'<ul class="{name}">{inside}</ul>' if inside else ""


def _moments(told: Told) -> str:
    """Return from when to when something failed, in UTC, and the local beginning."""
    clocks = (
        f"{' '.join(day_and_clock(each, timezone.utc))[:19]}Z"
        for each in (told.began, told.until)
        if each is not None
    )
    local = day_and_clock(told.began)[1][:8]
    since = "" if told.until is not None else "since "
    since += "before " if told.bound else ""
    return f"{since}{escaped(' to '.join(clocks))} ({escaped(local)} local)"


def _linked(told: Told) -> str:
    what = escaped(told.lines[0])
    return f'<a href="#{told.section}">{what}</a>' if told.section else what


def _section(section: Section) -> str:
    items = []
    for noise, group in groupby(section.changes, lambda each: each.change.noise):
        inside = [_change(each) for each in group]
        if noise:
            what = f"… {many(len(inside), 'change')} of times and the like"
            listed = f"<ol>{''.join(inside)}</ol>"
            folded = f"<details><summary>{what}</summary>{listed}</details>"
            inside = [f'<li class="noise">{folded}</li>']
        items += inside
    return (
        f'<section class="object" id="{section.id}"><h3>{escaped(section.label)}</h3>'
        f"{_command(section.command)}"
        f'<ol class="changes">{"".join(items)}</ol></section>'
    )


def _change(shown: Shown) -> str:
    change = shown.change
    inside = f"{change.time} {change.kind}{change.said}"
    if change.body:
        inside = f"<details><summary>{inside}</summary>{change.body}</details>"
    return f'<li id="{shown.id}">{inside}</li>'


def _command(command: str) -> str:
    return f'<p class="command"><code>{escaped(command)}</code></p>' if command else ""


def _table(rows: Sequence[Row], *, dated: bool) -> str:
    changes, *times, name, by = COLUMNS
    names = (name, changes, "Failures", *times, by)
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    body = "".join(_row(each, dated=dated) for each in rows[:_ROWS])
    more = len(rows) - _ROWS
    rest = f"<p>… {many(more, 'more object')}</p>" if more > 0 else ""
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>{rest}"
    )


def _row(row: Row, *, dated: bool) -> str:
    count, *rest, name, by = map(
        escaped, cells(row.row, dated=dated, zone=timezone.utc)
    )
    if row.section:
        name = f'<a href="#{row.section}">{name}</a>'
    failures = f"{row.failures:,}" if row.failures else ""
    return (
        f'<tr><th scope="row">{name}</th><td class="number">{count}</td>'
        f'<td class="number bad">{failures}</td>'
        f"{''.join(f'<td>{each}</td>' for each in (*rest, by))}</tr>"
    )
