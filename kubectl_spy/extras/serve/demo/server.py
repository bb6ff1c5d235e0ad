"""The API server, and the bundled recordings that it plays."""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Iterable

from kubectl_spy.extras.serve.api_server.api import Api
from kubectl_spy.extras.serve.api_server.cluster import Cluster, Collection, Object
from kubectl_spy.extras.serve.api_server.discovery import Discovery
from kubectl_spy.extras.serve.api_server.player import Player
from kubectl_spy.extras.serve.api_server.server import ApiServer
from kubectl_spy.extras.serve.demo.recordings import (
    Recording,
    load_document,
    load_recording,
)


class Tape:
    """A *recording* that is played into *cluster* once it has enough *watches*."""

    def __init__(self, recording: Recording, cluster: Cluster, watches: int) -> None:
        self._recording = recording
        self._cluster = cluster
        self._wanted_watches = watches
        self._watched: set[tuple[Collection, str | None]] = set()
        self._moment = 0.0
        self.left = deque(recording.steps)

    @property
    def pause(self) -> float | None:
        return self.left[0].time - self._moment if self.left else None

    @property
    def rank(self) -> int:
        """The revision: a watch of several recordings gets revisions that only grow.

        That is at full speed, as on the cluster where they were recorded one after the
        other.
        """
        return self.left[0].revision if self.left else 0

    def watched(self, collection: Collection, namespace: str | None) -> bool:
        if self._recording.is_started_by(collection, namespace):
            self._watched.add((collection, namespace))
        return len(self._watched) >= self._wanted_watches

    def advance(self) -> None:
        step = self.left.popleft()
        self._moment = step.time
        metadata = step.object["metadata"]
        key = (metadata.get("namespace", ""), metadata["name"])
        if step.deleted and self._cluster.get(step.collection, key) is None:
            return  # already deleted
        self._cluster.write(
            step.collection, step.object, step.revision, deleted=step.deleted
        )


def first_lists(
    recordings: Iterable[Recording],
) -> tuple[list[tuple[Collection, Object]], set[int]]:
    """Return the objects of the first lists, and the revisions of these."""
    recordings = list(recordings)
    objects = [item for each in recordings for item in each.initial]
    return objects, {number for each in recordings for number in each.revisions}


def bookmarks_of(recordings: Iterable[Recording]) -> list[Object]:
    """Return the objects of the recorded bookmarks."""
    return [bookmark for each in recordings for bookmark in each.bookmarks]


def namespaces_of(recordings: Iterable[Recording]) -> list[str]:
    """Return the namespaces of those that have one: their names."""
    return [each.namespace for each in recordings if each.namespace]


def demo_server(
    names: Iterable[str],
    *,
    speed: float,
    longest_pause: float,
    watches_before_play: int = 1,
) -> ApiServer:
    """Return a server that plays bundled recordings.

    It serves recorded objects only, and Events in core v1 only. *speed* and
    *longest_pause* are those of `Player`. A recording begins when *watches_before_play*
    different collections of it are watched: a client that watches several of them, and
    must get every version of each, needs their number there.

    The Namespaces of recordings were not recorded. The server has them all the same: a
    client asks for one to tell a wrong name from an empty namespace.
    """
    recordings = [load_recording(name) for name in names]
    namespaces = namespaces_of(recordings)
    objects, listed = first_lists(recordings)
    cluster = Cluster([*map(_namespace, namespaces), *objects], listed)
    tapes = [Tape(each, cluster, watches_before_play) for each in recordings]
    player = Player(cluster.changed, tapes, speed=speed, longest_pause=longest_pause)
    api = Api(
        cluster,
        Discovery(load_document("discovery")),
        bookmarks_of(recordings),
        on_watch=player.watched,
    )
    return ApiServer(api, player, namespaces=namespaces)


def _namespace(name: str) -> tuple[Collection, Object]:
    return Collection("v1", "namespaces"), {
        "kind": "Namespace",
        "apiVersion": "v1",
        "metadata": {
            "name": name,
            "uid": str(uuid.uuid5(uuid.NAMESPACE_DNS, name)),
            "resourceVersion": "1",
            "creationTimestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "labels": {"kubernetes.io/metadata.name": name},
        },
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }
