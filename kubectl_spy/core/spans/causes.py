"""Which object exists because of which other one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kubectl_spy.core.spans.track import Track

_Edges = dict[str, dict[str, None]]


class Place(NamedTuple):
    """The place of an object below a root."""

    parent: str
    """The uid of its cause; "" for the root itself."""
    depth: int


class Causes:
    """Finds the objects below a root.

    An object belongs to all its owners, current or former, by uid. If none of them is
    below the root, it belongs to what names or selects it, or once did: a Service's
    Pods, a Pod's claim, the target of an autoscaler.
    """

    def __init__(self, tracks: Mapping[str, Track]) -> None:
        self._tracks = tracks
        self._owned: _Edges = {}
        self._named: _Edges = {}
        self._namers: _Edges = {}
        """The reverse of `_named`."""
        for uid, track in tracks.items():
            for owner in track.owners:
                self._owned.setdefault(owner, {})[uid] = None
        for uid, other in self._references():
            if uid != other:
                self._named.setdefault(uid, {})[other] = None
                self._namers.setdefault(other, {})[uid] = None

    def _references(self) -> Iterator[tuple[str, str]]:
        names: dict[tuple[str | None, str, str, str], list[str]] = {}
        labelled: dict[str | None, list[Track]] = {}
        for uid, each in self._tracks.items():
            name = each.namespace, each.gvk.group, each.gvk.kind, each.name
            names.setdefault(name, []).append(uid)
            if each.labels:
                labelled.setdefault(each.namespace, []).append(each)
        for uid, each in self._tracks.items():
            for reference in each.references:
                for other in names.get((each.namespace, *reference), ()):
                    yield uid, other
            for selector in each.selected:
                for pod in labelled.get(each.namespace, ()):
                    if any(map(selector.selects, pod.labels)):
                        yield uid, pod.uid

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
        """Return all direct and indirect parents of an object."""
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
        depths = {root: 0}
        self._spread(self._owned, [root], depths)
        while further := self._spread(self._named, list(depths), depths, once=True):
            self._spread(self._owned, further, depths)
        found = {root: Place("", 0)}
        for uid in sorted(depths, key=depths.__getitem__):
            if uid != root:
                parent = self._parent(uid, depths)
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
        """Follow *edges*, *once* or to their ends; add to *depths*, return the new."""
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
        if uid in self._tracks:
            yield from self._tracks[uid].owners
        yield from self._namers.get(uid, ())

    def _parent(self, uid: str, depths: Mapping[str, int]) -> str:
        """Return the parent: one nearer to the root, so that there is no cycle."""
        nearer = [
            each
            for each in self._parents(uid)
            if each in depths and depths[each] < depths[uid]
        ]
        owners = [each for each in nearer if each in self._tracks[uid].owners]
        return min(owners or nearer, key=self._order)

    def _order(self, uid: str) -> tuple[str, str, str]:
        track = self._tracks[uid]
        return track.gvk.kind, track.name, uid
