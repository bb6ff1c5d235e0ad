"""Watches any number of selections, each in a thread, and queues their events.

The queue is bounded. When its reader falls behind, the threads stop reading from their
sockets, and TCP flow control makes the server wait.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from random import Random
from types import MappingProxyType
from typing import Any

from kubectl_spy.core.objects import EventType, Position, Selection, WatchEvent
from kubectl_spy.core.wording import in_brief
from kubectl_spy.errors import Forbidden, RequestRefused, SpyError, Unauthenticated
from kubectl_spy.sources.watching.actions import FIRST, REAL, List, Pace, Status
from kubectl_spy.sources.watching.arrivals import Arrival, Mask
from kubectl_spy.sources.watching.beginning import Beginning
from kubectl_spy.sources.watching.clock import (
    UNSEEN,
    Clock,
    SystemClock,
    notice_suspensions,
)
from kubectl_spy.sources.watching.getter import Getter
from kubectl_spy.sources.watching.reflector import Reflector, Report

# Status lines of many watches: those that say the same are one line.

_MOMENT = 0.5
"""Seconds for which lines are gathered. One failure cuts all watches at once."""


class StatusLines:
    """Gathers lines for a moment, and says each text once, for all its types.

    A watch that is *alone* does not wait for others.
    """

    def __init__(
        self, say: Callable[[str], None], clock: Clock, *, alone: bool
    ) -> None:
        self._say = say
        self._clock = clock
        self._alone = alone
        self._lock = threading.Lock()
        self._ended = False
        self._gathered: dict[str, tuple[Status, list[str]]] = {}

    def say(self, resource: str, status: Status) -> None:
        """Take how the watch of a type goes, from any thread.

        Each tries again after a time of its own: the first one is said.
        """
        if self._alone:
            self._say(f"{resource}: {status}")
            return
        with self._lock:
            if self._ended:
                return
            if not self._gathered:
                self._clock.after(_MOMENT, self.flush)
            self._gathered.setdefault(status.text, (status, []))[1].append(resource)

    def flush(self) -> None:
        """Say what was gathered."""
        with self._lock:
            gathered, self._gathered = self._gathered, {}
        for status, resources in gathered.values():
            self._say(f"{in_brief(list(dict.fromkeys(resources)))}: {status}")

    def end(self) -> None:
        """Say nothing more: an error does."""
        with self._lock:
            self._ended, self._gathered = True, {}


READ_TIMEOUT = 70.0
"""Seconds of silence after which a connection may be half-open.

