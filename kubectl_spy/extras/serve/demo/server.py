"""The API server, and the bundled recordings that it plays."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from kubectl_spy.extras.serve.api_server import server
from kubectl_spy.extras.serve.api_server.api import Api
from kubectl_spy.extras.serve.api_server.cluster import Cluster
from kubectl_spy.extras.serve.api_server.discovery import Discovery
from kubectl_spy.extras.serve.api_server.objects import Collection, Object
from kubectl_spy.extras.serve.demo.player import Player
from kubectl_spy.extras.serve.demo.recordings import (
    Recording,
    load_document,
    load_recording,
)

_Entered = TypeVar("_Entered", bound="ApiServer")


class ApiServer(server.ApiServer):
    """A Kubernetes API server on loopback that plays *recordings*.

    It serves recorded objects only, and Events in core v1 only. The namespace of a
    bundled recording is its name.
    """

    def __init__(
        self, recordings: Sequence[Recording], api: Api, player: Player
    ) -> None:
        super().__init__(api)
        self.namespaces = [each.namespace for each in recordings if each.namespace]
        """Those of the recordings."""
        self._player = player

    def __enter__(self: _Entered) -> _Entered:
        super().__enter__()
        self._player.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._player.close()
        super().__exit__(kind, error, traceback)

    def write_kubeconfig(self, path: Path, *, namespace: str | None = None) -> Path:
        """Write a kubeconfig as the base does; *namespace* is that of a recording."""
        namespace = namespace or next(iter(self.namespaces), None)
        return super().write_kubeconfig(path, namespace=namespace)


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


def demo_server(
    names: Iterable[str],
    *,
    speed: float,
    longest_pause: float,
    watches_before_play: int = 1,
) -> ApiServer:
    """Return a server that plays bundled recordings.

    *speed* is how many times faster than recorded it plays; 0 is as fast as possible.
    Pauses longer than *longest_pause* seconds are cut to that. A recording begins when
    *watches_before_play* different collections of it are watched: a client that watches
    several of them, and must get every version of each, needs their number there.

    The Namespaces of recordings were not recorded. The server has them all the same: a
    client asks for one to tell a wrong name from an empty namespace.
    """
    recordings = [load_recording(name) for name in names]
    objects, listed = first_lists(recordings)
    spaces = filter(None, (each.namespace for each in recordings))
    cluster = Cluster([*map(_namespace, spaces), *objects], listed)
    player = Player(
        cluster,
        recordings,
        speed=speed,
        longest_pause=longest_pause,
        watches_before_play=watches_before_play,
    )
    discovery = Discovery(load_document("discovery"))
    bookmarks = bookmarks_of(recordings)
    api = Api(cluster, discovery, bookmarks, on_watch=player.watched)
    return ApiServer(recordings, api, player)


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
