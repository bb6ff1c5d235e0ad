"""Answers of which all that has arrived is read at once, from real sockets."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.http.reading import Response, whole_chunks
from tests.processes import PATIENCE
from tests.sources.connection.certificates import server_tls

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

parts = st.lists(st.binary(min_size=1, max_size=40), max_size=8)


padded = st.sampled_from([b"%x", b"%X", b"%05x", b"%016x", b"%017x", b"%025x", b"%x;a"])


def chunk(data: bytes, size: bytes = b"%x") -> bytes:
    return (size % len(data)) + b"\r\n" + data + b"\r\n"


@contextmanager
def answered() -> Iterator[tuple[socket.socket, Response]]:
    """Yield a server's end of a connection, and the answer that began at the other."""
    server, client = socket.socketpair()
    with server, client:
        client.settimeout(PATIENCE)
        server.sendall(HEAD)
        response = Response(client, method="GET")
        response.begin()
        try:
            yield server, response
        finally:
            response.close()


def send(server: socket.socket, pieces: list[bytes]) -> None:
    for piece in pieces:
        server.sendall(piece)


def rest_of(response: http.client.HTTPResponse, room: int = 1 << 18) -> list[bytes]:
    return list(iter(lambda: response.read1(room), b""))


@given(parts, st.lists(st.integers(0, 400), max_size=6))
def test_a_body_in_any_pieces_is_read(held: list[bytes], cuts: list[int]) -> None:
    body = b"".join(map(chunk, held)) + chunk(b"")
    with answered() as (server, response):
        sending = threading.Thread(target=send, args=(server, pieces(body, cuts)))
        sending.start()
        read = rest_of(response)
        sending.join()
        assert b"".join(read) == b"".join(held)
        assert response.isclosed()


@given(parts, st.integers(0, 400))
def test_whole_chunks_are_taken_as_they_arrive(held: list[bytes], cut: int) -> None:
    arrived = b"".join(b"\r\n%x\r\n%b" % (len(data), data) for data in held)[:cut]
    taken, end = whole_chunks(arrived, len(arrived))
    assert taken == held[: len(taken)]
    assert end == sum(len(chunk(data)) for data in taken)
    after = len(chunk(held[len(taken)])) if len(taken) < len(held) else 0
    assert not after or len(arrived) - end < after


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=40), padded), max_size=8))
def test_however_sizes_are_written_the_same_is_read_as_by_http_client(
    held: list[tuple[bytes, bytes]],
) -> None:
    body = b"".join(chunk(data, size) for data, size in held) + chunk(b"")
    assert outcome(Response, body) == outcome(http.client.HTTPResponse, body)


@given(parts, st.integers(1, 30))
def test_a_read_has_the_given_limit(held: list[bytes], room: int) -> None:
    with answered() as (server, response):
        server.sendall(b"".join(map(chunk, held)) + chunk(b""))
        read = rest_of(response, room)
    assert b"".join(read) == b"".join(held)
    assert all(len(piece) <= room for piece in read)


def test_events_that_came_together_are_read_together() -> None:
    events = [b'{"type":"MODIFIED"}\n' * 50] * 40
    with answered() as (server, response):
        server.sendall(b"".join(map(chunk, events)))
        assert response.read1(1 << 18) == b"".join(events)


def test_arrived_bytes_are_returned_at_once() -> None:
    with answered() as (server, response):
        server.sendall(chunk(b"one\n") + chunk(b"two\n") + b"4\r\nth")
        assert response.read1(1 << 18) == b"one\ntwo\n"
        assert response.read1(1 << 18) == b"th"
        server.sendall(b"r\n\r\n4\r\nfou\n")  # and what ends it has not arrived
        assert response.read1(1 << 18) == b"r\n"
        assert response.read1(1 << 18) == b"fou\n"


def test_silence_is_silence() -> None:
    server, client = socket.socketpair()
    with server, client:
        client.settimeout(0.05)
        server.sendall(HEAD + chunk(b"one\n"))
        response = Response(client, method="GET")
        response.begin()
        assert response.read1(1 << 18) == b"one\n"
        with pytest.raises(TimeoutError):
            response.read1(1 << 18)
        response.close()


class Secured:
    """A server's end of a connection with TLS, record by record."""

    def __init__(self, sock: socket.socket, authority: trustme.CA) -> None:
        self._sock = sock
        self._arrived, self._left = ssl.MemoryBIO(), ssl.MemoryBIO()
        context = server_tls(authority)
        self._tls = context.wrap_bio(self._arrived, self._left, server_side=True)

    def shake_hands(self) -> None:
        done = False
        while not done:
            try:
                self._tls.do_handshake()
                done = True
            except ssl.SSLWantReadError:
                pass
            self._sock.sendall(self._left.read())
            if not done:
                self._arrived.write(self._sock.recv(1 << 16))

    def record(self, data: bytes) -> bytes:
        self._tls.write(data)
        return self._left.read()


