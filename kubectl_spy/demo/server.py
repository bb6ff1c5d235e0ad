"""The API server, and what it plays."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from kubectl_spy.demo.api import Api, Discovery, Stream
from kubectl_spy.demo.cluster import Cluster
from kubectl_spy.demo.connection import Listener
from kubectl_spy.demo.exchange import Answer, Request
from kubectl_spy.demo.player import Player
from kubectl_spy.demo.recordings import Recording, load_document, load_recording

_Entered = TypeVar("_Entered", bound="ApiServer")


class ApiServer:
    """A Kubernetes API server on loopback that plays *recordings*.

    It serves discovery, get, list and watch, over plain HTTP, while it is entered as a
    context manager. It serves recorded objects only: there are no Namespace objects,
    and Events are in core v1 only. The namespace of a bundled recording is its name.
    """

    def __init__(
        self, recordings: Sequence[Recording], api: Api, player: Player
    ) -> None:
        self.namespaces = [each.namespace for each in recordings if each.namespace]
        """Those of the recordings."""
        self._api = api
        self._player = player
        self._listener: Listener | None = None

    def __enter__(self: _Entered) -> _Entered:
        self._listener = Listener(self.respond)
        self._player.start()
        self._listener.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._player.close()
        self._api.drop_watches(timeout=0.05)
        if self._listener is not None:
            self._listener.stop(patience=0.1)

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        if self._listener is None:
            raise RuntimeError("enter the API server with `with` first")
        return self._listener.url

    def respond(self, request: Request) -> Answer | Stream:
        return self._api.respond(request)

    def write_kubeconfig(self, path: Path, *, namespace: str | None = None) -> Path:
        """Write a kubeconfig, mode 0600, with one context, "demo"; return *path*."""
        namespace = namespace or next(iter(self.namespaces), "default")
        context = {"cluster": "demo", "user": "demo", "namespace": namespace}
        # JSON is YAML.
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "demo",
            "clusters": [{"name": "demo", "cluster": {"server": self.url}}],
            "users": [{"name": "demo", "user": {}}],
            "contexts": [{"name": "demo", "context": context}],
        }
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(json.dumps(config, indent=2) + "\n")
        return path

    def wait_until_played(self, timeout: float, *names: str) -> None:
        """Wait until recordings (*names*, or all) are played, or raise TimeoutError."""
        self._player.wait_until_played(timeout, names)

    def drop_watches(self) -> None:
        """End all watches cleanly, after everything that has happened."""
        self._api.drop_watches(timeout=1.0)


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
    """
    recordings = [load_recording(name) for name in names]
    cluster = Cluster(recordings)
    player = Player(
        cluster,
        recordings,
        speed=speed,
        longest_pause=longest_pause,
        watches_before_play=watches_before_play,
    )
    discovery = Discovery(load_document("discovery"))
    api = Api(cluster, discovery, recordings, on_watch=player.watched)
    return ApiServer(recordings, api, player)
