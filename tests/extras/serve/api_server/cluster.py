"""The state of the served cluster, with writes of its own and with compaction."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_spy.extras.serve.api_server import cluster
from kubectl_spy.extras.serve.api_server.cluster import Collection, Object
from kubectl_spy.extras.serve.demo.recordings import Recording
from kubectl_spy.extras.serve.demo.server import first_lists


class Cluster(cluster.Cluster):
    """New writes have higher revisions than everything recorded."""

    def __init__(self, recordings: Iterable[Recording] = ()) -> None:
        recordings = tuple(recordings)
        super().__init__(*first_lists(recordings))
        steps = (step.revision for each in recordings for step in each.steps)
        self.newest = max(self.revision, *steps, 0)

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
