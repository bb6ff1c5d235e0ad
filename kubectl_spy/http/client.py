"""One HTTP client, on http.client: other packages take longer to import than to answer.

It follows no redirect: credentials would go along. It repeats a request only if the
server had closed the idle connection that it was sent on.
"""

from __future__ import annotations

import http.client
import selectors
import socket
import ssl
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from email.message import Message
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlencode, urlsplit

from kubectl_spy import __version__
from kubectl_spy.http.reading import Response
from kubectl_spy.http.urls import credentials_in, encoded

if TYPE_CHECKING:
    from kubectl_spy.http.proxies import Proxy

_ERROR_LIMIT = 1 << 20
_IDLE = 8  # the most connections to keep open between requests


class Request(NamedTuple):
    """A GET of a percent-encoded *path*, or a POST if it has a *body*."""

    path: str
    accept: str
    query: tuple[tuple[str, str], ...]
    connect_within: float  # seconds
    silence: float  # the most seconds without a byte of the answer
    last: bool = False  # whether the connection ends with the answer
    body: bytes | None = None
    coding: str = "identity"  # what the answer may be compressed with


class BadStatus(Exception):
    """An answer with a status that is no 2xx, and the beginning of its body."""

    def __init__(self, status: int, headers: Message[str, str], body: bytes) -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers
        self.body = body


class ConnectTimedOut(OSError):
    """No connection in time."""


class Sender(Protocol):
    """Sends requests to one server, from any thread."""

    def send(self, request: Request) -> Answer:
        """Return the answer to *request*, as `HttpClient.send` does."""


