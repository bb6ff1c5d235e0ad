"""The demo's API, with what real clusters do besides: pages, and broken watches."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from typing import Any

from kubectl_spy.core.objects import JSON
from kubectl_spy.demo.api import Api, Stream, Target
from kubectl_spy.demo.cluster import Expired
from kubectl_spy.demo.exchange import (
    Refused,
    Request,
    as_list,
    failure,
    parse_number,
    parse_revision,
    status_object,
)
from kubectl_spy.demo.selectors import matcher
from kubectl_spy.demo.watching import Event, Watch, event_line
from tests.api_server.cluster import Cluster
from tests.api_server.refusals import refusing_answer

_CONTINUE_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result."
)
_MATCH_WITH_TOKEN = (
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue"
    " is provided"
)


class FullApi(Api):
    """Lists come in pages; watches end as a test says."""

    cluster: Cluster

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._last = b""
        self._torn = False

    @property
    def open_watches(self) -> int:
        """How many streams are open; `cluster.changed` is notified of changes."""
        return len(self._open)

    def end_watches(self, event: Event | None = None, torn: bytes = b"") -> None:
        """End all streams: cleanly, after *event* if given, or within *torn*."""
        with self.cluster.changed:
            self._last = event_line(event) if event else torn
            self._torn = bool(torn)
            self.drop_watches(timeout=1.0)

    def lines(self, watch: Watch, is_over: Callable[[], bool]) -> Stream:
        """Yield the lines of *watch*, and its end."""
        yield from super().lines(watch, is_over)
        if is_over():
            if self._last:
                yield [self._last]
            if self._torn:
                raise ConnectionAbortedError  # no last chunk comes

    def list(self, target: Target, request: Request) -> JSON:
        """Return a page of the list that *request* asks for."""
        query = request.query
        limit = parse_number("limit", query.get("limit", ""))
        token = query.get("continue")
        collection, namespace = target.collection, target.namespace
        matches, start = matcher(collection, query), ""
        with self.cluster.changed:
            asked = parse_revision(query.get("resourceVersion", ""))
            if asked > self.cluster.newest:
                raise _too_large(asked, self.cluster.newest)
            exact = query.get("resourceVersionMatch") == "Exact"
            if token and exact:
                raise failure(400, "BadRequest", _MATCH_WITH_TOKEN)
            revision = asked if exact else self.cluster.revision
            if token or exact:
                if token:
                    revision, start = _parse_token(token)
                try:
                    at = self.cluster.position_after(revision)
                except Expired:
                    raise failure(410, "Expired", _CONTINUE_TOO_OLD) from None
                items = self.cluster.select_past(collection, namespace, matches, at)
            else:
                items = self.cluster.select(collection, namespace, matches)
        items = [item for item in items if _key(item) > start]
        page = items[:limit] if limit else items
        document = as_list(target.resource, page, revision)
        if len(items) > len(page):
            metadata = document["metadata"]
            metadata["continue"] = _token(revision, _key(page[-1]))
            if not {"labelSelector", "fieldSelector"} & query.keys():
                metadata["remainingItemCount"] = len(items) - len(page)
        return document


def _key(item: dict[str, Any]) -> str:
    metadata = item["metadata"]
    return f"{metadata.get('namespace', '')}/{metadata['name']}\0"


def _token(revision: int, start: str) -> str:
    """Return a continue token in the encoding of the real server."""
    content = {"v": "meta.k8s.io/v1", "rv": revision, "start": start}
    encoded = base64.urlsafe_b64encode(json.dumps(content).encode())
    return encoded.decode().rstrip("=")


def _parse_token(token: str) -> tuple[int, str]:
    try:
        content = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        return int(content["rv"]), str(content["start"])
    except (binascii.Error, ValueError, KeyError, TypeError):
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
    return Refused(refusing_answer(504, status, {"Retry-After": "1"}))
