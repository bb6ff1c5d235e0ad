"""One connection as the server's end has it, and the ways in which it can go wrong."""

from __future__ import annotations

import json
import os
import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.sources.watching.raw_server import CHUNKED, LAST, chunk

JSON_TYPE = "application/json"
HTML = "<html><body><h1>Bad Gateway</h1></body></html>"


class Wire:
    """A socket, encrypted or not. It is closed when whoever answers returns."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection

    def send(self, *parts: bytes) -> None:
        """Send *parts* in one packet each."""
        for part in parts:
            self.socket.sendall(part)

    def send_unencrypted(self, part: bytes) -> None:
        """Send bytes below TLS, if there is any."""
        descriptor = os.dup(self.socket.fileno())
        with socket.socket(fileno=descriptor) as below:
            below.sendall(part)

    def hold(self) -> None:
        """Say nothing until the other end goes."""
        with suppress(OSError):
            while self.socket.recv(4096):
                pass

    def reset(self) -> None:
        """Let the end of this connection be a RST."""
        linger = struct.pack("ii", 1, 0)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


Fault = Callable[[Wire, bytes], None]
"""What to do instead of answering; given the bytes that would be due."""


def closed(wire: Wire, due: bytes) -> None:
    """End the connection. Under TLS this is the end of the stream, without a word."""


def unwrapped(wire: Wire, due: bytes) -> None:
    """End the connection as TLS wants it, with a close_notify."""
    if isinstance(wire.socket, ssl.SSLSocket):
        wire.socket.settimeout(1)
        wire.socket.unwrap()


def reset(wire: Wire, due: bytes) -> None:
    wire.reset()


def silent(wire: Wire, due: bytes) -> None:
    """Half-open: the connection stays, and nothing comes of it."""
    wire.hold()


def part_of_it(then: Fault, share: float = 0.5) -> Fault:
    """Return the fault that sends a part of what is due first."""

    def send(wire: Wire, due: bytes) -> None:
        wire.send(due[: int(len(due) * share)])
        then(wire, due)

    return send


def garbage(wire: Wire, due: bytes) -> None:
    wire.send_unencrypted(b"SSH-2.0-OpenSSH_9.9\r\n")


def record_cut(wire: Wire, due: bytes) -> None:
    """Announce a TLS record of 4 KiB and send little of it."""
    wire.send_unencrypted(b"\x17\x03\x03\x10\x00" + b"x" * 100)


def record_forged(wire: Wire, due: bytes) -> None:
    """Send a TLS record that nobody encrypted."""
    wire.send_unencrypted(b"\x17\x03\x03\x00\x40" + b"x" * 64)


def answer(status: int, body: str = "", kind: str = JSON_TYPE, **headers: str) -> Fault:
    """Return the fault that answers with a status, as a server or a proxy does."""
    head = f"HTTP/1.1 {status} Status\r\nContent-Type: {kind}\r\nConnection: close\r\n"
    for name, value in headers.items():
        head += f"{name.replace('_', '-')}: {value}\r\n"
    raw = body.encode()

    def send(wire: Wire, due: bytes) -> None:
        wire.send(head.encode() + b"Content-Length: %d\r\n\r\n" % len(raw) + raw)

    return send


def refusal(code: int, reason: str = "", message: str = "", **headers: str) -> Fault:
    """Return the fault that answers with a Status object."""
    return answer(code, json.dumps(status(code, reason, message)), **headers)


def status(code: int, reason: str = "", message: str = "") -> dict[str, Any]:
    """Return a Status object; members that are empty are not there."""
    document: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "message": message or f"scripted {code}",
    }
    return {**document, "reason": reason} if reason else document


def event(kind: str, document: Any) -> bytes:
    """Return the line of an event, its characters not escaped: Go does not do so."""
    content = {"type": kind, "object": document}
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


def cut_in_a_character(then: Fault) -> Fault:
    """Return the fault that sends an event up to the middle of a character."""

    def send(wire: Wire, due: bytes) -> None:
        middle = due.index("é".encode()) + 1
        wire.send(chunk(due[:middle]))
        then(wire, due)

    return send


def cut_in_an_event(then: Fault) -> Fault:
    """Return the fault that sends the first half of an event, as one chunk."""

    def send(wire: Wire, due: bytes) -> None:
        wire.send(chunk(due[: len(due) // 2]))
        then(wire, due)

    return send


def cut_in_a_chunk(then: Fault) -> Fault:
    """Return the fault that breaks a chunk's promise of more."""

    def send(wire: Wire, due: bytes) -> None:
        whole = chunk(due)
        wire.send(whole[: len(whole) // 2])
        then(wire, due)

    return send


def after_it(then: Fault) -> Fault:
    """Return the fault that sends the whole event first."""

    def send(wire: Wire, due: bytes) -> None:
        wire.send(chunk(due))
        then(wire, due)

    return send


def instead_of_it(line: bytes, then: Fault) -> Fault:
    """Return the fault that sends another line in an event's place."""

    def send(wire: Wire, due: bytes) -> None:
        wire.send(chunk(line))
        then(wire, due)

    return send


def ended(wire: Wire, due: bytes) -> None:
    """End a stream as HTTP wants it, with the last chunk."""
    wire.send(LAST)


def bytewise(wire: Wire, due: bytes) -> None:
    """Send an event one byte a chunk, and end."""
    for at in range(len(due)):
        wire.send(chunk(due[at : at + 1]))
    wire.send(LAST)


def stream_of(*lines: bytes) -> Fault:
    """Return the fault that answers a watch with *lines* and a clean end."""

    def send(wire: Wire, due: bytes) -> None:
        wire.send(CHUNKED, *[chunk(line) for line in lines], LAST)

    return send
