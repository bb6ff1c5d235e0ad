"""What caused an object or an Event: which other object, which change of the root."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from math import inf
from typing import NamedTuple

from kubectl_spy.core.cluster.event_store import ObservedEvent
from kubectl_spy.core.cluster.relations import Relations
from kubectl_spy.extras.spans.model.clocks import Clocks
from kubectl_spy.extras.spans.model.leaves import Leaf
from kubectl_spy.extras.spans.model.specs import REVISED
from kubectl_spy.extras.spans.model.track import Track


class Place(NamedTuple):
    """The place of an object below a root."""

    parent: str  # the uid of its cause; "" for the root itself
    depth: int
    owners: tuple[str, ...]  # the uids of all its owners so far


class Causes:
    """Finds the objects below a root.

    An object belongs to all its owners, current or former, by uid. If none of them is
    below the root, it belongs to what names or selects it, or once did: a Service's
    Pods, a Pod's claim, the target of an autoscaler.
    """

    def __init__(self, tracks: Mapping[str, Track], relations: Relations) -> None:
        self._tracks = tracks
        self._relations = relations
        self._under: dict[str, dict[str, Place]] = {}

    def moved(self) -> None:
        """Drop the cached trees, because an object or a relation has changed."""
        self._under.clear()

    def tops(self, roots: Iterable[str]) -> list[str]:
        """Return the *roots* that are not below other roots.

        Of roots below each other, it is the first by kind and name.
        """
        known = [uid for uid in roots if uid in self._tracks]
        above = {uid: self._above(uid).intersection(known) for uid in known}
        return [
            uid
            for uid in known
            if all(
                uid in above[other] and self._order(uid) <= self._order(other)
                for other in above[uid]
            )
        ]

    def _above(self, uid: str) -> set[str]:
        found = set[str]()
        pending = [uid]
        while pending:
            for parent in self._parents(pending.pop()):
                if parent not in found:
                    found.add(parent)
                    pending.append(parent)
        return found

    def under(self, root: str) -> dict[str, Place]:
        """Return *root* and everything below it, causes before what they cause."""
        found = self._under.get(root)
        if found is None:
            found = self._under[root] = self._found_under(root)
        return found

    def _found_under(self, root: str) -> dict[str, Place]:
        owned, referred = self._relations.ever_owned, self._relations.referred
        depths = {root: 0}
        new = [root, *self._spread(owned, [root], depths)]
        while further := self._spread(referred, new, depths, once=True):
            new = further + self._spread(owned, further, depths)
        found: dict[str, Place] = {}
        for uid in sorted(depths, key=depths.__getitem__):
            owners = self._relations.owners(uid)
            parent = self._parent(uid, depths) if uid != root else ""
            depth = found[parent].depth + 1 if parent else 0
            found[uid] = Place(parent, depth, owners)
        return found

    def _spread(
        self,
        below: Callable[[str], Iterable[str]],
        start: list[str],
        depths: dict[str, int],
        *,
        once: bool = False,
    ) -> list[str]:
        """Follow *below*, *once* or to the end; add to *depths*, return the new."""
        found: list[str] = []
        pending = deque(start)
        while pending:
            uid = pending.popleft()
            for child in below(uid):
                if child in self._tracks and child not in depths:
                    depths[child] = depths[uid] + 1
                    found.append(child)
                    if not once:
                        pending.append(child)
        return found

    def _parents(self, uid: str) -> Iterator[str]:
        yield from self._relations.owners(uid)
        yield from self._relations.referring(uid)

    def _parent(self, uid: str, depths: Mapping[str, int]) -> str:
        """Return a parent nearer to the root, an owner if there is one: no cycles."""
        nearer = {
            each: each in self._relations.owners(uid)
            for each in self._parents(uid)
            if each in depths and depths[each] < depths[uid]
        }
        return min(nearer, key=lambda each: (not nearer[each], self._order(each)))

    def _order(self, uid: str) -> tuple[str, str, str]:
        track = self._tracks[uid]
        return track.gvk.kind, track.name, uid


# Which change of the root caused an object or an Event.
#
# Times are not enough: many are of whole seconds, and one stream may run ahead of
# another. But each ReplicaSet and ControllerRevision holds the Pod template of the
# change that it was made for, and the labels of Pods name their ControllerRevision. An
# Event may hold the version of the object that its reporter saw.

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
    latest = -inf  # a revision without an effect began at an unknown time
    for index, change in enumerate(root.changes):
        start = inf if change.key == REVISED else clocks.local(change.start)
        if index:
            known = rough if change.listed and index not in exact else exact
            start = max(min(start, known.get(index, start)), latest)
        began.append(start)
        latest = start if start < inf else latest
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
