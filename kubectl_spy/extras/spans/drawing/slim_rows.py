"""The rows of spans that people look at first. `--full` shows all rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_spy.extras.spans.drawing.span_rows import SpanRow
from kubectl_spy.extras.spans.model.span import Span, SpanKind

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
