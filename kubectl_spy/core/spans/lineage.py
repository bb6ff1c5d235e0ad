"""Find the change that caused an object, by its Pod template.

Times say it only roughly: many are of whole seconds, and one stream may be ahead of
another. But each ReplicaSet and ControllerRevision holds the template of the change
that it was made for, and the labels of Pods name the ControllerRevision. An Event may
name the version of the object that its reporter saw.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kubectl_spy.core.spans.causes import Place
from kubectl_spy.core.spans.clocks import Clocks
from kubectl_spy.core.spans.leaves import Leaf
from kubectl_spy.core.spans.reports import Report
from kubectl_spy.core.spans.specs import REVISED
from kubectl_spy.core.spans.track import Track

_LATE = 3.0
"""Seconds by which a change may be seen after what came of it."""


class Origins(NamedTuple):
    """The places of changes among those of their root, by uid of what came of them."""

    objects: Mapping[str, int]
    events: Mapping[str, int]

    def of(self, leaf: Leaf) -> int:
        """Return the index of the change that caused *leaf*; 0 if it is unknown."""
        return self.objects.get(leaf.uid, 0) or self.events.get(leaf.event, 0)


def origins(
    root: Track,
    tracks: Mapping[str, Track],
    places: Mapping[str, Place],
    reports: Iterable[Report],
    clocks: Clocks,
) -> Origins:
    """Return what came of which change of *root*, *reports* being about it.

    *places* has causes before what they cause.
    """
    names: dict[str, int] = {}
    revisions: dict[str, int] = {}
    for uid in places:
        track = tracks[uid]
        template, revision, _ = track.revision
        if template and revision and root.uid in track.owners:
            place = _made_for(track, root, clocks)
            for known, name in (names, track.name), (revisions, revision):
                known[name] = min(known.get(name, place), place)
    objects: dict[str, int] = {}
    for uid, (parent, _) in places.items():
        track = tracks[uid]
        if parent in track.owners:
            objects[uid] = revisions.get(track.revision.hash) or objects.get(parent, 0)
    events: dict[str, int] = {}
    numbers = {change.key: number for number, change in enumerate(root.changes)}
    for report in reports:
        event = report.times[0].event
        words = event.message.replace('"', " ").split()
        named = (names.get(each, 0) for each in words)
        saw = numbers.get(root.versions.get(event.version, ""), 0)
        events[event.uid] = max(saw, *named, 0)
    return Origins(objects, events)


def _made_for(track: Track, root: Track, clocks: Clocks) -> int:
    """Return the place of the change that brought the template of *track*."""
    template, _, later = track.revision
    same = [n for n, it in enumerate(root.changes) if it.template == template]
    if 1 in same and root.changes[1].listed:
        return int(later if root.changes[1].key == REVISED else root.rolling)
    born = clocks.ours(track.born) if track.born else track.seen
    place = min(same, default=0)
    return place if born + _LATE >= clocks.ours(root.changes[place].start) else 0


def starts(
    root: Track, found: Iterable[Leaf], came: Origins, clocks: Clocks
) -> list[float]:
    """Return when the changes of *root* began: no later than what came of them.

    Times of whole seconds move only a change that nobody saw.
    """
    exact: dict[int, float] = {}
    rough: dict[int, float] = {}
    for leaf in found:
        if place := came.of(leaf):
            known = exact if leaf.exact else rough
            known[place] = min(known.get(place, leaf.start), leaf.start)
    began: list[float] = []
    for place, change in enumerate(root.changes):
        start = math.inf if change.key == REVISED else clocks.ours(change.start)
        if place:
            known = rough if change.listed and place not in exact else exact
            start = max(min(start, known.get(place, start)), began[-1])
        began.append(start)
    return [min(began[place:]) for place in range(len(began))]


def with_cause(
    leaf: Leaf,
    root: str,
    tracks: Mapping[str, Track],
    places: Mapping[str, Place],
    clocks: Clocks,
) -> Leaf:
    """Return *leaf*, which is under the *root* with that uid, with its cause.

    A Pod ends because its ReplicaSet was scaled down before, and all that happens to
    it until it is gone is a part of that.
    """
    at, uid = leaf.start, leaf.uid
    while uid != root:
        track = tracks[uid]
        at = track.changing_since(at, clocks)
        parent = places[uid].parent
        uid = parent if parent in track.owners else root
    return leaf if at == leaf.start else leaf._replace(cause=at)


def not_before(leaf: Leaf, start: float) -> Leaf:
    """Return *leaf* as it is, or later: not before the *start* of what caused it."""
    if start <= min(leaf.start, leaf.cause):
        return leaf
    leaf = leaf._replace(cause=start)
    if start <= leaf.start:
        return leaf
    end, span = leaf.end and max(leaf.end, start), leaf.span
    span = span and span._replace(start=start, end=span.end and max(span.end, start))
    return leaf._replace(start=start, end=end, span=span)