Bookmarks come about every minute:
https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go
"""
TRY_AGAIN = 30.0  # seconds until an optional type is listed again after a failure
_LISTS = 8  # lists at a time, as a server answers only so many requests of one user
_QUEUED = 256  # events that may wait; a Pod takes 5 KB, and 40 KB once it is parsed
_BATCH = 64  # Events after which a batch ends

Batch = list[WatchEvent] | Arrival


class LiveWatch:
    """Yields batches of watch events until `close`.

    *say* gets status lines, from any thread. Selections with the same text share one.
    LOST and BACK say the same of each selection.
    If the first list of a selection fails, the iteration raises its SpyError. For an
    *optional* one it yields REFUSED, or tries again in 30 s if it may work. After
    *tick* seconds without events it yields an empty batch. Selections
    with one of *positions* go on from there, if the server still knows it. With
    *back_to* each selection begins with a HORIZON, what is remembered since then, and
    before it one that is pending, with the list alone.
    With *once* nothing is watched after the lists. *refusable* selections yield REFUSED
    as well, while a server that does not answer is an error.
    """

    def __init__(
        self,
        connection: Getter,
        selections: Sequence[Selection],
        *,
        renew: Callable[[], None],
        mask: Mask,
        say: Callable[[str], None],
        optional: Sequence[Selection] = (),
        read_timeout: float = READ_TIMEOUT,
        pace: Pace = REAL,
        tick: float | None = None,
        positions: Mapping[Selection, Position] = MappingProxyType({}),
        back_to: float | None = None,
        once: bool = False,
        refusable: bool = False,
    ) -> None:
        self._selections = (*selections, *optional)
        self._needed = len(selections)
        self._once = once
        self._refusable = refusable
        self._tick = tick
        self._clock = SystemClock()
        self._lines = StatusLines(say, self._clock, alone=len(self._selections) == 1)
        self._queue: queue.SimpleQueue[Batch | Exception] = queue.SimpleQueue()
        self._interrupted: Exception | None = None
        self._waiting = 0
        self._refused: list[Selection] = []
        self.turned = self._clock.monotonic()
        """When the iteration last asked for events, by the monotonic clock."""
        self._counting = threading.Lock()
        self._stopped = threading.Event()
        # Parsing the pages of ten types at once would take ten times the memory.
        unpacking = threading.Lock()
        listing = threading.BoundedSemaphore(_LISTS)
        if refusable:
            pace = pace._replace(tries_list=False)
        beginning = Beginning(self._selections)
        self._reflectors = [
            Reflector(
                connection,
                selection,
                emit=self._emit,
                mask=mask,
                renew=renew,
                tell=partial(self._tell, selection),
                clock=self._clock,
                random=Random().random,
                read_timeout=read_timeout,
                first=_first(
                    positions.get(selection),
                    # To a selector, what no longer matches was deleted.
                    None if selection.narrowed else back_to,
                ),
                pace=pace,
                defer=self._defer,
                unpacking=unpacking,
                listing=listing,
                once=once,
                beginning=beginning,
            )
            for selection in self._selections
        ]

    def __iter__(self) -> Iterator[Iterable[WatchEvent]]:
        for number, reflector in enumerate(self._reflectors):
            resource = self._selections[number].resource
            _start(f"watch {resource.group_resource}", self._follow, number, reflector)
        _start(
            "suspension", notice_suspensions, self._clock, self._stopped, self._woken
        )
        while True:
            item = self._next(self._tick)
            if not item:
                yield []
                continue
            # All that has arrived is one batch, and so one write.
            batches: list[Batch] = []
            length = 0
            while not isinstance(item, Exception):
                batches.append(item)
                length += len(item)
                if length >= _BATCH or self._queue.empty():
                    break
                item = self._next()
            if batches:
                yield chain.from_iterable(batches)
                with self._counting:
                    self._waiting -= length
            if isinstance(item, Exception):
                raise item

    def interrupt(self, reason: Exception) -> None:
        """Raise *reason* from the iteration, after the events that came before."""
        self._interrupted = reason
        self._queue.put(reason)

    def check(self) -> None:
        """Raise the reason of `interrupt`, if one came. Long work calls this."""
        if self._interrupted is not None:
            raise self._interrupted

    def wake(self) -> None:
        """Yield an empty batch soon. Any thread may call this."""
        self._queue.put([])

    def reports(self) -> list[Report]:
        """Return how each watch goes, but for those that the server refused."""
        reports = [reflector.report() for reflector in self._reflectors]
        return [each for each in reports if each.selection not in self._refused]

    def heard(self, selections: Collection[Selection]) -> float:
        """Return when bytes last came for one of *selections*, by `time.monotonic`."""
        reflectors = zip(self._selections, self._reflectors, strict=True)
        times = [it.heard for selection, it in reflectors if selection in selections]
        return max(times, default=0.0)

    def failures(self) -> dict[Selection, str]:
        """Return why the last requests failed, of the selections where they did."""
        reports = (reflector.report() for reflector in self._reflectors)
        return {each.selection: each.failure for each in reports if each.failure}

    def close(self) -> None:
        """Let the threads end. One that waits for the network ends with the process."""
        self._stopped.set()
        for reflector in self._reflectors:
            reflector.stop()
        self._lines.flush()

    def _next(self, tick: float | None = None) -> Batch | Exception:
        """Return the next item of the queue, or [] after *tick* seconds."""
        end = None if tick is None else self._clock.monotonic() + tick
        while True:
            self.turned = self._clock.monotonic()
            try:
                return self._queue.get(timeout=UNSEEN)
            except queue.Empty:
                if end is not None and self._clock.monotonic() >= end:
                    return []

    def _emit(self, events: Batch) -> None:
        while self._waiting > _QUEUED and not self._stopped.is_set():
            self._stopped.wait(0.005)
        with self._counting:
            self._waiting += len(events)
        self._queue.put(events)

    def _defer(self, arrival: Arrival) -> bool:
        """Queue *arrival* unparsed if the main thread is behind."""
        if not self._waiting:
            return False
        self._emit(arrival)
        return True

    def _follow(self, number: int, reflector: Reflector) -> None:
        try:
            error: Exception | None = reflector.run()
            while isinstance(error, SpyError):
                refused = isinstance(error, RequestRefused)
                if number < self._needed and not (self._refusable and refused):
                    break
                if isinstance(error, Unauthenticated) and self._refusable:
                    break
                if isinstance(error, RequestRefused):
                    self._refuse(self._selections[number], error)
                    if self._once or error.status < 500:
                        return
                else:
                    broken = Status(error.message, retry=TRY_AGAIN)
                    self._tell(self._selections[number], broken)
                self._clock.wait(self._stopped, TRY_AGAIN)
                error = None if self._stopped.is_set() else reflector.run()
        except Exception as bug:  # otherwise the thread would end unnoticed
            error = bug
        if error is not None:
            self._lines.end()
            self._queue.put(error)

    def _tell(self, selection: Selection, status: Status) -> None:
        """Say how a watch goes, and yield it as an event. Any thread may call this."""
        kind = EventType.BACK if status.works else EventType.LOST
        event = WatchEvent(kind, selection, self._clock.now(), reason=str(status))
        with self._counting:
            self._waiting += 1
        self._queue.put([event])
        self._lines.say(selection.resource.group_resource, status)

    def _refuse(self, selection: Selection, error: RequestRefused) -> None:
        now = self._clock.now()
        resource = selection.resource.group_resource
        where = f" in namespace {selection.namespace}" if selection.namespace else ""
        forbidden = isinstance(error, Forbidden)
        if forbidden:
            reason = f"may not list {resource}{where}"
        else:
            reason = f"cannot list {resource}{where}: {error.message}"
        if selection in self._refused:
            return
        self._refused.append(selection)
        event = WatchEvent(EventType.REFUSED, selection, now)
        self._emit([event._replace(reason=reason, forbidden=forbidden)])

    def _woken(self) -> None:
        for reflector in self._reflectors:
            reflector.nudge()


def _first(at: Position | None, back_to: float | None) -> List:
    if at is not None:
        return List(since=at.time, version=at.version)
    return FIRST if back_to is None else List(back_to=back_to)


def _start(name: str, target: Callable[..., None], *args: Any) -> None:
    threading.Thread(target=target, args=args, name=name, daemon=True).start()
