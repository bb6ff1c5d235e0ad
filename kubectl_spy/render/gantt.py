"""Spans as bars on a time line, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from typing import NamedTuple

from kubectl_spy.core.spans.span import Span, SpanKind
from kubectl_spy.render.bars import Bars, Scale
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock, duration, local
from kubectl_spy.render.palette import Palette

_DETAILS = 4
"""Levels of detail: all; no Events but warnings; only what failed or goes on; roots."""
_DURATION = 7
_SERVICE = 24
_WIDE = 110
"""Columns from which on there is room for who acted."""
_ERRORS = 3
"""Messages that are told of one trace: the last ones."""


class _Row(NamedTuple):
    span: Span
    depth: int


class Gantt:
    """Renders spans, one a line, under what caused them; each trace to its own scale.

    *namespace* is the one that goes without saying; times are in *zone*, None being the
    local one. Without *unicode*, bars are of ASCII.
    """

    def __init__(
        self,
        palette: Palette,
        *,
        namespace: str | None,
        zone: tzinfo | None,
        unicode: bool = True,
    ) -> None:
        self._palette = palette
        self._namespace = namespace
        self._zone = zone
        self._bars = Bars(unicode=unicode)
        self._dots = "…" if unicode else "..."
        self._cross = "✗" if unicode else "x"

    def lines(
        self, spans: Sequence[Span], now: float, *, width: int, height: int = 0
    ) -> list[str]:
        """Return the lines of *spans*, no longer than *width*.

        With *height*, details are left out until so many lines are enough, those of old
        traces first. Where that does not do, what is as it should be goes; that is
        said.
        """
        traces = _traces(spans)
        details = [_DETAILS - 1] * len(traces)
        lines = self._all(_shown(traces, details), now, width)
        if not height or len(lines) <= height:
            return lines
        old = range(len(traces) - 1)
        levels = range(_DETAILS - 2, -1, -1)
        steps = [(place, level) for level in levels for place in old]
        for place, level in (*steps, (-1, 2), (-1, 1)):
            details[place] = level
            lines = self._all(_shown(traces, details), now, width)
            if len(lines) <= height:
                return lines
        shown = _shown(traces, details)
        rows = shown[-1]
        room = max(height - len(lines) + len(rows) - 1, 1)
        shown[-1] = _most_telling(rows, room)
        lines = self._all(shown, now, width)
        missing = len(rows) - len(shown[-1])
        above = max(len(lines) + 1 - height, 0)
        note = f"{missing + above} more lines, for which there is no room here"
        note = self._palette.paint(self._palette.faint, self._cut(note, width))
        return [*lines[above:], note] if height > 1 else lines[-1:]

    def _all(
        self, traces: Sequence[Sequence[_Row]], now: float, width: int
    ) -> list[str]:
        labels = [len(self._label(row)) for rows in traces for row in rows]
        column = min(max(labels, default=0), max(width * 2 // 5, 12))
        lines: list[str] = []
        for rows in traces:
            if lines and len(rows) > 1:
                lines.append("")
            lines += self._trace(rows, now, width, column, told=len(rows) > 1)
        return lines

    def _trace(
        self, rows: Sequence[_Row], now: float, width: int, column: int, *, told: bool
    ) -> Iterator[str]:
        root = rows[0].span
        end = max(now, root.start) if root.end is None else root.end
        aside = _SERVICE + 2 if width >= _WIDE else 0
        scale = Scale(root.start, end, max(width - column - _DURATION - 3 - aside, 4))
        for row in rows:
            yield self._line(row, scale, column, bool(aside))
        if told:
            yield from self._errors(rows, width)

    def _line(self, row: _Row, scale: Scale, column: int, wide: bool) -> str:
        span, paint = row.span, self._palette.paint
        role = self._palette.bad if span.error else self._role(span)
        label = self._cut(self._label(row), column)
        drawn = self._bars.bar(scale, span.start, span.end)
        bar = drawn.strip(" ")
        before = drawn[: len(drawn) - len(drawn.lstrip(" "))]
        after = drawn[len(before) + len(bar) :]
        till = scale.end if span.end is None else span.end
        lasted = duration(max(till - span.start, 0.0))
        lasted = f"{lasted}+" if span.end is None else lasted
        name = paint(role if span.error or not row.depth else "", label)
        line = f"{name}{' ' * (column - len(label))} {before}{paint(role, bar)}{after}"
        line += f" {lasted:>{_DURATION}}"
        if wide:
            service = self._cut(inert(span.service), _SERVICE)
            line += f"  {paint(self._palette.faint, service)}"
        return line

    def _label(self, row: _Row) -> str:
        span = row.span
        label = "  " * row.depth + inert(span.name)
        if span.kind in (SpanKind.CHANGE, SpanKind.OBJECT):
            label += f" {inert(_named(span))}"
            namespace = str(dict(span.attributes).get("k8s.namespace.name", ""))
            if not row.depth and namespace not in ("", self._namespace):
                label += f" (in {inert(namespace)})"
        if not row.depth:
            at = local(span.start, self._zone)
            label = f"{clock(at)} {label}"
        return label

    def _errors(self, rows: Iterable[_Row], width: int) -> Iterator[str]:
        """Yield what went wrong, each thing once, the latest last."""
        told = dict.fromkeys(
            f"{each.span.name}: {each.span.error}"
            for each in sorted(rows, key=lambda row: row.span.start)
            if each.span.error and each.span.kind in (SpanKind.PHASE, SpanKind.EVENT)
        )
        for error in list(told)[-_ERRORS:]:
            line = self._cut(f"{self._cross} {inert(' '.join(error.split()))}", width)
            yield self._palette.paint(self._palette.bad, line)

    def _cut(self, text: str, width: int) -> str:
        if len(text) <= width:
            return text
        return text[: max(width - len(self._dots), 0)] + self._dots[:width]

    def _role(self, span: Span) -> str:
        palette = self._palette
        return {
            SpanKind.CHANGE: palette.name,
            SpanKind.OBJECT: palette.path,
            SpanKind.PHASE: palette.good,
            SpanKind.EVENT: palette.notice,
        }[span.kind]


def _traces(spans: Sequence[Span]) -> list[list[_Row]]:
    """Return the rows of each trace: what was caused below what caused it."""
    below: dict[tuple[str, str], list[Span]] = {}
    for span in sorted(spans, key=_order):
        below.setdefault((span.trace_id, span.parent_id), []).append(span)
    roots = sorted((span for span in spans if not span.parent_id), key=_order)
    return [list(_rows(root, 0, below)) for root in roots]


def _rows(
    span: Span, depth: int, below: dict[tuple[str, str], list[Span]]
) -> Iterator[_Row]:
    yield _Row(span, depth)
    for child in below.get((span.trace_id, span.span_id), ()):
        yield from _rows(child, depth + 1, below)


def _order(span: Span) -> tuple[float, float, str, str]:
    end = float("inf") if span.end is None else span.end
    return span.start, end, span.name, span.span_id


def _shown(
    traces: Sequence[Sequence[_Row]], details: Sequence[int]
) -> list[list[_Row]]:
    """Return what of each trace its level of detail has room for."""
    return [
        [row for row in rows if _is_shown(row, detail)]
        for rows, detail in zip(traces, details, strict=True)
    ]


def _most_telling(rows: Sequence[_Row], room: int) -> list[_Row]:
    """Return so many of *rows* as there is room for, below what caused them.

    First what fails, then what goes on, then what came last.
    """

    def telling(place: int) -> tuple[bool, bool, float]:
        span = rows[place].span
        return not span.error, span.end is not None, -span.start

    above: dict[str, int] = {row.span.span_id: at for at, row in enumerate(rows)}
    kept = {0}
    for place in sorted(range(1, len(rows)), key=telling):
        wanted = set[int]()
        at: int | None = place
        while at is not None and at not in kept:
            wanted.add(at)
            at = above.get(rows[at].span.parent_id)
        if len(kept) + len(wanted) <= room:
            kept |= wanted
    return [rows[place] for place in sorted(kept)]


def _is_shown(row: _Row, detail: int) -> bool:
    """Return whether a level of detail has room for a span."""
    span = row.span
    if not row.depth or detail >= _DETAILS - 1:
        return True
    if span.kind is SpanKind.EVENT:
        return detail >= 2 and bool(span.error)
    if span.kind is SpanKind.OBJECT and detail >= 1:
        return True
    return detail >= 2 or (detail == 1 and (span.end is None or bool(span.error)))


def _named(span: Span) -> str:
    """Return the name of the object that a span is about."""
    attributes = dict(span.attributes)
    kind = span.name.partition(".")[0].lower()
    kind = "hpa" if kind == "horizontalpodautoscaler" else kind
    name = attributes.get(f"k8s.{kind}.name", attributes.get("k8s.object.name"))
    return name if isinstance(name, str) else ""
