"""What tests do to the API server: write, drop, refuse; and what it logs."""

from __future__ import annotations

import json
import re
import socket
from contextlib import closing, suppress
from http.client import IncompleteRead
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import urllib3

from kubectl_spy.demo.recordings import recording_names
from tests.api_server.server import ApiServer
from tests.demo.client import (
    ask,
    config_map,
    connect,
    events_of,
    history,
    revisions,
    watching,
)
from tests.processes import PATIENCE, clock

MAPS = "/api/v1/namespaces/shop/configmaps"
WATCH = f"{MAPS}?watch=1&resourceVersion=1"


def test_put_creates_as_a_server_does() -> None:
    with ApiServer() as server:
        stored = server.put(config_map("a"))
        assert server.resource_version == "2"
    metadata = stored["metadata"]
    assert metadata["resourceVersion"] == "2"
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", metadata["uid"])
    assert re.fullmatch(
        r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", metadata["creationTimestamp"]
    )


def test_put_replaces_and_keeps_the_identity() -> None:
    with ApiServer() as server:
        created = server.put(config_map("a"))
        replaced = server.put(config_map("a", color="red"))
        events = history(server, WATCH)
    assert events == [("ADDED", created), ("MODIFIED", replaced)]
    assert replaced["metadata"] == {
        **created["metadata"],
        "labels": {"color": "red"},
        "resourceVersion": "3",
    }


def test_put_without_a_change_is_no_write() -> None:
    with ApiServer() as server:
        stored = server.put(config_map("a"))
        assert server.put(config_map("a")) == stored
        assert server.put(stored) == stored
        assert server.resource_version == "2"


def test_a_name_used_again_is_another_object() -> None:
    with ApiServer() as server:
        first = server.put(config_map("a"))
        server.delete(first)
        second = server.put(config_map("a"))
    assert first["metadata"]["uid"] != second["metadata"]["uid"]


def test_a_uid_can_be_given_but_not_changed() -> None:
    document = config_map("a")
    document["metadata"]["uid"] = "u-1"
    with ApiServer() as server:
        assert server.put(document)["metadata"]["uid"] == "u-1"
        document["metadata"]["uid"] = "u-2"
        with pytest.raises(ValueError, match="a has the uid u-1"):
            server.put(document)


def test_put_goes_on_after_all_that_was_recorded() -> None:
    with ApiServer(["pod-boot"], speed=0) as server:
        assert server.put(config_map("a"))["metadata"]["resourceVersion"] == "620"
        server.play()
        server.wait_until_played(5)
        assert server.put(config_map("b"))["metadata"]["resourceVersion"] == "621"


def test_a_recording_goes_on_with_what_was_put_under_its_names() -> None:
    pod: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "nginx", "namespace": "pod-boot"},
    }
    path = "/api/v1/namespaces/pod-boot/pods"
    with ApiServer(["pod-boot"], speed=0) as server:
        stored = server.put(pod)
        server.play()
        server.wait_until_played(5)
        assert ask(server, path).document["items"] == []
        assert stored["metadata"]["resourceVersion"] == "620"


def test_delete_tells_the_last_state_at_a_new_revision() -> None:
    with ApiServer() as server:
        stored = server.put(config_map("a", color="red"))
        gone = server.delete(config_map("a"))
        events = history(server, WATCH)
        assert ask(server, f"{MAPS}/a").status == 404
    assert events == [("ADDED", stored), ("DELETED", gone)]
    assert gone["metadata"] == {**stored["metadata"], "resourceVersion": "3"}


def test_absent_and_unserved_objects_cannot_be_written() -> None:
    with ApiServer() as server:
        with pytest.raises(LookupError, match="no v1/configmaps/shop/a"):
            server.delete(config_map("a"))
        with pytest.raises(LookupError, match="no Nope in v1 is served"):
            server.put({**config_map("a"), "kind": "Nope"})


