"""One GET to an API server, for completion.

It does without the kubernetes package, which takes longer to import than the server
takes to answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from kubectl_spy.errors import ConnectionFailed, RequestRefused
from kubectl_spy.sources.connection.access import Access
from kubectl_spy.sources.connection.identity import (
    authorization,
    identify,
    impersonation_headers,
)
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
    import urllib3

    identity = identify(access, environ)
    pool: dict[str, Any] = {}
    if tls := secured(access, identity):
        pool["ssl_context"] = tls
        if name := access.cluster.get("tls-server-name"):
            pool["server_hostname"] = str(name)
    if access.insecure:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    headers = urllib3.HTTPHeaderDict({"Accept": accept, **authorization(identity)})
    for header, value in impersonation_headers(access.impersonation):
        headers.add(header, value)
    try:
        answer = urllib3.PoolManager(**pool).request(
            "GET",
            f"{access.server}{path}?{urlencode(query)}",
            headers=headers,
            timeout=seconds,
            retries=False,
            redirect=False,
            preload_content=False,
        )
        text = answer.read(_LIMIT, decode_content=False)
        answer.close()
    except (urllib3.exceptions.HTTPError, OSError, ValueError):
        raise ConnectionFailed(f"no answer from {access.server}") from None
    if answer.status != 200:
        raise RequestRefused(f"{path} was refused", status=answer.status)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ConnectionFailed(f"{path} is no JSON") from None
