"""Which object exists because of which other one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from kubectl_spy.core.cluster.relations import Relations
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