def test_dropped_watches_end_cleanly_after_what_has_happened() -> None:
    with ApiServer() as server, watching(server, WATCH) as response:
        server.wait_for_watches(1, PATIENCE)
        server.put(config_map("a"))
        server.drop_watches()
        server.wait_for_watches(0, PATIENCE)
        assert revisions(list(events_of(response))) == [("ADDED", "2")]


def test_dropped_watches_can_end_with_an_error() -> None:
    status = {"kind": "Status", "code": 500, "message": "etcdserver: no leader"}
    with ApiServer() as server, watching(server, WATCH) as response:
        server.wait_for_watches(1, PATIENCE)
        server.drop_watches(status)
        assert list(events_of(response)) == [("ERROR", status)]
        with watching(server, WATCH):
            server.wait_for_watches(1, PATIENCE)


def test_torn_watches_end_within_an_event() -> None:
    with ApiServer() as server, watching(server, WATCH) as response:
        server.wait_for_watches(1, PATIENCE)
        stored = server.put(config_map("a"))
        server.tear_watches(b'{"type":"MOD')
        assert json.loads(response.readline())["object"] == stored
        with pytest.raises(IncompleteRead) as error:
            response.read()
        assert error.value.partial == b'{"type":"MOD'


def test_waiting_for_watches_has_an_end() -> None:
    with ApiServer() as server, pytest.raises(TimeoutError, match="0 watches, not 1"):
        server.wait_for_watches(1, 0.05)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (429, "TooManyRequests"),
        (500, "InternalError"),
    ],
)
def test_requests_can_be_refused(code: int, reason: str) -> None:
    with ApiServer() as server:
        server.refuse("/api/v1/", code)
        reply = ask(server, MAPS)
        assert ask(server, "/apis/apps/v1/deployments").status == 200
        server.admit("/api")
        assert ask(server, MAPS).status == 200
    assert (reply.status, reply.document["code"]) == (code, code)
    assert (reply.document["kind"], reply.document["reason"]) == ("Status", reason)
    assert reply.headers["Retry-After"] == ("1" if code == 429 else None)


def test_a_refusal_has_its_own_body_and_headers() -> None:
    with ApiServer() as server:
        server.refuse("/api/v1/pods", 502, "<h1>Bad Gateway</h1>")
        server.refuse("/version", 429, {"a": 1}, headers={"Retry-After": "86400"})
        html = ask(server, "/api/v1/pods")
        limited = ask(server, "/version")
    assert (html.status, html.body) == (502, b"<h1>Bad Gateway</h1>")
    assert html.headers["Content-Type"].startswith("text/plain")
    assert (limited.document, limited.headers["Retry-After"]) == ({"a": 1}, "86400")


def test_only_watches_or_only_lists_can_be_refused_for_some_time() -> None:
    with ApiServer() as server:
        server.refuse(MAPS, 403, watches=True, times=2)
        server.refuse("/api/v1/pods", 403, watches=False)
        assert [ask(server, f"{WATCH}&timeoutSeconds=1").status for _ in range(3)] == [
            403,
            403,
            200,
        ]
        assert ask(server, MAPS).status == 200
        assert ask(server, "/api/v1/pods").status == 403


def test_without_the_token_nothing_is_served() -> None:
    with ApiServer(token="s3cret") as server:
        assert ask(server, "/version").status == 401
        wrong = ask(server, MAPS, headers={"Authorization": "Bearer other"})
        right = ask(server, MAPS, headers={"Authorization": "Bearer s3cret"})
    assert wrong.document == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Unauthorized",
        "reason": "Unauthorized",
        "code": 401,
    }
    assert right.status == 200


def test_warnings_are_sent_as_headers() -> None:
    with ApiServer(warnings=['v1 "Endpoints" is deprecated']) as server:
        reply = ask(server, MAPS)
    assert reply.headers["Warning"] == '299 - "v1 \\"Endpoints\\" is deprecated"'


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


def test_vanished_clients_leave_nothing(
    capfd: pytest.CaptureFixture[str],
) -> None:
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
