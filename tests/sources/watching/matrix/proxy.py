"""A way to an API server, over plain sockets or TLS, that can be told to break.

Every request has a connection of its own, so that a fault hits the one it is meant for.
"""

from __future__ import annotations

import os
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from typing import BinaryIO

from tests.sources.watching.raw_server import chunk


class Phase(Enum):
    """What a client is about when a fault hits it."""

    CONNECTION = "connection"
    LIST = "list"
    WATCH = "watch"
    VERIFY = "verify"


Fault = Callable[[socket.socket, bytes], None]
"""What to do instead of answering, given the bytes that would be due.

The connection is closed then.
"""


def closed(client: socket.socket, due: bytes) -> None:
    """End the connection. Under TLS this is the end of the stream, without a word."""


def unwrapped(client: socket.socket, due: bytes) -> None:
    """End the connection as TLS wants it, with a close_notify."""
    assert isinstance(client, ssl.SSLSocket)
    client.settimeout(1)
    client.unwrap()


def reset(client: socket.socket, due: bytes) -> None:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def silent(client: socket.socket, due: bytes) -> None:
    """Half-open: the connection stays until the other end goes; nothing comes of it."""
    while client.recv(4096):
        pass


def unencrypted(text: bytes) -> Fault:
    """Return the fault that sends a text below TLS, if there is any."""

    def send(client: socket.socket, due: bytes) -> None:
        with socket.socket(fileno=os.dup(client.fileno())) as below:
            below.sendall(text)

    return send


def having_sent(part: Callable[[bytes], bytes], then: Fault) -> Fault:
    """Return the fault that sends what *part* makes of what is due first."""

    def send(client: socket.socket, due: bytes) -> None:
        client.sendall(part(due))
        then(client, due)

    return send


class Proxy:
    """Leads to *port*; `fail` and `cut` say what is to go wrong next."""

    def __init__(self, port: int, tls: ssl.SSLContext | None) -> None:
        self._port = port
        self._tls = tls
        self._faults: list[tuple[Phase, Fault]] = []
        self._cut: Fault | None = None
        self._lock = threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._clients = [self._listening]
        scheme = "https" if tls else "http"
        self.url = f"{scheme}://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def fail(self, phase: Phase, *faults: Fault) -> None:
        """Answer the next requests of *phase* so, one after the other."""
        self._faults += [(phase, fault) for fault in faults]

    def cut(self, fault: Fault) -> None:
        """Let the watch under way end so, in place of its next event."""
        self._cut = fault

    @property
    def faultless(self) -> bool:
        """Whether everything that was to go wrong has done so."""
        return not self._faults and self._cut is None

    def close(self) -> None:
        for each in self._clients:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._clients.append(client)
                threading.Thread(
                    target=self._serve, args=(client,), daemon=True
                ).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, ValueError), client:
            if (fault := self._fault(Phase.CONNECTION)) is not None:
                fault(client, b"")
            elif self._tls is None:
                self._answer(client)
            else:
                with self._tls.wrap_socket(client, server_side=True) as encrypted:
                    self._clients.append(encrypted)
                    self._answer(encrypted)

    def _answer(self, client: socket.socket) -> None:
        head = _head(client)
        phase = Phase.WATCH if b"watch=" in head else Phase.LIST
        if b"resourceVersionMatch=" in head:
            phase = Phase.VERIFY
        fault = self._fault(phase)
        with socket.create_connection(("127.0.0.1", self._port)) as server:
            self._clients.append(server)
            server.sendall(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            with server.makefile("rb") as answer:
                begun = b"".join(iter(answer.readline, b"\r\n")) + b"\r\n"
                if fault is not None:
                    rest = b"" if phase is Phase.WATCH else answer.read()
                    fault(client, begun + rest)
                elif b"chunked" in begun:
                    client.sendall(begun)
                    self._stream(client, answer)
                else:
                    client.sendall(begun + answer.read())

    def _stream(self, client: socket.socket, answer: BinaryIO) -> None:
        """Send every chunk, which is an event, until the watch is to end."""
        while size := int(answer.readline(), 16):
            event = answer.read(size)
            answer.readline()
            with self._lock:
                fault, self._cut = self._cut, None
            if fault is not None:
                fault(client, event)
                return
            client.sendall(chunk(event))
        client.sendall(chunk(b""))

    def _fault(self, phase: Phase) -> Fault | None:
        with self._lock:
            for each in self._faults:
                if each[0] is phase:
                    self._faults.remove(each)
                    return each[1]
        return None


def _head(client: socket.socket) -> bytes:
    """Read one request, which has no body."""
    head = b""
    while b"\r\n\r\n" not in head:
        part = client.recv(65536)
        if not part:
            raise ConnectionResetError
        head += part
    return head


@contextmanager
def proxy(port: int, tls: ssl.SSLContext | None) -> Iterator[Proxy]:
    """Run a proxy for the length of the block."""
    running = Proxy(port, tls)
    try:
        yield running
    finally:
        running.close()
