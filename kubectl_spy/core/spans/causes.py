"""Which object is there because of which other one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kubectl_spy.core.spans.track import Track

_Edges = dict[str, dict[str, None]]


class Place(NamedTuple):
    """Where an object stands under a root."""

    parent: str
    """The uid of what it is there because of; "" for the root itself."""
    depth: int


class Causes:
    """Finds what is under a root.

    An object belongs to what owns it, or ever did, by uid. Where nothing of that is
    under the root, it stands under what names or selects it, or ever did: a Service's
    Pods, a Pod's claim, what an autoscaler scales.
    """

    def __init__(self, tracks: Mapping[str, Track]) -> None:
        self._tracks = tracks
        self._owned: _Edges = {}
        self._named: _Edges = {}
        self._namers: _Edges = {}
        """By what is named, who names it."""
        for uid, track in tracks.items():
            for owner in track.owners:
                self._owned.setdefault(owner, {})[uid] = None
        for uid, other in self._references():
            if uid != other:
                self._named.setdefault(uid, {})[other] = None
                self._namers.setdefault(other, {})[uid] = None

    def _references(self) -> Iterator[tuple[str, str]]:
        names: dict[tuple[str | None, str, str, str], list[str]] = {}
        pods: dict[str | None, list[Track]] = {}
        for uid, each in self._tracks.items():
            name = each.namespace, each.gvk.group, each.gvk.kind, each.name
            names.setdefault(name, []).append(uid)
            if each.labels:
                pods.setdefault(each.namespace, []).append(each)
        for uid, each in self._tracks.items():
            for reference in each.references:
                for other in names.get((each.namespace, *reference), ()):
                    yield uid, other
            for selector in each.selected:
                for pod in pods.get(each.namespace, ()):
                    if any(map(selector.selects, pod.labels)):
                        yield uid, pod.uid

    def tops(self, roots: Iterable[str]) -> list[str]:
        """Return those of *roots* that are under none of the others.

        Of those that are under each other, that is the first by kind and name.
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
        """Return all that an object is under; itself, if that leads back to it."""
        seen = set[str]()
        pending = [uid]
        while pending:
            for parent in self._parents(pending.pop()):
                if parent not in seen:
                    seen.add(parent)
                    pending.append(parent)
        return seen

    def under(self, root: str) -> dict[str, Place]:
        """Return everything under *root*, and itself, causes before what they cause."""
        depths = {root: 0}
        self._spread(self._owned, [root], depths)
        while further := self._spread(self._named, list(depths), depths, once=True):
            self._spread(self._owned, further, depths)
        found = {root: Place("", 0)}
        for uid in sorted(depths, key=depths.__getitem__):
            if uid != root:
                parent = self._chosen(uid, depths)
                found[uid] = Place(parent, found[parent].depth + 1)
        return found

    def _spread(
        self,
        edges: _Edges,
        start: list[str],
        depths: dict[str, int],
        *,
        once: bool = False,
    ) -> list[str]:
        """Add to *depths* what *edges* lead to, one step or all; return what is new."""
        found: list[str] = []
        pending = deque(start)
        while pending:
            uid = pending.popleft()
            for child in edges.get(uid, ()):
                if child in self._tracks and child not in depths:
                    depths[child] = depths[uid] + 1
                    found.append(child)
                    if not once:
                        pending.append(child)
        return found

    def _parents(self, uid: str) -> Iterator[str]:
        track = self._tracks.get(uid)
        if track is not None:
            yield from track.owners
        yield from self._namers.get(uid, ())

    def _chosen(self, uid: str, depths: Mapping[str, int]) -> str:
        """Return the parent: nearer to the root, so that nothing is its own cause."""
        known = [each for each in self._parents(uid) if each in depths]
        nearer = [each for each in known if depths[each] < depths[uid]]
        owners = [each for each in nearer if each in self._tracks[uid].owners]
        return min(owners or nearer, key=self._order)

    def _order(self, uid: str) -> tuple[str, str, str]:
        track = self._tracks[uid]
        return track.gvk.kind, track.name, uid
