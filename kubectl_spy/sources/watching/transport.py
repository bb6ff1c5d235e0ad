"""Lists, watches and verifies one selection, and emits its events.

The official client's `watch` stops when a stream ends, loses the version to resume
from, and hangs on a connection that died silently.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from kubectl_spy.core.objects import JSON, EventType, WatchEvent
from kubectl_spy.errors import ConnectionFailed, Forbidden, RequestRefused, SpyError
from kubectl_spy.sources.watching.actions import (
    FIRST,
    List,
    OfPast,
    Outcome,
    Verify,
    Watch,
)
from kubectl_spy.sources.watching.answers import (
    PAGE,
    ReadTimeout,
    batches,
    chunks_of,
    lag_of,
    not_kubernetes,
    pages_of,
    parsed,
    text_of,
)
from kubectl_spy.sources.watching.arrivals import Arrival, Arrivals, Mask
from kubectl_spy.sources.watching.getter import Emit, Requests, cut
from kubectl_spy.sources.watching.watch_stream import (
    LineSplitter,
    Missing,
    RecentVersions,
    WatchStream,
    is_object,
    versions_of,
)

if TYPE_CHECKING:
    from kubectl_spy.sources.watching.replaying import Replayer

_VERIFY_WITHIN = 15.0  # seconds for a list of one object; else the connection is dead


class Transport:
    """Sends requests, and calls *emit* with masked events in order.

    *defer* may keep an arrival for later, and then returns True. *unpacking* is a lock
    that several transports share, so that only one of them parses a page at a time.
    """

    def __init__(
        self,
        requests: Requests,
        *,
        emit: Emit,
        mask: Mask,
        defer: Callable[[Arrival], bool] = lambda arrival: False,
        unpacking: AbstractContextManager[object] | None = None,
    ) -> None:
        self._requests = requests
        self._selection = requests.selection
        self._clock = requests.clock
        self._emit = emit
        self._mask = mask
        self._defer = defer
        self._unpacking = unpacking or nullcontext()
        self._watched: Any = None
        self._recent = RecentVersions()
        self._missing: Missing | None = None
        self._lag: float | None = None
        self._replayer: Replayer | None = None
        self._hand_over = emit  # what to do with what is listed
        self.contact = 0.0
        """When an answer or an event last came, in seconds since the epoch."""

    def relist(self, action: List) -> Outcome:
        """List page by page: emit LISTING, LISTED for each item, then SYNCED."""
        self._recent.clear()
        self._missing = None
        self._hand_over = self._emit
        if action.back_to is not None:
            self._replayer = self._new_replayer(action.back_to)
            self._hand_over = self._replayer.see
        began, started = self._clock.now(), self._clock.monotonic()
        error: SpyError | None = None
        version = ""
        try:
            version = self._list(action)
            if action.back_to is not None and self._replayer is not None:
                self._replayer.listed()
        except SpyError as failure:
            error = failure
        return Outcome(
            resource_version=version,
            behind=self._behind,
            contact=began,
            took=self._clock.monotonic() - started,
            error=error,
        )

    def recall(self, action: OfPast) -> Outcome:
        """Carry out a Replay, Bisect or Recall."""
        assert self._replayer is not None
        return self._replayer.carry_out(action)

    def _new_replayer(self, since: float) -> Replayer:
        # Most runs want no past, and their first line does not wait for the import.
        from kubectl_spy.sources.watching.replaying import Replayer

        return Replayer(
            self._requests, since, recent=self._recent, emit=self._emit, mask=self._mask
        )

    def watch(self, action: Watch) -> Outcome:
        """Watch until the stream ends."""
        query = {
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(int(action.seconds)),
        }
        if action.resource_version:
            query["resourceVersion"] = action.resource_version
        started = self._clock.monotonic()
        answered: float | None = None
        stream = WatchStream(
            self._selection, action.resource_version, self._recent, self._missing
        )
        arrivals = Arrivals(stream, self._mask, self.hang_up)
        error: SpyError | None = None
        try:
            response = self._requests.get(query, watch=True)
            answered = self._clock.monotonic()
            self.contact = self._clock.now()
            with closing(response):
                self._watched = response
                self._read(response, arrivals)
        except ReadTimeout:
            pass
        except SpyError as failure:
            error = failure
        self._watched = None
        error = arrivals.refusal or error
        ended = self._clock.monotonic()
        return Outcome(
            resource_version=stream.resource_version,
            behind=self._behind,
            brought=stream.brought,
            contact=stream.contact,
            took=ended - started,
            unanswered=(ended if answered is None else answered) - started,
            quiet=ended - stream.heard,
            error=error,
        )

    def hang_up(self) -> None:
        """Cut the current watch, from another thread."""
        if self._replayer is not None:
            self._replayer.hang_up()
        cut(self._watched)

    def verify(self, action: Verify) -> Outcome:
        """List one object, no older than that version."""
        started = self._clock.monotonic()
        error: SpyError | None = None
        since = {"resourceVersion": action.resource_version}
        query = {**since, "limit": "1", "resourceVersionMatch": "NotOlderThan"}
        try:
            try:
                self._request(query, within=_VERIFY_WITHIN).close()
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
                    self.contact = now
                    self._hand_on(arrivals, arrivals.add(lines, now, moment))
                if arrivals.refusal is not None:
                    break
        except ConnectionFailed:
            arrivals.settle()
            if arrivals.refusal is None:
                # The last unreadable line may be half a line. The next watch tells.
                arrivals.unreadable = []
                raise
        finally:
            arrivals.settle()  # now the version to resume from is known
            if arrivals.unreadable:
                self._emit(arrivals.unreadable)

    def _hand_on(self, arrivals: Arrivals, arrival: Arrival) -> None:
        """Emit the parsed events of *arrival*, unless it is deferred."""
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
            if self._selection.name is None or action.version:
                raise
            # A role may grant get and watch of one object without list. If it grants
            # neither, the error is about the list.
            try:
                self._get(action)
            except Forbidden:
                raise refusal from None
            # A GET returns no resourceVersion of the collection to watch from. The
            # object's own may be months old.
            return ""

    def _list_pages(self, action: List) -> str:
        limit = PAGE if self._selection.name is None else 0
        ask = partial(pages_of, self._request, limit, self._unpacking)
        past: dict[str, str] = {}
        current: dict[str, str] = {}
        version = ""
        for page in ask(action.version):
            now = self._clock.now()
            if page.begins:
                self._hand_over([self._mark(EventType.LISTING, now, action)])
            past |= versions_of(page.items) if action.version else {}
            self._emit_items(page.items, now)
            version = page.version
        for page in ask() if action.version else ():
            current = versions_of(page.items) | ({} if page.begins else current)
        missing = Missing(past, current)
        if missing:
            self._missing = missing
        else:
            now = self._clock.now()
            self._hand_over([self._mark(EventType.SYNCED, now, version=version)])
        return version

    @property
    def _behind(self) -> bool:
        return bool(self._missing)

    def _get(self, action: List) -> None:
        obj = self._get_if_there({})
        now = self._clock.now()
        self._hand_over([self._mark(EventType.LISTING, now, action)])
        self._emit_items([] if obj is None else [obj], now)
        self._hand_over([self._mark(EventType.SYNCED, now)])

    def _get_if_there(self, query: dict[str, str]) -> dict[str, JSON] | None:
        try:
            response = self._request(query, single=True)
        except RequestRefused as refusal:
            # A type that is not served is a 404, too, but without this reason.
            if refusal.status == 404 and refusal.reason == "NotFound":
                return None
            raise
        with closing(response):
            obj = parsed(text_of(response))
        if not is_object(obj):
            raise not_kubernetes()
        return obj

    def _request(
        self,
        query: dict[str, str],
        *,
        single: bool = False,
        within: float = float("inf"),
    ) -> Any:
        response = self._requests.get(query, single=single, within=within)
        self.contact = self._clock.now()
        self._lag = lag_of(response, self.contact)
        return response

    def _emit_items(self, items: list[JSON], now: float) -> None:
        for events in batches(self._selection, items, now, self._lag, self._mask):
            self._hand_over(events)

    def _mark(
        self, kind: EventType, now: float, action: List = FIRST, version: str = ""
    ) -> WatchEvent:
        return WatchEvent(
            kind,
            self._selection,
            now,
            since=action.since,
            lost=action.lost,
            version=action.version or version,
        )
