"""Answering a list, in pages.

https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Mapping
from itertools import islice

from kubectl_spy.extras.serve.api_server.cluster import Cluster, Expired, place_of
from kubectl_spy.extras.serve.api_server.discovery import Target
from kubectl_spy.extras.serve.api_server.exchange import (
    Refused,
    as_list,
    failure,
    json_answer,
    status_object,
)
from kubectl_spy.extras.serve.api_server.list_options import list_options
from kubectl_spy.extras.serve.api_server.objects import Object
from kubectl_spy.extras.serve.api_server.selectors import matcher

_VERSION_TOO_OLD = "The resourceVersion for the provided list is too old."
_CONTINUE_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result."
)
_VERSION_WITH_TOKEN = "specifying resource version is not allowed when using continue"


def list_page(
    cluster: Cluster, target: Target, query: Mapping[str, str], *, in_pages: bool
) -> tuple[Object, list[Object]]:
    """Return the page of a list that *query* asks for, and its objects.

    If it is not *in_pages*, all that follows is one page, as the API allows:
    https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/common-parameters/#limit
    Raises Refused if a parameter is invalid.
    """
    options = list_options(query, watches=False)
    collection, namespace = target.collection, target.namespace
    matches, start, at = matcher(collection, query), "", None
    with cluster.changed:
        asked, revision = options.revision, cluster.revision
        if asked > cluster.newest:
            raise _too_large(asked, cluster.newest)
        if options.token:
            revision, start = _parse_token(options.token)
            if asked:
                raise failure(400, "BadRequest", _VERSION_WITH_TOKEN)
        elif options.exact:
            revision = asked
        if options.token or options.exact:
            try:
                at = cluster.position_after(revision)
            except Expired:
                gone = _CONTINUE_TOO_OLD if options.token else _VERSION_TOO_OLD
                raise failure(410, "Expired", gone) from None
        # From a cache, which "0" asks for, everything comes at once.
        limit = options.limit if in_pages and options.version != "0" else 0
        found = cluster.select(collection, namespace, matches, at, start)
        page = list(islice(found, limit) if limit > 0 else found)
        more = next(found, None) is not None
        last = _place(page[-1]) if page else start
        left = cluster.count(collection, namespace, at, last)
    document = as_list(target.resource, page, revision)
    if more:
        metadata = document["metadata"]
        metadata["continue"] = _token(revision, last)
        if not {"labelSelector", "fieldSelector"} & query.keys():
            metadata["remainingItemCount"] = left
    return document, page


def _place(item: Object) -> str:
    """Return the place right behind *item*."""
    metadata = item["metadata"]
    return place_of((metadata.get("namespace", ""), metadata["name"])) + "\0"


def _token(revision: int, start: str) -> str:
    """Return a continue token in the encoding of the real server."""
    content = {"v": "meta.k8s.io/v1", "rv": revision, "start": start}
    encoded = base64.urlsafe_b64encode(json.dumps(content).encode())
    return encoded.decode().rstrip("=")


def _parse_token(token: str) -> tuple[int, str]:
    try:
        content = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        return int(content["rv"]), str(content["start"])
    except (ArithmeticError, RecursionError, ValueError, KeyError, TypeError):
        message = (
            "invalid continue token: continue key is not valid:"
            " invalid character '\\u0081' looking for beginning of value"
        )
        raise failure(400, "BadRequest", message) from None


def _too_large(revision: int, current: int) -> Refused:
    cause = {
        "reason": "ResourceVersionTooLarge",
        "message": "Too large resource version",
    }
    message = f"Timeout: Too large resource version: {revision}, current: {current}"
    details = {"causes": [cause], "retryAfterSeconds": 1}
    status = status_object(504, "Timeout", message, details)
    answer = json_answer(status, 504)
    return Refused(dataclasses.replace(answer, headers=(("Retry-After", "1"),)))
