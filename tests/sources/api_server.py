"""A scripted API server on loopback: it answers what it was told and remembers."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests import answering

STREAMS = Path(__file__).parents[1] / "streams"
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

    def answer(asked: answering.Asked) -> answering.Answer:
        url = urlsplit(asked.path)
        headers = tuple(asked.headers.items())
        api.requests.append(Request(url.path, parse_qs(url.query), headers))
        found = api.answers.get(url.path, recorded("unknown-path"))
        given = Message()
        for name, value in (("Content-Type", found.content_type), *found.headers):
            given[name] = value
        body = found.body.encode() if isinstance(found.body, str) else found.body
        return answering.Answer(found.status, given, body, found.delay)

    with answering.answering(answer, tls=tls) as api.url:
        yield api
