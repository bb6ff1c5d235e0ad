"""Asks a Service or a kubelet through the API server's proxy."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError, ReadTimeoutError

from kubectl_spy.sources.connection.refusals import RequestContext
from kubectl_spy.sources.connection.session import Session

_LIMIT = 1 << 14  # bytes to read of an error


def ask(
    session: Session,
    path: str,
    timeout: tuple[float, float],
    at: RequestContext,
    limit: int = 0,
) -> tuple[int, bytes] | None:
    """Return the status of what the API server passes on at *path*, and its body.

    Any status is an answer: another program sends it. Redirects are not followed,
    because our credentials would go along.
    https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/

    At most *limit* bytes of the body are read, unless it is an error, and what has come
    when the time is over. None is returned if no answer came in time. Raises SpyError
    if the API server cannot be reached.
    """
    end = time.monotonic() + timeout[1]
    try:
        answer = session.client.request(
            "get",
            path,
            serialize=False,
            header_params={"Accept": "*/*"},
            query_params=[],
            _request_timeout=timeout,
        )
        with closing(answer):
            body = _beginning(answer, limit, end)
    except ApiException as error:
        said = error.body or b""
        raw = said.encode() if isinstance(said, str) else said
        return error.status or 0, raw[:_LIMIT]
    except ReadTimeoutError:
        return None
    except (HTTPError, OSError, ValueError) as error:
        from kubectl_spy.sources.connection.failures import explain

        raise explain(error, at) from None
    return answer.status, body


def _beginning(answer: Any, limit: int, end: float) -> bytes:
    """Return the first bytes of a body, as they are sent: it may be a gzip bomb."""
    body = b""
    try:
        while len(body) < limit and time.monotonic() < end:
            more = answer.read1(limit - len(body), decode_content=False)
            if not more:
                break
            body += more
    except ReadTimeoutError:
        if not body:
            raise
    return body
