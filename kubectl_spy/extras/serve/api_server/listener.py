"""Accepts connections, with a thread for each, and few from clients without a token."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path

from kubectl_spy.extras.serve.api_server.connection import (
    Connection,
    Respond,
    answer_head,
)
from kubectl_spy.extras.serve.api_server.exchange import failure

LOOPBACK = "127.0.0.1"
PATIENCE = 10.0  # seconds for a request to begin, for its head, and for its body
MOST_STRANGERS = 64
"""Connections of clients that have not shown their token.

One more ends the oldest, so that a client that has the token is always heard.
"""


class Listener:
    """Accepts connections on a free port of *address*, and knows the open ones."""

    def __init__(
        self, respond: Respond, address: str = LOOPBACK, patience: float = PATIENCE
    ) -> None:
        self._respond = respond
        self._host = address
        self._patience = patience
        self._socket = _listen(address)
        self.port = int(self._socket.getsockname()[1])
        self._connections: set[socket.socket] = set()
        self._strangers: dict[socket.socket, None] = {}  # the oldest first
        self._changed = threading.Condition()
        self._stopping = False
        self._has_told = False
        self._thread = threading.Thread(
            target=self._accept, name="http listener", daemon=True
        )

    @property
    def url(self) -> str:
        """Where it listens."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.port}"

    def start(self) -> None:
        self._thread.start()

    def stop(self, patience: float) -> None:
        """Accept no more, close what is open, give its threads *patience* to end."""
        self._stopping = True
        with suppress(OSError):
            address = self._host, self.port
            socket.create_connection(address, timeout=patience).close()
        self._thread.join(patience)
        self._socket.close()
        with self._changed:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._changed.wait_for(lambda: not self._connections, patience)

    def _accept(self) -> None:
        """Accept until `stop` connects."""
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                if self._stopping:
                    return
                time.sleep(0.05)  # too many files are open, or that client has gone
                continue
            if self._stopping:
                connection.close()
                return
            self._add(connection)
            try:
                threading.Thread(
                    target=self._serve, args=(connection,), daemon=True
                ).start()
            except RuntimeError:  # the system allows no more threads
                self._remove(connection)

    def _serve(self, connection: socket.socket) -> None:
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            Connection(
                connection,
                self._respond,
                self._patience,
                on_known=lambda: self._welcome(connection),
                on_bug=self._tell,
            ).serve()
        finally:
            self._remove(connection)

    def _add(self, connection: socket.socket) -> None:
        with self._changed:
            self._connections.add(connection)
            self._strangers[connection] = None
            if len(self._strangers) <= MOST_STRANGERS:
                return
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            with suppress(OSError):
                # Nothing was sent there yet, so this does not wait.
                oldest.send(_turned_away())
                oldest.shutdown(socket.SHUT_RDWR)

    def _welcome(self, connection: socket.socket) -> None:
        with self._changed:
            self._strangers.pop(connection, None)

    def _remove(self, connection: socket.socket) -> None:
        with self._changed:
            connection.close()
            self._strangers.pop(connection, None)
            self._connections.discard(connection)
            self._changed.notify_all()

    def _tell(self, bug: Exception) -> None:
        """Tell of the first bug, in a line without anything that a client sent."""
        if self._has_told:
            return
        self._has_told = True
        frame = traceback.extract_tb(bug.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        what = f"{type(bug).__name__} at {place}"
        with suppress(OSError, ValueError):
            sys.stderr.write(
                f"error: this is a bug in kubectl-spy: {what}; please report it\n"
            )


def _listen(address: str) -> socket.socket:
    """Return a socket that listens. Raises OSError."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listening = socket.socket(family)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, True)
        listening.bind((address, 0))
        listening.listen(1024)
    except OSError:
        listening.close()
        raise
    return listening


def _turned_away() -> bytes:
    message = "too many clients have not shown a token; try again"
    answer = failure(503, "ServiceUnavailable", message).answer
    return answer_head(answer, ends=True) + answer.body
