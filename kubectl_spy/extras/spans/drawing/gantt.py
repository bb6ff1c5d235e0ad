"""Spans as bars on a time line, for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo
from itertools import groupby

from kubectl_spy.core.wording import both_ends, many
from kubectl_spy.extras.spans.drawing.span_rows import (
    SpanRow,
    at_detail,
    details_for,
    errors,
    heights,
    most_telling,
    object_name,
    slim,
    traces,
)
from kubectl_spy.extras.spans.model.span import Span, SpanKind
from kubectl_spy.render.columns import Bars, Scale, cut, pad, wrapped
from kubectl_spy.render.columns import width as columns
from kubectl_spy.render.findings import labelled
from kubectl_spy.render.inert import ASCII, inert
from kubectl_spy.render.moments import duration, known_clock, local
from kubectl_spy.render.palette import Palette

_DURATION = 7
_SERVICE = 24
_WIDE = 110  # columns of a terminal that has room for services
_DEEPEST = 8  # levels that are indented; a number says how much deeper a span is
_DATE = 7  # columns that a date takes more than the milliseconds that it replaces
_KIND = 5  # columns of a shortened kind at least
_ROWS = 5  # rows that are left where there is little room, before texts are cut
_BARS = 12  # columns of bars that names take last
_LONGEST = 1_000  # characters of a text that is not cut to the width


class Gantt:
    """Renders spans, one a line, below their causes; each trace has its own scale.

    Names in *namespace* are printed without it. Times are in *zone*; None is the local
    one. Without *unicode*, lines are ASCII. Unless *full*, rows that tell little are
    folded into others.
    """

    def __init__(
        self,
        palette: Palette,
        *,
        namespace: str | None,
        zone: tzinfo | None,
        unicode: bool = True,
        full: bool = False,
    ) -> None:
        self._palette = palette
        self._full = full
        self._unicode = unicode
        self._namespace = namespace
        self._zone = zone
        self._bars = Bars(unicode=unicode)
        self._dots = "…" if unicode else "..."
        self._cross = "✗" if unicode else "x"
        self._tick = "│" if unicode else "|"
        self._times = "×" if unicode else "x"

    def lines(
        self, spans: Sequence[Span], now: float, *, width: int, height: int = 0
    ) -> list[str]:
        """Return the lines of *spans*, each at most *width* wide.

        With *height*, details are left out until the lines fit, those of old traces
        first. If they still do not fit, the most telling spans stay, and the last line
        counts the others. Texts are cut to a line if else hardly a span had room.
        """
        found = traces(spans)
        if self._full:
            return self._drawn(found, now, width, height)
        shown = slim(found)
        ticks = sum(len(row.ticks) for rows in shown for row in rows)
        others = sum(map(len, found)) - sum(map(len, shown)) - ticks
        counts = ((ticks, "Event"), (others, "other row"))
        parts = [many(count, noun) for count, noun in counts if count]
        if height == 1 or not parts:
            return self._drawn(shown, now, width, height)
        lines = self._drawn(shown, now, width, max(height - 1, 0))
        note = f"{' and '.join(parts)} folded: --full shows all"
        return [*lines, self._faint(note, width)]

    def _drawn(
        self, found: Sequence[Sequence[SpanRow]], now: float, width: int, height: int
    ) -> list[str]:
        shown, cuts = found, False
        for cuts in (False, True)[len(found) >= height :] if height else ():
            tall = [
                heights(rows, first=not at, texts=self._texts(width, cuts))
                for at, rows in enumerate(found)
            ]
            details, total = details_for(tall, height)
            shown = list(map(at_detail, found, details))
            if total <= height:
                break
            *old, rows = shown
            room = height - total + len(rows) - 1
            if room >= _ROWS or cuts:
                return self._some(old, rows, now, width, height, max(room, 1), cuts)
        column = self._column(shown, now, width)
        lines: list[str] = []
        for rows in shown:
            if lines and (len(rows) > 1 or errors(rows)[0]):
                lines.append("")
            lines += self._trace(rows, now, width, column, cuts, height=height)
        return lines

    def _texts(self, width: int, cuts: bool) -> Callable[[Sequence[SpanRow]], int]:
        """Return a function that counts the lines of texts about rows."""

        def count(rows: Sequence[SpanRow]) -> int:
            words = self._words(rows[0]) if len(rows) > 1 else ""
            if cuts:
                found, more = errors(rows)
                return bool(words) + len(found) + bool(more)
            changed = self._lines_of("  ", words, width, cuts) if words else []
            return len(changed) + sum(1 for _ in self._errors(rows, width, cuts))

        return count

    def _some(
        self,
        old: Sequence[Sequence[SpanRow]],
        rows: Sequence[SpanRow],
        now: float,
        width: int,
        height: int,
        room: int,
        cuts: bool,
    ) -> list[str]:
        """Return the *room* most telling *rows*, below as many *old* roots as fit."""
        last = most_telling(rows, room)
        column = self._column([*old, last], now, width)
        lines = list(self._trace(last, now, width, column, cuts))
        if height == 1:
            return lines[-1:]
        if old and len(lines) > 1:
            lines.insert(0, "")
        above = max(len(old) + len(lines) + 1 - height, 0)
        heads = [self._trace(each, now, width, column, True) for each in old[above:]]
        kept = lines[max(above - len(old), 0) :]
        lines = [line for each in heads for line in each] + kept
        missing = len(rows) - len(last) + above
        note = f"{missing} more lines, for which there is no room here"
        return [*lines, self._faint(note, width)]

    def _faint(self, note: str, width: int) -> str:
        return self._palette.paint(self._palette.faint, cut(note, width, self._dots))

    def _column(
        self, shown: Sequence[Sequence[SpanRow]], now: float, width: int
    ) -> int:
        labels = [columns(self._label(row, now)) for rows in shown for row in rows]
        most = max(width * 2 // 5, 12)
        if width >= 60 and any(self._day(rows[0].span.start, now) for rows in shown):
            most += _DATE
        if not self._full:  # names stay whole before bars do
            most = max(_room(width) - _BARS, most)
        return min(max(labels, default=0), most)

    def _trace(
        self,
        rows: Sequence[SpanRow],
        now: float,
        width: int,
        column: int,
        cuts: bool,
        *,
        height: int = 1,
    ) -> Iterator[str]:
        """Yield the lines of a trace. What was changed follows its root.

        If only the root is shown, what was changed replaces its bar, if that fits or
        the *height* is limited.
        """
        root = rows[0].span
        end = max(now, root.start) if root.end is None else root.end
        marks = any(row.span.error for row in rows)
        scale = Scale(root.start, end, max(_room(width) - column, 4) - marks)
        words = self._words(rows[0])
        beside = len(rows) == 1 and (height > 0 or columns(words) < scale.width)
        for row in rows:
            label = self._fitting(row, now, column)
            mark = self._mark(row.span) if marks else ""
            bar = self._bar(row, scale)
            if beside and words:
                bar = pad(cut(f" {words}", scale.width, self._dots), scale.width)
            yield self._line(row, label, bar, scale.end, mark, wide=width >= _WIDE)
            if words and row is rows[0] and not beside:
                yield from self._lines_of("  ", words, width, cuts)
        yield from self._errors(rows, width, cuts)

    def _words(self, root: SpanRow) -> str:
        return inert(root.what).translate({} if self._unicode else ASCII)

    def _lines_of(self, lead: str, text: str, width: int, cuts: bool) -> list[str]:
        """Return *text* behind *lead*, cut to one line or wrapped."""
        if cuts or columns(lead + text) <= width:
            return [cut(lead + text, width, self._dots)]
        first, *rest = wrapped(" ".join(text.split()), max(width - 2, 1))
        return [f"{lead}{first}", *(f"  {line}" for line in rest)]

    def _mark(self, span: Span) -> str:
        """Return the mark of a failed span: not every terminal has colours."""
        failed = bool(span.error)
        return self._palette.paint(self._palette.bad, self._cross) if failed else " "

    def _bar(self, row: SpanRow, scale: Scale) -> str:
        role, paint = self._colour(row.span), self._palette.paint
        cells = [("", " ")] * scale.width  # the colour and the sign of each column
        for span in row.spans:
            bar = enumerate(self._bars.bar(scale, span.start, span.end))
            for at, sign in ((at, sign) for at, sign in bar if sign != " "):
                cells[at] = role, sign
        for tick in sorted(row.ticks, key=lambda each: bool(each.error)):
            failed = self._palette.bad, self._cross
            for time in (tick.start, tick.end or tick.start):
                at = min(int(scale.column(time)), scale.width - 1)
                cells[at] = failed if tick.error else (role, self._tick)
        runs = groupby(cells, key=lambda cell: cell[0])
        return "".join(paint(of, "".join(sign for _, sign in run)) for of, run in runs)

    def _line(
        self, row: SpanRow, label: str, bar: str, until: float, mark: str, *, wide: bool
    ) -> str:
        span, paint = row.span, self._palette.paint
        lasted = duration(row.lasted(until))
        lasted = f"{lasted}+" if span.end is None else lasted
        text = label.rstrip(" ")
        name = paint(self._colour(span) if span.error or not row.depth else "", text)
        line = f"{name}{label[len(text) :]} {bar} {mark}{lasted:>{_DURATION}}"
        if wide:
            service = cut(inert(span.service), _SERVICE, self._dots)
            line += f"  {paint(self._palette.faint, service)}"
        return line

    def _fitting(self, row: SpanRow, now: float, column: int) -> str:
        """Return the label in exactly *column*. A long kind is shortened first."""
        label = self._label(row, now)
        kind, _, _ = inert(row.span.name).partition(".")
        over = columns(label) - column
        if over > 0:
            room = max(columns(kind) - over, _KIND)
            label = self._label(row, now, self._short(kind, room))
        return pad(cut(label, column, self._dots), column)

    def _short(self, kind: str, room: int) -> str:
        """Return *kind*, without its middle if it is wider than *room*."""
        half = (room - len(self._dots)) // 2
        if half < 1 or columns(kind) <= room or not kind.isascii():
            return kind
        return f"{kind[: room - len(self._dots) - half]}{self._dots}{kind[-half:]}"

    def _label(self, row: SpanRow, now: float, kind: str = "") -> str:
        span = row.span
        own, dot, more = inert(span.name).partition(".")
        deeper = f"+{row.depth - _DEEPEST} " if row.depth > _DEEPEST else ""
        label = "  " * min(row.depth, _DEEPEST) + f"{deeper}{kind or own}{dot}{more}"
        if span.kind in (SpanKind.CHANGE, SpanKind.OBJECT):
            label += f" {inert(object_name(span))}"
            namespace = "" if row.depth else _namespace(span)
            if namespace not in ("", self._namespace):
                label += f" (in {inert(namespace)})"
        count = sum(each.name == span.name for each in row.same)
        if count > 1:
            label += f" {self._times}{count}"
        if row.depth:
            return label
        return f"{self._when(span.start, now)} {label}"

    def _when(self, start: float, now: float) -> str:
        """Return the time of day, or date and time to the second."""
        day, time = self._day(start, now), known_clock(start, self._zone)
        return f"{day} {time[:8]}" if day else time

    def _day(self, start: float, now: float) -> str:
        """Return the date of *start*, if it is not that of *now*."""
        at = local(start, self._zone).date()
        return "" if at == local(now, self._zone).date() else at.isoformat()

    def _errors(self, rows: Iterable[SpanRow], width: int, cuts: bool) -> Iterator[str]:
        cuts = cuts or self._full
        found, more = errors(rows)
        lines = [" ".join(labelled(*each).split()) for each in found]
        if more:
            lines.append(f"and {more} more before; -o json has all")
        for line in lines:
            text = line if cuts else both_ends(line, _LONGEST)
            mark = f"{self._cross} "
            for shown in self._lines_of(mark, inert(text), width, cuts):
                yield self._palette.paint(self._palette.bad, shown)

    def _colour(self, span: Span) -> str:
        palette = self._palette
        if span.error:
            return palette.bad
        return {
            SpanKind.CHANGE: palette.name,
            SpanKind.OBJECT: palette.path,
            SpanKind.PHASE: palette.good,
            SpanKind.EVENT: palette.notice,
        }[span.kind]


def _room(width: int) -> int:
    """Return the columns for label and bar, of a line with a mark."""
    aside = _SERVICE + 2 if width >= _WIDE else 0
    return width - _DURATION - 3 - aside


def _namespace(span: Span) -> str:
    """Return the namespace of the object of *span*; a Namespace has none."""
    attributes = dict(span.attributes)
    if "k8s.namespace.uid" in attributes:
        return ""
    return str(attributes.get("k8s.namespace.name", ""))
