"""Spans as bars on a time line, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo

from kubectl_spy.core.spans.span import Span, SpanKind
from kubectl_spy.render.bars import Bars, Scale
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock, duration, local
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.span_rows import (
    Row,
    at_detail,
    details_for,
    errors,
    heights,
    most_telling,
    traces,
)

_DURATION = 7
_SERVICE = 24
_WIDE = 110
"""Columns from which on there is room for who acted."""
_DEEPEST = 8
"""Levels that are indented; how much deeper something stands is said by a number."""


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
        found = traces(spans)
        tall = [heights(rows, first=not at) for at, rows in enumerate(found)]
        details, total = details_for(tall, height)
        shown = list(map(at_detail, found, details))
        if height and total > height:
            room = max(height - total + len(shown[-1]) - 1, 1)
            *old, rows = shown
            return self._some(old, rows, now, width, height, room)
        column = self._column(shown, width)
        lines: list[str] = []
        for rows in shown:
            if lines and len(rows) > 1:
                lines.append("")
            lines += self._trace(rows, now, width, column)
        return lines

    def _some(
        self,
        old: Sequence[Sequence[Row]],
        rows: Sequence[Row],
        now: float,
        width: int,
        height: int,
        room: int,
    ) -> list[str]:
        """Return as much as there is room for of *old* roots and *rows*: the last."""
        last = most_telling(rows, room)
        column = self._column([*old, last], width)
        lines = list(self._trace(last, now, width, column))
        if height == 1:
            return lines[-1:]
        if old and len(last) > 1:
            lines.insert(0, "")
        above = max(len(old) + len(lines) + 1 - height, 0)
        heads = [self._trace(each, now, width, column) for each in old[above:]]
        lines = [line for each in heads for line in each] + lines[
            max(above - len(old), 0) :
        ]
        missing = len(rows) - len(last) + above
        note = self._cut(
            f"{missing} more lines, for which there is no room here", width
        )
        return [*lines, self._palette.paint(self._palette.faint, note)]

    def _column(self, shown: Iterable[Iterable[Row]], width: int) -> int:
        labels = [len(self._label(row)) for rows in shown for row in rows]
        return min(max(labels, default=0), max(width * 2 // 5, 12))

    def _trace(
        self, rows: Sequence[Row], now: float, width: int, column: int
    ) -> Iterator[str]:
        root = rows[0].span
        end = max(now, root.start) if root.end is None else root.end
        aside = _SERVICE + 2 if width >= _WIDE else 0
        scale = Scale(root.start, end, max(width - column - _DURATION - 3 - aside, 4))
        for row in rows:
            yield self._line(row, scale, column, bool(aside))
        if len(rows) > 1:
            yield from self._errors(rows, width)

    def _line(self, row: Row, scale: Scale, column: int, wide: bool) -> str:
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

    def _label(self, row: Row) -> str:
        span = row.span
        label = "  " * min(row.depth, _DEEPEST) + inert(span.name)
        if row.depth > _DEEPEST:
            deeper = f"+{row.depth - _DEEPEST} "
            label = "  " * _DEEPEST + deeper + inert(span.name)
        if span.kind in (SpanKind.CHANGE, SpanKind.OBJECT):
            label += f" {inert(_named(span))}"
            namespace = str(dict(span.attributes).get("k8s.namespace.name", ""))
            if not row.depth and namespace not in ("", self._namespace):
                label += f" (in {inert(namespace)})"
        if not row.depth:
            at = local(span.start, self._zone)
            label = f"{clock(at)} {label}"
        return label

    def _errors(self, rows: Iterable[Row], width: int) -> Iterator[str]:
        for name, error in errors(rows):
            said = " ".join(f"{name}: {error}".split())
            line = self._cut(f"{self._cross} {inert(said)}", width)
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


def _named(span: Span) -> str:
    """Return the name of the object that a span is about."""
    attributes = dict(span.attributes)
    kind = span.name.partition(".")[0].lower()
    kind = "hpa" if kind == "horizontalpodautoscaler" else kind
    name = attributes.get(f"k8s.{kind}.name", attributes.get("k8s.object.name"))
    return name if isinstance(name, str) else ""
