"""Spans from episodes: with ids, parents, and the extent of all below them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_spy.core.cluster.event_store import ObservedEvent
from kubectl_spy.core.diagnosis.finding import Fact
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.spans.model.causes import Place
from kubectl_spy.extras.spans.model.episodes import Episode
from kubectl_spy.extras.spans.model.naming import (
    UNKNOWN,
    controller,
    creator,
    object_id,
    reporters,
    root_id,
    trace_id,
)
from kubectl_spy.extras.spans.model.span import Span, SpanKind
from kubectl_spy.extras.spans.model.track import Track

Extents = dict[str, tuple[float, float | None]]
"""By uid, when an object was involved in an episode: from, and to."""

_UNPLACED = Span("", "", "", SpanKind.OBJECT, "", UNKNOWN, 0.0, None)


class Placed(NamedTuple):
    """A span, and its position in the tree."""

    span: Span
    depth: int  # how many spans are above it
    root: str  # the uid of the root of its trace
    uid: str  # the uid of its object
    key: str  # the key of its episode
    ended: float | None  # when its trace ended; None: not yet
    final: float | None  # when it becomes final; None: not known yet


def order(placed: Placed) -> tuple[float, str, int, float, str]:
    """Return the sort key: by start, a cause before what it causes."""
    span = placed.span
    end = float("inf") if span.end is None else span.end
    return span.start, span.trace_id, placed.depth, end, span.span_id


@dataclass(frozen=True, slots=True)
class Assembly:
    """Builds the spans of one root."""

    root: Track
    tracks: Mapping[str, Track]
    places: Mapping[str, Place]
    events: Mapping[str, list[ObservedEvent]]
    said: dict[str, dict[str, str]] = field(default_factory=dict)
    """Which component said each word in an Event, by the uid that it is about."""

    def spans(self, episode: Episode, *, last: bool) -> Iterator[Placed]:
        """Yield the spans of *episode*, which may be the *last* of its root."""
        root = self.root.uid
        trace = trace_id(root, episode.key)
        top = root_id(root, episode.key)
        extents = self._extents(episode)
        start, ended = extents.pop(root)
        final = None if ended is None else ended + episode.hold
        ids = {uid: object_id(top, uid) for uid in extents} | {root: top}

        def placed(span: Span, uid: str, depth: int, final: float | None) -> Placed:
            return Placed(span, depth, root, uid, episode.key, ended, final)

        change = self._change(episode, last)._replace(
            trace_id=trace, span_id=top, start=start, end=ended
        )
        yield placed(change, root, 0, final)
        for leaf in episode.leaves:
            if leaf.span is not None:
                span = leaf.span._replace(trace_id=trace, parent_id=ids[leaf.uid])
                sure = span.kind is SpanKind.PHASE and not leaf.provisional
                depth = self.places[leaf.uid].depth + 1
                yield placed(span, leaf.uid, depth, span.end if sure else final)
        for uid, extent in extents.items():
            span = self._object(uid, trace, ids, *extent)
            yield placed(span, uid, self.places[uid].depth, final)

    def _extents(self, episode: Episode) -> Extents:
        found: Extents = {self.root.uid: (episode.start, episode.end)}
        for leaf in episode.leaves:
            _extend(found, leaf.uid, leaf.start, leaf.end)
        involved = dict.fromkeys(leaf.uid for leaf in episode.leaves)
        for uid in list(involved):
            parent = self.places[uid].parent
            while parent and parent not in involved:
                involved[parent] = None
                parent = self.places[parent].parent
        # Children first, so that an extent is complete before its parent's is extended.
        for uid in sorted(involved, key=lambda each: -self.places[each].depth):
            parent = self.places[uid].parent
            if parent:
                _extend(found, parent, *found[uid])
        return found

    def _object(
        self,
        uid: str,
        trace: str,
        ids: Mapping[str, str],
        start: float,
        end: float | None,
    ) -> Span:
        track = self.tracks[uid]
        parent, _, owners = self.places[uid]
        said = map(self._reporters, dict.fromkeys((*owners, parent)))
        return Span(
            trace_id=trace,
            span_id=ids[uid],
            parent_id=ids[parent],
            kind=SpanKind.OBJECT,
            name=track.gvk.kind,
            service=creator(track.gvk, track.name, track.owner, said, track.managers),
            start=start,
            end=end,
            attributes=track.attributes,
            error=_error(track),
            links=track.links,
            owned=parent in owners,
        )

    def _reporters(self, owner: str) -> dict[str, str]:
        if owner not in self.said:
            about = self.events.get(owner, ())
            self.said[owner] = reporters(each.latest for each in about)
        return self.said[owner]

    def _change(self, episode: Episode, last: bool) -> Span:
        """Return the root span without its position and times."""
        root, change = self.root, episode.change
        attributes: list[tuple[str, JSON]] = list(root.attributes)
        if change is None:
            unsettled = any(
                leaf.span and leaf.uid == root.uid and leaf.span.kind is SpanKind.PHASE
                for leaf in episode.leaves
            )
            operation = "recover" if unsettled else "activity"
            service = controller(root.gvk)
        else:
            operation = change.operation
            service = next(iter(change.managers), UNKNOWN)
            if operation == "delete":
                service = UNKNOWN  # neither objects nor Events say who deletes
            if change.key.isdigit():
                attributes.append(("k8s.object.generation", int(change.key)))
            if change.what:
                attributes.append(("k8s.change.what", change.what))
        return _UNPLACED._replace(
            kind=SpanKind.CHANGE,
            name=f"{root.gvk.kind}.{operation}",
            service=service,
            attributes=tuple(attributes),
            error=(change.error if change else "") or (_error(root) if last else ""),
            links=root.links,
        )


def _error(track: Track) -> Fact | str:
    if track.phases and track.phases[-1].end is None:
        return track.phases[-1].error
    return track.changes[-1].error if track.changes else ""


def _extend(found: Extents, uid: str, start: float, end: float | None) -> None:
    known_start, known_end = found.get(uid, (start, end))
    ends = None if known_end is None or end is None else max(known_end, end)
    found[uid] = (min(known_start, start), ends)
