"""A scripted API server on loopback: it answers what it was told and remembers."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

SERVE = Path(__file__).parents[2] / "kubectl_spy" / "extras" / "serve"
STREAMS = SERVE / "demo" / "streams"
DISCOVERY: dict[str, Any] = json.loads((STREAMS / "discovery.json").read_text("utf-8"))
ERRORS: dict[str, Any] = json.loads((STREAMS / "errors.json").read_text("utf-8"))


@dataclass(frozen=True)
class Answer:
    """What to send back."""

    status: int = 200
    body: bytes | str = b"{}"
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0


@dataclass(frozen=True)
class Request:
    """What came in."""

    path: str
    query: Mapping[str, list[str]]
    headers: tuple[tuple[str, str], ...]

    def header(self, name: str) -> list[str]:
        """Return every value of the header *name*."""
        return [value for key, value in self.headers if key.lower() == name.lower()]


def recorded(name: str) -> Answer:
    """Return a real API server's answer to a bad request."""
    error = ERRORS[name]
    wait = error["retry_after"]
    headers = (("Retry-After", wait),) if wait else ()
    return Answer(error["status"], error["body"], error["content_type"], headers)


def as_json(document: Any) -> Answer:
    """Return *document* as an answer."""
    return Answer(body=json.dumps(document))


def aggregated() -> dict[str, Answer]:
    """Return the two answers of aggregated discovery."""
    return {
        path: as_json(DISCOVERY[f"{path} (aggregated)"]) for path in ("/api", "/apis")
    }


def plain() -> dict[str, Answer]:
    """Return the answers of an API server without aggregated discovery."""
    return {
        path: as_json(document)
        for path, document in DISCOVERY.items()
        if path.startswith("/api") and "(" not in path
    }


@dataclass
class ApiServer:
    """Answers by path; a path that is not there gets the real 404."""

    url: str = ""
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        """The paths asked for so far."""
        return [request.path for request in self.requests]


@contextmanager
def serve(
    answers: Mapping[str, Answer] | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[ApiServer]:
    """Run a server for the length of the block, with TLS if *tls* is given."""
    api = ApiServer(answers=dict(answers or {}))
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # head and body are two writes

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            api.requests.append(
                Request(url.path, parse_qs(url.query), tuple(self.headers.items()))
            )
            answer = api.answers.get(url.path, recorded("unknown-path"))
            ended.wait(answer.delay)
            body = answer.body
            raw = body.encode() if isinstance(body, str) else body
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            for name, value in answer.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw)))
            if self.close_connection:  # or a client uses it for what comes next
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    api.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield api
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
