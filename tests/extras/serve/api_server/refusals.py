"""Errors that a test has the API server answer with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.exchange import (
    Answer,
    Request,
    json_answer,
    status_object,
)

_REASONS = {
    400: ("BadRequest", "the server rejected our request for an unknown reason"),
    401: ("Unauthorized", "Unauthorized"),
    403: ("Forbidden", "forbidden"),
    404: ("NotFound", "the server could not find the requested resource"),
    410: ("Expired", "The resourceVersion for the provided list is too old."),
    429: ("TooManyRequests", "Too many requests, please try again later."),
    500: ("InternalError", "Internal error occurred"),
    503: ("ServiceUnavailable", "the server is currently unable to handle the request"),
    504: ("Timeout", "Timeout"),
}


@dataclass(slots=True)
class Refusal:
    """An answer for requests whose path, with query, begins with *prefix*."""

    prefix: str
    answer: Answer
    watches: bool | None
    """Whether for watches only, or for all but watches; None for both."""
    times: int | None
    """How often it is still given; None for always."""

    def take(self, request: Request) -> bool:
        """Tell whether *request* is to be refused, and count it."""
        if (
            not request.path.startswith(self.prefix)
            or self.watches not in (None, request.watches)
            or self.times == 0
        ):
            return False
        if self.times is not None:
            self.times -= 1
        return True


def refusing_answer(
    status: int, body: JSON = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """Return an error. *body* is JSON, or a text, or by default the usual Status."""
    given = dict(headers or {})
    if body is None:
        reason, message = _REASONS.get(status, ("", "unknown"))
        details = {"retryAfterSeconds": 1} if status == 429 else None
        if details:
            given = {"Retry-After": "1", **given}
        body = status_object(status, reason, message, details)
    named = tuple(given.items())
    if isinstance(body, str):
        return Answer(status, body.encode(), "text/plain; charset=utf-8", named)
    answer = json_answer(body, status)
    return Answer(status, answer.body, answer.content_type, named)
