"""Which spans of a trace are shown, and in which order, where there is little room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubectl_spy.core.spans.span import Span, SpanKind

DETAILS = 4
"""Levels of detail: all; no Events but warnings; only what failed or goes on; roots."""
_ERRORS = 4
"""Lines that say what went wrong in one trace."""


class Row(NamedTuple):
    """A span, and where it stands."""

    span: Span
    depth: int
    level: int
    """The least detail that has room for it, from 0."""


def traces(spans: Sequence[Span]) -> list[list[Row]]:
    """Return the rows of each trace: what was caused below what caused it."""
    below: dict[tuple[str, str], list[Span]] = {}
    for span in sorted(spans, key=_order, reverse=True):
        below.setdefault((span.trace_id, span.parent_id), []).append(span)
    roots = sorted((span for span in spans if not span.parent_id), key=_order)
    return [_rows(root, below) for root in roots]


def _rows(root: Span, below: dict[tuple[str, str], list[Span]]) -> list[Row]:
    """Return *root* and all that is *below*, where what comes first stands last."""
    rows = []
    pending = [(root, 0)]
    while pending:
        span, depth = pending.pop()
        rows.append(Row(span, depth, _level(span, depth)))
        children = below.get((span.trace_id, span.span_id), ())
        pending += [(child, depth + 1) for child in children]
    return rows


def _level(span: Span, depth: int) -> int:
    if not depth:
        return 0
    if span.kind is SpanKind.EVENT:
        return 2 if span.error else 3
    if span.kind is SpanKind.OBJECT or span.end is None or span.error:
        return 1
    return 2


def _order(span: Span) -> tuple[float, float, str, str]:
    end = float("inf") if span.end is None else span.end
    return span.start, end, span.name, span.span_id


def at_detail(rows: Sequence[Row], detail: int) -> list[Row]:
    """Return what of *rows* a level of detail has room for."""
    return [row for row in rows if row.level <= detail]


def is_told(span: Span) -> bool:
    """Return whether a line below its trace says what went wrong with a span."""
    return bool(span.error) and span.kind in (SpanKind.PHASE, SpanKind.EVENT)


def errors(rows: Iterable[Row]) -> tuple[list[tuple[str, str]], int]:
    """Return what went wrong and how, each thing once, the latest last.

    Of many these are the last ones, and how many more there are, for one more line.
    """
    wrong = [row.span for row in rows if is_told(row.span)]
    wrong.sort(key=lambda span: span.start)
    found = list(dict.fromkeys((each.name, each.error) for each in wrong))
    more = len(found) - _ERRORS + 1 if len(found) > _ERRORS else 0
    return found[more:], more


def heights(rows: Iterable[Row], *, first: bool) -> list[int]:
    """Return how many lines a trace takes at each level of detail.

    With those that say what went wrong, and the empty one above unless it is the
    *first*: what is shown by its root alone has neither.
    """
    shown = [0] * DETAILS
    wrong: dict[tuple[str, str], int] = {}
    for span, _, level in rows:
        shown[level] += 1
        if is_told(span):
            said = span.name, span.error
            wrong[said] = min(level, wrong.get(said, level))
    found = []
    for detail in range(DETAILS):
        count = sum(shown[: detail + 1])
        told = sum(level <= detail for level in wrong.values())
        more = min(told, _ERRORS) + (not first)
        found.append(count + more if count > 1 else count)
    return found


def details_for(tall: Sequence[Sequence[int]], height: int) -> tuple[list[int], int]:
    """Return a level of detail for each trace, and the lines of all together.

    *tall* are the `heights` of each. Details of old traces are left out first, until
    *height* lines are enough; 0 is any number. What is left may still be more.
    """
    details = [DETAILS - 1] * len(tall)
    total = sum(each[-1] for each in tall)
    old = range(len(tall) - 1)
    levels = range(DETAILS - 2, -1, -1)
    steps = ((place, level) for level in levels for place in old)
    for place, level in (*steps, (-1, 2), (-1, 1)):
        if not height or total <= height:
            break
        total += tall[place][level] - tall[place][details[place]]
        details[place] = level
    return details, total


def most_telling(rows: Sequence[Row], room: int) -> list[Row]:
    """Return so many of *rows* as there is room for, below what caused them.

    First what fails, then what goes on, then what came last.
    """

    def telling(place: int) -> tuple[bool, bool, float]:
        span = rows[place].span
        return not span.error, span.end is not None, -span.start

    above: dict[str, int] = {row.span.span_id: at for at, row in enumerate(rows)}
    kept = {0}
    for place in sorted(range(1, len(rows)), key=telling):
        left = room - len(kept)
        if left <= 0:
            break
        wanted = set[int]()
        at: int | None = place
        while at is not None and at not in kept and len(wanted) <= left:
            wanted.add(at)
            at = above.get(rows[at].span.parent_id)
        if len(wanted) <= left:
            kept |= wanted
    return [rows[place] for place in sorted(kept)]