class HttpClient:
    """Sends requests to the server at *url*, from any thread.

    *headers* go with each request. *tls* is for https, and the certificate is checked
    against *server_name*, by default the host. Without *proxy* it connects directly.
    Raises ValueError if the port of *url* is no number.
    """

    def __init__(
        self,
        url: str,
        *,
        headers: Iterable[tuple[str, str]] = (),
        tls: ssl.SSLContext | None = None,
        server_name: str = "",
        proxy: Proxy | None = None,
    ) -> None:
        parts = urlsplit(url)
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if tls else 80)
        self._tls = tls
        self._name = server_name or self._host
        given = (each for each in headers if each[0].lower() != "content-length")
        self._headers = tuple(given)
        self._named = {name.lower() for name, _ in self._headers}
        self._proxy = proxy
        self._base = encoded(parts.path)
        if proxy and not tls and not proxy.is_socks:
            # A proxy of plain HTTP reads the request: RFC 9112, 3.2.2.
            self._base = f"http://{parts.netloc.rpartition('@')[2]}{self._base}"
            self._headers += proxy.headers
        self._credentials = credentials_in(
            (*self._headers, *(proxy.headers if proxy else ()))
        )
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()
        weakref.finalize(self, _close_all, self._idle)

    @property
    def proxy(self) -> str:
        """The URL of the proxy in use, or ""."""
        return self._proxy.url if self._proxy else ""

    def send(self, request: Request) -> Answer:
        """Return the answer to *request* once its head has arrived. Its body is unread.

        Raises BadStatus if its status is no 2xx; OSError, HTTPException or ValueError
        if none came.
        """
        answer = self._answer(request)
        if 200 <= answer.status <= 299:
            return answer
        body = bytearray()
        # If it breaks off, the status still counts.
        with suppress(OSError, http.client.HTTPException):
            read_into(body, answer, _ERROR_LIMIT)
        raise BadStatus(answer.status, answer.headers, self.without_credentials(body))

    def without_credentials(self, said: bytes | bytearray) -> bytes:
        """Return what a server *said* without our own credentials.

        A proxy may echo the request in its error, and that error is printed.
        """
        text = bytes(said)
        for each in self._credentials:
            text = text.replace(each, b"***")
        return text

    def close(self) -> None:
        """Close the connections that no request uses."""
        with self._lock:
            _close_all(self._idle)

    def _answer(self, request: Request) -> Answer:
        connection = self._idle_one()
        if connection is not None:
            try:
                return self._ask(connection, request)
            except BaseException as error:
                connection.close()
                # The server may have closed it at this moment.
                if not isinstance(error, (ConnectionError, ssl.SSLEOFError)):
                    raise
        connection = _Connection(self._host, self._port)
        connection.default_port = 443 if self._tls else 80
        try:
            connection.open(self._tls, self._name, self._proxy, request.connect_within)
            return self._ask(connection, request)
        except BaseException:
            connection.close()
            raise

    def _ask(self, connection: _Connection, request: Request) -> Answer:
        connection.sock.settimeout(request.silence)
        path = f"{self._base}{request.path}"
        query = f"?{urlencode(request.query)}" if request.query else ""
        method = "GET" if request.body is None else "POST"
        connection.putrequest(
            method,
            path + query,
            skip_host="host" in self._named,
            skip_accept_encoding=True,
        )
        for name, value in self._own_headers(request):
            if name.lower() not in self._named:
                connection.putheader(name, value)
        for name, value in self._headers:
            connection.putheader(name, value)
        if request.body is not None:
            connection.putheader("Content-Length", str(len(request.body)))
        try:
            connection.endheaders(request.body)
        except TimeoutError:
            raise
        except OSError:
            # Who refuses a body may answer before all of it is sent.
            if request.body is None:
                raise
        wire = connection.sock  # the connection may let go of it
        ended = partial(self._ended, connection)
        return Answer(connection.getresponse(), wire, ended)

    def _own_headers(self, request: Request) -> Iterator[tuple[str, str]]:
        """Yield the headers that given ones replace."""
        yield "User-Agent", f"kubectl-spy/{__version__}"
        yield "Accept", request.accept
        yield "Accept-Encoding", request.coding
        if request.last:
            yield "Connection", "close"

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

    def open(
        self,
        tls: ssl.SSLContext | None,
        name: str,
        proxy: Proxy | None,
        within: float,
    ) -> None:
        """Connect, and shake hands with *name*. Raises OSError."""
        if proxy is not None:
            self.sock = proxy.connect(
                self.host, self.port, within, tunnel=tls is not None
            )
        try:
            if proxy is None:
                host: Any = _ascii_bytes(self.host)
                self.sock = socket.create_connection((host, self.port), within)
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if tls is not None:
                self.sock = _secured(self.sock, tls, name)
        except TimeoutError:
            raise ConnectTimedOut from None
        except TypeError:  # a NUL in the name
            raise ValueError("no name of a server") from None

    def is_quiet(self) -> bool:
        """Return whether nothing has arrived: neither an end nor anything else."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.sock, selectors.EVENT_READ)
            return not selector.select(0)


def _secured(wire: Any, tls: ssl.SSLContext, name: str) -> Any:
    """Return *wire* with TLS, after the handshake."""
    if isinstance(wire, ssl.SSLSocket):  # a proxy's; ssl cannot wrap it again
        from urllib3.util.ssltransport import SSLTransport

        return SSLTransport(wire, tls, server_hostname=name)
    return tls.wrap_socket(wire, server_hostname=_ascii_bytes(name))


def _ascii_bytes(host: str) -> str | bytes:
    """Return *host* as bytes, if it is ASCII: texts import idna, which is slow."""
    return host.encode() if host.isascii() else host


def _close_all(connections: list[_Connection]) -> None:
    while connections:
        connections.pop().close()


class Answer:
    """An answer that came through *wire*, a socket. Its head has arrived.

    *ended* is called once: with True if all was read, and the connection can be used
    again.
    """

    def __init__(
        self,
        response: http.client.HTTPResponse,
        wire: Any,
        ended: Callable[[bool], None],
    ) -> None:
        self._response = response
        self._wire = wire
        self._ended: Callable[[bool], None] | None = ended
        self.status = response.status
        self.headers = response.headers
        self.heard: Callable[[], None] = lambda: None
        """What to call when bytes have arrived."""

    def read1(self, amount: int, /) -> bytes:
        """Return at most *amount* bytes as they came, and wait only if there are none.

        It is b"" at the end. Raises TimeoutError after too long a silence; OSError or
        HTTPException if the answer breaks off.
        """
        content = self._response.read1(amount)
        self.heard()
        if not content and amount:
            missing = self._response.length
            self._end(whole=not missing)
            if missing:  # http.client takes an early end for the end
                raise http.client.IncompleteRead(b"", missing)
        return content

    def shutdown(self) -> None:
        """Cut the connection, from another thread. Raises OSError or ValueError."""
        getattr(self._wire, "socket", self._wire).shutdown(socket.SHUT_RD)

    def close(self) -> None:
        """Read no more."""
        self._end(whole=False)

    def _end(self, *, whole: bool) -> None:
        self._response.close()
        if self._ended is not None:
            ended, self._ended = self._ended, None
            # The answer itself still follows a 1xx: RFC 9110, 15.2.
            final = self.status >= 200
            ended(whole and final and not self._response.will_close)


def beginning(answer: Answer, limit: int) -> bytes:
    """Return at most *limit* bytes of *answer*, and close it. Raises as `read1`."""
    body = bytearray()
    read_into(body, answer, limit)
    return bytes(body)


def read_into(body: bytearray, answer: Answer, limit: int) -> None:
    """Add at most *limit* bytes of *answer* to *body*, and close it."""
    with closing(answer):  # one that was read to its end keeps its connection
        while len(body) < limit and (more := answer.read1(limit - len(body))):
            body += more


def is_packed(headers: Message[str, str]) -> bool:
    """Return whether a body is compressed."""
    coding = headers.get("Content-Encoding", "").strip().lower()
    return coding not in ("", "identity")


def unpacked(raw: bytes, headers: Message[str, str], limit: int) -> bytes:
    """Return a body without its gzip, if *headers* say that it has one.

    It unpacks at most *limit* bytes and one more, so that a caller sees that there are
    more. What is no gzip stays as it is. Raises ConnectionError if it breaks off.
    """
    if headers.get("Content-Encoding", "").strip().lower() not in ("gzip", "x-gzip"):
        return raw
    import gzip  # few answers are packed
    import io
    import zlib

    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            return file.read(limit + 1)
    except (EOFError, zlib.error):
        raise ConnectionError from None
    except gzip.BadGzipFile:
        return raw
