"""Requests that the API server passes on: who answers them is no API server.

Answers of any status and type are answers. Redirects are not followed: they may lead
anywhere, with our credentials.
"""

from __future__ import annotations

from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError, ReadTimeoutError

from kubectl_spy.sources.connection.circumstances import Circumstances
from kubectl_spy.sources.connection.failures import explain
from kubectl_spy.sources.connection.session import Session

_LIMIT = 1 << 14
"""Bytes of an error: what the API server itself says is much shorter."""


def ask(
    session: Session, path: str, timeout: tuple[float, float], at: Circumstances
) -> tuple[int, str] | None:
    """Return the status of what answers at *path*, and how it begins if it is an error.

    None is that nothing came in time. What is no error is not read.

    Raises:
        SpyError: the API server cannot be reached.
    """
    try:
        answer = session.client.request(
            "get",
            path,
            serialize=False,
            header_params={"Accept": "*/*"},
            query_params=[],
            _request_timeout=timeout,
        )
    except ApiException as error:
        body = (error.body or b"")[:_LIMIT]
        text = body if isinstance(body, str) else body.decode("utf-8", "replace")
        return error.status or 0, text
    except ReadTimeoutError:
        return None
    except (HTTPError, OSError, ValueError) as error:
        raise explain(error, at) from None
    answer.close()
    return answer.status, ""
