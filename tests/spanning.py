"""Spans for tests: of recorded streams, in any order of their parts."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable
from typing import Any

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import ChangeRecord, Item, Listed
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.extras.spans.model.span import Span, SpanKind
from kubectl_spy.extras.spans.model.span_log import SpanLog
from kubectl_spy.render.findings import error_text
from tests.builders import bundled
from tests.tracing import START, selections_of


def recorded_items(stream: str, since: float = 0.0) -> dict[Selection, list[Item]]:
    """Return the items of each stream of a recording, for a watch from *since*."""
    return {each: list(items) for each, items in _recorded_items(stream, since).items()}


@functools.cache
def _recorded_items(stream: str, since: float) -> dict[Selection, list[Item]]:
    recording = bundled(stream)
    streams: dict[Selection, list[Item]] = {}
    for collection, selection in selections_of(recording).items():
        history = History()
        items: list[Item] = []
        there = {
            _identity(each): each for of, each in recording.initial if of == collection
        }
        steps = [step for step in recording.steps if step.collection == collection]
        for step in steps:
            if step.time < since:
                there[_identity(step.object)] = step.object
                if step.deleted:
                    del there[_identity(step.object)]
        at = START + since
        happened: list[tuple[EventType, float, dict[str, Any] | None]] = [
            (EventType.LISTING, at, None),
            *((EventType.LISTED, at, each) for each in there.values()),
            (EventType.SYNCED, at, None),
        ]
        happened += [
            (
                EventType.DELETED if step.deleted else EventType.MODIFIED,
                START + step.time,
                step.object,
            )
            for step in steps
            if step.time >= since
        ]
        for kind, time, document in happened:
            event = WatchEvent(kind, selection, time, document)
            items += history.observe(event)
            if kind is EventType.SYNCED:
                items.append(Listed(selection, len(there), time))
        streams[selection] = items
    return streams


def merged(streams: dict[Selection, list[Item]]) -> list[Item]:
    """Return all items by time, lists first."""
    return sorted((each for items in streams.values() for each in items), key=_time)


def shuffled(streams: dict[Selection, list[Item]], seed: int) -> list[Item]:
    """Return all items in any order that keeps the one of each object."""
    objects: dict[tuple[Selection, str], list[Item]] = {}
    for selection, items in streams.items():
        for item in items:
            name = item.identity if isinstance(item, ChangeRecord) else ""
            objects.setdefault((selection, name), []).append(item)
    order = [key for key, items in objects.items() for _ in items]
    random.Random(seed).shuffle(order)
    pending = {key: iter(items) for key, items in objects.items()}
    return [next(pending[key]) for key in order]


def span_log(
    items: Iterable[Item], target: str, *, streams: Iterable[Selection] = ()
) -> SpanLog:
    """Return the log of *target* (`Deployment/nginx`) that observed *items*.

    It expects *streams*, or else those of *items*.
    """
    kind, name = target.split("/")
    known = list(items)

    def is_root(record: ChangeRecord) -> bool:
        return record.gvk.kind == kind and record.name == name

    expected = dict.fromkeys(streams or (each.selection for each in known))
    log = SpanLog(Scope((), list(expected), is_root))
    for each in known:
        log.observe(each)
    return log


def tree(spans: list[Span]) -> str:
    """Return spans as an indented text: times in seconds since the stream's start."""
    below: dict[str, list[Span]] = {}
    for span in spans:
        below.setdefault(f"{span.trace_id}/{span.parent_id}", []).append(span)
    lines: list[str] = []

    def draw(span: Span, depth: int) -> None:
        end = "…" if span.end is None else f"{span.end - START:.3f}"
        named = "  " * depth + span.name
        if span.kind in (SpanKind.CHANGE, SpanKind.OBJECT):
            named += f" {_name(span)}"
        error = f"  ! {error_text(span.error)}" if span.error else ""
        times = f"{span.start - START:.3f} → {end}"
        lines.append(f"{named:<48} {times:<19} {span.service}{error}".rstrip())
        for each in below.get(f"{span.trace_id}/{span.span_id}", ()):
            draw(each, depth + 1)

    for span in spans:
        if not span.parent_id:
            draw(span, 0)
    return "\n".join(lines) + "\n"


def _name(span: Span) -> str:
    kind = span.name.partition(".")[0].lower()
    kind = {"horizontalpodautoscaler": "hpa"}.get(kind, kind)
    attributes = dict(span.attributes)
    return str(attributes.get(f"k8s.{kind}.name", attributes.get("k8s.object.name")))


def _identity(document: dict[str, Any]) -> str:
    return str(document["metadata"]["uid"])


def _time(item: Item) -> float:
    return item.time
