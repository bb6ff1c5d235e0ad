"""Whatever the bytes of an answer are, they are an event, nothing, or one error."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.errors import ConnectionFailed, RequestRefused
from kubectl_spy.http.client import Answer, HttpClient, Request
from kubectl_spy.sources.watching.answers import ReadTimeout, chunks_of, parsed, text_of
from kubectl_spy.sources.watching.watch_stream import (
    LONGEST,
    RecentVersions,
    WatchStream,
    is_object,
)
from tests.examples import examples
from tests.json_documents import hostile_json, hostile_text, nested
from tests.sources.watching.following import ALL
from tests.sources.watching.raw_server import CHUNKED, LAST, OK, chunk

KNOWN = {
    EventType.ADDED,
    EventType.MODIFIED,
    EventType.DELETED,
    EventType.BOOKMARK,
    EventType.UNREADABLE,
}
NAMES = ("type", "object", "metadata", "name", "namespace", "uid", "resourceVersion")
STATUS = ("code", "message", "reason", "details", "kind")

types = st.sampled_from(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "NEW"])
events = st.fixed_dictionaries(
    {"type": types | hostile_json(*NAMES), "object": hostile_json(*NAMES, *STATUS)}
)
objects = st.fixed_dictionaries(
    {"metadata": st.dictionaries(st.sampled_from(NAMES), hostile_text, max_size=4)}
)


def checked(line: bytes, since: str = "7") -> WatchEvent | RequestRefused | None:
    """Return what *line* means, having checked what everybody relies on."""
    stream = WatchStream(ALL, since, RecentVersions())
    event: WatchEvent | RequestRefused | None
    try:
        event = stream.event(line, 1.0)
    except RequestRefused as refusal:
        assert 100 <= refusal.status <= 599
        assert len(refusal.message) <= 500 and len(refusal.reason) <= 500
        event = refusal
    if isinstance(event, WatchEvent):
        assert event.type in KNOWN
        marks = (EventType.UNREADABLE, EventType.BOOKMARK)
        assert (event.object is None) == (event.type in marks)
        assert event.object is None or is_object(event.object)
    stream.commit(0.0, 0.0)
    assert isinstance(stream.resource_version, str)
    return event


@given(st.binary(max_size=200))
def test_any_bytes_are_an_event_or_nothing(line: bytes) -> None:
    checked(line)


@given(events | hostile_json(*NAMES, "ERROR", "BOOKMARK"))
def test_any_json_is_an_event_or_nothing_or_the_end(document: Any) -> None:
    checked(json.dumps(document).encode())


@given(types, objects)
def test_an_object_with_metadata_is_passed_on(kind: str, obj: Any) -> None:
    event = checked(json.dumps({"type": kind, "object": obj}).encode())
    if kind in ("ADDED", "MODIFIED", "DELETED"):
        assert isinstance(event, WatchEvent) and event.object == obj
    else:
        assert isinstance(event, RequestRefused) == (kind == "ERROR")


@given(st.binary(max_size=30), st.integers(0, 80), st.integers(0, 80))
def test_a_damaged_event_is_read_or_an_error(
    damage: bytes, start: int, length: int
) -> None:
    line = b'{"type":"MODIFIED","object":{"metadata":{"name":"w","uid":"u"},"x":1}}'
    checked(line[:start] + damage + line[start + length :])


BOMBS = {
    "levels": nested(200_000),
    "levels that are read": nested(1_000),
    "digits": b"9" * 100_000,
    "digits that are read": b"9" * 4_000,
    "not a number": b"NaN",
    "past a double": b"-1e999",
    "not UTF-8": b'"\xff\xfe"',
    "half a character": rb'"\ud800"',
    "an encoded half": b'"\xed\xa0\x80"',
    "the largest line": b'"%b"' % (b"x" * (LONGEST - 100)),
    "elements": b"[%b0]" % (b"0," * 1_000_000),
}
PLACES = {
    "a value": b'{"type":"MODIFIED","object":{"metadata":{},"x":%b}}',
    "metadata": b'{"type":"MODIFIED","object":{"metadata":%b}}',
    "the name": b'{"type":"ADDED","object":{"metadata":{"name":%b}}}',
    "the version": b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":%b}}}',
    "the type": b'{"type":%b,"object":{"metadata":{}}}',
    "a message": b'{"type":"ERROR","object":{"message":%b}}',
    "a reason": b'{"type":"ERROR","object":{"reason":%b}}',
    "a code": b'{"type":"ERROR","object":{"code":%b}}',
    "everything": b"%b",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_an_event_or_nothing_or_the_end(bomb: str, place: str) -> None:
    checked(PLACES[place] % BOMBS[bomb])


def test_the_last_of_two_equal_members_counts() -> None:
    """As in Go's encoding/json, and so for the API server."""
    twice = b'{"type":"ERROR","type":"ADDED","object":1,"object":{"metadata":{}}}'
    event = checked(twice)
    assert isinstance(event, WatchEvent) and event.type is EventType.ADDED