@contextmanager
def answered_over_tls(
    within: float = PATIENCE,
) -> Iterator[tuple[socket.socket, Secured, Response]]:
    """Yield a server's end, what makes records for it, and the answer that began.

    Of which something more is to come *within* so many seconds.
    """
    authority = trustme.CA()
    context = ssl.create_default_context()
    authority.configure_trust(context)
    server, client = socket.socketpair()
    secured = Secured(server, authority)
    shaking = threading.Thread(target=secured.shake_hands)
    with server, client:
        shaking.start()
        client.settimeout(PATIENCE)
        with context.wrap_socket(client, server_hostname="127.0.0.1") as wrapped:
            shaking.join()
            server.sendall(secured.record(HEAD))
            response = Response(wrapped, method="GET")
            response.begin()
            wrapped.settimeout(within)
            yield server, secured, response
            response.close()


def test_over_tls_events_that_came_together_are_read_together() -> None:
    events = [b'{"type":"MODIFIED"}\n' * 50] * 40
    with answered_over_tls() as (server, secured, response):
        for each in events:
            server.sendall(secured.record(chunk(each)))
        assert response.read1(1 << 18) == b"".join(events)


def test_partial_tls_records_do_not_delay_arrived_bytes() -> None:
    with answered_over_tls() as (server, secured, response):
        half = secured.record(chunk(b"one\n")), secured.record(chunk(b"two\n"))
        server.sendall(half[0] + half[1][:-5])
        assert response.read1(1 << 18) == b"one\n"
        server.sendall(half[1][-5:])
        assert response.read1(1 << 18) == b"two\n"


def test_over_tls_what_came_before_a_break_is_read_and_then_the_break() -> None:
    with answered_over_tls() as (server, secured, response):
        spoilt = bytearray(secured.record(chunk(b"one\n")))
        spoilt += bytes(5) + secured.record(chunk(b"two\n"))
        server.sendall(spoilt)
        assert response.read1(1 << 18) == b"one\n"
        with pytest.raises(ssl.SSLError):
            response.read1(1 << 18)


def test_over_tls_silence_is_silence() -> None:
    with answered_over_tls(within=0.05) as (server, secured, response):
        server.sendall(secured.record(chunk(b"one\n")))
        assert response.read1(1 << 18) == b"one\n"
        with pytest.raises(TimeoutError):
            response.read1(1 << 18)


@pytest.mark.parametrize(
    "line",
    [
        *(b"zz", b"-1", b"+3", b"0x3", b"1_0", b"", b" 3", b"3 ", b"3;name=value"),
        *(b"\n3", b"0" * 18 + b"3", b"0" * 17 + b"3;x=1", b"0" * 17 + b"3 "),
    ],
)
def test_odd_sizes_of_chunks_are_left_to_http_client(line: bytes) -> None:
    body = chunk(b"one") + line + b"\r\nabc\r\n" + chunk(b"")
    assert outcome(Response, body) == outcome(http.client.HTTPResponse, body)


@given(parts, st.binary(max_size=30))
def test_bad_chunks_end_as_with_http_client(held: list[bytes], noise: bytes) -> None:
    body = b"".join(map(chunk, held)) + noise
    assert outcome(Response, body) == outcome(http.client.HTTPResponse, body)


def test_the_end_of_a_whole_body_is_known() -> None:
    arrived = b"\r\n" + chunk(b"one")[:-2]
    assert whole_chunks(arrived, 3) == ([b"one"], len(arrived))
    assert whole_chunks(arrived, 2) == ([], 0)
    assert whole_chunks(arrived[:-1], 3) == ([], 0)
    assert whole_chunks(arrived + b"\r\n0\r\n\r\n", 9) == ([b"one"], len(arrived))


def pieces(body: bytes, cuts: Sequence[int]) -> list[bytes]:
    bounds = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    return [body[a:b] for a, b in pairwise(bounds)]


def outcome(
    kind: type[http.client.HTTPResponse], body: bytes
) -> tuple[bytes, type[Exception] | None]:
    """Return what is read of *body* until the server hangs up, and how it ends."""
    server, client = socket.socketpair()
    with client:
        client.settimeout(PATIENCE)
        with server:
            server.sendall(HEAD + body)
        response = kind(client, method="GET")
        response.begin()
        read = []
        try:
            while part := response.read1(1 << 18):
                read.append(part)
        except (http.client.HTTPException, ValueError) as error:
            return b"".join(read), type(error)
        finally:
            response.close()
        return b"".join(read), None
