"""One GET to an API server, for completion.

It does without the kubernetes package, which takes longer to import than the server
takes to answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPException
from typing import Any

from kubectl_spy.errors import ConnectionFailed, RequestRefused
from kubectl_spy.sources.connection.access import Access
from kubectl_spy.sources.connection.direct_client import DirectClient
from kubectl_spy.sources.connection.identity import identify
from kubectl_spy.sources.connection.messages import BadStatus, Request, beginning
from kubectl_spy.sources.connection.session import secured

_LIMIT = 16 << 20


def get_once(
    access: Access,
    environ: Mapping[str, str],
    path: str,
    *,
    query: Mapping[str, str],
    accept: str,
    seconds: float,
) -> Any:
    """Return the JSON document at *path*. Proxies are not used.

    Raises SpyError if there are no credentials, or no JSON document came in time.
    """
    identity = identify(access, environ)
    client = DirectClient(access, identity, secured(access, identity))
    request = Request(path, accept, tuple(query.items()), seconds, seconds, last=True)
    try:
        with closing(client.get(request)) as answer:
            return json.loads(beginning(answer, _LIMIT))
    except BadStatus as error:
        raise RequestRefused(f"{path} was refused", status=error.status) from None
    except (HTTPException, OSError):
        raise ConnectionFailed(f"no answer from {access.server}") from None
    except (ValueError, RecursionError):
        raise ConnectionFailed(f"{path} is no JSON") from None
