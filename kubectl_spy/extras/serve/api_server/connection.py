"""HTTP/1.1 on loopback: a thread for each connection, a chunk for each event."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import sys
import threading
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler
from typing import Any

from kubectl_spy.extras.serve.api_server.exchange import Answer, Request
from kubectl_spy.extras.serve.api_server.watching import Stream

Respond = Callable[[Request], Answer | Stream]
Headers = tuple[tuple[str, str], ...]

LOOPBACK = "127.0.0.1"
_SMALL = 4096  # bytes


class Listener(socketserver.ThreadingTCPServer):
    """Accepts connections on a free port of *address*, and knows the open ones."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, respond: Respond, address: str = LOOPBACK) -> None:
        if ":" in address:
            self.address_family = socket.AF_INET6
        super().__init__((address, 0), Connection)
        self._host = address
        self.respond = respond
        self._connections: set[socket.socket] = set()
        self._closed = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(
            target=self._accept, name="demo listener", daemon=True
        )

    @property
    def url(self) -> str:
        """Where it listens."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.port}"

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    @property
    def _address(self) -> tuple[str, int]:
        return self._host, self.port

    def start(self) -> None:
        self._thread.start()

    def stop(self, patience: float) -> None:
        """Accept no more, close what is open, give its threads *patience* to end."""
        self._stopping = True
        with contextlib.suppress(OSError):
            socket.create_connection(self._address, timeout=patience).close()
        self._thread.join(patience)
        self.server_close()
        with self._closed:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._closed.wait_for(lambda: not self._connections, patience)

    def _accept(self) -> None:
        """Accept until `stop` connects: serve_forever() would poll."""
        while True:
            try:
                request, address = self.get_request()
            except OSError:
                if self._stopping:
                    return
                continue  # that client has gone already
            if self._stopping:
                request.close()
                return
            self.process_request(request, address)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Note the connection and start its thread."""
        with self._closed:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close the connection and forget it."""
        super().shutdown_request(request)
        with self._closed:
            self._connections.discard(request)
            self._closed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Be silent about clients that vanish; a bug still shows its traceback."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Connection(BaseHTTPRequestHandler):
    """Reads requests and writes what the listener's *respond* makes of them."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    server: Listener

    def answer(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, self._body())
        response = self.server.respond(request)
        if isinstance(response, Answer):
            length = ("Content-Length", str(len(response.body)))
            self._start(
                response.status, response.content_type, (*response.headers, length)
            )
            if self.command != "HEAD":
                self.wfile.write(response.body)
            return
        try:
            self._start(200, "application/json", (("Transfer-Encoding", "chunked"),))
            self.wfile.flush()
            self._stream(response)
        finally:
            if isinstance(response, Generator):
                response.close()

    def _body(self) -> bytes:
        """Return the body of a small request. Another one stays unread."""
        length = self.headers.get("Content-Length", "")
        if length.isdecimal() and int(length) <= _SMALL:
            return self.rfile.read(int(length))
        if length or self.headers.get("Transfer-Encoding"):
            self.close_connection = True
        return b""

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""

    def _start(self, status: int, content_type: str, headers: Headers) -> None:
        self.send_response_only(status)
        self.send_header("Cache-Control", "no-cache, private")
        self.send_header("Content-Type", content_type)
        self.send_header("Date", self.date_time_string())
        for name, value in headers:
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def _stream(self, stream: Stream) -> None:
        for lines in stream:
            for line in lines:
                self._write_chunk(line)
            self.wfile.flush()
            if not lines and self._has_vanished():
                self.close_connection = True
                return
        self._write_chunk(b"")
        self.wfile.flush()

    def _write_chunk(self, chunk: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))

    def _has_vanished(self) -> bool:
        self.connection.setblocking(False)
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        finally:
            self.connection.setblocking(True)
