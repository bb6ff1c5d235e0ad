"""What a client takes and gives, whichever way it sends: requests and answers."""

from __future__ import annotations

from email.message import Message
from typing import NamedTuple, Protocol


class Request(NamedTuple):
    """A GET of a percent-encoded *path*, for a document of the type *accept*."""

    path: str
    accept: str
    query: tuple[tuple[str, str], ...]
    connect_within: float  # seconds
    silence: float  # the most seconds without a byte of the answer
    last: bool = False  # whether the connection ends with the answer


class Answer(Protocol):
    """An answer whose head has arrived."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Message[str, str]: ...

    def read1(self, amount: int, /) -> bytes:
        """Return at most *amount* bytes as they came, and wait only if there are none.

        It is b"" at the end. Raises TimeoutError after too long a silence; OSError or
        HTTPException if the answer breaks off.
        """

    def shutdown(self) -> None:
        """Cut the connection, from another thread. Raises OSError or ValueError."""

    def close(self) -> None:
        """Read no more."""


class Client(Protocol):
    """Sends requests to one API server as one user, from any thread."""

    @property
    def proxy(self) -> str:
        """The URL of the proxy in use, or ""."""

    def get(self, request: Request) -> Answer:
        """Return the answer to *request*.

        Raises BadStatus if its status is no 2xx; OSError, HTTPException or ValueError
        if none came.
        """


class BadStatus(Exception):
    """An answer with a status that is no 2xx, and the beginning of its body."""

    def __init__(self, status: int, headers: Message[str, str], body: bytes) -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers
        self.body = body


class ConnectTimedOut(OSError):
    """No connection in time."""


class ProxyFailed(OSError):
    """The proxy does not let us through."""


def beginning(answer: Answer, limit: int) -> bytes:
    """Return at most *limit* bytes of *answer*, and close it if there are more."""
    body = bytearray()
    while len(body) < limit and (more := answer.read1(limit - len(body))):
        body += more
    if len(body) == limit:
        answer.close()
    return bytes(body)
