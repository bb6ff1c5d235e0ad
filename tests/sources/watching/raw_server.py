"""An API server of bare sockets, for what no HTTP server would send."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
# It is closed when a script ends: it must not be taken for the next request before.
CHUNKED = OK + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"

EMPTY = b'{"metadata":{"resourceVersion":"1"},"items":[]}'

Script = Callable[[socket.socket], None]
"""Answers one watch; the connection is closed when it returns."""


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(content), content)


def line(kind: str, document: Any) -> bytes:
    return json.dumps({"type": kind, "object": document}).encode() + b"\n"


def sending(*parts: bytes) -> Script:
    """Return the script that sends *parts* in one packet each."""

    def send(client: socket.socket) -> None:
        for part in parts:
            client.sendall(part)

    return send


def staying(*parts: bytes) -> Script:
    """Return the script that sends *parts* and then waits for the other to hang up."""

    def send(client: socket.socket) -> None:
        sending(*parts)(client)
        client.recv(1)

    return send


class RawServer:
    """Answers lists with *listed*, each watch by a script, and the last in silence."""

    def __init__(
        self, scripts: Sequence[Script], listed: bytes, tls: ssl.SSLContext | None
    ) -> None:
        self._scripts = list(scripts)
        self._tls = tls
        self._listed = listed
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._clients: list[socket.socket] = []
        scheme = "https" if tls else "http"
        self.url = f"{scheme}://127.0.0.1:{self._listening.getsockname()[1]}"
        self.watched_from: list[str] = []
        """The resourceVersion of each watch."""
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for each in (self._listening, *self._clients):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                self._clients.append(client)
                threading.Thread(
                    target=self._answer, args=(client,), daemon=True
                ).start()

    def _answer(self, client: socket.socket) -> None:
        if self._tls is not None:
            client = self._tls.wrap_socket(client, server_side=True)
        with suppress(OSError), client, client.makefile("rb") as lines:
            while request := lines.readline():
                while lines.readline().strip():
                    pass
                url = urlsplit(request.split()[1].decode())
                query = parse_qs(url.query)
                if "watch" not in query:
                    length = b"Content-Length: %d\r\n\r\n" % len(EMPTY)
                    client.sendall(OK + length + self._listed)
                    if len(self._listed) < len(EMPTY):
                        return
                    continue
                self.watched_from.append(query["resourceVersion"][0])
                if self._scripts:
                    self._scripts.pop(0)(client)
                    return
                client.sendall(CHUNKED)


@contextmanager
def raw_server(
    *scripts: Script, listed: bytes = EMPTY, tls: ssl.SSLContext | None = None
) -> Iterator[RawServer]:
    """Run a server for the length of the block."""
    server = RawServer(scripts, listed, tls)
    try:
        yield server
    finally:
        server.close()
