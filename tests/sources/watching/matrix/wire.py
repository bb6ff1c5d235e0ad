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


def having_sent(part: Callable[[bytes], bytes], then: Fault) -> Fault:
    """Return the fault that sends what *part* makes of what is due first."""

    def send(wire: Wire, due: bytes) -> None:
        wire.send(part(due))
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


def busy(wire: Wire, due: bytes) -> None:
    wire.send(b"HTTP/1.1 503 Status\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")


def event(kind: str, document: Any) -> bytes:
    """Return the line of an event, its characters not escaped: Go does not do so."""
    content = {"type": kind, "object": document}
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"
