"""What only broken servers, proxies and networks send in a watch."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.objects import Resource
from kubectl_spy.errors import ConnectionFailed
from kubectl_spy.sources.watching.arrivals import Mask
from kubectl_spy.sources.watching.watch_stream import LONGEST
from tests.builders import obj
from tests.processes import PATIENCE
from tests.sources.watching.following import (
    Following,
    connection_to,
    following,
    unmasked,
)
from tests.sources.watching.raw_server import (
    CHUNKED,
    EMPTY,
    LAST,
    OK,
    RawServer,
    Script,
    chunk,
    line,
    raw_server,
    sending,
)


@contextmanager
def watching(
    home: Path, *scripts: Script, listed: bytes = EMPTY, mask: Mask = unmasked
) -> Iterator[tuple[RawServer, Following]]:
    """Follow a server that does *scripts*, one watch after the other."""
    with (
        raw_server(*scripts, listed=listed) as server,
        following(connection_to(server.url, home), mask=mask) as seen,
    ):
        yield server, seen


def version(number: int, name: str = "web") -> bytes:
    """Return the line of an event: ADDED as version 2, then MODIFIED."""
    metadata, data = {"resourceVersion": str(number)}, {"number": f"{number} é"}
    document = obj("ConfigMap", name, metadata=metadata, data=data)
    return line("ADDED" if number == 2 else "MODIFIED", document)


def error(code: int) -> bytes:
    return line("ERROR", {"kind": "Status", "code": code, "message": "no leader"})


UNREADABLE = [
    b"not json\n",
    b"\n",
    b"<html>502</html>\n",
    b"null\n",
    b"[]\n",
    b"{}\n",
    b'{"type":"MODIFIED"}\n',
    b'{"type":"MODIFIED","object":null}\n',
    b'{"type":"MODIFIED","object":{"metadata":[]}}\n',
    b'{"type":"MODIFIED","object":{"metadata":{"uid":5}}}\n',
    b'{"type":"MODIFIED","object":' + b"[" * 5000 + b"]" * 5000 + b"}\n",
    b'{"type":"MODIFIED","object":{"metadata":{},"x":NaN}}\n',
    b'{"type":"MODIFIED","object":{"metadata":{"name":"\xff"}}}\n',
    b"x" * (LONGEST + 1) + b"\n",
]


@pytest.mark.parametrize("broken", UNREADABLE, ids=lambda each: repr(each[:40]))
def test_an_unreadable_line_is_a_gap(tmp_path: Path, broken: bytes) -> None:
    chunks = [chunk(each) for each in (version(2), broken, version(3), version(4))]
    with watching(tmp_path, sending(CHUNKED, *chunks, LAST)) as (_, seen):
        seen.wait_for_records(4)
        assert seen.changes == ["ADDED 2", "GAP ", "GAP 3", "MODIFIED 4"]
        assert seen.said == []


IGNORED = [
    b'{"type":"RENAMED","object":{}}\n',
    b'{"type":"BOOKMARK","object":null}\n',
    b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":5}}}\n',
]


@pytest.mark.parametrize("odd", IGNORED, ids=repr)
def test_unknown_events_are_passed_over(tmp_path: Path, odd: bytes) -> None:
    with watching(
        tmp_path, sending(CHUNKED + chunk(version(2) + odd + version(3)))
    ) as (_, seen):
        seen.wait_for_records(2)
        assert seen.changes == ["ADDED 2", "MODIFIED 3"]


CUTS: dict[str, Script] = {
    "closed within a chunk": sending(
        CHUNKED, chunk(version(2)), chunk(version(3)), chunk(version(4))[:60]
    ),
    "closed without a last chunk": sending(
        CHUNKED, chunk(version(2)), chunk(version(3))
    ),
    "ended within an event": sending(
        CHUNKED, chunk(version(2)), chunk(version(3)), chunk(version(4)[:70]), LAST
    ),
    "ended cleanly": sending(CHUNKED, chunk(version(2) + version(3)), LAST),
    "no length, and closed": sending(OK + b"\r\n", version(2) + version(3)),
    "no chunk size": sending(CHUNKED, chunk(version(2) + version(3)), b"\r\nhello\r\n"),
}


@pytest.mark.parametrize("cut", CUTS)
def test_a_stream_that_is_cut_is_resumed_where_it_was(tmp_path: Path, cut: str) -> None:
    rest = sending(CHUNKED, chunk(version(4)))
    with watching(tmp_path, CUTS[cut], rest) as (server, seen):
        seen.wait_for_records(3)
        assert seen.changes == ["ADDED 2", "MODIFIED 3", "MODIFIED 4"]
        assert server.watched_from[:2] == ["1", "3"]
        assert seen.said == []


def test_a_list_that_breaks_off_is_an_error(tmp_path: Path) -> None:
    with watching(tmp_path, listed=EMPTY[:20]) as (_, seen):
        error = seen.wait_for_error()
        assert isinstance(error, ConnectionFailed) and "broke off" in str(error)


def test_an_exception_in_a_thread_ends_the_watch(tmp_path: Path) -> None:
    def mask(document: dict[str, Any], resource: Resource) -> dict[str, Any]:
        raise KeyError("bug")

    with watching(tmp_path, sending(CHUNKED, chunk(version(2))), mask=mask) as (
        _,
        seen,
    ):
        assert isinstance(seen.wait_for_error(), KeyError)


def test_events_before_an_error_are_not_asked_for_again(tmp_path: Path) -> None:
    burst = chunk(version(2) + version(3) + version(4) + error(500))
    again = sending(CHUNKED, chunk(version(5)))
    with watching(tmp_path, sending(CHUNKED + burst + LAST), again) as (server, seen):
        seen.wait_for_records(4)
        seen.wait_until(lambda seen: len(seen.said) == 2)
        assert server.watched_from[:2] == ["1", "4"]
    assert seen.changes == ["ADDED 2", "MODIFIED 3", "MODIFIED 4", "MODIFIED 5"]
    assert "refused: no leader; trying again in" in seen.said[0]
    assert seen.said[1] == "configmaps: watching again"


@pytest.mark.parametrize(
    "status",
    [None, [], "no", {}, {"code": "x"}, {"message": 5}, {"message": "\x1b[2J"}],
)
def test_an_error_may_look_like_anything(tmp_path: Path, status: object) -> None:
    with watching(
        tmp_path, sending(CHUNKED + chunk(version(2) + line("ERROR", status)))
    ) as (_, seen):
        seen.wait_until(lambda seen: bool(seen.said))
        assert seen.said[0].startswith("configmaps: refused: ")
        assert seen.error is None


def test_unversioned_events_are_followed_by_a_list(tmp_path: Path) -> None:
    """There is no place to resume from: a watch would bring again what it brought."""
    unversioned = version(2).replace(b'"resourceVersion": "2"', b'"other": "2"')
    assert unversioned != version(2)
    with watching(tmp_path, sending(CHUNKED, chunk(unversioned), LAST)) as (_, seen):
        seen.wait_until(lambda seen: seen.types.count("LISTING") == 2)
    assert seen.changes[0] == "ADDED "


def test_bytes_may_come_one_by_one(tmp_path: Path) -> None:
    content = CHUNKED + chunk(version(2) + version(3)) + chunk(version(4))
    parts = [content[at : at + 1] for at in range(len(content))]
    with watching(tmp_path, sending(*parts)) as (_, seen):
        seen.wait_for_records(3)
        assert [each.patch[0].value for each in seen.records[1:]] == ["3 é", "4 é"]


def test_unchunked_events_are_read_as_they_come(tmp_path: Path) -> None:
    over = threading.Event()

    def script(client: socket.socket) -> None:
        client.sendall(OK + b"Connection: close\r\n\r\n" + version(2))
        over.wait(2 * PATIENCE)

    with watching(tmp_path, script) as (_, seen):
        seen.wait_for_records(1)
        over.set()


def test_a_reader_that_falls_behind_holds_the_server_back(tmp_path: Path) -> None:
    sent = 0

    def script(client: socket.socket) -> None:
        nonlocal sent
        client.sendall(CHUNKED)
        for number in range(2, 100_000):
            client.sendall(chunk(version(number)))
            sent += 1

    with raw_server(script) as server:
        connection = connection_to(server.url, tmp_path)
        with following(connection) as seen:
            seen.pause()
            before = -1
            while before != sent or sent <= 100:
                before = sent
                time.sleep(0.3)
            assert sent < 60_000
            seen.resume()
            seen.wait_for_records(sent)
    numbers = [int(each.resource_version) for each in seen.records]
    assert numbers == list(range(2, len(numbers) + 2))
