"""Carry out what the reflector asks for: one list, one watch, one question.

Over `Connection.get`, which goes through the official client's dynamic resources. Not
over its `watch`: that one ends at the first end of a stream, forgets where it was, and
hangs for ever on a connection that died in silence.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from typing import Any, Protocol

from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent
from kubectl_spy.errors import ConnectionFailed, Forbidden, RequestRefused, SpyError
from kubectl_spy.sources.watching.actions import List, Outcome, Verify, Watch
from kubectl_spy.sources.watching.arrivals import Arrival, Arrivals, Mask, masked
from kubectl_spy.sources.watching.clock import Clock
from kubectl_spy.sources.watching.lines import LineSplitter
from kubectl_spy.sources.watching.pages import PAGE, Pages, page_of
from kubectl_spy.sources.watching.seen import Seen
from kubectl_spy.sources.watching.watch_stream import (
    Silence,
    WatchStream,
    chunks_of,
    document_of,
    is_object,
    no_kubernetes,
    text_of,
)

BATCH = 32
"""Objects handed on at a time, so that a page is never held whole a second time."""

VERIFY_WITHIN = 15.0
"""Seconds for an answer that is a page of one: after a silence, more of it says all."""

Emit = Callable[[list[WatchEvent]], None]


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
    """One stream's requests. What arrives is masked and goes to *emit*, in order.

    *asked* is called before each request, *answered* when its answer begins. *defer*
    may take what a watch brought, to iterate over it later, and then returns True. A
    page of a list is parsed and handed on within *unpacking*, which several share.
    """

    def __init__(
        self,
        connection: Getter,
        selection: Selection,
        *,
        emit: Emit,
        mask: Mask,
        clock: Clock,
        read_timeout: float,
        asked: Callable[[], None],
        answered: Callable[[], None],
        defer: Callable[[Arrival], bool] = lambda arrival: False,
        unpacking: AbstractContextManager[object] | None = None,
    ) -> None:
        self._connection = connection
        self._selection = selection
        self._emit = emit
        self._mask = mask
        self._clock = clock
        self._read_timeout = read_timeout
        self._asked = asked
        self._answered = answered
        self._defer = defer
        self._unpacking = unpacking or nullcontext()
        self._watched: Any = None
        self._seen = Seen()

    def relist(self, action: List) -> Outcome:
        """List page by page; LISTING, each item LISTED, then SYNCED are emitted."""
        self._seen.forget()
        began, started = self._clock.now(), self._clock.monotonic()
        error: SpyError | None = None
        version = ""
        try:
            version = self._list(action)
        except SpyError as failure:
            error = failure
        return Outcome(
            resource_version=version,
            contact=began,
            took=self._clock.monotonic() - started,
            error=error,
        )

    def watch(self, action: Watch) -> Outcome:
        """Watch until the stream ends in whatever way."""
        query = {
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(int(action.seconds)),
        }
        if action.resource_version:
            query["resourceVersion"] = action.resource_version
        started = self._clock.monotonic()
        answered: float | None = None
        stream = WatchStream(self._selection, action.resource_version, self._seen)
        arrivals = Arrivals(stream, self._mask, self.hang_up)
        error: SpyError | None = None
        try:
            self._asked()
            response = self._connection.get(
                self._selection,
                watch=True,
                query=query,
                read_timeout=self._read_timeout,
            )
            answered = self._clock.monotonic()
            with closing(response):
                self._answered()
                self._watched = response
                self._read(response, arrivals)
        except Silence:
            pass
        except SpyError as failure:
            error = failure
        self._watched = None
        error = arrivals.refusal or error
        ended = self._clock.monotonic()
        return Outcome(
            resource_version=stream.resource_version,
            brought=stream.brought,
            contact=stream.contact,
            took=ended - started,
            unanswered=(ended if answered is None else answered) - started,
            quiet=ended - stream.heard,
            error=error,
        )

    def hang_up(self) -> None:
        """End the watch under way, from another thread, as if it had been cut."""
        watched = self._watched
        if watched is not None:
            # It may end by itself at this very moment, in any of these ways.
            with suppress(ValueError, RuntimeError, OSError):
                watched.shutdown()

    def verify(self, action: Verify) -> Outcome:
        """Ask for a list that is no older than a resourceVersion, and leave it."""
        started = self._clock.monotonic()
        error: SpyError | None = None
        since = {"resourceVersion": action.resource_version}
        query = {**since, "limit": "1", "resourceVersionMatch": "NotOlderThan"}
        try:
            try:
                self._request(query, within=VERIFY_WITHIN).close()
            except Forbidden:
                if self._selection.name is None:
                    raise
                self._get_if_there(since)
        except SpyError as failure:
            error = failure
        return Outcome(took=self._clock.monotonic() - started, error=error)

    def _read(self, response: Any, arrivals: Arrivals) -> None:
        splitter = LineSplitter()
        try:
            for chunk in chunks_of(response):
                if lines := splitter.feed(chunk):
                    now, moment = self._clock.now(), self._clock.monotonic()
                    self._hand_on(arrivals, arrivals.add(lines, now, moment))
                if arrivals.refusal is not None:
                    break
        except ConnectionFailed:
            arrivals.settle()
            if arrivals.refusal is None:
                # What could not be read last was the break itself, perhaps, and not a
                # version: asking again tells.
                arrivals.unreadable = []
                raise
        finally:
            # From here on it is known where to resume.
            arrivals.settle()
            if arrivals.unreadable:
                self._emit(arrivals.unreadable)

    def _hand_on(self, arrivals: Arrivals, arrival: Arrival) -> None:
        """Hand on what arrived: parsed, unless there is somebody to do that later."""
        if self._defer(arrival):
            return
        arrivals.settle()
        if events := list(arrival):
            self._emit(events)

    def _list(self, action: List) -> str:
        """Return the resourceVersion to watch from, "" if there is none."""
        try:
            return self._list_pages(action)
        except Forbidden as refusal:
            if self._selection.name is None:
                raise
            # A role may grant get and watch of one object, and no list. If it grants
            # neither, the list is what to ask for.
            try:
                self._get(action)
            except Forbidden:
                raise refusal from None
            # What a GET answers has no collection's resourceVersion to watch from,
            # and the object's own may be too old by months.
            return ""

    def _list_pages(self, action: List) -> str:
        query = {} if self._selection.name is not None else {"limit": str(PAGE)}
        begun, pages = False, Pages()
        while True:
            try:
                with closing(self._request(query)) as response:
                    text = text_of(response)
            except RequestRefused as refusal:
                if refusal.status != 410 or not query.keys() >= {"continue", "limit"}:
                    raise
                # The snapshot that the pages were cut from is gone: all in one, from
                # the start, or what was deleted meanwhile would seem to be there.
                query, begun, pages = {}, False, Pages()
                continue
            with self._unpacking:
                items, metadata = page_of(text)
                pages.add(items, len(text))
                del text
                now = self._clock.now()
                if not begun:
                    self._emit([self._mark(EventType.LISTING, now, action)])
                    begun = True
                self._emit_items(items, now)
            if token := metadata.get("continue"):
                pages.check()
                query["continue"] = str(token)
                continue
            self._emit([self._mark(EventType.SYNCED, now)])
            return str(metadata.get("resourceVersion", ""))

    def _get(self, action: List) -> None:
        obj = self._get_if_there({})
        now = self._clock.now()
        self._emit([self._mark(EventType.LISTING, now, action)])
        self._emit_items([] if obj is None else [obj], now)
        self._emit([self._mark(EventType.SYNCED, now)])

    def _get_if_there(self, query: dict[str, str]) -> dict[str, JSON] | None:
        """Return the one object, or None if the server knows that it is not there."""
        try:
            response = self._request(query, single=True)
        except RequestRefused as refusal:
            # A type that is not served is not found, either, but without a reason.
            if refusal.status == 404 and refusal.reason == "NotFound":
                return None
            raise
        with closing(response):
            obj = document_of(response)
        if not is_object(obj):
            raise no_kubernetes()
        return obj

    def _request(
        self,
        query: dict[str, str],
        *,
        single: bool = False,
        within: float = float("inf"),
    ) -> Any:
        self._asked()
        response = self._connection.get(
            self._selection,
            single=single,
            query=query,
            read_timeout=min(self._read_timeout, within),
        )
        self._answered()
        return response

    def _emit_items(self, items: list[JSON], now: float) -> None:
        """Hand *items* on, which is empty then: what has been seen need not stay."""
        gvk = self._selection.resource.gvk
        events: list[WatchEvent] = []
        items.reverse()
        while items:
            item = items.pop()
            if not is_object(item):
                events.append(self._mark(EventType.UNREADABLE, now))
                continue
            # Items come without their type; the first patch would show it as added.
            typed = {"apiVersion": gvk.api_version, "kind": gvk.kind, **item}
            listed = WatchEvent(EventType.LISTED, self._selection, now, typed)
            events.append(masked(listed, self._mask))
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
