"""The client, against scripted sockets."""

from __future__ import annotations

import gzip
import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import Message

import pytest

from kubectl_spy.http.client import (
    BadStatus,
    HttpClient,
    Request,
    beginning,
    unpacked,
)
from tests.answering import Answer, Asked, answering
from tests.processes import PATIENCE

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
            thread.join(PATIENCE)


def read(client: HttpClient, *, silence: float = PATIENCE) -> bytes:
    """Return the body of one answer."""
    return beginning(client.send(Request("/x", "*/*", (), PATIENCE, silence)), 1 << 20)


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


def test_a_refusal_counts_though_its_body_breaks_off() -> None:
    cut = REFUSED.replace(b"Length: 2", b"Length: 99")
    with serving((cut,)) as client, pytest.raises(BadStatus) as refused:
        read(client)
    assert (refused.value.status, refused.value.body) == (503, b"no")


def test_who_refuses_a_body_may_answer_before_all_of_it_was_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(REFUSED.replace(b"503", b"413"))

        thread = threading.Thread(target=refuse)
        thread.start()
        client = HttpClient(f"http://127.0.0.1:{server.getsockname()[1]}")
        request = Request("/x", "*/*", (), PATIENCE, PATIENCE, body=b"x" * 20_000_000)
        with pytest.raises(BadStatus) as refused:
            client.send(request)
        thread.join(PATIENCE)
    assert refused.value.status == 413


def test_headers_that_are_given_replace_ours() -> None:
    answered = Answer(200, {}, b"{}")
    asked: list[Asked] = []

    def answer(request: Asked) -> Answer:
        asked.append(request)
        return answered

    given = {"host": "foo.example", "user-agent": "me", "content-length": "7"}
    with answering(answer) as url:
        client = HttpClient(f"{url}/my path", headers=given.items())
        request = Request("/x", "*/*", (), PATIENCE, PATIENCE, body=b"whole")
        assert beginning(client.send(request), 10) == b"{}"
        client.close()
    (one,) = asked
    assert (one.path, one.body) == ("/my%20path/x", b"whole")
    for name, value in (("host", "foo.example"), ("user-agent", "me")):
        assert one.headers.get_all(name) == [value]


@pytest.mark.parametrize(
    ("coding", "raw", "body"),
    [
        ("identity", b"as it is", b"as it is"),
        ("GZIP", gzip.compress(b"one") + gzip.compress(b"two"), b"onetwo"),
        ("x-gzip", gzip.compress(b"x" * 1_000_000), b"x" * 101),
        ("gzip", b"no gzip", b"no gzip"),
    ],
    ids=[
        "not packed",
        "two members",
        "more than the limit",
        "no gzip",
    ],  # gzip has a time
)
def test_gzip_is_unpacked_up_to_a_limit(coding: str, raw: bytes, body: bytes) -> None:
    headers: Message[str, str] = Message()
    headers["Content-Encoding"] = coding
    assert unpacked(raw, headers, 100) == body


def test_gzip_that_is_cut_is_no_whole_answer() -> None:
    headers: Message[str, str] = Message()
    headers["Content-Encoding"] = "gzip"
    with pytest.raises(ConnectionError):
        unpacked(gzip.compress(b"x" * 1000)[:-9], headers, 1 << 20)


def test_silence_ends_a_request() -> None:
    with serving((b"",)) as client, pytest.raises(OSError):
        read(client, silence=0.2)
