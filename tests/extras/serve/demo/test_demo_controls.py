"""What tests do to the API server: write, drop, refuse; and what it logs."""

from __future__ import annotations

import socket
from contextlib import closing, suppress
from http.client import IncompleteRead
from urllib.parse import urlsplit

import pytest
import urllib3

from tests.builders import manifest
from tests.extras.serve.api_server.server import ApiServer
from tests.extras.serve.api_server.streams import recording_names
from tests.extras.serve.demo.client import ask, config_map, connect, watching
from tests.processes import PATIENCE, clock

MAPS = "/api/v1/namespaces/shop/configmaps"
WATCH = f"{MAPS}?watch=1&resourceVersion=1"


def test_a_recording_goes_on_with_what_was_put_under_its_names() -> None:
    path = "/api/v1/namespaces/pod-boot/pods"
    with ApiServer(["pod-boot"], speed=0) as server:
        stored = server.put(manifest("Pod", "nginx", "pod-boot"))
        server.play()
        server.wait_until_played(5)
        assert ask(server, path).document["items"] == []
        assert stored["metadata"]["resourceVersion"] == "620"


def test_the_server_listens_on_loopback_only() -> None:
    with ApiServer() as server:
        assert urlsplit(server.url).hostname == "127.0.0.1"


def test_closing_is_quick_and_ends_watches() -> None:
    with ApiServer(recording_names()) as server:
        connections = [connect(server) for _ in range(30)]
        for connection in connections:
            connection.request("GET", f"{MAPS}?watch=1")
        server.wait_for_watches(30, PATIENCE)
        started = clock()
    took = clock() - started
    for connection in connections:
        # On a busy machine the time that closing takes is too short for a clean end.
        with closing(connection), suppress(IncompleteRead):
            assert connection.getresponse().read() == b""
    assert took < 0.2


def test_a_connection_serves_many_requests() -> None:
    with ApiServer() as server, urllib3.PoolManager(maxsize=1) as pool:
        statuses = [
            pool.request("GET", server.url + path, retries=False).status
            for path in [MAPS, "/nope", f"{WATCH}&timeoutSeconds=1", MAPS]
        ]
        [used] = pool.pools._container.values()
        assert used.num_connections == 1
    assert statuses == [200, 404, 200, 200]


def test_a_watch_ends_when_its_client_has_gone() -> None:
    with ApiServer() as server:
        with watching(server, WATCH):
            server.wait_for_watches(1, PATIENCE)
        server.wait_for_watches(0, PATIENCE)


def test_vanished_clients_leave_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with ApiServer(["deploy-rollout"], speed=0) as server:
        url = urlsplit(server.url)
        assert url.hostname and url.port
        address = url.hostname, url.port
        for request in [
            b"",
            b"GET /api",
            f"GET {MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
            b"GET /apis HTTP/1.1\r\nHost: x\r\n\r\n" * 50,
        ]:
            for reset in (False, True):
                client = socket.create_connection(address)
                if reset:  # close() then sends RST
                    linger = b"\1\0\0\0\0\0\0\0"
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                client.sendall(request)
                client.close()
        server.wait_for_watches(0, PATIENCE)
        server.put(config_map("a"))
        assert ask(server, MAPS).status == 200
    assert capfd.readouterr().err == ""


def test_there_is_no_address_before_it_listens() -> None:
    with pytest.raises(RuntimeError):
        _ = ApiServer().url
