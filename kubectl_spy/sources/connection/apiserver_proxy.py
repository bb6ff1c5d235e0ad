"""Requests through the API server's proxy to a Service.

Any status and type is an answer, because the application sends it. Redirects are not
followed, because our credentials would go along.
https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/
"""

from __future__ import annotations

from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError, ReadTimeoutError

from kubectl_spy.sources.connection.failures import explain
from kubectl_spy.sources.connection.refusals import RequestContext
from kubectl_spy.sources.connection.session import Session

_LIMIT = 1 << 14
"""Bytes to read of an error."""


def ask(
    session: Session, path: str, timeout: tuple[float, float], at: RequestContext
) -> tuple[int, str] | None:
    """Return the status of the answer at *path*, and the body if it is an error.

    None is returned if no answer came in time.

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
