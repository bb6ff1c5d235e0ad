"""Sixty clients without the token do not keep `kubectl spy serve` from its work."""

from __future__ import annotations

import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from kubernetes import client, config, watch

from kubectl_spy.extras.serve.api_server.inbox import LONGEST_HEAD
from tests import processes
from tests.builders import a_pod, event
from tests.cli.command import Spy
from tests.extras.serve.raw import Raw, only_status, request
from tests.extras.serve.served import Served, needs_kubectl, serving
from tests.recordings import START, first_list, record

SPEC = {"containers": [{"name": "app", "image": "nginx"}]}
BAD = 60  # clients
MIB = 1 << 20
PODS = "/api/v1/namespaces/shop/pods"
HEAD = request("GET / HTTP/1.1", "Host: localhost")[:-2]
LONG = b"X: " + b"a" * 60_000 + b"\r\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.spy"
    first, second = (
        a_pod(phase=phase, spec=SPEC, metadata={"resourceVersion": version})
        for phase, version in (("Pending", "1"), ("Running", "2"))
    )
    later = event("MODIFIED", second, time=START + 10)
    record(path, [*first_list(first, time=START), later])
    return path


def endless_headers(bad: socket.socket) -> None:
    bad.sendall(HEAD)
    for _ in range(100):
        bad.sendall(LONG)
    bad.sendall(b"\r\n")
    while bad.recv(1 << 16):
        pass


def endless_line(bad: socket.socket) -> None:
    bad.sendall(b"GET /" + b"a" * (6 * MIB))


def held_heads(bad: socket.socket) -> None:
    bad.sendall(HEAD + LONG)
    bad.recv(1)


def a_byte_at_a_time(bad: socket.socket) -> None:
    bad.settimeout(0.01)
    for each in HEAD * 100:
        bad.sendall(bytes([each]))
        with suppress(TimeoutError):
            bad.recv(1)
            return


def bodies_that_never_come(bad: socket.socket) -> None:
    bad.sendall(HEAD + b"Content-Length: 4000\r\n\r\n")
    bad.recv(1)


def wrong_tokens(bad: socket.socket) -> None:
    bad.sendall(request("GET /wrong/version HTTP/1.1", "Host: localhost"))
    while bad.recv(1 << 16):
        pass


@contextmanager
def attacked(served: Served, attack: Callable[[socket.socket], None]) -> Iterator[None]:
    """Have sixty clients do *attack* again and again, until the block ends."""
    over = threading.Event()
    begun = threading.Barrier(BAD + 1)
    connections: dict[int, socket.socket] = {}
    host, _, port = served.host.rpartition(":")

    def go_on(number: int) -> None:
        begun.wait(processes.PATIENCE)
        while not over.is_set():
            with suppress(OSError), socket.create_connection((host, int(port))) as bad:
                connections[number] = bad
                attack(bad)

    threads = [threading.Thread(target=go_on, args=[each]) for each in range(BAD)]
    for each in threads:
        each.start()
    begun.wait(processes.PATIENCE)
    try:
        yield
    finally:
        over.set()
        for bad in connections.values():
            with suppress(OSError):
                bad.shutdown(socket.SHUT_RDWR)
        for each in threads:
            each.join(processes.PATIENCE)


def most_memory(served: Served) -> int:
    """Return the most bytes that the server has had in memory."""
    status = Path(f"/proc/{served.running.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) << 10


@pytest.mark.parametrize(
    "attack",
    [
        endless_headers,
        endless_line,
        held_heads,
        a_byte_at_a_time,
        bodies_that_never_come,
        wrong_tokens,
    ],
)
def test_good_clients_are_served_while_sixty_bad_ones_try(
    spy: Spy, file: Path, attack: Callable[[socket.socket], None]
) -> None:
    with serving(spy, str(file), "--at", "first") as served:
        said = served.running.stderr
        before = most_memory(served) if sys.platform == "linux" else 0
        api = client.CoreV1Api(config.new_client_from_config(str(served.kubeconfig)))
        watching = watch.Watch().stream(api.list_namespaced_pod, "shop")
        assert next(watching)["object"].status.phase == "Pending"
        with attacked(served, attack):
            for _ in range(5):
                assert len(api.list_namespaced_pod("shop").items) == 1
                assert served.ask(PODS).status == 200  # on a new connection
            assert served.ask("/spy/seek?at=last", method="POST").status == 200
            assert next(watching)["object"].status.phase == "Running"
        watching.close()
        api.api_client.close()
        if sys.platform == "linux":
            assert most_memory(served) - before < 2 * BAD * LONGEST_HEAD + 16 * MIB
        assert served.running.stderr == said


@needs_kubectl
def test_kubectl_is_served_while_sixty_bad_clients_try(spy: Spy, file: Path) -> None:
    with serving(spy, str(file)) as served, attacked(served, endless_headers):
        assert "Running" in served.kubectl("get", "pods").stdout


def test_what_is_refused_says_nothing_on_standard_error(spy: Spy, file: Path) -> None:
    with serving(spy, str(file)) as served:
        said, port = served.running.stderr, int(served.host.rpartition(":")[2])
        token = served.token
        for method, path, field, code in [
            ("GET", "/version", "X: a", 401),
            ("GET", "/version", f"Content-Length: {'9' * 5000}", 413),
            ("POST", f"{token}/spy/seek", "Content-Length: 4097", 413),
            ("POST", f"{token}/spy/seek", "Transfer-Encoding: chunked", 411),
            ("PUT", f"{token}{PODS}/a", f"Content-Length: {MIB}", 405),
            ("BREW", f"{token}{PODS}", "X: a", 501),
            ("GET", f"{token}/{'a' * LONGEST_HEAD}", "X: a", 414),
            ("GET", f"{token}{PODS}", f"X: {'a' * LONGEST_HEAD}", 431),
            ("GET", f"{token}{PODS}", "X : a", 400),
        ]:
            sent = request(f"{method} {path} HTTP/1.1", "Host: localhost", field)
            with Raw(port, sent) as raw:
                assert only_status(raw.rest())["code"] == code, field[:30]
        assert served.running.stderr == said


def test_a_large_write_is_refused_as_a_small_one(spy: Spy, file: Path) -> None:
    """The client can read the answer although its body was not read."""
    with serving(spy, str(file)) as served:
        reply = served.ask(f"{PODS}/a", method="PUT", body="a" * (4 * MIB))
        assert (reply.status, reply.document["reason"]) == (405, "MethodNotAllowed")
