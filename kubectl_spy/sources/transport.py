"""Carry out what the reflector asks for: one list, one watch, one question.

Over `Connection.get`, which goes through the official client's dynamic resources. Not
over its `watch`: that one ends at the first end of a stream, forgets where it was, and
hangs for ever on a connection that died in silence.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, Protocol

import urllib3

from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent
from kubectl_spy.errors import ConnectionFailed, Forbidden, RequestRefused, SpyError
from kubectl_spy.sources.lines import LineSplitter
from kubectl_spy.sources.reflector import List, Outcome, Verify, Watch

PAGE = 500
"""Objects a list answer may hold, as kubectl asks for."""
_READ = 1 << 20
"""Bytes to read at most at a time."""
BATCH = 32
"""Objects handed on at a time, so that a page is never held whole a second time."""

Emit = Callable[[list[WatchEvent]], None]
Mask = Callable[[dict[str, JSON]], dict[str, JSON]]

_EVENT_TYPES = {
    "ADDED": EventType.ADDED,
    "MODIFIED": EventType.MODIFIED,
    "DELETED": EventType.DELETED,
}


class Getter(Protocol):
    """What a connection offers: an open answer to a GET of a selection."""

    def get(
        self,
        selection: Selection,
        *,
        watch: bool = False,
        single: bool = False,
        query: dict[str, str],
        read_timeout: float,
    ) -> Any:
        """Return an unread urllib3 response.

        Raises:
            SpyError: no connection, or an answer that is an error.
        """


class Transport:
    """One stream's requests. What arrives is masked and goes to *emit*, in order."""

    def __init__(
        self,
        connection: Getter,
        selection: Selection,
        *,
        emit: Emit,
        mask: Mask,
        read_timeout: float,
    ) -> None:
        self._connection = connection
        self._selection = selection
        self._emit = emit
        self._mask = mask
        self._read_timeout = read_timeout

    def relist(self, action: List) -> Outcome:
        """List page by page; LISTING, each item LISTED, then SYNCED are emitted."""
        try:
            try:
                return self._list_pages(action)
            except Forbidden:
                if self._selection.name is None:
                    raise
                # A role may grant get and watch of one object, and no list.
                return self._get(action)
        except SpyError as error:
            return Outcome(error=error)

    def watch(self, action: Watch, opened: Callable[[], None]) -> Outcome:
        """Watch until the stream ends in whatever way; *opened* is told it began."""
        query = {
            "resourceVersion": action.resource_version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(int(action.seconds)),
        }
        started = time.monotonic()
        stream = _Stream(self._selection, action.resource_version)
        error: SpyError | None = None
        silent = False
        try:
            response = self._connection.get(
                self._selection,
                watch=True,
                query=query,
                read_timeout=self._read_timeout,
            )
            with closing(response):
                opened()
                self._read(response, stream)
        except _Silence:
            silent = True
        except SpyError as failure:
            error = failure
        return Outcome(
            resource_version=stream.resource_version,
            brought=stream.brought,
            took=time.monotonic() - started,
            silent=silent,
            error=error,
        )

    def verify(self, action: Verify) -> Outcome:
        """Ask for a list that is no older than a resourceVersion, and leave it."""
        query = {
            "limit": "1",
            "resourceVersion": action.resource_version,
            "resourceVersionMatch": "NotOlderThan",
        }
        try:
            with closing(self._request(query)):
                return Outcome()
        except SpyError as error:
            return Outcome(error=error)

    def _read(self, response: Any, stream: _Stream) -> None:
        splitter = LineSplitter()
        for chunk in _chunks(response):
            lines = splitter.feed(chunk)
            if not lines:
                continue
            now = time.time()
            events: list[WatchEvent] = []
            try:
                for line in lines:
                    event = stream.event(line, now)
                    if event is not None:
                        events.append(self._masked(event))
            finally:
                if events:
                    self._emit(events)
                # Also before an ERROR: what came with it must not come twice.
                stream.commit()

    def _list_pages(self, action: List) -> Outcome:
        query = {} if self._selection.name is not None else {"limit": str(PAGE)}
        begun = False
        while True:
            try:
                page = self._page(query)
            except RequestRefused as refusal:
                if refusal.status != 410 or "continue" not in query:
                    raise
                # The snapshot that the pages were cut from is gone: all in one.
                query = {}
                continue
            now = time.time()
            if not begun:
                self._emit([self._mark(EventType.LISTING, now, action)])
                begun = True
            self._emit_items(page.get("items") or [], now)
            metadata = page["metadata"]
            if metadata.get("continue"):
                query["continue"] = metadata["continue"]
                continue
            self._emit([self._mark(EventType.SYNCED, now)])
            return Outcome(resource_version=str(metadata.get("resourceVersion", "")))

    def _get(self, action: List) -> Outcome:
        """List one object by GET.

        What it answers has no collection's resourceVersion: the object's own serves,
        and an object that is not there cannot be waited for this way.
        """
        with closing(self._request({}, single=True)) as response:
            obj = _document(response)
        if not _is_object(obj):
            raise _no_kubernetes()
        now = time.time()
        self._emit([self._mark(EventType.LISTING, now, action)])
        self._emit_items([obj], now)
        self._emit([self._mark(EventType.SYNCED, now)])
        return Outcome(resource_version=obj["metadata"].get("resourceVersion", ""))

    def _page(self, query: dict[str, str]) -> dict[str, JSON]:
        with closing(self._request(query)) as response:
            page = _document(response)
        items, metadata = page.get("items"), page.get("metadata")
        if not isinstance(items, list | None) or not isinstance(metadata, dict):
            raise _no_kubernetes()
        return page

    def _request(self, query: dict[str, str], *, single: bool = False) -> Any:
        return self._connection.get(
            self._selection,
            single=single,
            query=query,
            read_timeout=self._read_timeout,
        )

    def _emit_items(self, items: list[JSON], now: float) -> None:
        gvk = self._selection.resource.gvk
        events: list[WatchEvent] = []
        for item in items:
            if not _is_object(item):
                events.append(self._mark(EventType.UNREADABLE, now))
                continue
            # Items come without their type; the first patch would show it as added.
            typed = {"apiVersion": gvk.api_version, "kind": gvk.kind, **item}
            listed = WatchEvent(EventType.LISTED, self._selection, now, typed)
            events.append(self._masked(listed))
            if len(events) == BATCH:
                self._emit(events)
                events = []
        if events:
            self._emit(events)

    def _mark(
        self, event_type: EventType, now: float, action: List | None = None
    ) -> WatchEvent:
        return WatchEvent(
            event_type,
            self._selection,
            now,
            since=action.since if action else None,
            lost=action.lost if action else False,
        )

    def _masked(self, event: WatchEvent) -> WatchEvent:
        if event.object is None:
            return event
        masked = self._mask(event.object)
        return event if masked is event.object else event._replace(object=masked)


