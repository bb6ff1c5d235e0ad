"""What is no request by RFC 9112 is refused, and nothing behind it is read."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.extras.serve.api_server.exchange import Refused
from kubectl_spy.extras.serve.api_server.inbox import (
    LONGEST_BODY,
    LONGEST_HEAD,
    parse_head,
)
from kubectl_spy.extras.serve.api_server.listener import Listener
from tests.extras.serve.raw import TOKEN, Echo, Raw, listening, only_status, request
from tests.processes import PATIENCE

LINE, HOST, LENGTH = "GET /a HTTP/1.1", "Host: localhost", "Content-Length: 5"
CHUNKED = "Transfer-Encoding: chunked"
SMUGGLED = request("GET /smuggled HTTP/1.1", HOST, TOKEN)


@pytest.fixture(scope="module")
def echo() -> Echo:
    return Echo()


@pytest.fixture(scope="module")
def listener(echo: Echo) -> Iterator[Listener]:
    with listening(echo.respond) as listener:
        yield listener


def with_header(*fields: str, line: str = LINE) -> bytes:
    return request(line, HOST, TOKEN, *fields)


def filled(length: int, *, name: str = "X: ") -> bytes:
    """Return a request with a head of *length* bytes."""
    missing = length - len(with_header(name))
    return with_header(name + "a" * missing)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        # 2.2: lines end with CRLF, and a CR stands nowhere else
        (with_header().replace(b"\r\n", b"\n"), 400),
        (b"GET /a HTTP/1.1\r\nHost: localhost\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nHost: localhost\r\n\n", 400),
        (with_header("X: a\nY: b"), 400),
        (with_header("X: a\rY: b"), 400),
        (with_header("X: a\r"), 400),
        (with_header(line="GET /a\r HTTP/1.1"), 400),
        (b"\r\n\r\n" + with_header(), 400),
        (request(LINE, f" {HOST}", HOST, TOKEN), 400),
        # 2.3: the version
        (with_header(line="GET /a"), 400),
        (with_header(line="GET /a HTTP/1"), 400),
        (with_header(line="GET /a http/1.1"), 400),
        (with_header(line="GET /a HTTP/11.1"), 400),
        (with_header(line="GET /a HTTP/2.0"), 505),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n", 400),  # TLS
        # 3: one space each, a method and a target
        (with_header(line="GET  /a HTTP/1.1"), 400),
        (with_header(line="GET\t/a HTTP/1.1"), 400),
        (with_header(line="GET /a b HTTP/1.1"), 400),
        (with_header(line="GET /a HTTP/1.1 "), 400),
        (with_header(line=" GET /a HTTP/1.1"), 400),
        (with_header(line="G(T /a HTTP/1.1"), 400),
        (with_header(line="GET /\xe9 HTTP/1.1"), 400),
        (with_header(line="GET /\0 HTTP/1.1"), 400),
        (with_header(line="GET a HTTP/1.1"), 400),
        (with_header(line="GET * HTTP/1.1"), 400),
        (with_header(line="GET ftp://localhost/ HTTP/1.1"), 400),
        (with_header(line="OPTIONS * HTTP/1.1"), 501),
        (with_header(line="CONNECT localhost:1 HTTP/1.1"), 501),
        (with_header(line="TRACE / HTTP/1.1"), 501),
        (with_header(line="get / HTTP/1.1"), 501),
        (with_header(line=f"{'A' * 3000} / HTTP/1.1"), 501),
        # 3.2: one Host
        (request(LINE, TOKEN), 400),
        (with_header(HOST), 400),
        (with_header("host: evil.example"), 400),
        # 5: names, colons and values
        (with_header("X : a"), 400),
        (with_header("X\t: a"), 400),
        (with_header(": a"), 400),
        (with_header("X"), 400),
        (with_header("X(: a"), 400),
        (with_header("\xe9: a"), 400),
        (with_header("X: \0"), 400),
        (with_header("X: \x7f"), 400),
        (with_header("X: a", " folded: b"), 400),
        (with_header("X: a", "\tfolded"), 400),
        (with_header("Transfer-Encoding:", " chunked"), 400),
        # 6.1, 7: a Transfer-Encoding
        (with_header(LENGTH, CHUNKED), 400),
        (with_header(CHUNKED, LENGTH), 400),
        (with_header(CHUNKED, "Content-Length: 0"), 400),
        (with_header(LENGTH, "Transfer-Encoding : chunked"), 400),
        (with_header(LENGTH, "Transfer-Encoding: identity"), 400),
        (with_header(LENGTH, "transfer-encoding:"), 400),
        (with_header(CHUNKED), 411),
        (with_header("Transfer-Encoding:\tCHUNKED "), 411),
        (with_header(CHUNKED) + b"0x5\r\nhello\r\n0\r\n\r\n", 411),
        (with_header(CHUNKED) + b"ffffffffffffffff5\r\nhello\r\n0\r\n\r\n", 411),
        (with_header(CHUNKED) + b"5;\n\r\nhello\n0\n\n", 411),
        (request("GET / HTTP/1.0", HOST, TOKEN, CHUNKED), 411),
        (with_header(CHUNKED, CHUNKED), 501),
        (with_header("Transfer-Encoding: chunked, identity"), 501),
        (with_header("Transfer-Encoding: xchunked"), 501),
        (with_header("Transfer-Encoding: \x0bchunked"), 400),
        # 6.2, 6.3: one Content-Length
        (with_header(LENGTH, LENGTH), 400),
        (with_header(LENGTH, "content-length: 6"), 400),
        (with_header("Content-Length: 5, 5"), 400),
        (with_header("Content-Length: +5"), 400),
        (with_header("Content-Length: -5"), 400),
        (with_header("Content-Length: 5_0"), 400),
        (with_header("Content-Length: 0x5"), 400),
        (with_header("Content-Length: 5 5"), 400),
        (with_header("Content-Length: \xb2"), 400),
        (with_header("Content-Length:"), 400),
        (with_header(f"Content-Length: {'9' * 5000}"), 413),
        (with_header(f"Content-Length: {'0' * 5000}5"), 413),
        (with_header(f"Content-Length: {LONGEST_BODY + 1}"), 413),
        (with_header(f"Content-Length: {10**19}"), 413),
        # the bounds of a head
        (filled(LONGEST_HEAD + 1), 431),
        (with_header(*(f"X-{each}: a" for each in range(10_000))), 431),
        (with_header(line=f"GET /{'a' * LONGEST_HEAD} HTTP/1.1"), 414),
        (b"\r\n" + b"A" * LONGEST_HEAD, 414),
    ],
)
def test_what_is_no_request_is_refused_and_nothing_behind_it_is_read(
    listener: Listener, echo: Echo, sent: bytes, code: int
) -> None:
    echo.requests.clear()
    with Raw(listener.port, sent + SMUGGLED) as client:
        assert only_status(client.rest())["code"] == code
    assert [each for each in echo.requests if "smuggled" in each.path] == []


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        (b"\r\n" + with_header(), b"/a"),  # 2.2
        (with_header(line="GET /a HTTP/1.7"), b"/a"),  # 2.5
        (with_header(line="GET http://LOCALHOST:1/b?c HTTP/1.1"), b"/b?c"),  # 3.2.2
        (request(LINE, HOST, "AUTHORIZATION:\t Bearer right \t"), b"/a"),  # 5.1
        (with_header("X:", "Y:\xe9"), b"/a"),  # 5.5
        (with_header("Content-Length: 005") + b"hello", b"hello"),  # 6.2
        (with_header(f"Content-Length: {LONGEST_BODY}") + b"a" * LONGEST_BODY, None),
        (filled(LONGEST_HEAD), b"/a"),
    ],
)
def test_what_is_a_request_is_read(
    listener: Listener, sent: bytes, body: bytes | None
) -> None:
    with Raw(listener.port, sent) as client:
        response, received = client.answer()
        assert response.status == 200
        assert body is None or received == body
        assert response.getheader("Connection") is None
        client.send(SMUGGLED)
        assert client.answer()[1] == b"/smuggled"  # it is a request of its own here


def test_a_head_is_too_long_by_one_byte_however_it_comes(listener: Listener) -> None:
    sent = filled(LONGEST_HEAD + 1)
    with Raw(listener.port, sent[:1]) as client:
        client.socket.settimeout(0.2)
        with pytest.raises(TimeoutError):
            client.socket.recv(1)
        client.socket.settimeout(PATIENCE)
        client.send(sent[1:])
        assert only_status(client.rest())["code"] == 431


def test_the_host_of_the_target_counts(listener: Listener, echo: Echo) -> None:
    """RFC 9112, 3.2.2."""
    with Raw(listener.port) as client:
        client.send(with_header(line="GET http://evil.example/ HTTP/1.1"))
        client.answer()
    assert echo.requests[-1].headers["host"] == "evil.example"


def test_a_token_that_comes_twice_is_none(listener: Listener) -> None:
    with Raw(listener.port, with_header(TOKEN)) as client:
        assert only_status(client.rest())["code"] == 401


def test_a_client_may_wait_until_its_body_is_wanted(listener: Listener) -> None:
    """RFC 9110, 10.1.1."""
    with Raw(listener.port) as client:
        client.send(with_header(LENGTH, "Expect: 100-Continue"))
        wanted = b"HTTP/1.1 100 Continue\r\n\r\n"
        assert client.socket.recv(len(wanted)) == wanted
        client.send(b"hello")
        assert client.answer()[1] == b"hello"


def test_an_old_client_gets_no_chunks_and_one_answer(listener: Listener) -> None:
    """RFC 9112, 6.1 and 9.3."""
    sent = request("GET /stream HTTP/1.0", TOKEN, "Connection: keep-alive")
    with Raw(listener.port, sent + SMUGGLED) as client:
        head, _, body = client.rest().partition(b"\r\n\r\n")
    assert b"Transfer-Encoding" not in head and b"Connection: close" in head
    assert body == b"one\ntwo\nthree\n"


def test_a_client_that_takes_no_more_is_asked_no_more(listener: Listener) -> None:
    with Raw(listener.port, with_header("Connection: TE, Close") + SMUGGLED) as client:
        assert client.rest().endswith(b"\r\n\r\n/a")


def test_requests_that_come_together_are_answered_in_turn(listener: Listener) -> None:
    sent = [with_header(line=f"{each} HTTP/1.1") for each in ("GET /stream", "HEAD /b")]
    last = with_header("Connection: close")
    with Raw(listener.port, b"".join((*sent, last))) as client:
        answers = client.rest().split(b"HTTP/1.1 200 OK\r\n")[1:]
    stream = b"4\r\none\n\r\n4\r\ntwo\n\r\n6\r\nthree\n\r\n0\r\n\r\n"
    bodies = [each.partition(b"\r\n\r\n")[2] for each in answers]
    assert bodies == [stream, b"", b"/a"]


@pytest.mark.parametrize("sent", [LINE.encode(), with_header(LENGTH) + b"hell"])
def test_a_request_that_is_cut_off_is_refused(listener: Listener, sent: bytes) -> None:
    with Raw(listener.port, sent) as client:
        client.socket.shutdown(1)
        assert only_status(client.rest())["code"] == 400


_PIECES = [
    *(b"\r\n", b"\n", b"\r", b" ", b"\t", b":", b",", b"\0", b"\xff", b"GET", b"/"),
    *(b"HTTP/1.1", b"Host: x", b"Content-Length", b"Transfer-Encoding", b"chunked"),
    *(b"5", b"http://", b"HTTP/0.9", b"9" * 30),
]


@given(st.lists(st.sampled_from(_PIECES) | st.binary(max_size=3)).map(b"".join))
def test_any_head_is_read_or_refused(data: bytes) -> None:
    for head in (data, b"GET / HTTP/1.1\r\nHost: x\r\n" + data + b"\r\n\r\n"):
        try:
            read = parse_head(head)
        except Refused as error:
            status = json.loads(error.answer.body)
            assert status["code"] in (400, 411, 413, 501, 505)
        else:
            assert read.length == 0 or "transfer-encoding" not in read.headers
            assert b"\n" not in head.replace(b"\r\n", b"")
