"""An HTTP server on loopback that answers as a test says."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import NamedTuple


class Answer(NamedTuple):
    """What a request gets: *delay* seconds later, *status*, *headers* and *body*."""

    status: int = 200
    headers: Mapping[str, str] | Message = MappingProxyType({})
    body: bytes = b""
    delay: float = 0.0


class Asked(NamedTuple):
    """A request."""

    path: str
    headers: Message
    body: bytes


@contextmanager
def unanswered() -> Iterator[int]:
    """Give a port on loopback where nobody listens; only the block may listen there."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@contextmanager
def answering(
    answer: Callable[[Asked], Answer], port: int = 0, tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    """Run a server, and give its URL."""
    stopped = threading.Event()

    class Endpoint(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # head and body are two writes

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            given = answer(Asked(self.path, self.headers, body))
            stopped.wait(given.delay)
            try:
                self.send_response(given.status)
                for name, value in given.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(given.body)))
                if self.close_connection:  # or a client uses it for what comes next
                    self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(given.body)
            except OSError:
                pass  # who asked did not wait for it

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request: object, client_address: object) -> None:
            """Say nothing of clients that go, or do not trust it."""

    server = Server(("127.0.0.1", port), Endpoint)
    if tls is not None:
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        scheme = "http" if tls is None else "https"
        yield f"{scheme}://127.0.0.1:{server.server_port}"
    finally:
        stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()