class _Silence(Exception):
    """Nothing arrived for the length of the read timeout."""


class _Stream:
    """What the lines of one watch mean, and how far it is safe to resume from."""

    def __init__(self, selection: Selection, resource_version: str) -> None:
        self._selection = selection
        self._last = resource_version
        self.resource_version = resource_version
        self.brought = 0

    def commit(self) -> None:
        """Everything up to here was handed on: a resumed watch need not bring it."""
        self.resource_version = self._last

    def event(self, line: bytes, now: float) -> WatchEvent | None:
        """Return the event in *line*; None for bookmarks and what is not known.

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
        if event_type is None or not _is_object(obj):
            self.brought += 1
            return WatchEvent(EventType.UNREADABLE, self._selection, now, since=now)
        self._last = _resource_version(obj) or self._last
        self.brought += 1
        return WatchEvent(event_type, self._selection, now, obj)


def _chunks(response: Any) -> Iterator[bytes]:
    """Yield what arrives, turning what urllib3 raises into our errors.

    Raises:
        ConnectionFailed: the stream was cut.
    """
    try:
        if response.chunked:
            yield from response.stream(None)
        else:  # a proxy of HTTP/1.0: as it comes, not when all is there
            while chunk := response.read1(_READ):
                yield chunk
    except urllib3.exceptions.ReadTimeoutError:
        raise _Silence from None
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise ConnectionFailed(
            f"the stream broke off ({type(error).__name__})"
        ) from None


def _document(response: Any) -> dict[str, JSON]:
    """Return the JSON object that *response* holds.

    Raises:
        ConnectionFailed: it broke off, or holds something else.
    """
    try:
        document = loads(b"".join(_chunks(response)))
    except _Silence:
        raise ConnectionFailed("the answer did not arrive in time") from None
    except UnreadableJSON:
        document = None
    if not isinstance(document, dict):
        raise _no_kubernetes()
    return document


def _no_kubernetes() -> ConnectionFailed:
    return ConnectionFailed(
        "the answer is not what a Kubernetes API answers", "check the server URL"
    )


def _is_object(value: JSON) -> bool:
    """Whether *value* has the metadata that everything downstream relies on."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return isinstance(metadata, dict) and all(
        isinstance(metadata.get(name, ""), str)
        for name in ("name", "namespace", "uid", "resourceVersion")
    )


def _resource_version(obj: JSON) -> str:
    if not isinstance(obj, dict) or not _is_object(obj):
        return ""
    return str(obj["metadata"].get("resourceVersion", ""))


def _refusal(status: JSON) -> RequestRefused:
    status = status if isinstance(status, dict) else {}
    code = status.get("code")
    return RequestRefused(
        str(status.get("message") or "the server ended the watch with an error")[:500],
        status=code if isinstance(code, int) else 500,
        reason=str(status.get("reason", "")),
    )
