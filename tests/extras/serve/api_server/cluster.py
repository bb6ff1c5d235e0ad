"""The state of the served cluster, with writes of its own and with compaction."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_spy.extras.serve.api_server import cluster
from kubectl_spy.extras.serve.api_server.cluster import (
    Collection,
    Object,
    revision_of,
)
from tests.extras.serve.api_server.streams import Recording


class Cluster(cluster.Cluster):
    """New writes have higher revisions than everything recorded."""

    def __init__(self, recordings: Iterable[Recording] = ()) -> None:
        super().__init__()
        recordings = tuple(recordings)
        objects = [item for each in recordings for item in each.initial]
        listed = {number for each in recordings for number in each.revisions}
        self.begin(objects, listed or {1})
        steps = (step.revision for each in recordings for step in each.steps)
        self.newest = max(self.revision, *steps, 0)

    def begin(
        self, objects: Iterable[tuple[Collection, Object]], listed: set[int]
    ) -> None:
        """Write the initial objects, and remember the revisions of their lists.

        The history begins with the first of those lists.
        """
        self._positions.clear()
        items = [(revision_of(item), collection, item) for collection, item in objects]
        written = {revision for revision, _, _ in items}
        for revision, collection, item in sorted(items, key=lambda item: item[0]):
            self.write(collection, item, revision)
        for revision in sorted(listed - written):
            self._positions[revision] = sum(
                change.revision <= revision for change in self.history
            )
        self.revision = self.newest = max(listed | written)
        self.oldest = self._positions[min(listed)], min(listed)

    def store(
        self, collection: Collection, item: Object, *, deleted: bool = False
    ) -> Object:
        """Create, replace or delete *item*, at the next revision."""
        with self.changed:
            self.newest += 1
            return self.write(collection, item, self.newest, deleted=deleted)

    def compact(self) -> None:
        """Forget the history: only the current revision can be resumed from."""
        with self.changed:
            self.oldest = self.end, self.revision

    def restore(self, revision: int) -> None:
        """Go back to an earlier revision, as etcd does when a backup is restored."""
        with self.changed:
            kept = [each for each in self.history if each.revision <= revision]
            self.history.clear()
            self._objects.clear()
            self._positions = {1: 0}
            for change in kept:
                item = change.after or change.before
                assert item is not None
                deleted = change.after is None
                self.write(change.collection, item, change.revision, deleted=deleted)
            self.newest = revision