def asked(url: str, silence: float = 10) -> Answer:
    """Return the answer to one request."""
    return HttpClient(url).send(Request("/", "*/*", (), 10, silence))


class Replayer:
    """A server that sends the bytes it is told after the head of an answer."""

    def __init__(self) -> None:
        self.content = b""
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}/"
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                with suppress(OSError), client:
                    client.recv(65536)
                    client.sendall(self.content)

    def answer(self, content: bytes) -> Any:
        """Return the answer when *content* is what is sent."""
        self.content = content
        return asked(self.url)


@pytest.fixture(scope="module")
def replayer() -> Iterator[Replayer]:
    server = Replayer()
    yield server
    server.listening.close()


framings = st.lists(
    st.binary(max_size=30).map(chunk)
    | st.binary(max_size=20)
    | st.sampled_from([LAST, b"\r\n", b"-5\r\nhello\r\n", b"0x5\r\n", b"ffffffff\r\n"]),
    max_size=6,
).map(b"".join)
heads = st.sampled_from([CHUNKED, OK + b"\r\n", OK + b"Content-Length: 9\r\n\r\n"])
gzipped = st.sampled_from([b"", b"Content-Encoding: gzip\r\n"])


@given(heads, gzipped, framings)
@examples(60)
def test_any_framing_is_read_or_breaks_off(
    replayer: Replayer, head: bytes, encoding: bytes, content: bytes
) -> None:
    sent = head.replace(OK, OK + encoding) + content
    with closing(replayer.answer(sent)) as response, suppress(ConnectionFailed):
        for piece in chunks_of(response):
            assert piece


@given(hostile_json("items", "metadata") | st.binary(max_size=60))
@examples(60)
def test_any_document_is_an_object_or_an_error(
    replayer: Replayer, content: Any
) -> None:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    with closing(replayer.answer(CHUNKED + chunk(raw or b" ") + LAST)) as response:
        if isinstance(content, dict):
            assert parsed(text_of(response)).keys() == content.keys()
            return
        with suppress(ConnectionFailed):
            assert isinstance(parsed(text_of(response)), dict)


def test_a_document_past_the_limit_is_not_read_to_its_end(replayer: Replayer) -> None:
    sent = OK + b"Content-Length: 9000000\r\n\r\n" + b" " * 2_000_000
    with (
        closing(replayer.answer(sent)) as response,
        pytest.raises(ConnectionFailed, match="more than 1 MiB; select less"),
    ):
        text_of(response, largest=1 << 20)


def test_silence_is_no_end(replayer: Replayer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"

        def answer() -> None:
            client, _ = server.accept()
            client.sendall(CHUNKED + chunk(b"first\n"))
            over.wait(10)
            client.close()

        over = threading.Event()
        threading.Thread(target=answer, daemon=True).start()
        with closing(asked(url, silence=0.3)) as response:
            pieces = chunks_of(response)
            assert next(pieces) == b"first\n"
            with pytest.raises(ReadTimeout):
                next(pieces)
        over.set()
