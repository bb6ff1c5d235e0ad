"""Reads the requests of one connection, within bounds and by the letter of RFC 9112.

A proxy must not see another request than we do (request smuggling). So what two
programs may read differently is refused, and only a Content-Length gives a body its
length. http.server and h11 accept more: folded lines, bare LFs, a second
Content-Length, and one beside a Transfer-Encoding.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from kubectl_spy.extras.serve.api_server.exchange import DIGITS, Refused, failure

LONGEST_HEAD = 64 << 10  # bytes of the request line and the headers
LONGEST_BODY = 4096  # bytes
_PIECE = 16 << 10  # bytes
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_END = re.compile(rb"\n\r?\n")  # also of a head with bare LFs, which is refused at once
_TOKEN = rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)"  # RFC 9110, 5.6.2
_REQUEST = re.compile(_TOKEN + rb" ([\x21-\x7e]+) HTTP/([0-9])\.([0-9])")
_TARGET = re.compile(r"(?i:http://([^/?#]+))?(/.*)")  # origin-form, absolute-form
_FIELD = re.compile(_TOKEN + rb":([\t\x20-\x7e\x80-\xff]*)")


@dataclass(frozen=True, slots=True)
class Head:
    """The request line and the headers. *target* is the path with the query."""

    method: str
    target: str
    headers: Mapping[str, str]  # names in lower case
    is_old: bool  # HTTP/1.0: no chunks, no second request
    length: int  # bytes of the body

    @property
    def is_last(self) -> bool:
        """Whether no request follows."""
        options = self.headers.get("connection", "").lower().split(",")
        return self.is_old or "close" in (each.strip() for each in options)


class Inbox:
    """What a client sends. It has *patience* seconds for a head, and for a body."""

    def __init__(self, connection: socket.socket, patience: float) -> None:
        self._connection = connection
        self._patience = patience
        self._received = bytearray()
        self._is_awaited = False  # the client waits with the body until it is wanted
        self.unread = 0
        """Bytes of the body that were not read."""

    def read_head(self, wait: float | None) -> Head | None:
        """Return the head of the next request, which begins within *wait* seconds.

        None if no request comes. Raises Refused if it breaks a rule or a bound.
        """
        received = self._received
        try:
            if not received and not self._receive(wait):
                return None
        except TimeoutError:
            return None
        deadline, searched = time.monotonic() + self._patience, 0
        while (end := _END.search(received, searched)) is None:
            if len(received) >= LONGEST_HEAD:
                raise _too_long(received)
            searched = max(0, len(received) - 2)
            self._receive_by(deadline, "head")
        head = parse_head(bytes(received[: end.end()]))
        del received[: end.end()]
        self.unread = head.length
        expected = "" if head.is_old else head.headers.get("expect", "")
        self._is_awaited = expected.lower() == "100-continue"
        return head

    def read_body(self) -> bytes:
        """Return the body. Raises Refused if it is too long, late or cut off."""
        if (length := self.unread) > LONGEST_BODY:
            raise _too_large()
        received, deadline = self._received, time.monotonic() + self._patience
        if self._is_awaited and len(received) < length:
            with suppress(OSError):
                self._connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        while len(received) < length:
            self._receive_by(deadline, "body")
        body = bytes(received[:length])
        del received[:length]
        self.unread = 0
        return body

    def _receive_by(self, deadline: float, part: str) -> None:
        try:
            if (left := deadline - time.monotonic()) <= 0:
                raise TimeoutError
            if self._receive(left):
                return
        except TimeoutError:
            message = f"the {part} took longer than {self._patience:g} s"
            raise failure(408, "RequestTimeout", message) from None
        raise _bad(f"the request ends within its {part}")

    def _receive(self, wait: float | None) -> bool:
        """Take in what comes next. Return False if nothing does."""
        self._connection.settimeout(wait)
        try:
            room = LONGEST_HEAD - len(self._received)
            piece = self._connection.recv(min(room, _PIECE))
        except TimeoutError:
            raise
        except OSError:
            return False
        self._received += piece
        return bool(piece)


def parse_head(head: bytes) -> Head:
    """Return what *head* says, which ends with an empty line. Raises Refused."""
    line, *fields = head.removeprefix(b"\r\n").removesuffix(b"\r\n\r\n").split(b"\r\n")
    found = _REQUEST.fullmatch(line)
    if found is None:
        raise _bad("the request line is malformed")
    method, path, major, minor = (each.decode() for each in found.groups())
    if major != "1":
        message = f"HTTP/{major}.{minor} is not supported; use HTTP/1.1"
        raise failure(505, "HTTPVersionNotSupported", message)
    if method not in _METHODS:
        message = "this method is not implemented"
        raise failure(501, "NotImplemented", message)
    target = _TARGET.fullmatch(path)
    if target is None:
        raise _bad("the target of the request is no path")
    headers = _headers(fields)
    is_old = minor == "0"
    if not is_old and "host" not in headers:
        raise _bad("there is no Host")  # RFC 9112, 3.2
    if target[1]:
        headers["host"] = target[1]  # RFC 9112, 3.2.2
    return Head(method, target[2], headers, is_old, _length(headers))


def _headers(fields: list[bytes]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for field in fields:
        found = _FIELD.fullmatch(field)  # no space before the colon, no folded line
        if found is None:
            raise _bad("a header is malformed")
        name, value = (
            found[1].decode().lower(),
            found[2].strip(b" \t").decode("latin-1"),
        )
        if name in headers:
            if name == "host":
                raise _bad("there are two Hosts")
            value = f"{headers[name]}, {value}"  # RFC 9110, 5.3; so no number remains
        headers[name] = value
    return headers


def _length(headers: Mapping[str, str]) -> int:
    """Return the length of the body by RFC 9112, 6."""
    length, coding = headers.get("content-length"), headers.get("transfer-encoding")
    if coding is not None:
        if length is not None:
            raise _bad("there are a Content-Length and a Transfer-Encoding")
        if coding.lower() != "chunked":
            raise failure(501, "NotImplemented", "this Transfer-Encoding is unknown")
        message = "a body in chunks is not read; send a Content-Length"
        raise failure(411, "LengthRequired", message)
    if length is None:
        return 0
    if not re.fullmatch("[0-9]+", length):
        raise _bad("the Content-Length is no number")
    if len(length) > DIGITS:  # Python refuses to read thousands of digits
        raise _too_large()
    return int(length)


def _bad(message: str) -> Refused:
    return failure(400, "BadRequest", message)


def _too_large() -> Refused:
    message = f"the body may have {LONGEST_BODY} bytes"
    return failure(413, "RequestEntityTooLarge", message)


def _too_long(received: bytearray) -> Refused:
    most = f"{LONGEST_HEAD >> 10} KiB"
    if b"\n" not in received[2:LONGEST_HEAD]:
        return failure(414, "URITooLong", f"the request line is longer than {most}")
    message = f"the request line and the headers are longer than {most}"
    return failure(431, "RequestHeaderFieldsTooLarge", message)
