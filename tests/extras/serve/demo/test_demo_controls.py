"""What tests do to the API server: write, drop, refuse; and what it logs."""

from __future__ import annotations

import json
import socket
from contextlib import closing, suppress
from http.client import IncompleteRead
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import urllib3

from kubectl_spy.extras.serve.demo.recordings import recording_names
from tests.builders import manifest
from tests.extras.serve.api_server.server import ApiServer
from tests.extras.serve.demo.client import ask, config_map, connect, watching
from tests.processes import PATIENCE, clock

MAPS = "/api/v1/namespaces/shop/configmaps"
WATCH = f"{MAPS}?watch=1&resourceVersion=1"


def test_put_without_a_change_is_no_write() -> None:
    with ApiServer() as server:
        stored = server.put(config_map("a"))
        assert server.put(config_map("a")) == stored
        assert server.put(stored) == stored
        assert server.resource_version == "2"


def test_a_recording_goes_on_with_what_was_put_under_its_names() -> None:
    path = "/api/v1/namespaces/pod-boot/pods"
    with ApiServer(["pod-boot"], speed=0) as server:
        stored = server.put(manifest("Pod", "nginx", "pod-boot"))
        server.play()
        server.wait_until_played(5)
        assert ask(server, path).document["items"] == []
        assert stored["metadata"]["resourceVersion"] == "620"


def test_requests_are_logged() -> None:
    with ApiServer() as server:
        ask(server, f"{MAPS}?limit=5", headers={"User-Agent": "spy/1"})
        ask(server, "/nope", method="POST")
        logged = [(each.method, each.path) for each in server.requests]
        first = server.requests[0]
    assert logged == [("GET", f"{MAPS}?limit=5"), ("POST", "/nope")]
    assert first.headers["user-agent"] == "spy/1"
    assert (first.route, first.query, first.watches) == (MAPS, {"limit": "5"}, False)


def test_the_kubeconfig_is_private_and_complete(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("what was there before, readable by all")
    path.chmod(0o644)
    with ApiServer(["recreate"]) as server:
        assert server.write_kubeconfig(path) == path
        config = json.loads(path.read_text())
        url = server.url
    assert path.stat().st_mode & 0o777 == 0o600
    assert config["clusters"][0]["cluster"] == {"server": url}
    assert config["contexts"][0]["context"]["namespace"] == "recreate"
    assert config["current-context"] == "demo"


def test_there_is_no_address_before_it_listens() -> None:
    with pytest.raises(RuntimeError):
        _ = ApiServer().url


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
