"""A listener without an API, and clients that write bytes."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from typing import Any

from kubectl_spy.extras.serve.api_server.exchange import Answer, Request, failure
from kubectl_spy.extras.serve.api_server.listener import Listener
from kubectl_spy.extras.serve.api_server.watching import Stream
from tests.processes import PATIENCE

TOKEN = "Authorization: Bearer right"


class Echo:
    """Answers who has the token with what was asked, and keeps all requests."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def respond(self, request: Request) -> Answer | Stream:
        self.requests.append(request)
        if f"Bearer {request.headers.get('authorization')}" != "Bearer Bearer right":
            return failure(401, "Unauthorized", "Unauthorized").answer
        if request.path == "/stream":
            return iter([[b"one\n"], [b"two\n", b"three\n"]])
        return Answer(200, request.read_body() or request.path.encode(), "text/plain")


@contextmanager
def listening(
    respond: Callable[[Request], Answer | Stream], patience: float = PATIENCE
) -> Iterator[Listener]:
    listener = Listener(respond, patience=patience)
    listener.start()
    try:
        yield listener
    finally:
        listener.stop(PATIENCE)


class Raw:
    """A connection. It reads responses by the letter, and notices what follows."""

    def __init__(self, port: int, sent: bytes = b"") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.sendall(sent)

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *exception: object) -> None:
        self.socket.close()

    def send(self, sent: bytes) -> None:
        self.socket.sendall(sent)

    def answer(self) -> tuple[HTTPResponse, bytes]:
        """Return the response to what was sent, and its body."""
        response = HTTPResponse(self.socket)
        response.begin()
        return response, response.read()

    def rest(self) -> bytes:
        """Return everything up to the end."""
        received = b""
        while piece := self.socket.recv(1 << 16):
            received += piece
        return received


def only_status(received: bytes) -> Any:
    """Return the Status that is all that was received, and ends the connection."""
    head, _, body = received.partition(b"\r\n\r\n")
    line, *fields = head.decode().split("\r\n")
    headers = dict(each.split(": ", 1) for each in fields)
    assert headers["Connection"] == "close"
    assert headers["Content-Type"] == "application/json"
    assert int(headers["Content-Length"]) == len(body)
    status = json.loads(body)
    assert (status["kind"], status["status"]) == ("Status", "Failure")
    assert line.split()[:2] == ["HTTP/1.1", str(status["code"])]
    assert status["reason"] and status["message"]
    return status


def request(*lines: str, body: bytes = b"") -> bytes:
    """Return a request of these lines, which are ended as is right."""
    return "".join(f"{each}\r\n" for each in (*lines, "")).encode("latin-1") + body
