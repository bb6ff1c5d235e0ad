"""Bytes that come when they come, read by the real http.client."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from http.client import HTTPResponse
from typing import Any, cast

from kubectl_spy.http.client import Answer

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
UNTIL_IT_ENDS = b"HTTP/1.0 200 OK\r\n\r\n"
"""What a proxy of old makes of it: the end of the connection ends the answer."""


def sized(length: int) -> bytes:
    """Return the head of an answer of so many bytes."""
    return f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n".encode()


def chunk(payload: bytes) -> bytes:
    """Return *payload* as one chunk (RFC 9112 7.1); the empty one is the last."""
    return f"{len(payload):x}\r\n".encode() + payload + b"\r\n"


class _Arriving(io.RawIOBase):
    """What *parts* yield, as the raw side of a socket's file."""

    def __init__(self, head: bytes, parts: Iterator[bytes]) -> None:
        self._rest = head
        self._parts = parts

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # With nothing left this blocks: time passes where the parts are made.
        while not self._rest:
            try:
                self._rest = next(self._parts)
            except StopIteration:
                return 0
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


class _Socket:
    """Stands where the socket is, which may be shut down from another thread."""

    def __init__(self, hung_up: Callable[[], None]) -> None:
        self._hung_up = hung_up

    def shutdown(self, how: int) -> None:
        self._hung_up()


def answer(head: bytes, parts: Iterator[bytes], hung_up: Callable[[], None]) -> Answer:
    """Return an open answer; *parts* may raise what sockets raise."""
    plain = HTTPResponse(cast(Any, _Arriving(head, parts)), method="GET")
    plain.begin()
    return Answer(plain, cast(Any, _Socket(hung_up)), lambda _: None)
