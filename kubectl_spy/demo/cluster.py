"""The state of the cluster and its history: what etcd and the watch cache hold.

All changes, of every collection, are one totally ordered history; the only order
that matters is the order in which they entered it. Recordings keep their real
revisions. As long as one recording plays they only grow. When several play side by
side they interleave, and a later change may have the lower number; so a revision is
looked up, not compared: "after 1042" means after the place where 1042 entered. What
a client was given as a resourceVersion therefore always resumes exactly there, in
any collection, and the revisions of one collection in one namespace always grow.
Only revisions that were never given out are compared, so that old ones are expired,
coming ones lie in the future, and one between two writes misses nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kubectl_spy.demo.recordings import Collection, Object, Recording, revision_of
from kubectl_spy.demo.selectors import Matches

Key = tuple[str, str]
"""Namespace ("" if it has none) and name."""


class Expired(LookupError):
    """The history after *revision* is gone; *oldest* is the first that is usable."""

    def __init__(self, revision: int, oldest: int) -> None:
        super().__init__(f"too old resource version: {revision} ({oldest})")
        self.revision = revision
        self.oldest = oldest


class FutureRevision(LookupError):
    """The cluster has not come as far as *revision*."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__(f"Too large resource version: {revision}")
        self.revision = revision
        self.current = current


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

        An object that starts to match was added and one that stops was deleted, as
        far as that watcher is concerned; a deletion shows the last state, at the
        revision of the deletion. That is convertToWatchEvent of
        https://github.com/kubernetes/apiserver/blob/master/pkg/storage/cacher/cache_watcher.go
        """
        before = self.before is not None and matches(self.before)
        if self.after is not None and matches(self.after):
            return ("MODIFIED" if before else "ADDED"), self.after
        if self.before is not None and before:
            return "DELETED", _at_revision(self.before, self.revision)
        return None


class Cluster:
    """Current objects and their history; *changed* is notified and guards both."""

    def __init__(self, recordings: Iterable[Recording] = ()) -> None:
        recordings = tuple(recordings)
        self.changed = threading.Condition(threading.RLock())
        self.history: list[Change] = []
        self._objects: dict[Collection, dict[Key, Object]] = {}
        self._positions: dict[int, int] = {}
        self._compacted = (0, 0)
        """Position and revision from which the history is kept."""
        self._begin(recordings)
        self._last_assigned = max(
            self._highest,
            *(step.revision for recording in recordings for step in recording.steps),
            0,
        )

    def _begin(self, recordings: tuple[Recording, ...]) -> None:
        """Write the initial objects, and remember the revisions of the first lists.

        What came before the first of those lists is not part of the history.
        """
        items = [
            (revision_of(item), collection, item)
            for recording in recordings
            for collection, item in recording.initial
        ]
        listed = {
            revision for recording in recordings for revision in recording.revisions
        } or {1}
        self._highest = self.revision = min(listed)
        written = {revision for revision, _, _ in items}
        for revision, collection, item in sorted(items, key=lambda item: item[0]):
            self.write(collection, item, revision=revision)
        for revision in sorted(listed - written):
            self._positions[revision] = sum(
                change.revision <= revision for change in self.history
            )
        self.revision = self._highest = max(listed | written)
        self._compacted = self._positions[min(listed)], min(listed)

    def write(
        self,
        collection: Collection,
        item: Object,
        *,
        deleted: bool = False,
        revision: int | None = None,
    ) -> Object:
        """Create, replace or delete *item*, at the next revision unless one is given.

        Returns it as stored: with that revision as its resourceVersion.
        """
        with self.changed:
            if revision is None:
                self._last_assigned = max(self._last_assigned, self._highest) + 1
                revision = self._last_assigned
            item = _at_revision(item, revision)
            metadata = item["metadata"]
            key = (metadata.get("namespace", ""), metadata["name"])
            objects = self._objects.setdefault(collection, {})
            before = objects.pop(key, None)
            if not deleted:
                objects[key] = item
            after = None if deleted else item
            self.history.append(Change(revision, collection, key, before, after))
            self._positions[revision] = len(self.history)
            self.revision = revision
            self._highest = max(self._highest, revision)
            self.changed.notify_all()
            return item

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
    ) -> list[Object]:
        """Return objects in the order of their keys, now or at a past *position*."""
        with self.changed:
            objects = dict(self._objects.get(collection, {}))
            later = self.history[position:] if position is not None else []
        for change in reversed(later):
            if change.collection == collection:
                objects.pop(change.key, None)
                if change.before is not None:
                    objects[change.key] = change.before
        return [
            item
            for key, item in sorted(objects.items(), key=lambda pair: pair[0])
            if namespace in (None, key[0]) and matches(item)
        ]

    def position_after(self, revision: int) -> int:
        """Return the index in the history of the first change after *revision*.

        Raises:
            Expired: some of the history after it is compacted away.
            FutureRevision: nothing here is as new as that.
        """
        with self.changed:
            position = self._positions.get(revision)
            compacted, oldest = self._compacted
            if position is None:
                if revision > self._highest:
                    raise FutureRevision(revision, self._highest)
                if revision < oldest:
                    raise Expired(revision, oldest)
                position = next(
                    index
                    for index, change in enumerate([*self.history, None])
                    if change is None or change.revision > revision
                )
            if position < compacted:
                raise Expired(revision, oldest)
            return position

    def compact(self) -> None:
        """Forget the history: only the current revision can be resumed from."""
        with self.changed:
            self._compacted = len(self.history), self.revision


def _at_revision(item: Object, revision: int) -> Object:
    """Return *item* with another resourceVersion, in the place where it was.

    >>> _at_revision({"kind": "Pod", "metadata": {"name": "a"}}, 7)
    {'kind': 'Pod', 'metadata': {'name': 'a', 'resourceVersion': '7'}}
    """
    metadata: dict[str, Any] = {**item["metadata"], "resourceVersion": str(revision)}
    return {**item, "metadata": metadata}
