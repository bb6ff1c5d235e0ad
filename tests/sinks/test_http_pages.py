"""Pages for probes are served whatever other clients do."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.sinks.http_pages import Response, serving
from tests.processes import PATIENCE, clock

PAGES = {
    "/livez": lambda: Response("ok\n"),
    "/readyz": lambda: Response("pods: not listed yet\n", 503),
    "/metrics": lambda: Response("x" * 1_000_000),
}


@pytest.fixture
def port() -> Iterator[int]:
    with serving("127.0.0.1:0", PAGES) as url:
        yield int(url.rpartition(":")[2])


def get(port: int, path: str, method: str = "GET") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request(method, path)
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, body


def test_a_page_is_served_by_its_path(port: int) -> None:
    assert get(port, "/livez?verbose") == (200, "ok\n")
    assert get(port, "/readyz") == (503, "pods: not listed yet\n")
    assert get(port, "/metrics") == (200, "x" * 1_000_000)
    other = (404, "GET one of /livez, /readyz, /metrics\n")
    assert get(port, "/") == get(port, "/livez", "DELETE") == other


def test_probes_are_answered_beside_clients_that_send_or_read_nothing(
    port: int,
) -> None:
    threads = threading.active_count()
    with ExitStack() as clients:
        for number in range(300):
            client = socket.create_connection(("127.0.0.1", port))
            clients.enter_context(client)
            client.sendall(
                (b"", b"GET /met", b"GET /metrics HTTP/1.1\r\n\r\n")[number % 3]
            )
            if number % 50 == 0:
                started = clock()
                assert get(port, "/livez") == (200, "ok\n")
                assert clock() - started < 1
        assert get(port, "/livez") == (200, "ok\n")
        assert threading.active_count() <= threads


@pytest.mark.parametrize(
    "sent", [b"GET /" + b"x" * 100_000, b"\0\xff\r\n\r\n", b"\r\n\r\n"]
)
def test_what_is_no_request_is_hung_up_on(port: int, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        try:
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            answer = client.recv(1000)
        except OSError:  # the server was quicker
            answer = b""
    assert answer == b"" or answer.startswith(b"HTTP/1.1 40")
    assert get(port, "/livez") == (200, "ok\n")


def test_a_slow_client_is_hung_up_on(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(b"GET /livez HTTP/1.1\r\n")
        with pytest.raises((ConnectionError, EOFError)):
            if not client.recv(1):
                raise EOFError


@pytest.mark.parametrize(
    ("address", "host"),
    [("0", "127.0.0.1"), ("127.0.0.1:0", "127.0.0.1"), ("localhost:0", "127.0.0.1")],
)
def test_loopback_is_listened_on_unless_an_address_is_given(
    address: str, host: str
) -> None:
    with serving(address, PAGES) as url:
        assert url.startswith(f"http://{host}:")


def test_without_a_host_every_address_is_listened_on() -> None:
    with serving(":0", PAGES) as url:
        assert url.startswith(("http://[::]:", "http://0.0.0.0:"))
        assert get(int(url.rpartition(":")[2]), "/livez") == (200, "ok\n")


@pytest.mark.parametrize(
    "address",
    ["", ":", "web", "1.2.3.4", ":65536", "::1:80", "[::1]", "a b:80", "²:80"],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises((UsageError, SpyError)) as refused, serving(address, PAGES):
        pass
    assert "address" in str(refused.value)


def test_an_address_in_use_is_an_error(port: int) -> None:
    with (
        pytest.raises(
            SpyError, match=f"cannot listen on {port}: address already in use"
        ),
        serving(str(port), PAGES),
    ):
        pass
