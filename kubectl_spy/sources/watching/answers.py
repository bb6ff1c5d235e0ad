"""Reads the answers to requests: chunks of a watch, documents, pages of a list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from http.client import HTTPException
from typing import Any, NamedTuple

from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent
from kubectl_spy.core.times import http_date
from kubectl_spy.errors import ConnectionFailed, RequestRefused
from kubectl_spy.sources.watching.arrivals import Mask, masked, typed
from kubectl_spy.sources.watching.watch_stream import is_object
from kubectl_spy.terms import option

_READ = 1 << 18  # the most bytes to read at once
_LARGEST = 2 << 30  # bytes of a document; a list without pages may be huge
PAGE = 500  # objects to ask for in a page, as kubectl does
_EMPTY_PAGES = 200
"""Pages of one list that may be empty.

The API allows them, and an aggregated API may return fewer objects than were asked for.
https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/list-meta/
"""
_MOST_PAGES = 100_000  # pages of one list: ten million objects, at 100 a page
_LARGEST_LIST = 8 << 30  # Bytes of all pages of a list. No etcd holds more.


class ReadTimeout(Exception):
    """Nothing arrived within the read timeout."""


def chunks_of(response: Any) -> Iterator[bytes]:
    """Yield bytes as they arrive.

    A chunk of HTTP is not waited for until it is whole: its size has no limit, and a
    proxy may put several events into one. Raises ReadTimeout if nothing arrived in
    time; ConnectionFailed if the stream was cut.
    """
    try:
        while chunk := response.read1(_READ):
            yield chunk
    except TimeoutError:
        raise ReadTimeout from None
    except (HTTPException, OSError) as error:
        raise ConnectionFailed(
            f"the stream broke off ({type(error).__name__})"
        ) from None


def lag_of(response: Any, now: float) -> float | None:
    """Return by how many seconds the server's clock is behind ours at the most.

    The Date header says when the answer was made, to the second: RFC 9110, 6.6.1.
    """
    try:
        return now - http_date(response.headers.get("Date", ""))
    except ValueError:
        return None


def text_of(response: Any, *, largest: int = _LARGEST) -> bytearray:
    """Return all bytes of *response*.

    Raises ConnectionFailed if it breaks off, or is larger than *largest* bytes.
    """
    raw = bytearray()
    try:
        for chunk in chunks_of(response):
            raw += chunk
            if len(raw) > largest:
                raise ConnectionFailed(
                    f"the answer has more than {largest >> 20} MiB",
                    f"select less, for example with {option('-n')} or {option('-l')}",
                )
    except ReadTimeout:
        raise ConnectionFailed("the answer did not arrive in time") from None
    return raw


def parsed(raw: bytes | bytearray) -> dict[str, JSON]:
    """Return the JSON object in *raw*, or raise ConnectionFailed."""
    try:
        document = loads(raw)
    except UnreadableJSON:
        document = None
    if not isinstance(document, dict):
        raise not_kubernetes()
    return document


def page_of(text: bytearray) -> tuple[list[JSON], dict[str, JSON]]:
    """Return the items of a page and its metadata, or raise ConnectionFailed."""
    page = parsed(text)
    items, metadata = page.get("items"), page.get("metadata")
    if not isinstance(items, list | None) or not isinstance(metadata, dict):
        raise not_kubernetes()
    return items or [], metadata


def not_kubernetes() -> ConnectionFailed:
    """Return the error for an answer of the wrong shape."""
    return ConnectionFailed(
        "the answer is not what a Kubernetes API answers", "check the server URL"
    )


class PageCheck:
    """Notices a list that never ends.

    https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
    """

    def __init__(self) -> None:
        self._firsts: set[str] = set()
        self._empty = self._size = 0
        self._repeated = False

    def add(self, items: list[JSON], size: int) -> None:
        """Count a page of *size* bytes that holds *items*."""
        self._size += size
        if not items or not is_object(items[0]):
            self._empty += 1
        else:
            metadata = items[0]["metadata"]
            first = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
            self._repeated = first in self._firsts
            self._firsts.add(first)

    def check(self) -> None:
        """Raise ConnectionFailed if a page came twice, or there are too many."""
        endless = self._empty > _EMPTY_PAGES or len(self._firsts) >= _MOST_PAGES
        if self._repeated or endless or self._size > _LARGEST_LIST:
            raise ConnectionFailed(
                "the list does not end: each page names another one",
                "check the server URL and what is in front of it",
            )


class ListPage(NamedTuple):
    """A page of a list."""

    begins: bool  # whether it is the first one
    items: list[JSON]
    version: str  # the list's resourceVersion, or ""


def pages_of(
    request: Callable[[dict[str, str]], Any],
    limit: int,
    unpacking: AbstractContextManager[object],
    past: str = "",
) -> Iterator[ListPage]:
    """Yield the pages of a list as it is now, or was at the resourceVersion *past*.

    *request* is called with a query, and *unpacking* is held while a page is used.
    """
    exactly = {"resourceVersion": past, "resourceVersionMatch": "Exact"}
    query = {"limit": str(limit)} if limit else {}
    query |= exactly if past else {}
    begins, pages = True, PageCheck()
    while True:
        try:
            with closing(request(query)) as response:
                text = text_of(response)
        except RequestRefused as refusal:
            paged = query.keys() >= {"continue", "limit"}
            if refusal.status != 410 or not paged or past:
                raise
            # The snapshot behind the pages has expired. List again, in one page:
            # otherwise objects deleted meanwhile would seem to exist.
            query, begins, pages = {}, True, PageCheck()
            continue
        with unpacking:
            items, metadata = page_of(text)
            pages.add(items, len(text))
            del text
            version = str(metadata.get("resourceVersion", ""))
            if past not in ("", version):
                raise RequestRefused("past versions are not listed", status=400)
            yield ListPage(begins, items, version)
        if not (token := metadata.get("continue")):
            return
        pages.check()
        begins = False
        query["continue"] = str(token)
        for name in exactly:
            query.pop(name, None)  # the token has the version


# Turns the items of a list into events.

BATCH = 32  # Objects to emit at once. A page is then never in memory twice.


def batches(
    selection: Selection, items: list[JSON], now: float, lag: float | None, mask: Mask
) -> Iterator[list[WatchEvent]]:
    """Yield the masked events of *items*. Empty that list to free their memory."""
    events: list[WatchEvent] = []
    items.reverse()
    while items:
        item = items.pop()
        if not is_object(item):
            events.append(WatchEvent(EventType.UNREADABLE, selection, now))
            continue
        # Without a type the first patch would add one.
        whole = typed(item, selection)
        listed = WatchEvent(EventType.LISTED, selection, now, whole, lag=lag)
        events.append(masked(listed, mask))
        if len(events) == BATCH:
            yield events
            events = []
    if events:
        yield events
