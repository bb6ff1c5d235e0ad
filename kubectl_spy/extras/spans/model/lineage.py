"""Which change of the root caused an object or an Event.

Times are not enough: many are of whole seconds, and one stream may run ahead of
another. But each ReplicaSet and ControllerRevision holds the Pod template of the change
that it was made for, and the labels of Pods name their ControllerRevision. An Event may
hold the version of the object that its reporter saw.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

from kubectl_spy.core.cluster.event_store import ObservedEvent
from kubectl_spy.extras.spans.model.causes import Place
from kubectl_spy.extras.spans.model.clocks import Clocks
from kubectl_spy.extras.spans.model.leaves import Leaf
from kubectl_spy.extras.spans.model.specs import REVISED
from kubectl_spy.extras.spans.model.track import Track

_LATE = 3.0  # seconds by which a change may be seen after its effects


class Origins(NamedTuple):
    """The index of the causing change of the root, by the uid of its effects."""

    objects: Mapping[str, int]
    events: Mapping[str, int]

    def of(self, leaf: Leaf) -> int:
        """Return the index of the change that caused *leaf*; 0 if it is unknown."""
        return self.objects.get(leaf.uid, 0) or self.events.get(leaf.event, 0)


def origins(
    root: Track,
    tracks: Mapping[str, Track],
    places: Mapping[str, Place],
    events: Iterable[ObservedEvent],
    clocks: Clocks,
) -> Origins:
    """Return the effects of each change of *root*, given the *events* about it.

    In *places* causes come before what they cause.
    """
    names: dict[str, int] = {}
    hashes: dict[str, int] = {}
    for uid in places:
        track = tracks[uid]
        template, hashed, _ = track.revision
        if template and hashed and root.uid in places[uid].owners:
            index = _made_for(track, root, clocks)
            for known, key in (names, track.name), (hashes, hashed):
                known[key] = min(known.get(key, index), index)
    objects: dict[str, int] = {}
    for uid, (parent, _, owners) in places.items():
        if parent in owners:
            made_for = hashes.get(tracks[uid].revision.hash)
            objects[uid] = made_for or objects.get(parent, 0)
    indices = {change.key: index for index, change in enumerate(root.changes)}
    found: dict[str, int] = {}
    for each in events:
        event = each.occurrences[0].event
        words = event.message.replace('"', " ").split()
        named = max((names.get(word, 0) for word in words), default=0)
        saw = indices.get(root.versions.get(event.version, ""), 0)
        found[event.uid] = max(saw, named)
    return Origins(objects, found)


def _made_for(track: Track, root: Track, clocks: Clocks) -> int:
    """Return the index of the change that brought the template of *track*."""
    template, _, later = track.revision
    same = [n for n, each in enumerate(root.changes) if each.template == template]
    if 1 in same and root.changes[1].listed:
        return int(later if root.changes[1].key == REVISED else root.rolling)
    created = clocks.local(track.created) if track.created else track.first_seen
    index = min(same, default=0)
    started = clocks.local(root.changes[index].start)
    return index if created + _LATE >= started else 0


def starts(
    root: Track, found: Iterable[Leaf], causes: Origins, clocks: Clocks
) -> list[float]:
    """Return the starts of the changes of *root*, no later than their effects.

    Times of whole seconds only move changes that nobody saw.
    """
    exact: dict[int, float] = {}
    rough: dict[int, float] = {}
    for leaf in found:
        if index := causes.of(leaf):
            known = exact if leaf.exact else rough
            known[index] = min(known.get(index, leaf.start), leaf.start)
    began: list[float] = []
    latest = -math.inf  # a revision without an effect began at an unknown time
    for index, change in enumerate(root.changes):
        start = math.inf if change.key == REVISED else clocks.local(change.start)
        if index:
            known = rough if change.listed and index not in exact else exact
            start = max(min(start, known.get(index, start)), latest)
        began.append(start)
        latest = start if start < math.inf else latest
    return [min(began[index:]) for index in range(len(began))]


def with_cause(
    leaf: Leaf,
    root: str,
    tracks: Mapping[str, Track],
    places: Mapping[str, Place],
    clocks: Clocks,
) -> Leaf:
    """Return *leaf* with the start of its cause, a change of its object or owners.

    A Pod ends because its ReplicaSet was scaled down before, and all that happens to
    the Pod until it is gone is a part of that. An Event is no part of a change after
    the version that its controller reacted to.
    """
    at, uid = _not_after(leaf, tracks[leaf.uid], clocks), leaf.uid
    while uid != root:
        at = tracks[uid].changing_since(at, clocks)
        parent, _, owners = places[uid]
        uid = parent if parent in owners else root
    return leaf if at == leaf.start else leaf._replace(cause=at)


def _not_after(leaf: Leaf, track: Track, clocks: Clocks) -> float:
    """Return when *leaf* began, but not after the change its controller reacted to."""
    key = track.versions.get(leaf.version)
    if key is None:
        return leaf.start
    for change, following in pairwise(track.changes):
        if change.key == key and clocks.local(following.start) <= leaf.start + _LATE:
            return min(clocks.local(change.start), leaf.start)
    return leaf.start


def not_before(leaf: Leaf, start: float) -> Leaf:
    """Return *leaf*, moved if necessary to the *start* of its cause."""
    if start <= min(leaf.start, leaf.cause):
        return leaf
    leaf = leaf._replace(cause=start)
    if start <= leaf.start:
        return leaf
    end, span = leaf.end and max(leaf.end, start), leaf.span
    span = span and span._replace(start=start, end=span.end and max(span.end, start))
    return leaf._replace(start=start, end=end, span=span)
