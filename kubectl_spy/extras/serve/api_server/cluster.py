"""The state of the cluster and its history: what etcd and the watch cache hold.

The changes of all collections are one history, in the order in which they were written.
Recordings keep their real revisions. The revisions of one recording grow. When several
recordings play side by side, a later change may have the lower revision. So a revision
that a client names is looked up: "after 1042" means after the place where 1042 was
written. A client can resume from every resourceVersion that it was given.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from kubectl_spy.core.objects import JSON

# Objects as the API server stores them, and where they live.

Object = dict[str, JSON]


class Collection(NamedTuple):
    """Where the objects of one type live: "apps/v1" and "deployments"."""

    api_version: str
    plural: str

    @property
    def group(self) -> str:
        """ "" for the core group."""
        return self.api_version.rpartition("/")[0]


def is_custom(group: str) -> bool:
    """Return whether a group is not one of Kubernetes itself.

    Those have no dot, or end in `.k8s.io`.
    """
    return "." in group and not group.endswith(".k8s.io")


def revision_of(document: Object) -> int:
    """Return the resourceVersion as a number, which only a server may do."""
    return int(document["metadata"]["resourceVersion"])


_KEPT = 50_000  # changes that a watch can resume from, and twice as many at most

Key = tuple[str, str]  # Namespace ("" if it has none) and name
Matches = Callable[[Object], bool]


class Expired(LookupError):
    """The history after *revision* is gone; *oldest* is the first that is usable."""

    def __init__(self, revision: int, oldest: int) -> None:
        super().__init__(f"too old resource version: {revision} ({oldest})")


@dataclass(frozen=True, slots=True)
class Change:
    """One write. *before* is None for a creation, *after* for a deletion."""

    revision: int
    collection: Collection
    key: Key
    before: Object | None
    after: Object | None

    def seen_through(self, matches: Matches) -> tuple[str, Object] | None:
        """Return event type and object as a watcher with a selector gets them.

        The watcher gets ADDED for an object that starts to match and DELETED for one
        that stops. DELETED holds the last state, at the revision of the deletion.
        That is convertToWatchEvent of
        https://github.com/kubernetes/apiserver/blob/master/pkg/storage/cacher/cache_watcher.go
        """
        before = self.before is not None and matches(self.before)
        if self.after is not None and matches(self.after):
            return ("MODIFIED" if before else "ADDED"), self.after
        if self.before is not None and before:
            return "DELETED", at_revision(self.before, self.revision)
        return None


class Cluster:
    """Current objects and their history; *changed* is notified and guards both."""

    def __init__(self) -> None:
        self.changed = threading.Condition(threading.RLock())
        self.history: list[Change] = []
        self.revision = 1  # that of the last write: the resourceVersion of a list
        self.newest = 1  # the highest one
        self.oldest = (0, 1)  # position and revision from which a watch can resume
        self.jumps = 0  # how often many objects were changed at once
        self._dropped = 0  # changes that the history has no more
        self._objects: dict[Collection, dict[Key, Object]] = {}
        self._positions = {1: 0}
        self._sorted: dict[Collection, tuple[list[str], list[Object]]] = {}

    def write(
        self,
        collection: Collection,
        item: Object,
        revision: int,
        *,
        deleted: bool = False,
        resumable: bool = True,
    ) -> Object:
        """Create, replace or delete *item*, and return it as stored.

        A client can resume from *revision* if it is *resumable*.
        """
        with self.changed:
            item = at_revision(item, revision)
            metadata = item["metadata"]
            key = (metadata.get("namespace", ""), metadata["name"])
            objects = self._objects.setdefault(collection, {})
            before = objects.pop(key, None)
            self._sorted.pop(collection, None)
            if not deleted:
                objects[key] = item
            after = None if deleted else item
            self.history.append(Change(revision, collection, key, before, after))
            if resumable:
                self.reach(revision)
            if len(self.history) > 2 * _KEPT:
                self._drop()
            self.changed.notify_all()
            return item

    def reach(self, revision: int) -> None:
        """Be at *revision*: all up to it is in the history.

        If it was reached before, a client that resumes from it gets changes twice. It
        misses none.
        """
        self._positions.setdefault(revision, self.end)
        self.revision = revision
        self.newest = max(revision, self.newest)

    def forget(self) -> None:
        """Forget the revisions up to here: who resumes from one must list again."""
        self._positions.clear()
        self.oldest = self.end, self.revision

    @property
    def end(self) -> int:
        """The position after the last change."""
        return self._dropped + len(self.history)

    def since(self, position: int) -> list[Change]:
        """Return the changes from *position* on, or raise Expired."""
        if position < self._dropped:
            raise Expired(self.history[0].revision, self.oldest[1])
        return self.history[position - self._dropped :]

    def _drop(self) -> None:
        del self.history[:_KEPT]
        self._dropped += _KEPT
        self._positions = {
            revision: position
            for revision, position in self._positions.items()
            if position >= self._dropped
        }
        first = max(self.oldest[0], self._dropped)
        self.oldest = first, max(self.oldest[1], self.history[0].revision)

    def get(self, collection: Collection, key: Key) -> Object | None:
        """Return the object as it is now, or None."""
        with self.changed:
            return self._objects.get(collection, {}).get(key)

    def select(
        self,
        collection: Collection,
        namespace: str | None,
        matches: Matches,
        position: int | None = None,
        after: str = "",
    ) -> Iterator[Object]:
        """Yield objects in the order of their places, those behind the place *after*.

        With a *position* they are as they were there in the history.
        """
        places, items = self._ordered(collection, position)
        begin, end = _within(places, namespace, after)
        return filter(matches, islice(items, begin, end))

    def count(
        self,
        collection: Collection,
        namespace: str | None,
        position: int | None,
        after: str,
    ) -> int:
        """Return the number of objects behind the place *after*."""
        places, _ = self._ordered(collection, position)
        begin, end = _within(places, namespace, after)
        return end - begin

    def _ordered(
        self, collection: Collection, position: int | None
    ) -> tuple[list[str], list[Object]]:
        """Return the places of all objects, sorted, and the objects."""
        with self.changed:
            if position in (None, self.end) and collection in self._sorted:
                return self._sorted[collection]
            present = dict(self._objects.get(collection, {}))
            undone = [] if position is None else self.since(position)
            for change in reversed(undone):
                if change.collection == collection:
                    present.pop(change.key, None)
                    if change.before is not None:
                        present[change.key] = change.before
            by_place = sorted(
                ((place_of(key), item) for key, item in present.items()),
                key=itemgetter(0),
            )
            found = [place for place, _ in by_place], [item for _, item in by_place]
            if not undone:
                self._sorted[collection] = found
            return found

    def position_after(self, revision: int) -> int:
        """Return the index of the first change after *revision*, or raise Expired."""
        with self.changed:
            position = self._positions.get(revision, -1)
            first, oldest = self.oldest
            if position < first:
                raise Expired(revision, oldest)
            return position


def place_of(key: Key) -> str:
    """Return what the API server sorts by."""
    return "/".join(key)


def _within(places: list[str], namespace: str | None, after: str) -> tuple[int, int]:
    """Return where the places of *namespace* behind *after* begin and end."""
    begin, end = bisect_right(places, after), len(places)
    if namespace is not None:
        behind = chr(ord("/") + 1)
        begin = max(begin, bisect_left(places, f"{namespace}/"))
        end = bisect_left(places, f"{namespace}{behind}")
    return begin, max(begin, end)


def at_revision(item: Object, revision: int) -> Object:
    """Return *item* with another resourceVersion, in the place where it was."""
    metadata: dict[str, Any] = {**item["metadata"], "resourceVersion": str(revision)}
    return {**item, "metadata": metadata}
