"""The API server: it listens while it is entered."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import TypeVar
from urllib.parse import urlsplit

from kubectl_spy.extras.serve.api_server.api import Api
from kubectl_spy.extras.serve.api_server.exchange import Answer, Request
from kubectl_spy.extras.serve.api_server.listener import LOOPBACK, Listener
from kubectl_spy.extras.serve.api_server.player import Player
from kubectl_spy.extras.serve.api_server.watching import Stream

_Entered = TypeVar("_Entered", bound="ApiServer")


class ApiServer:
    """A Kubernetes API server at *address*, over plain HTTP.

    It serves *api*, and lets *player* play, while it is entered as a context manager.
    Its kubeconfig has the context *name*, with the first of *namespaces*.
    """

    name = "demo"

    def __init__(
        self,
        api: Api,
        player: Player,
        address: str = LOOPBACK,
        namespaces: Sequence[str] = (),
    ) -> None:
        self.namespaces = namespaces
        self._api = api
        self._player = player
        self._address = address
        self._listener: Listener | None = None

    def __enter__(self: _Entered) -> _Entered:
        self._listener = Listener(self.respond, self._address)
        self._listener.start()
        self._player.start()
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

    def is_called(self, host: str) -> bool:
        """Return whether *host*, of a Host header, may be a name of this server.

        Any IP address may be: it is no name that others can let point here.
        """
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        try:
            ip_address(name)
        except ValueError:
            return name in ("localhost", self._address)
        return True

    def respond(self, request: Request) -> Answer | Stream:
        return self._api.respond(request)

    def write_kubeconfig(self, path: Path, *, namespace: str | None = None) -> Path:
        """Write a kubeconfig, mode 0600, with one context; return *path*."""
        name = self.name
        namespace = namespace or next(iter(self.namespaces), "default")
        context = {"cluster": name, "user": name, "namespace": namespace}
        # JSON is YAML.
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [{"name": name, "cluster": {"server": self.url}}],
            "users": [{"name": name, "user": {}}],
            "contexts": [{"name": name, "context": context}],
        }
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(json.dumps(config, indent=2) + "\n")
        return path

    def drop_watches(self) -> None:
        """End all watches cleanly, after everything that has happened."""
        self._api.drop_watches(timeout=1.0)
