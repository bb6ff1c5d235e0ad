"""A client that needs no other packages: they take longer to import than to answer.

It uses no proxy. `api_client` does.
"""

from __future__ import annotations

import http.client
import selectors
import socket
import ssl
import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode, urlsplit

from kubectl_spy import __version__
from kubectl_spy.sources.connection.access import Access
from kubectl_spy.sources.connection.identity import (
    Identity,
    authorization,
    impersonation_headers,
)
from kubectl_spy.sources.connection.messages import (
    BadStatus,
    ConnectTimedOut,
    Request,
    beginning,
)
from kubectl_spy.sources.connection.reading import Response

_ERROR_LIMIT = 1 << 20
_IDLE = 8  # the most connections to keep open between requests


class DirectClient:
    """Sends GETs with http.client. *tls* is None without TLS."""

    proxy = ""

    def __init__(
        self, access: Access, identity: Identity, tls: ssl.SSLContext | None
    ) -> None:
        url = urlsplit(access.server)
        self._base = url.path
        self._host = url.hostname or ""
        self._port = url.port or (443 if tls else 80)
        self._tls = tls
        self._name = str(access.cluster.get("tls-server-name") or self._host)
        self._headers = (
            ("User-Agent", f"kubectl-spy/{__version__}"),
            *authorization(identity).items(),
            *impersonation_headers(access.impersonation),
        )
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()
        weakref.finalize(self, _close_all, self._idle)

    def get(self, request: Request) -> DirectAnswer:
        """Return the answer to *request*, as `Client.get` does."""
        answer = self._answer(request)
        if not 200 <= answer.status <= 299:
            body = beginning(answer, _ERROR_LIMIT)
            answer.close()
            raise BadStatus(answer.status, answer.headers, body)
        return answer

    def _answer(self, request: Request) -> DirectAnswer:
        connection = self._idle_one()
        if connection is not None:
            try:
                return self._ask(connection, request)
            except ConnectionError:  # the server closed it at this moment
                connection.close()
        connection = _Connection(self._host, self._port)
        try:
            connection.open(self._tls, self._name, request.connect_within)
            return self._ask(connection, request)
        except BaseException:
            connection.close()
            raise

    def _ask(self, connection: _Connection, request: Request) -> DirectAnswer:
        connection.sock.settimeout(request.silence)
        path = f"{self._base}{request.path}"
        query = f"?{urlencode(request.query)}" if request.query else ""
        connection.putrequest("GET", path + query)
        connection.putheader("Accept", request.accept)
        if request.last:
            connection.putheader("Connection", "close")
        for name, value in self._headers:
            connection.putheader(name, value)
        connection.endheaders()
        wire = connection.sock  # the connection may let go of it
        ended = partial(self._ended, connection)
        return DirectAnswer(connection.getresponse(), wire, ended)

    def _idle_one(self) -> _Connection | None:
        """Return a connection that is open and quiet, or None."""
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if connection.is_quiet():
                    return connection
                connection.close()
        return None

    def _ended(self, connection: _Connection, reusable: bool) -> None:
        if not reusable:
            connection.close()
            return
        with self._lock:
            self._idle.append(connection)
            spare = self._idle.pop(0) if len(self._idle) > _IDLE else None
        if spare:
            spare.close()


class _Connection(http.client.HTTPConnection):
    """A connection with TLS or without."""

    response_class = Response
    sock: Any

    def open(self, tls: ssl.SSLContext | None, name: str, within: float) -> None:
        """Connect, and shake hands with *name*. Raises OSError."""
        try:
            host: Any = _encoded(self.host)
            self.sock = socket.create_connection((host, self.port), within)
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if tls is not None:
                self.sock = tls.wrap_socket(self.sock, server_hostname=_encoded(name))
        except TimeoutError:
            raise ConnectTimedOut from None

    def is_quiet(self) -> bool:
        """Return whether nothing has arrived: neither an end nor anything else."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.sock, selectors.EVENT_READ)
            return not selector.select(0)


def _encoded(host: str) -> str | bytes:
    """Return *host* as bytes, if it is ASCII: texts import idna, which is slow."""
    return host.encode() if host.isascii() else host


def _close_all(connections: list[_Connection]) -> None:
    for each in connections:
        each.close()


class DirectAnswer:
    """An answer of http.client that came through *wire*, a socket.

    *ended* is called once: with True if all was read, and the connection can be used
    again.
    """

    def __init__(
        self,
        response: http.client.HTTPResponse,
        wire: socket.socket,
        ended: Callable[[bool], None],
    ) -> None:
        self._response = response
        self._wire = wire
        self._ended: Callable[[bool], None] | None = ended
        self.status = response.status
        self.headers = response.headers

    def read1(self, amount: int, /) -> bytes:
        """Return what has arrived, as `Answer.read1` does."""
        content = self._response.read1(amount)
        if not content and amount:
            missing = self._response.length
            self._end(whole=not missing)
            if missing:  # http.client takes an early end for the end
                raise http.client.IncompleteRead(b"", missing)
        return content

    def shutdown(self) -> None:
        """Cut the connection, from another thread."""
        self._wire.shutdown(socket.SHUT_RD)

    def close(self) -> None:
        """Read no more."""
        self._end(whole=False)

    def _end(self, *, whole: bool) -> None:
        self._response.close()
        if self._ended is not None:
            ended, self._ended = self._ended, None
            ended(whole and not self._response.will_close)
