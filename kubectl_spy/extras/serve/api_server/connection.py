"""One connection: its requests in turn, an answer or a stream for each."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from email.utils import formatdate
from http import HTTPStatus
from math import inf

from kubectl_spy.extras.serve.api_server.exchange import (
    Answer,
    Refused,
    Request,
    json_answer,
    status_object,
)
from kubectl_spy.extras.serve.api_server.inbox import Head, Inbox
from kubectl_spy.extras.serve.api_server.watching import Stream

Respond = Callable[[Request], Answer | Stream]

_PHRASES = {each.value: each.phrase for each in HTTPStatus}
_FEW = 1 << 16  # bytes that are sent together
_PIECE = 1 << 14  # bytes
_LINGER = 1.0  # seconds for a client to read the last answer


class Connection:
    """Reads requests and sends what *respond* makes of them, until a side has enough.

    *on_known* is called when an answer is neither 401 nor 403: from then on the client
    may take its time between requests, and with answers. *on_bug* gets what *respond*
    should not have raised.
    """

    def __init__(
        self,
        connection: socket.socket,
        respond: Respond,
        patience: float,
        on_known: Callable[[], None],
        on_bug: Callable[[Exception], None],
    ) -> None:
        self._connection = connection
        self._respond = respond
        self._on_known = on_known
        self._on_bug = on_bug
        self._inbox = Inbox(connection, patience)
        self._patience: float | None = patience  # None once the client is known

    def serve(self) -> None:
        """Serve until the connection is to be closed."""
        try:
            while self._serve_one():
                pass
        except OSError:
            return  # the client is gone, or a stream is broken off
        self._linger()

    def _serve_one(self) -> bool:
        """Serve one request. Return whether there may be another one."""
        try:
            head = self._inbox.read_head(self._patience)
        except Refused as error:
            self._send_answer(error.answer, ends=True)
            return False
        if head is None:
            return False
        request = Request(head.method, head.target, head.headers, self._inbox.read_body)
        try:
            response = self._respond(request)
        except Refused as error:
            response = error.answer
        except Exception as bug:
            self._on_bug(bug)
            message = "this is a bug in kubectl-spy"
            response = json_answer(status_object(500, "InternalError", message), 500)
        is_known = not isinstance(response, Answer) or response.status not in (401, 403)
        if is_known and self._patience is not None:
            self._patience = None
            self._on_known()
        ends = head.is_last or not is_known or self._inbox.unread > 0
        if isinstance(response, Answer):
            self._send_answer(response, ends=ends, is_head=head.method == "HEAD")
            return not ends
        try:
            return self._send_stream(response, head, ends=ends) and not ends
        except OSError:
            raise
        except Exception as bug:
            self._on_bug(bug)
            raise ConnectionAbortedError from None
        finally:
            if isinstance(response, Generator):
                response.close()

    def _send_answer(
        self, answer: Answer, *, ends: bool, is_head: bool = False
    ) -> None:
        self._connection.settimeout(self._patience)
        self._send([answer_head(answer, ends=ends), b"" if is_head else answer.body])

    def _send_stream(self, stream: Stream, head: Head, *, ends: bool) -> bool:
        """Send *stream* in chunks. Return False if the client leaves."""
        self._connection.settimeout(None)
        framing = () if head.is_old else (("Transfer-Encoding", "chunked"),)
        self._send([_head(200, "application/json", framing, ends=ends)])
        for lines in stream:
            self._send(lines if head.is_old else map(_chunk, lines))
            if not lines and self._has_vanished():
                return False
        self._send([b"" if head.is_old else _chunk(b"")])
        return True

    def _send(self, pieces: Iterable[bytes]) -> None:
        waiting = bytearray()
        for piece in pieces:
            waiting += piece
            if len(waiting) >= _FEW:
                self._connection.sendall(waiting)
                waiting.clear()
        self._connection.sendall(waiting)

    def _has_vanished(self) -> bool:
        self._connection.setblocking(False)
        try:
            return not self._connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        finally:
            self._connection.setblocking(True)

    def _linger(self) -> None:
        """Discard what still comes: a reset could lose the answer (RFC 9112, 9.6)."""
        deadline, most = time.monotonic() + _LINGER, _FEW if self._patience else inf
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)
            while (left := deadline - time.monotonic()) > 0 and most > 0:
                self._connection.settimeout(left)
                if not (piece := self._connection.recv(_PIECE)):
                    return
                most -= len(piece)


def answer_head(answer: Answer, *, ends: bool) -> bytes:
    """Return the status line and the headers of *answer*."""
    length = "Content-Length", str(len(answer.body))
    headers = (*answer.headers, length)
    return _head(answer.status, answer.content_type, headers, ends=ends)


def _head(
    status: int, content_type: str, headers: Iterable[tuple[str, str]], *, ends: bool
) -> bytes:
    fields = [
        ("Cache-Control", "no-cache, private"),
        ("Content-Type", content_type),
        ("Date", formatdate(usegmt=True)),
        *headers,
        *([("Connection", "close")] if ends else []),
    ]
    line = f"HTTP/1.1 {status} {_PHRASES.get(status, '')}\r\n"
    named = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return f"{line}{named}\r\n".encode("latin-1")


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)
