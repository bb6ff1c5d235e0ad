"""The client, against scripted sockets."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from kubectl_spy.http.client import BadStatus, HttpClient, Request, beginning

WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
CLOSES = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
SHORT = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"
REFUSED = b"HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno"
AT_ONCE = b"HTTP/1.1 200 OK\r\n\r\n{}"


@contextmanager
def serving(*connections: tuple[bytes, ...]) -> Iterator[HttpClient]:
    """Yield a client of a server that answers so on each connection, then hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                for answers in connections:
                    connection, _ = server.accept()
                    with connection:
                        for answer in answers:
                            if not connection.recv(65536):
                                break
                            connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/base"
        try:
            yield HttpClient(url)
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(10)


def read(client: HttpClient, *, silence: float = 10) -> bytes:
    """Return the body of one answer."""
    return beginning(client.send(Request("/x", "*/*", (), 10, silence)), 1 << 20)


def test_a_connection_serves_one_request_after_another() -> None:
    with serving((WHOLE, WHOLE, WHOLE)) as client:
        assert [read(client) for _ in range(3)] == [b"{}"] * 3


def test_a_refusal_leaves_the_connection_usable() -> None:
    with serving((REFUSED, WHOLE)) as client:
        with pytest.raises(BadStatus) as refused:
            read(client)
        assert (refused.value.status, refused.value.body) == (503, b"no")
        assert read(client) == b"{}"


@pytest.mark.parametrize("first", [(CLOSES,), (WHOLE,), (AT_ONCE,)])
def test_a_connection_that_was_closed_is_opened_anew(first: tuple[bytes, ...]) -> None:
    with serving(first, (WHOLE,)) as client:
        assert [read(client), read(client)] == [b"{}"] * 2


def test_an_answer_that_is_cut_is_no_whole_answer() -> None:
    with serving((SHORT,)) as client, pytest.raises(http.client.IncompleteRead):
        read(client)


def test_silence_ends_a_request() -> None:
    with serving((b"",)) as client, pytest.raises(OSError):
        read(client, silence=0.2)
