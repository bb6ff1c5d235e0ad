"""From the bytes of one watch to events, and the version to resume from. Pure.

A watch sends one JSON document a line.
https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
"""

from __future__ import annotations

from collections import OrderedDict

from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent
from kubectl_spy.errors import RequestRefused

LONGEST = 8 * 1024 * 1024
"""Bytes a line may have. etcd refuses objects above 1.5 MiB; other stores may not."""
_EVENT_TYPES = {
    "ADDED": EventType.ADDED,
    "MODIFIED": EventType.MODIFIED,
    "DELETED": EventType.DELETED,
}
_WORDS = 500  # characters to keep of a server's message
_REMEMBERED = 1000  # versions in which a repeated one is recognized


class LineSplitter:
    """Splits chunks into lines, and keeps the line that has not ended.

    A line longer than `LONGEST` is dropped, and an empty line stands for it.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._dropping = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that end in *chunk*, without their newlines."""
        *lines, rest = chunk.split(b"\n")
        if lines:
            if self._dropping:
                lines[0] = b""
            elif self._rest:
                self._rest += lines[0]
                lines[0] = bytes(self._rest)
            # clear() would keep the memory of a long line.
            self._rest, self._dropping = bytearray(), False
        if rest and not self._dropping:
            self._rest += rest
            if len(self._rest) > LONGEST:
                self._rest, self._dropping = bytearray(), True
        return [line if len(line) <= LONGEST else b"" for line in lines]


class RecentVersions:
    """The last versions of one selection.

    A server or proxy may send versions again when a watch is resumed. Patches between
    them would lead back and forth. resourceVersions are compared for equality alone:
    https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
    """

    def __init__(self) -> None:
        # popitem(last=False) is slow on a plain dict that lost its first items.
        self._versions: OrderedDict[tuple[str, str, bool], None] = OrderedDict()

    def clear(self) -> None:
        """Forget all. A cluster restored from a backup may use versions again."""
        self._versions.clear()

    def repeats(self, event_type: EventType, obj: dict[str, JSON]) -> bool:
        """Return whether this version came before, and remember it."""
        metadata = obj["metadata"]
        uid, version = metadata.get("uid"), metadata.get("resourceVersion")
        if not uid or not version:
            return False
        # DELETED may carry the version of the last MODIFIED.
        key = (uid, version, event_type is EventType.DELETED)
        if key in self._versions:
            return True
        self._versions[key] = None
        if len(self._versions) > _REMEMBERED:
            self._versions.popitem(last=False)
        return False


class Missing:
    """The objects that a watch from a past version must bring to be current.

    These are the objects that differ between a past list and a current one, each with
    the resourceVersion by its uid. What came and went in between is not among them.
    """

    def __init__(self, past: dict[str, str], current: dict[str, str]) -> None:
        self._changed = current.items() - past.items()
        self._gone = past.keys() - current.keys()
        self.reported = False  # whether it was said that all has come

    def __bool__(self) -> bool:
        return bool(self._changed or self._gone)

    def came(self, event_type: EventType, obj: dict[str, JSON]) -> None:
        """Remove the object of an event that arrived."""
        for uid, version in versions_of([obj]).items():
            self._changed.discard((uid, version))
            if event_type is EventType.DELETED:
                self._gone.discard(uid)


def versions_of(items: list[JSON]) -> dict[str, str]:
    """Return the resourceVersions of objects by their uids."""
    return {
        str(each["metadata"].get("uid")): _resource_version(each)
        for each in items
        if is_object(each)
    }


class WatchStream:
    """Turns the lines of one watch into events, and keeps where to resume it."""

    def __init__(
        self,
        selection: Selection,
        resource_version: str,
        recent: RecentVersions,
        missing: Missing | None = None,
    ) -> None:
        self._missing = missing
        self._selection = selection
        self._recent = recent
        self._last = resource_version
        self.resource_version = resource_version
        """The version to resume from: all events up to it were handed on."""
        self.brought = 0  # the number of events and bookmarks
        self.contact = self.heard = 0.0
        """When the last of these came, by the wall clock and the monotonic clock."""
        self._committed = 0

    def commit(self, now: float, moment: float) -> None:
        """Note that all events so far were handed on.

        *now* is by the wall clock, *moment* by the monotonic clock.
        """
        self.resource_version = self._last
        if self.brought > self._committed:
            self._committed = self.brought
            self.contact, self.heard = now, moment

    def event(self, line: bytes, now: float) -> WatchEvent | None:
        """Return the event in *line*, or None for a repeat or a new type.

        Raises RequestRefused if the line is an ERROR, which ends the watch.
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
            if not version:
                return None
            self._last = version
            self.brought += 1
            return WatchEvent(EventType.BOOKMARK, self._selection, now, version=version)
        event_type = _EVENT_TYPES.get(kind) if isinstance(kind, str) else None
        if event_type is None and isinstance(kind, str):
            return None
        if event_type is None or not isinstance(obj, dict) or not is_object(obj):
            self.brought += 1
            return WatchEvent(EventType.UNREADABLE, self._selection, now, since=now)
        if self._missing is not None:
            self._missing.came(event_type, obj)
        if self._recent.repeats(event_type, obj):
            return None
        if self._last or event_type is not EventType.ADDED:
            # A watch from no version first sends all objects as ADDED, in any order.
            # Their versions are no place to resume from.
            self._last = obj["metadata"].get("resourceVersion", "")
        self.brought += 1
        return WatchEvent(event_type, self._selection, now, obj)

    def caught_up(self, now: float) -> WatchEvent | None:
        """Return SYNCED, once, when all that changed since a past version has come."""
        missing = self._missing
        if missing is None or missing or missing.reported:
            return None
        missing.reported = True
        return WatchEvent(EventType.SYNCED, self._selection, now, version=self._last)


def is_object(value: JSON) -> bool:
    """Return whether *value* has metadata of the types that all code relies on."""
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
