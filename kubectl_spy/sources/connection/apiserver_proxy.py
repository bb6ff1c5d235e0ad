"""Asks a Service or a kubelet through the API server's proxy."""

from __future__ import annotations

import time
from contextlib import closing
from http.client import HTTPException

from kubectl_spy.http.client import Answer, BadStatus, Request, Sender
from kubectl_spy.sources.connection.refusals import RequestContext

_LIMIT = 1 << 14  # bytes to read of an error


def ask(
    sender: Sender,
    request: Request,
    at: RequestContext,
    limit: int = 0,
) -> tuple[int, bytes] | None:
    """Return the status of what the API server passes on, and its body.

    Any status is an answer: another program sends it. Redirects are not followed,
    because our credentials would go along.
    https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/

    At most *limit* bytes of the body are read, unless it is an error, and what has come
    when the time is over. None is returned if no answer came in time. Raises SpyError
    if the API server cannot be reached.
    """
    end = time.monotonic() + request.silence
    try:
        answer = sender.send(request)
        with closing(answer):
            body = _beginning(answer, limit, end)
    except BadStatus as error:
        return error.status, error.body[:_LIMIT]
    except TimeoutError:
        return None
    except (HTTPException, OSError, ValueError) as error:
        from kubectl_spy.sources.connection.failures import explain

        raise explain(error, at) from None
    return answer.status, body


def _beginning(answer: Answer, limit: int, end: float) -> bytes:
    """Return the first bytes of a body, as they are sent: it may be a gzip bomb."""
    body = b""
    try:
        while len(body) < limit and time.monotonic() < end:
            more = answer.read1(limit - len(body))
            if not more:
                break
            body += more
    except TimeoutError:
        if not body:
            raise
    return body
