"""Sends the requests for the past of one selection, and hands it on with its list.

A replay comes in one go, and nothing marks its end. So it ends when nothing has come
for a moment. The watch that follows begins after its last event: nothing is lost.
"""

from __future__ import annotations

from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from math import inf
from typing import Any

from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.past.remembered import SILENT, Past, Remembered
from kubectl_spy.errors import ConnectionFailed, RequestRefused, SpyError
from kubectl_spy.sources.watching.actions import (
    Bisect,
    OfPast,
    Outcome,
    Recall,
    Replay,
)
from kubectl_spy.sources.watching.answers import PAGE, ReadTimeout, chunks_of, pages_of
from kubectl_spy.sources.watching.arrivals import Arrivals, Mask, typed
from kubectl_spy.sources.watching.getter import Emit, Requests, cut
from kubectl_spy.sources.watching.watch_stream import (
    LineSplitter,
    RecentVersions,
    WatchStream,
    is_object,
)

QUIET = 0.5  # seconds without an event after which a replay is over
_LEAST = 0.01  # seconds; a rest of less may not move a clock
_LAGS = 10.0  # the same while it lacks what was listed before it
_AT_MOST = 300  # seconds that a replay may take
_BY_NAME = 20  # objects to ask for by name, as they were before their first version
_UNREADABLE = "a version of it cannot be read"


