"""Live watch events of any number of selections, in one queue.

One daemon thread a selection lists, watches and parses; whoever iterates gets the
events in order. The queue is bounded: when the reader falls behind, reading from the
socket stops, and the server's own flow control does the rest.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import random

from kubectl_spy.core.objects import Selection, WatchEvent
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.watching.reflector import (
    REAL,
    List,
    Outcome,
    Pace,
    Renew,
    State,
    Stop,
    Verify,
    Wait,
    Watch,
    step,
)
from kubectl_spy.sources.watching.transport import Getter, Mask, Transport

READ_TIMEOUT = 70.0
"""Seconds of silence after which a connection may be half-open.

Bookmarks come about every minute:
https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go
"""
_QUEUED = 256
"""Events that may wait; a Pod's takes some 40 KB."""
_BATCH = 64
"""Events handed on together at the most."""
_POLL = 0.1 if os.name == "nt" else None
"""Windows delivers no Ctrl-C to a thread that waits for a lock."""

Renewer = Callable[[], None]


class LiveWatch:
    """A source: iterate for batches of watch events, `close` to end it.

    *say* is called with status lines, from the threads. A selection that cannot be
    listed at the start ends the iteration with its SpyError.
    """

    def __init__(
        self,
        connection: Getter,
        selections: Sequence[Selection],
        *,
        renew: Renewer,
        mask: Mask,
        say: Callable[[str], None],
        read_timeout: float = READ_TIMEOUT,
        pace: Pace = REAL,
    ) -> None:
        self._connection = connection
        self._selections = selections
        self._renew = renew
        self._mask = mask
        self._say = say
        self._read_timeout = read_timeout
        self._pace = pace
        self._queue: queue.SimpleQueue[list[WatchEvent] | Exception] = (
            queue.SimpleQueue()
        )
        self._waiting = 0
        self._counting = threading.Lock()
        self._stopped = threading.Event()

    def __iter__(self) -> Iterator[list[WatchEvent]]:
        for selection in self._selections:
            threading.Thread(
                target=self._follow,
                args=(selection,),
                name=f"watch {selection.resource.group_resource}",
                daemon=True,
            ).start()
        while True:
            item = self._next()
            batch: list[WatchEvent] = []
            # Whatever else has arrived goes along: one write for all of it.
            while isinstance(item, list):
                batch += item
                if len(batch) >= _BATCH or self._queue.empty():
                    break
                item = self._next()
            if batch:
                with self._counting:
                    self._waiting -= len(batch)
                yield batch
            if isinstance(item, Exception):
                raise item

    def interrupt(self, reason: Exception) -> None:
        """End the iteration with *reason*, once what arrived before it is read."""
        self._queue.put(reason)

    def close(self) -> None:
        """Let the threads end; one that waits for the network ends with the process."""
        self._stopped.set()

    def _next(self) -> list[WatchEvent] | Exception:
        while True:
            try:
                return self._queue.get(timeout=_POLL)
            except queue.Empty:
                continue

    def _emit(self, events: list[WatchEvent]) -> None:
        while self._waiting > _QUEUED and not self._stopped.is_set():
            self._stopped.wait(0.005)
        with self._counting:
            self._waiting += len(events)
        self._queue.put(events)

    def _follow(self, selection: Selection) -> None:
        try:
            self._reflect(selection)
        except Exception as bug:  # or its thread would end, and nobody know
            self._queue.put(bug)

    def _reflect(self, selection: Selection) -> None:
        """Do what the reflector says, for ever."""
        transport = Transport(
            self._connection,
            selection,
            emit=self._emit,
            mask=self._mask,
            read_timeout=self._read_timeout,
        )
        state = State()
        while not self._stopped.is_set():
            if isinstance(state.action, Stop):
                self._queue.put(state.action.error)
                return
            recovery = _Recovery(
                lambda: self._tell(selection, "watching again"),
                after=self._pace.short_watch,
                awaited=state.troubled,
            )
            outcome = self._carry_out(transport, state, recovery)
            if recovery.told():
                state = replace(state, troubled=False)
            state = step(
                state, outcome, now=time.time(), random=random(), pace=self._pace
            )
            if state.say:
                self._tell(selection, state.say)

    def _tell(self, selection: Selection, what: str) -> None:
        if not self._stopped.is_set():
            self._say(f"{selection.resource.group_resource}: {what}")

    def _carry_out(
        self, transport: Transport, state: State, recovery: _Recovery
    ) -> Outcome:
        match state.action:
            case List() as action:
                return transport.relist(action)
            case Watch() as action:
                return transport.watch(action, recovery.begin)
            case Verify() as action:
                return transport.verify(action)
            case Renew():
                try:
                    self._renew()
                except SpyError as error:
                    return Outcome(error=error)
                return Outcome()
            case Wait(seconds):
                self._stopped.wait(seconds)
                return Outcome()
            case Stop(error):
                return Outcome(error=error)


class _Recovery:
    """Tells, once a watch has lasted a moment, that it works again.

    Without it that would come to light when the watch ends, minutes later: a quiet
    one brings nothing but a bookmark a minute, and some not even that.
    """

    def __init__(
        self, tell: Callable[[], None], *, after: float, awaited: bool
    ) -> None:
        self._tell = tell
        self._after = after
        self._timer: threading.Timer | None = None
        self._awaited = awaited
        self._told = False

    def begin(self) -> None:
        """The server has begun to answer."""
        if self._awaited:
            self._timer = threading.Timer(self._after, self._run)
            self._timer.daemon = True
            self._timer.start()

    def told(self) -> bool:
        """The watch is over: return whether it was told before that it works."""
        if self._timer is not None:
            self._timer.cancel()
        return self._told

    def _run(self) -> None:
        self._told = True
        self._tell()
