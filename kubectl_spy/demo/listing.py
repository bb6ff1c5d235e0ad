"""Answering GET of a collection: lists, in pages if asked for.

The parameters are those of
https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass

from kubectl_spy.core.objects import JSON, Resource
from kubectl_spy.demo.cluster import Cluster, Expired, FutureRevision
from kubectl_spy.demo.exchange import (
    Refused,
    failure,
    future,
    json_answer,
    status_object,
)
from kubectl_spy.demo.recordings import Collection, Object
from kubectl_spy.demo.selectors import matcher

_LIST_TOO_OLD = "The resourceVersion for the provided list is too old."
_CONTINUE_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result."
    " You can start a new list without the continue parameter, or use the continue"
    " token in this response to retrieve the remainder of the results. Continuing with"
    " the provided token results in an inconsistent list - objects that were created,"
    " modified, or deleted between the time the first chunk was returned and now may"
    " show up in the list."
)
_LATEST = -1
"""In a continue token: go on with the current state."""


@dataclass(frozen=True, slots=True)
class _Page:
    """Where a list begins: at which revision, after which key."""

    revision: int = _LATEST
    start: str = ""

    def token(self) -> str:
        """Return it as a continue token: the encoding of the real server."""
        content = {"v": "meta.k8s.io/v1", "rv": self.revision, "start": self.start}
        encoded = base64.urlsafe_b64encode(json.dumps(content).encode())
        return encoded.decode().rstrip("=")


def list_objects(
    cluster: Cluster,
    resource: Resource,
    namespace: str | None,
    query: Mapping[str, str],
    *,
    custom: bool,
) -> JSON:
    """Return the list that *query* asks for.

    A *custom* resource's list differs: its items keep apiVersion and kind, and its
    metadata has `continue` even when there is no more.

    Raises:
        Refused: a parameter is invalid, or asks for a state too old or too new.
    """
    collection = Collection(resource.gvk.api_version, resource.plural)
    labels, fields = query.get("labelSelector", ""), query.get("fieldSelector", "")
    matches = matcher(collection, labels, fields)
    limit = parse_number("limit", query.get("limit", ""))
    with cluster.changed:
        if query.get("continue"):
            page = _parse_token(query["continue"])
            position = _position_of_page(cluster, page)
        else:
            page = _Page(_exact_revision(cluster, query, limit))
            position = _position(cluster, page.revision)
        revision = cluster.revision if page.revision == _LATEST else page.revision
        items = cluster.select(collection, namespace, matches, position)
    items = [item for item in items if _key(item) > page.start]
    metadata: dict[str, JSON] = {"resourceVersion": str(revision)}
    if custom:
        metadata["continue"] = ""
    if limit and len(items) > limit:
        metadata["continue"] = _Page(revision, _key(items[limit - 1])).token()
        if not labels and not fields:
            metadata["remainingItemCount"] = len(items) - limit
        items = items[:limit]
    return {
        "kind": f"{resource.gvk.kind}List",
        "apiVersion": resource.gvk.api_version,
        "metadata": metadata,
        "items": items if custom else [_bare(item) for item in items],
    }


def parse_revision(value: str) -> int:
    """Return a resourceVersion parameter as a number; 0 if there is none.

    Raises:
        Refused: it is no number.
    """
    if value and not (value.isascii() and value.isdecimal()):
        message = (
            f'resourceVersion: Invalid value: "{value}": strconv.ParseUint:'
            f' parsing "{value}": invalid syntax'
        )
        raise failure(400, "BadRequest", message)
    return int(value or 0)


def parse_number(name: str, value: str) -> int:
    """Return a numeric parameter; 0 if there is none.

    Raises:
        Refused: it is no number.
    """
    try:
        return int(value) if value else 0
    except ValueError:
        message = f'{name}: strconv.ParseInt: parsing "{value}": invalid syntax'
        raise failure(400, "BadRequest", message) from None


def _bare(item: Object) -> Object:
    """Return *item* as in a list, which names the type for all of its items."""
    return {
        name: value
        for name, value in item.items()
        if name not in ("kind", "apiVersion")
    }


def _key(item: Object) -> str:
    metadata = item["metadata"]
    return f"{metadata.get('namespace', '')}/{metadata['name']}\0"


def _exact_revision(cluster: Cluster, query: Mapping[str, str], limit: int) -> int:
    """Return the past revision that is asked for, or _LATEST.

    With a limit and no resourceVersionMatch the resourceVersion is an exact one.
    """
    revision = parse_revision(query.get("resourceVersion", ""))
    match = query.get("resourceVersionMatch", "")
    if not revision:
        return _LATEST
    try:
        cluster.position_after(revision)
    except FutureRevision as error:
        raise future(error.revision, error.current) from None
    except Expired:
        pass  # NotOlderThan is content with any newer state
    return revision if match == "Exact" or (limit and not match) else _LATEST


def _position(cluster: Cluster, revision: int) -> int | None:
    if revision == _LATEST:
        return None
    try:
        return cluster.position_after(revision)
    except Expired:
        raise failure(410, "Expired", _LIST_TOO_OLD) from None


def _position_of_page(cluster: Cluster, page: _Page) -> int | None:
    try:
        return _position(cluster, page.revision)
    except FutureRevision as error:
        raise future(error.revision, error.current) from None
    except Refused:
        status = status_object(410, "Expired", _CONTINUE_TOO_OLD)
        status["metadata"] = {"continue": _Page(_LATEST, page.start).token()}
        raise Refused(json_answer(status, 410)) from None


def _parse_token(token: str) -> _Page:
    try:
        content = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        return _Page(int(content["rv"]), str(content["start"]))
    except (binascii.Error, ValueError, KeyError, TypeError):
        message = (
            "invalid continue token: continue key is not valid:"
            " invalid character '\\u0081' looking for beginning of value"
        )
        raise failure(400, "BadRequest", message) from None
