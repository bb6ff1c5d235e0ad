"""Records in, spans out: the fold behind `kubectl spy spans`.

What is asked of it is worked out of what each object and each Event went through, and
not of the order in which they were told between each other: the same records give the
same spans, ids and times, whichever stream runs ahead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_spy.core.record import ChangeRecord, ChangeType, Item
from kubectl_spy.core.spans.assembly import Assembly
from kubectl_spy.core.spans.causes import Causes
from kubectl_spy.core.spans.clocks import Clocks
from kubectl_spy.core.spans.episodes import GRACE, episodes
from kubectl_spy.core.spans.leaves import Leaf, leaves
from kubectl_spy.core.spans.reports import Report, Reports
from kubectl_spy.core.spans.span import Span, SpanKind
from kubectl_spy.core.spans.track import Track
from kubectl_spy.core.trace.trace import Trace

_EVENT_GROUPS = ("", "events.k8s.io")
_GONE = 1_000
"""Objects that are gone of which the spans are kept."""


class SpanLog:
    """Folds records of whole objects into the spans of all that *trace* shows."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._tracks: dict[str, Track] = {}
        self._gone: dict[str, None] = {}
        self._reports = Reports()
        self._clocks = Clocks()
        self._roots: dict[str, None] = {}
        self._told: dict[tuple[str, str], float | None] = {}

    @property
    def namespace(self) -> str | None:
        """The one that all roots are in, if there is one."""
        return self._trace.namespace

    @property
    def listed(self) -> bool:
        """Whether all that was asked for was listed."""
        return self._trace.listed

    @property
    def complete(self) -> bool:
        """Whether everything was listed, or refused."""
        return self._trace.complete

    @property
    def time(self) -> float:
        """When the last record was observed."""
        return self._trace.seen.time

    def observe(self, item: Item) -> None:
        """Take in what happened."""
        self._trace.observe(item)
        if not isinstance(item, ChangeRecord) or item.of_stream:
            return
        if item.gvk.kind == "Event" and item.gvk.group in _EVENT_GROUPS:
            self._reports.observe(item)
            return
        self._track(item)

    def _track(self, record: ChangeRecord) -> None:
        uid = record.uid or f"{record.gvk.kind}/{record.namespace}/{record.name}"
        entry = self._trace.seen.entry(uid)
        track = self._tracks.get(uid)
        gone = record.type in (ChangeType.DELETED, ChangeType.LEFT)
        if track is None:
            if gone or entry is None:
                return
            track = Track(
                uid,
                record.gvk,
                record.namespace,
                record.name,
                entry.initial,
                record.time,
            )
            self._tracks[uid] = track
        if self._trace.asks_for(record):
            self._roots[uid] = None
        track.observe(record, None if gone else entry, self._clocks)
        self._gone.pop(uid, None)
        if gone:
            self._gone[uid] = None
            if len(self._gone) > _GONE:
                self._forget(next(iter(self._gone)))

    def _forget(self, uid: str) -> None:
        del self._gone[uid]
        self._tracks.pop(uid, None)
        self._roots.pop(uid, None)
        self._reports.forget(uid)

    def spans(self, now: float) -> list[Span]:
        """Return all spans as of *now*, in the order in which they began.

        What is not over has no end. What caused something begins no later than it, and
        ends no sooner.
        """
        return [span for span, _ in self._placed(now)]

    def finished(self, now: float | None = None) -> list[Span]:
        """Return the spans that have ended since this was asked last.

        *now* None is when the last record was observed.

        An Event may come again, and what is late still makes its causes longer. So
        these are over only when all has been quiet for a while; what grows after that
        comes once more, with the same id, when its trace has come to its end.
        """
        at = self.time if now is None else now
        return list(self._tell(self._placed(at), at))

    def flush(self, now: float) -> list[Span]:
        """Return what `finished` has not: what goes on, and what ended just now."""
        found = []
        for span, _ in self._placed(now):
            if self._told.get(_key(span), -1.0) != span.end:
                self._told[_key(span)] = span.end
                found.append(span)
        return found

    def _tell(
        self, placed: Iterable[tuple[Span, float | None]], now: float
    ) -> Iterator[Span]:
        for span, ended in placed:
            if span.end is None or self._told.get(_key(span), -1.0) == span.end:
                continue
            waits_for = {
                SpanKind.PHASE: span.end - GRACE,
                SpanKind.EVENT: span.end,
            }.get(span.kind, ended)
            if _key(span) in self._told:
                waits_for = ended
            if waits_for is None or waits_for + GRACE > now:
                continue
            self._told[_key(span)] = span.end
            yield span

    def _placed(self, now: float) -> list[tuple[Span, float | None]]:
        """Return the spans, each with the end of its trace."""
        causes = Causes(self._tracks)
        found: list[tuple[int, Span, float | None]] = []
        for uid in self._roots:
            if uid in self._tracks and not causes.is_under(uid, self._roots):
                found += self._of_root(self._tracks[uid], causes, now)
        found.sort(key=_order)
        return [(span, ended) for _, span, ended in found]

    def _of_root(
        self, root: Track, causes: Causes, now: float
    ) -> Iterator[tuple[int, Span, float | None]]:
        places = causes.under(root.uid)
        reports = {uid: self._about(self._tracks[uid]) for uid in places}
        happened: list[Leaf] = []
        for uid in places:
            happened += leaves(self._tracks[uid], reports[uid], self._clocks)
        assembly = Assembly(root, self._tracks, places, reports)
        traces = episodes(root, happened, self._clocks)
        latest = max((each.start for each in traces), default=0.0)
        for episode in traces:
            spans = assembly.spans(episode, last=episode.start == latest)
            ended = spans[0].end
            parents = {span.span_id: span.parent_id for span in spans}
            for span in spans:
                depth, at = 0, span.span_id
                while at := parents.get(at, ""):
                    depth += 1
                start = span.start if span.end is not None else min(span.start, now)
                yield depth, span._replace(start=start), ended

    def _about(self, track: Track) -> list[Report]:
        if track.gvk.kind == "Node":
            return self._reports.of(f"node/{track.name}", track.uid)
        return self._reports.of(track.uid)


def _order(
    placed: tuple[int, Span, float | None],
) -> tuple[float, str, int, float, str]:
    """Begin with what began first; a cause stands before what it causes."""
    depth, span, _ = placed
    end = float("inf") if span.end is None else span.end
    return span.start, span.trace_id, depth, end, span.span_id


def _key(span: Span) -> tuple[str, str]:
    """Return what tells *span* from all others: ids are of their traces."""
    return span.trace_id, span.span_id
