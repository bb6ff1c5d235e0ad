"""A plain HTTP client of the embedded API server: no library between."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

from kubectl_spy.extras.serve.api_server.server import ApiServer as AnyServer
from tests.builders import manifest
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import PATIENCE


@dataclass(frozen=True)
class Reply:
    """A response that was read to its end."""

    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


def connect(server: AnyServer) -> HTTPConnection:
    return HTTPConnection(urlsplit(server.url).netloc, timeout=PATIENCE)


def ask(
    server: AnyServer,
    path: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Send one request on a connection of its own."""
    connection = connect(server)
    try:
        connection.request(method, path, headers=dict(headers or {}))
        response = connection.getresponse()
        return Reply(response.status, response.headers, response.read())
    finally:
        connection.close()


@contextmanager
def watching(server: AnyServer, path: str) -> Iterator[HTTPResponse]:
    """Open a watch and close its connection afterwards."""
    connection = connect(server)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        assert response.status == 200, response.read()
        with response:
            yield response
    finally:
        connection.close()


def events_of(response: HTTPResponse) -> Iterator[tuple[str, Any]]:
    """Yield type and object of each event, until the stream ends cleanly."""
    for line in response:
        event = json.loads(line)
        assert list(event) == ["type", "object"]
        yield event["type"], event["object"]


def watch(server: ApiServer, path: str) -> list[tuple[str, Any]]:
    """Watch until the stream ends, for which *path* gives a timeoutSeconds."""
    with watching(server, path) as response:
        return list(events_of(response))


def history(server: ApiServer, path: str) -> list[tuple[str, Any]]:
    """Watch what has happened up to now."""
    with watching(server, path) as response:
        server.wait_for_watches(1, PATIENCE)
        server.drop_watches()
        return list(events_of(response))


def revisions(events: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    """Return type and resourceVersion of each event."""
    return [(kind, item["metadata"]["resourceVersion"]) for kind, item in events]


def config_map(name: str, namespace: str = "shop", **labels: str) -> dict[str, Any]:
    """Return a ConfigMap as a user writes it."""
    return manifest("ConfigMap", name, namespace, metadata={"labels": labels})
