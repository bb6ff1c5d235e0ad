"""What happened to one object: its phases and the Events about it, as spans."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.spans.attributes import of_event
from kubectl_spy.core.spans.clocks import Clocks, Instant
from kubectl_spy.core.spans.endings import without_normal_warnings
from kubectl_spy.core.spans.identity import event_id, phase_id
from kubectl_spy.core.spans.pulls import pulls
from kubectl_spy.core.spans.reports import Report
from kubectl_spy.core.spans.services import worker
from kubectl_spy.core.spans.span import Span, SpanKind
from kubectl_spy.core.spans.track import Phase, Track, stamp


class Leaf(NamedTuple):
    """Something that happened to an object."""

    uid: str
    start: float
    end: float | None
    stamp: str
    """When it began, by whatever clock said so: it never changes."""
    past: bool
    """Whether it began before anybody looked."""
    span: Span | None
    """Not in its place yet; None: the object came or went, and that is all."""
    event: str = ""
    """The uid of the Event that happened, if this is one."""
    again: bool = False
    """Whether it is one that had happened before."""
    provisional: bool = False
    """Whether another end of it may yet be told."""
    cause: float = math.inf
    """When the change began that it is a part of, of the object or of its owners."""

    @property
    def exact(self) -> bool:
        """Whether its beginning is known more exactly than to the second."""
        return not self.stamp.endswith(".000000Z")


def leaves(track: Track, reports: list[Report], clocks: Clocks) -> Iterator[Leaf]:
    """Yield what happened to the object of *track*, *reports* being about it."""
    reports = without_normal_warnings(track, reports, clocks)
    if track.born is not None:
        yield _mark(track, track.born, clocks)
    gone = None if track.gone is None else Instant(track.gone)
    # A phase that lasted until then belongs to the trace in which it began.
    if gone and not (track.phases and track.phases[-1].end == gone):
        yield _mark(track, gone, clocks)
    for phase in track.phases:
        yield _phase(track, phase, clocks)
    for report in reports:
        yield from _event(track, report, clocks)
    if track.gvk.kind == "Pod":
        for pull in pulls(track, reports, clocks):
            leaf = _phase(track, pull.phase, clocks, pull.container)
            yield leaf._replace(provisional=not pull.told)


def _mark(track: Track, instant: Instant, clocks: Clocks) -> Leaf:
    time = clocks.ours(instant)
    return Leaf(track.uid, time, time, stamp(instant), instant.past, None)


def _phase(track: Track, phase: Phase, clocks: Clocks, container: str = "") -> Leaf:
    start = clocks.ours(phase.start)
    end = None if phase.end is None else max(clocks.ours(phase.end), start)
    name = f"{track.gvk.kind}.{phase.name}"
    extra = (("k8s.container.name", container),) if container else ()
    told = stamp(phase.start)
    span = Span(
        trace_id="",
        span_id=phase_id(track.uid, f"{name}/{container}", told),
        parent_id="",
        kind=SpanKind.PHASE,
        name=name,
        service=worker(track.gvk, phase.name),
        start=start,
        end=end,
        attributes=track.attributes + extra,
        error=phase.error,
    )
    return Leaf(track.uid, start, end, told, phase.start.past, span)


def _event(track: Track, report: Report, clocks: Clocks) -> Iterator[Leaf]:
    """Yield each time that an Event happened; its place makes one span of them."""
    first = clocks.ours(report.times[0].at)
    start = first
    if report.before:
        # It had lasted for longer, but not for longer than its object has been there.
        earliest = track.seen
        if track.initial:
            earliest = 0.0 if track.born is None else clocks.ours(track.born)
        start = max(first - report.before, min(earliest, first))
    again = report.again
    for instant, event in report.times:
        time = max(clocks.ours(instant), first)
        span = Span(
            trace_id="",
            span_id=event_id(event.uid),
            parent_id="",
            kind=SpanKind.EVENT,
            name=f"{event.kind or track.gvk.kind}.{event.reason or 'Event'}",
            service=event.component,
            start=time if again else start,
            end=time,
            attributes=track.attributes + of_event(event),
            error=(event.message or event.reason) if event.warning else "",
        )
        yield Leaf(
            uid=track.uid,
            start=span.start,
            end=time,
            stamp=stamp(instant),
            past=instant.past,
            span=span,
            event=event.uid,
            again=again,
        )
        again = True
