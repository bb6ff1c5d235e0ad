"""Order the spans of traces, and choose those that fit into a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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


# The rows of spans that people look at first. `--full` shows all rows.

_PULL = "Pod.PullingImage"
_LOOPS = {
    "Pod.ErrImagePull": (_PULL, ""),
    "Pod.ImagePullBackOff": (_PULL, ""),
    "Pod.Failed": (_PULL, "pull"),
    "Pod.BackOff": ("Pod.CrashLoopBackOff", "restart"),
}
"""The row in which a span is counted, if its Event's message contains a word.

The kubelet reports Failed and BackOff for several reasons.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/images/image_manager.go
"""


def slim(traces: Sequence[Sequence[SpanRow]]) -> list[list[SpanRow]]:
    """Return the rows of *traces* that tell where the time went.

    Each object has one parent. Events without a duration, and Events that are no
    warnings, are ticks on the row of their object, unless the trace has no other rows.
    Spans of one object with one name are one row, and so are those of a loop.
    """
    found = [_folded(rows) for rows in _under_one_parent(traces) if rows]
    return [[root._replace(what=_what(root.span)), *rows] for root, *rows in found]


def _what(span: Span) -> str:
    text = str(dict(span.attributes).get("k8s.change.what", ""))
    return f"{text}  ({span.service})" if text and span.service else text


def _under_one_parent(traces: Sequence[Sequence[SpanRow]]) -> Iterator[list[SpanRow]]:
    """Yield *traces*, each object in one place only, below its owner if possible.

    A Pod stands below its ReplicaSet, and also below each Service that selects it.
    """
    if all(row.span.owned for rows in traces for row in rows):
        yield from map(list, traces)
        return
    places = [
        [(count, _uid(rows[0].span)) for count in _unowned(rows)] for rows in traces
    ]
    best: dict[str, tuple[int, str]] = {}
    for rows, found in zip(traces, places, strict=True):
        for row, place in zip(rows, found, strict=True):
            key = _identity(row.span)
            best[key] = min(best.get(key, place), place)
    for rows, found in zip(traces, places, strict=True):
        kept: list[SpanRow] = []
        following = 0  # the depth of the next row, kept or not
        for row, place in zip(reversed(rows), reversed(found), strict=True):
            has_kept = bool(kept) and kept[-1].depth > row.depth
            emptied = following > row.depth and _needs_rows_below(row.span)
            if has_kept or (place == best[_identity(row.span)] and not emptied):
                kept.append(row)
            following = row.depth
        yield kept[::-1]


def _unowned(rows: Sequence[SpanRow]) -> list[int]:
    """Count, for each row, the rows from the root to it whose parent is no owner."""
    path: list[int] = []
    found: list[int] = []
    for row in rows:
        del path[row.depth :]
        path.append((path[-1] if path else 0) + (not row.span.owned))
        found.append(path[-1])
    return found


def _uid(span: Span) -> str:
    """Return the uid of the Event or object that *span* is about, or ""."""
    uids = [str(value) for name, value in span.attributes if name.endswith(".uid")]
    return uids[-1] if uids else ""


def _identity(span: Span) -> str:
    """Return a text that is the same in every trace that shows *span*."""
    shared = span.kind in (SpanKind.OBJECT, SpanKind.EVENT)
    return (shared and _uid(span)) or span.span_id


def _needs_rows_below(span: Span) -> bool:
    """Return whether *span* tells nothing without rows below it."""
    unprompted = span.name.endswith(".activity") and not span.error
    return span.kind is SpanKind.OBJECT or unprompted


def _folded(rows: Sequence[SpanRow]) -> list[SpanRow]:
    """Return *rows* with ticks in place of Events, and one row for spans alike."""
    names = {(row.span.parent_id, row.span.name) for row in rows}
    ticks: dict[str, list[Span]] = {}
    found: dict[tuple[str, str], list[SpanRow]] = {}
    for row in rows:
        span = row.span
        is_tick = not span.error or span.start == span.end
        if span.kind in (SpanKind.CHANGE, SpanKind.OBJECT):
            found[span.span_id, ""] = [row]
        elif span.kind is SpanKind.EVENT and is_tick:
            ticks.setdefault(span.parent_id, []).append(span)
        else:
            name, word = _LOOPS.get(span.name, (span.name, ""))
            said = span.error.lower() if isinstance(span.error, str) else ""
            if (span.parent_id, name) not in names or word not in said:
                name = span.name
            found.setdefault((span.parent_id, name), []).append(row)
    if len(found) == 1:
        return list(rows)
    return [
        _one(group, name, ticks.get(group[0].span.span_id, []))
        for (_, name), group in found.items()
    ]


def _one(group: Sequence[SpanRow], name: str, ticks: Sequence[Span]) -> SpanRow:
    """Return one row called *name* for all of *group*, with *ticks*.

    Its Events have no duration. They become ticks unless there is nothing else.
    """
    first = group[0]
    spans = [row.span for row in group]
    if len(group) == 1:
        return first._replace(ticks=tuple(ticks))
    events = [span for span in spans if span.kind is SpanKind.EVENT]
    same = [span for span in spans if span.kind is not SpanKind.EVENT] or spans
    ends = [span.end for span in same]
    whole = same[0]._replace(
        name=name,
        end=None if None in ends else max(end for end in ends if end is not None),
        error=next((span.error for span in reversed(spans) if span.error), ""),
    )
    return SpanRow(
        whole,
        first.depth,
        level=min(row.level for row in group),
        ticks=() if same is spans else tuple(events),
        same=tuple(same),
    )
