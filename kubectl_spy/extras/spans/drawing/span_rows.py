"""Order the spans of traces, and choose those that fit into a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kubectl_spy.extras.spans.model.span import Span, SpanKind
from kubectl_spy.render.findings import error_text

_DETAILS = 4  # levels: all; no Events but warnings; failed and unfinished; roots
_ERRORS = 4  # lines for the errors of one trace


class SpanRow(NamedTuple):
    """A span and its depth."""

    span: Span
    depth: int
    level: int  # the lowest level of detail that shows it, from 0
    ticks: tuple[Span, ...] = ()  # the Events about its object that have no row
    same: tuple[Span, ...] = ()  # all spans that it stands for, if there are several
    what: str = ""  # what was changed, and by whom, in the row of a root

    @property
    def spans(self) -> tuple[Span, ...]:
        """All spans that it shows, without ticks."""
        return self.same or (self.span,)

    def lasted(self, until: float) -> float:
        """Return the seconds that its spans cover; unfinished ones go on *until*."""
        total, covered = 0.0, self.span.start
        for span in sorted(self.spans, key=lambda each: each.start):
            end = until if span.end is None else span.end
            total += max(end - max(span.start, covered), 0.0)
            covered = max(covered, end)
        return total


def traces(spans: Sequence[Span]) -> list[list[SpanRow]]:
    """Return the rows of each trace whose root is among *spans*, ordered by cause."""
    found: list[list[SpanRow]] = []
    for span, _, depth in by_cause(spans):
        if not depth:
            found.append([])
        found[-1].append(SpanRow(span, depth, _level(span, depth)))
    return [rows for rows in found if not rows[0].span.parent_id]


def by_cause(spans: Sequence[Span]) -> list[tuple[Span, int, int]]:
    """Return each of *spans*, its parent's position and its depth, ordered by cause.

    The position is -1 if the parent is not among *spans*. Siblings are ordered by
    start. Of spans that cause each other, which is an error, one is at the top.
    """
    ids = {(span.trace_id, span.span_id) for span in spans}
    below: dict[tuple[str, str], list[Span]] = {}
    tops: list[Span] = []
    for span in sorted(spans, key=_order):
        above = (span.trace_id, span.parent_id)
        if span.parent_id and above in ids:
            below.setdefault(above, []).append(span)
        else:
            tops.append(span)
    ordered: list[tuple[Span, int, int]] = []
    _descend(tops, below, ordered)
    while below:  # spans that cause each other
        _descend([next(iter(below.values())).pop(0)], below, ordered)
        below = {above: rest for above, rest in below.items() if rest}
    return ordered


def _descend(
    tops: list[Span],
    below: dict[tuple[str, str], list[Span]],
    ordered: list[tuple[Span, int, int]],
) -> None:
    """Move *tops* and all spans *below* them to *ordered*."""
    waiting = [(span, -1, 0) for span in reversed(tops)]
    while waiting:
        span, parent, depth = waiting.pop()
        ordered.append((span, parent, depth))
        position = len(ordered) - 1
        under = below.pop((span.trace_id, span.span_id), [])
        waiting += [(child, position, depth + 1) for child in reversed(under)]


def object_name(span: Span) -> str:
    """Return the name of the object that *span* is about; "" if it has none."""
    kind = span.name.partition(".")[0].lower()
    attributes = dict(span.attributes)
    # The conventions abbreviate one kind, and have no attributes for many others.
    for name in (f"k8s.{kind}.name", "k8s.object.name", "k8s.hpa.name"):
        if isinstance(value := attributes.get(name), str):
            return value
    return ""


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


def at_detail(rows: Sequence[SpanRow], detail: int) -> list[SpanRow]:
    """Return those of *rows* that a level of detail shows."""
    if not detail:
        rows = [row._replace(ticks=()) for row in rows]
    return [row for row in rows if row.level <= detail]


def _has_line(span: Span) -> bool:
    """Whether a line below the trace shows the error of *span*."""
    return bool(span.error) and span.kind in (SpanKind.PHASE, SpanKind.EVENT)


def errors(rows: Iterable[SpanRow]) -> tuple[list[tuple[str, str]], int]:
    """Return the latest names and errors, each once, and the number of the others."""
    shown = (span for row in rows for span in (*row.spans, *row.ticks))
    failed = [span for span in shown if _has_line(span)]
    failed.sort(key=lambda span: span.start)
    found = list(dict.fromkeys((each.name, error_text(each.error)) for each in failed))
    more = len(found) - _ERRORS + 1 if len(found) > _ERRORS else 0
    return found[more:], more


def heights(
    rows: Sequence[SpanRow], *, first: bool, texts: Callable[[Sequence[SpanRow]], int]
) -> list[int]:
    """Return how many lines a trace takes at each level of detail.

    *texts* counts the lines of texts about rows. Unless only its root is shown, there
    is an empty line above every trace but the *first*.
    """
    found = []
    for detail in range(_DETAILS):
        shown = at_detail(rows, detail)
        total = len(shown) + texts(shown)
        found.append(total + (total > 1 and not first))
    return found


def details_for(tall: Sequence[Sequence[int]], height: int) -> tuple[list[int], int]:
    """Return a level of detail for each trace, and the number of all their lines.

    *tall* are the `heights` of each trace. The details of old traces go first, until
    the traces fit into *height* lines; 0 is any number. Even without details they may
    take more.
    """
    details = [_DETAILS - 1] * len(tall)
    total = sum(each[-1] for each in tall)
    old = range(len(tall) - 1)
    levels = range(_DETAILS - 2, -1, -1)
    steps = ((place, level) for level in levels for place in old)
    for place, level in (*steps, (-1, 2), (-1, 1)):
        if not height or total <= height:
            break
        total += tall[place][level] - tall[place][details[place]]
        details[place] = level
    return details, total


def most_telling(rows: Sequence[SpanRow], room: int) -> list[SpanRow]:
    """Return at most *room* of *rows*, with their causes.

    Failed spans come first, then unfinished ones, then the latest.
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
