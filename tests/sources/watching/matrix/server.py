"""An API server over bare sockets and TLS that knows the truth, and can be told to err.

Every request has a connection of its own, so that a fault hits the one it is meant for.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from urllib.parse import parse_qs, urlsplit

from kubectl_spy.extras.serve.api_server.api import Api
from kubectl_spy.extras.serve.api_server.discovery import Discovery
from kubectl_spy.extras.serve.api_server.exchange import Answer, Request
from kubectl_spy.extras.serve.demo.recordings import load_document
from tests.processes import PATIENCE
from tests.sources.watching.matrix.cluster import Cluster, Version
from tests.sources.watching.matrix.wire import Fault, Wire, event
from tests.sources.watching.raw_server import CHUNKED, LAST, chunk


class Phase(Enum):
    """What a client is about when a fault hits it."""

    CONNECTION = "connection"
    LIST = "list"
    WATCH = "watch"
    VERIFY = "verify"


@dataclass(frozen=True)
class Asked:
    """One request, or a connection that did not get so far."""

    at: float
    phase: Phase
    resource_version: str
    failed: bool


class ModelServer:
    """Serves *cluster*; `fail` and `disturb` say what is to go wrong next."""

    def __init__(self, cluster: Cluster, tls: ssl.SSLContext | None = None) -> None:
        self.cluster = cluster
        self.log: list[Asked] = []
        self._tls = tls
        discovery = Discovery(load_document("discovery"))
        self._api = Api(cluster, discovery, on_watch=lambda *watched: None)
        self._changed = cluster.changed
        self._faults: list[tuple[Phase, Fault]] = []
        self._disturbance: tuple[Fault, bool] | None = None
        self._watching: object = None
        self._opened = 0
        self._over = False
        self._clients: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        scheme = "https" if tls else "http"
        self.url = f"{scheme}://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def fail(self, phase: Phase, *faults: Fault) -> None:
        """Answer the next requests of *phase* so, one after the other."""
        with self._changed:
            self._faults += [(phase, fault) for fault in faults]

    def disturb(self, fault: Fault, *, at_event: bool = False) -> None:
        """Let the watch under way end so: now, or instead of the next event."""
        with self._changed:
            self._disturbance = fault, at_event
            self._changed.notify_all()

    def wait_until(self, ready: Callable[[ModelServer], bool]) -> None:
        with self._changed:
            came = self._changed.wait_for(lambda: ready(self), PATIENCE)
        assert came, self.log

    def wait_for_watch(self, count: int = 1) -> None:
        """Wait until *count* watches were opened, and the last of them is open."""
        self.wait_until(
            lambda server: server._opened >= count and server._watching is not None
        )

    @property
    def faultless(self) -> bool:
        """Whether everything that was to go wrong has done so."""
        return not self._faults and self._disturbance is None

    @property
    def listed_again(self) -> bool:
        return sum(each.phase is Phase.LIST for each in self.log) > 1

    def close(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()
        for each in (self._listening, *self._clients):
            _close(each)

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
            fault = self._fault(Phase.CONNECTION)
            if fault is not None:
                self._note(Phase.CONNECTION, "", failed=True)
                fault(Wire(client), b"")
                return
            if self._tls is None:
                self._answer(Wire(client))
                return
            with self._tls.wrap_socket(client, server_side=True) as encrypted:
                self._clients.append(encrypted)
                self._answer(Wire(encrypted))

    def _answer(self, wire: Wire) -> None:
        head = _head(wire)
        if head is None:
            return
        path = head.split(maxsplit=2)[1].decode()
        query = parse_qs(urlsplit(path).query)
        version = query.get("resourceVersion", [""])[0]
        phase = Phase.WATCH if "watch" in query else Phase.LIST
        if "resourceVersionMatch" in query:
            phase = Phase.VERIFY
        fault = self._fault(phase)
        self._note(phase, version, failed=fault is not None)
        if fault is not None:
            fault(wire, CHUNKED if phase is Phase.WATCH else self._list(path))
        elif phase is Phase.WATCH:
            self._watch(wire, int(version or 0), head)
        else:
            wire.send(self._list(path))

    def _fault(self, phase: Phase) -> Fault | None:
        with self._changed:
            for each in self._faults:
                if each[0] is phase:
                    self._faults.remove(each)
                    return each[1]
        return None

    def _note(self, phase: Phase, version: str, *, failed: bool) -> None:
        with self._changed:
            self.log.append(Asked(time.monotonic(), phase, version, failed))
            self._changed.notify_all()

    def _list(self, path: str) -> bytes:
        """Return the answer of the embedded API server."""
        answer = self._api.respond(Request("GET", path))
        assert isinstance(answer, Answer)
        head = f"HTTP/1.1 {answer.status} Status\r\nConnection: close\r\n"
        length = ("Content-Length", str(len(answer.body)))
        kind = ("Content-Type", answer.content_type)
        for name, value in (*answer.headers, kind, length):
            head += f"{name}: {value}\r\n"
        return head.encode() + b"\r\n" + answer.body

    def _watch(self, wire: Wire, since: int, head: bytes) -> None:
        if since < self.cluster.oldest[1]:
            gone = {"kind": "Status", "code": 410, "reason": "Expired"}
            wire.send(CHUNKED, chunk(event("ERROR", gone)), LAST)
            return
        # As Go's server does: the last answer on a connection says that it is.
        last = b"connection: close" in head.lower()
        wire.send(CHUNKED.replace(b"\r\n", b"\r\nConnection: close\r\n", last))
        me = object()
        with self._changed:
            self._watching = me
            self._opened += 1
            self._changed.notify_all()
        try:
            self._stream(wire, since, me)
        finally:
            with self._changed:
                if self._watching is me:
                    self._watching = None

    def _stream(self, wire: Wire, sent: int, me: object) -> None:
        """Send every version after *sent*, until disturbed or followed by another."""
        while True:
            with self._changed:
                look = partial(self._next, sent, me)
                found = self._changed.wait_for(look)
            if found == "over":
                return
            due = b""
            if isinstance(found, Version):
                sent, due = found.number, event(found.type, found.document)
            fault = self._disturbing(at_event=bool(due))
            if fault is not None:
                fault(wire, due)
                return
            if due:
                wire.send(chunk(due))

    def _next(self, sent: int, me: object) -> Version | str | None:
        if self._over or self._watching is not me:
            return "over"
        if self._disturbance is not None and not self._disturbance[1]:
            return "disturbance"
        later = (each for each in self.cluster.versions if each.number > sent)
        return next(later, None)

    def _disturbing(self, *, at_event: bool) -> Fault | None:
        with self._changed:
            if self._disturbance is None or self._disturbance[1] is not at_event:
                return None
            fault = self._disturbance[0]
            self._disturbance = None
            self._watching = None
            self._changed.notify_all()
            return fault


def _head(wire: Wire) -> bytes | None:
    """Read one request, which has no body."""
    head = b""
    while b"\r\n\r\n" not in head:
        part: bytes = wire.socket.recv(65536)
        if not part:
            return None
        head += part
    return head


def _close(each: socket.socket) -> None:
    with suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    with suppress(OSError):
        each.close()


@contextmanager
def model_server(
    cluster: Cluster, tls: ssl.SSLContext | None = None
) -> Iterator[ModelServer]:
    """Run a server for the length of the block."""
    server = ModelServer(cluster, tls)
    try:
        yield server
    finally:
        server.close()
