"""What answers hold: a document, or a watch. No requests are made here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import urllib3

from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent
from kubectl_spy.errors import ConnectionFailed, RequestRefused
from kubectl_spy.sources.watching.seen import Seen

_EVENT_TYPES = {
    "ADDED": EventType.ADDED,
    "MODIFIED": EventType.MODIFIED,
    "DELETED": EventType.DELETED,
}

_READ = 1 << 18
"""Bytes to read at most at a time."""
LARGEST = 2 << 30
"""Bytes a document may have; a list that could not be cut into pages may be huge."""
_WORDS = 500
"""Characters to keep of what a server says."""


class Silence(Exception):
    """Nothing arrived for the length of the read timeout."""


class WatchStream:
    """What the lines of one watch mean, and how far it is safe to resume from."""

    def __init__(self, selection: Selection, resource_version: str, seen: Seen) -> None:
        self._selection = selection
        self._seen = seen
        self._last = resource_version
        self.resource_version = resource_version
        self.brought = 0
        self.contact = self.heard = 0.0
        """When something came that was brought, by either clock."""
        self._committed = 0

    def commit(self, now: float, moment: float) -> None:
        """Everything up to here was handed on: a resumed watch need not bring it.

        *now* and *moment* are the time by the wall's and the monotonic clock.
        """
        self.resource_version = self._last
        if self.brought > self._committed:
            self._committed = self.brought
            self.contact, self.heard = now, moment

    def event(self, line: bytes, now: float) -> WatchEvent | None:
        """Return the event in *line*; None if it is no news or not known.

        Raises:
            RequestRefused: the stream says that it cannot go on (ERROR).
        """
        try:
            item = loads(line) if line else None
        except UnreadableJSON:
            item = None
        kind = item.get("type") if isinstance(item, dict) else None
        obj = item.get("object") if isinstance(item, dict) else None
        if kind == "ERROR":
            raise _refusal(obj)
        if kind == "BOOKMARK":
            version = _resource_version(obj)
            if version:
                self._last = version
                self.brought += 1
            return None
        event_type = _EVENT_TYPES.get(kind) if isinstance(kind, str) else None
        if event_type is None and isinstance(kind, str):
            return None  # a type from the future
        if event_type is None or not isinstance(obj, dict) or not is_object(obj):
            self.brought += 1
            return WatchEvent(EventType.UNREADABLE, self._selection, now, since=now)
        if self._seen.again(event_type, obj):
            return None
        if self._last or event_type is not EventType.ADDED:
            # Without a place to begin at, what is there comes first, in any order. And
            # there is none to resume from behind a version that does not say its own.
            self._last = obj["metadata"].get("resourceVersion", "")
        self.brought += 1
        return WatchEvent(event_type, self._selection, now, obj)


def chunks_of(response: Any) -> Iterator[bytes]:
    """Yield what arrives, turning what urllib3 raises into our errors.

    As it comes, not when a chunk of HTTP is whole: nobody bounds the size of those,
    and events may wait in one that a proxy made of several.

    Raises:
        ConnectionFailed: the stream was cut.
    """
    try:
        while chunk := response.read1(_READ):
            yield chunk
    except urllib3.exceptions.ReadTimeoutError:
        raise Silence from None
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise ConnectionFailed(
            f"the stream broke off ({type(error).__name__})"
        ) from None


def document_of(response: Any) -> dict[str, JSON]:
    """Return the JSON object that *response* holds.

    Raises:
        ConnectionFailed: it broke off, or holds something else or too much.
    """
    return parsed(text_of(response))


def text_of(response: Any, *, largest: int = LARGEST) -> bytearray:
    """Return the bytes of all that *response* holds; parsed, it takes far more.

    Raises:
        ConnectionFailed: it broke off, or holds too much.
    """
    raw = bytearray()
    try:
        for chunk in chunks_of(response):
            raw += chunk
            if len(raw) > largest:
                raise ConnectionFailed(
                    f"the answer has more than {largest >> 20} MiB",
                    "select less, for example with -n or -l",
                )
    except Silence:
        raise ConnectionFailed("the answer did not arrive in time") from None
    return raw


def parsed(raw: bytes | bytearray) -> dict[str, JSON]:
    """Return the JSON object in *raw*.

    Raises:
        ConnectionFailed: it is something else.
    """
    try:
        document = loads(raw)
    except UnreadableJSON:
        document = None
    if not isinstance(document, dict):
        raise no_kubernetes()
    return document


def no_kubernetes() -> ConnectionFailed:
    """Return the error for a document of the wrong shape."""
    return ConnectionFailed(
        "the answer is not what a Kubernetes API answers", "check the server URL"
    )


def is_object(value: JSON) -> bool:
    """Whether *value* has the metadata that everything downstream relies on."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if not isinstance(metadata, dict):
        return False
    get = metadata.get
    return (
        isinstance(get("name", ""), str)
        and isinstance(get("namespace", ""), str)
        and isinstance(get("uid", ""), str)
        and isinstance(get("resourceVersion", ""), str)
    )


def _resource_version(obj: JSON) -> str:
    if not isinstance(obj, dict) or not is_object(obj):
        return ""
    return str(obj["metadata"].get("resourceVersion", ""))


def _refusal(status: JSON) -> RequestRefused:
    status = status if isinstance(status, dict) else {}
    code, message, reason = map(status.get, ("code", "message", "reason"))
    if not isinstance(message, str) or not message:
        message = "the server ended the watch with an error"
    return RequestRefused(
        message[:_WORDS],
        status=code if type(code) is int and 100 <= code <= 599 else 500,
        reason=reason[:_WORDS] if isinstance(reason, str) else "",
    )