class Replayer:
    """Replays the past since a time. *mask* and *emit* are Transport's."""

    def __init__(
        self,
        requests: Requests,
        since: float,
        *,
        recent: RecentVersions,
        emit: Emit,
        mask: Mask,
    ) -> None:
        self._requests = requests
        self._selection = requests.selection
        self._clock = requests.clock
        self._recent = recent
        self._emit = emit
        self._mask = mask
        self._watched: Any = None
        self._heard = 0.0
        self._version = ""  # after which the current replay begins
        self._over = False  # whether the replay was cut because nothing came any more
        self._unreadable = False
        self._remembered = Remembered(self._selection, since)

    def see(self, events: list[WatchEvent]) -> None:
        """Keep the objects of a list."""
        self._remembered.see(each for each in events if each.type is EventType.LISTED)
        if others := [each for each in events if each.type is EventType.UNREADABLE]:
            self._emit(others)

    def listed(self) -> None:
        """Emit what was listed: its past may be long in coming."""
        past = self._remembered.past(self._clock.now(), reason=SILENT)
        self._emit_past(replace(past, pending=True))

    def carry_out(self, action: OfPast) -> Outcome:
        """Carry out *action*. Return how it ended."""
        match action:
            case Replay():
                return self._replay(action)
            case Bisect():
                return self._bisect(action)
            case Recall():
                return self._recall(action)

    def _replay(self, action: Replay) -> Outcome:
        """Watch from an old version until nothing comes any more."""
        self._recent.clear()
        self._remembered.restart()
        self._over = self._unreadable = False
        self._version = action.version
        started = self._heard = self._clock.monotonic()
        stream = WatchStream(self._selection, action.version, self._recent)
        arrivals = Arrivals(stream, self._mask, self.hang_up)
        error: SpyError | None = ConnectionFailed("the past did not come to its end")
        try:
            self._watch(action.version, arrivals)
        except ReadTimeout:
            pass
        except SpyError as failure:
            error = failure
        finally:
            self._watched = None
        if self._over and not self._remembered.lags(action.version):
            error = None
        error = arrivals.refusal or error
        if self._unreadable and error is None:
            error = RequestRefused(_UNREADABLE, status=400)
        return Outcome(
            resource_version=stream.resource_version,
            brought=stream.brought,
            contact=stream.contact,
            took=self._clock.monotonic() - started,
            error=error,
        )

    def _bisect(self, action: Bisect) -> Outcome:
        """List one object as it was between two versions."""
        started = self._clock.monotonic()
        error: SpyError | None = None
        middle = (action.lost + action.kept) // 2
        try:
            self._requests.get({**_as_of(middle), "limit": "1"}).close()
        except SpyError as failure:
            error = failure
        return Outcome(took=self._clock.monotonic() - started, error=error)

    def _recall(self, action: Recall) -> Outcome:
        """Emit the past. First list objects as they were before their first write."""
        started = self._clock.monotonic()
        if action.reason:
            self._recent.clear()  # what was replayed was not handed on
        elif self._selection.resource.gvk.kind != "Event":  # each tells its own past
            with suppress(SpyError):  # too old, or not allowed
                self._look_before(action.version)
        self._requests.heard = inf  # nothing more is awaited, and this may take a while
        past = self._remembered.past(
            self._clock.now(), whole=action.version == "1", reason=action.reason
        )
        self._remembered = Remembered(self._selection, 0.0)
        self._emit_past(past)
        return Outcome(took=self._clock.monotonic() - started)

    def _emit_past(self, past: Past) -> None:
        now = self._clock.now()
        self._emit([WatchEvent(EventType.HORIZON, self._selection, now, past=past)])

    def hang_up(self) -> None:
        """Cut the current replay, from another thread."""
        cut(self._watched)

    def _watch(self, version: str, arrivals: Arrivals) -> None:
        query = {
            "allowWatchBookmarks": "true",
            "resourceVersion": version,
            "timeoutSeconds": str(_AT_MOST),
        }
        with closing(self._requests.get(query, watch=True)) as response:
            self._watched = response
            self._heard = self._clock.monotonic()
            cancel = self._clock.after(QUIET, self._look)
            try:
                self._read(response, arrivals)
            finally:
                self._watched = None
                cancel()

    def _read(self, response: Any, arrivals: Arrivals) -> None:
        splitter = LineSplitter()
        for chunk in chunks_of(response):
            if lines := splitter.feed(chunk):
                now, moment = self._clock.now(), self._clock.monotonic()
                arrival = arrivals.add(lines, now, moment)
                for event in arrival:
                    if event.object is not None:
                        self._remembered.observe(event)
                self._unreadable = self._unreadable or bool(arrivals.unreadable)
                self._heard = self._clock.monotonic()
            if arrivals.refusal is not None:
                break

    def _look(self) -> None:
        """End the replay after a quiet period, or check again later."""
        if self._watched is None:
            return
        quiet = self._clock.monotonic() - self._heard
        left = (_LAGS if self._remembered.lags(self._version) else QUIET) - quiet
        if left > 0:
            self._clock.after(max(min(left, QUIET), _LEAST), self._look)
            return
        self._over = True
        self.hang_up()

    def _look_before(self, version: str) -> None:
        """List objects as they were before the first replayed version.

        The server lists the past for some minutes only, so the latest come first.
        """
        lacking = list(self._remembered.lacking())
        if lacking and version.isdecimal():
            uids = {each["metadata"].get("uid") for each in lacking}
            try:
                self._take_before(self._selection, version, uids)
            except SpyError:
                pass
            else:
                return
        for obj in lacking[:_BY_NAME]:
            metadata = obj["metadata"]
            number = metadata.get("resourceVersion", "")
            if not number.isdecimal():
                return
            named = self._selection._replace(
                name=metadata.get("name", ""), namespace=metadata.get("namespace")
            )
            self._take_before(named, str(int(number) - 1), {metadata.get("uid")})

    def _take_before(self, selection: Selection, version: str, uids: set[str]) -> None:
        """List the objects with *uids* as they were at *version*. Raises SpyError."""
        limit = PAGE if selection.name is None else 0

        def request(query: dict[str, str]) -> Any:
            return self._requests.get(query, selection=selection)

        for page in pages_of(request, limit, nullcontext(), version):
            for item in page.items:
                if is_object(item) and item["metadata"].get("uid") in uids:
                    whole = typed(item, selection)
                    self._remembered.before(self._mask(whole, selection.resource))


def _as_of(version: int) -> dict[str, str]:
    return {"resourceVersion": str(version), "resourceVersionMatch": "Exact"}
