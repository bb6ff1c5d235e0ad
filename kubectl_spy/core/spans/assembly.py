"""Episodes of a root to spans in their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.spans.causes import Place
from kubectl_spy.core.spans.episodes import Episode
from kubectl_spy.core.spans.identity import object_id, root_id, trace_id
from kubectl_spy.core.spans.leaves import Leaf
from kubectl_spy.core.spans.reports import Report
from kubectl_spy.core.spans.services import UNKNOWN, controller, maker, writer
from kubectl_spy.core.spans.span import Span, SpanKind
from kubectl_spy.core.spans.track import Track


class Placed(NamedTuple):
    """A span in its place."""

    span: Span
    depth: int
    """How many spans it is under."""
    root: str
    """The uid of the object whose trace it is in."""
    uid: str
    """Of the object that it is about."""
    key: str
    """Which trace of that object it is in."""
    ended: float | None
    """When that trace ended; None: not yet."""
    final: float | None
    """From when on it can no longer be another one; None: that is not known yet."""


def order(placed: Placed) -> tuple[float, str, int, float, str]:
    """Begin with what began first; a cause stands before what it causes."""
    span = placed.span
    end = float("inf") if span.end is None else span.end
    return span.start, span.trace_id, placed.depth, end, span.span_id


class Assembly:
    """Builds the traces of one root from what happened under it."""

    def __init__(
        self,
        root: Track,
        tracks: Mapping[str, Track],
        places: Mapping[str, Place],
        reports: Mapping[str, list[Report]],
    ) -> None:
        self._root = root
        self._tracks = tracks
        self._places = places
        self._reports = reports

    def spans(self, episode: Episode, *, last: bool) -> Iterator[Placed]:
        """Yield the trace of *episode*; *last* says that none came after it."""
        trace = trace_id(self._root.uid, episode.key)
        top = root_id(self._root.uid, episode.key)
        spells: dict[str, list[Leaf]] = {}
        for leaf in episode.leaves:
            spells.setdefault(leaf.uid, []).append(leaf)
        extents = self._extents(episode, spells)
        start, ended = extents[self._root.uid]
        final = None if ended is None else ended + episode.hold

        def placed(span: Span, uid: str, depth: int, final: float | None) -> Placed:
            key = episode.key
            return Placed(span, depth, self._root.uid, uid, key, ended, final)

        ids = {uid: object_id(top, uid) for uid in extents}
        ids[self._root.uid] = top
        change = self._change(episode, trace, top, start, ended, last)
        yield placed(change, self._root.uid, 0, final)
        for leaf in episode.leaves:
            if leaf.span is None:
                continue
            span = leaf.span._replace(trace_id=trace, parent_id=ids[leaf.uid])
            sure = span.kind is SpanKind.PHASE and not leaf.provisional
            depth = self._places[leaf.uid].depth + 1
            yield placed(span, leaf.uid, depth, span.end if sure else final)
        for uid, (start, end) in extents.items():
            if uid != self._root.uid:
                span = self._object(trace, ids, uid, start, end)
                yield placed(span, uid, self._places[uid].depth, final)

    def _extents(
        self, episode: Episode, spells: Mapping[str, Iterable[Leaf]]
    ) -> dict[str, tuple[float, float | None]]:
        """Return from when to when each object was involved, and all below it."""
        found: dict[str, tuple[float, float | None]] = {
            self._root.uid: (episode.start, episode.end)
        }
        for uid, leaves in spells.items():
            for leaf in leaves:
                _stretch(found, uid, leaf.start, leaf.end)
        involved = dict.fromkeys(spells)
        for uid in spells:
            at = self._places[uid].parent
            while at and at not in involved:
                involved[at] = None
                at = self._places[at].parent
        # What is caused comes before its cause.
        for uid in sorted(involved, key=lambda each: -self._places[each].depth):
            parent = self._places[uid].parent
            if parent:
                _stretch(found, parent, *found[uid])
        return found

    def _object(
        self,
        trace: str,
        ids: Mapping[str, str],
        uid: str,
        start: float,
        end: float | None,
    ) -> Span:
        track = self._tracks[uid]
        parent = self._places[uid].parent
        owners = dict.fromkeys((*track.owners, parent))
        reported = [
            each.times[-1].event
            for uid in owners
            for each in self._reports.get(uid, ())
        ]
        return Span(
            trace_id=trace,
            span_id=ids[uid],
            parent_id=ids[parent],
            kind=SpanKind.OBJECT,
            name=track.gvk.kind,
            service=maker(track.gvk, track.name, track.owner, reported, track.managers),
            start=start,
            end=end,
            attributes=track.attributes,
            error=_wrong(track),
            links=track.links,
        )

    def _change(
        self,
        episode: Episode,
        trace: str,
        top: str,
        start: float,
        end: float | None,
        last: bool,
    ) -> Span:
        root, change = self._root, episode.change
        attributes: list[tuple[str, JSON]] = list(root.attributes)
        if change is None:
            own = any(
                leaf.span and leaf.uid == root.uid and leaf.span.kind is SpanKind.PHASE
                for leaf in episode.leaves
            )
            operation = "recover" if own else "activity"
            service = controller(root.gvk)
        else:
            operation, service = change.operation, writer(change.managers)
            if operation == "delete":
                service = UNKNOWN  # no object and no Event says who asked for it
            if change.key.isdigit():
                attributes.append(("k8s.object.generation", int(change.key)))
        return Span(
            trace_id=trace,
            span_id=top,
            parent_id="",
            kind=SpanKind.CHANGE,
            name=f"{root.gvk.kind}.{operation}",
            service=service,
            start=start,
            end=end,
            attributes=tuple(attributes),
            error=(change.error if change else "") or (_wrong(root) if last else ""),
            links=root.links,
        )


def _wrong(track: Track) -> str:
    """Return what is wrong with an object now, or was when it ended; or ""."""
    if track.phases and track.phases[-1].end is None:
        return track.phases[-1].error
    return track.changes[-1].error if track.changes else ""


def _stretch(
    extents: dict[str, tuple[float, float | None]],
    uid: str,
    start: float,
    end: float | None,
) -> None:
    known = extents.get(uid)
    if known is None:
        extents[uid] = (start, end)
        return
    ends = None if known[1] is None or end is None else max(known[1], end)
    extents[uid] = (min(known[0], start), ends)
