"""Lists and watches one selection until it is stopped, whatever fails meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

from kubectl_spy.core.objects import Selection
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.watching.actions import (
    FIRST,
    REAL,
    Action,
    Bisect,
    List,
    OfPast,
    Outcome,
    Pace,
    Recall,
    Renew,
    Replay,
    State,
    Status,
    Stop,
    Verify,
    Wait,
    Watch,
)
from kubectl_spy.sources.watching.arrivals import Arrival, Mask
from kubectl_spy.sources.watching.beginning import Beginning
from kubectl_spy.sources.watching.clock import Clock
from kubectl_spy.sources.watching.getter import Emit, Getter, Requests
from kubectl_spy.sources.watching.next_step import step
from kubectl_spy.sources.watching.transport import Transport


class Report(NamedTuple):
    """How the watch of one selection goes."""

    selection: Selection
    trouble: str  # why nothing is watched now; "" if it is
    contact: float  # when the server last answered, in seconds since the epoch, or 0
    failure: str  # why the last request failed, if it did


class Reflector:
    """Carries out the actions of `step` for one selection.

    *emit*, *mask*, *defer* and *unpacking* are those of `Transport`. *renew* reads the
    credentials again. *tell* gets how it goes, from any thread. *random* returns
    numbers in [0, 1). *first* is how to list at first. *listing* is held during a list.
    With *once* it ends when it would watch.
    """

    def __init__(
        self,
        connection: Getter,
        selection: Selection,
        *,
        emit: Emit,
        mask: Mask,
        renew: Callable[[], None],
        tell: Callable[[Status], None],
        clock: Clock,
        random: Callable[[], float],
        read_timeout: float,
        first: List = FIRST,
        pace: Pace = REAL,
        defer: Callable[[Arrival], bool] = lambda arrival: False,
        unpacking: AbstractContextManager[object] | None = None,
        listing: AbstractContextManager[object] | None = None,
        once: bool = False,
        beginning: Beginning | None = None,
    ) -> None:
        self._beginning = beginning or Beginning(())
        self._listing = listing or nullcontext()
        self._once = once
        self._requests = Requests(
            connection,
            selection,
            clock,
            read_timeout=read_timeout,
            asked=lambda: self._progress.asked(),
            answered=lambda: self._progress.answered(),
        )
        self._transport = Transport(
            self._requests, emit=emit, mask=mask, defer=defer, unpacking=unpacking
        )
        self._selection = selection
        self._renew = renew
        self._tell = tell
        self._clock = clock
        self._random = random
        self._pace = pace
        self._first = first
        self._stopped = False
        self._synced = False
        self._said = Status("not listed yet")
        self._nudged = threading.Event()
        self._progress = _Progress(self._say, clock, pace, State(action=Wait(0)))

    def run(self) -> SpyError | None:
        """Watch until stopped. Return the error that ended it, or None."""
        state = State(action=self._first)
        while not self._stopped:
            if isinstance(state.action, Stop):
                return state.action.error
            self._progress = _Progress(self._say, self._clock, self._pace, state)
            outcome = self._carry_out(state.action)
            if isinstance(state.action, List) and state.action.back_to is not None:
                outcome = self._with_beginning(outcome)
            state = step(
                state._replace(troubled=self._progress.end()),
                outcome,
                random=self._random(),
                pace=self._pace,
            )
            self._synced = state.synced
            if isinstance(state.action, OfPast):
                self._beginning.note(self._selection, state.action)
            if state.say:
                self._say(state.say)
            if self._once and state.synced and isinstance(state.action, Watch):
                break
        return None

    def _with_beginning(self, outcome: Outcome) -> Outcome:
        if outcome.error is not None:
            self._beginning.note(self._selection, None)
            return outcome
        return outcome._replace(begin=self._beginning.version(self._selection))

    def report(self) -> Report:
        """Return how it goes. Any thread may call this."""
        watches = self._synced and not self._progress.troubled
        trouble = "" if watches else str(self._said)
        failed = trouble and self._said.retry is not None
        failure = self._said.text if failed else ""
        return Report(self._selection, trouble, self._transport.contact, failure)

    @property
    def heard(self) -> float:
        """When bytes last came. Any thread may ask."""
        return self._requests.heard

    def nudge(self) -> None:
        """Cut the connection and end the wait: the machine has slept."""
        self._nudged.set()
        self._transport.hang_up()

    def stop(self) -> None:
        """Let `run` return when its current request ends."""
        self._stopped = True
        self._nudged.set()

    def _carry_out(self, action: Action) -> Outcome:
        started = self._clock.monotonic()
        match action:
            case List():
                with self._listing:
                    return self._transport.relist(action)
            case Bisect() | Recall():
                with self._listing:
                    return self._transport.recall(action)
            case Replay():
                return self._transport.recall(action)
            case Watch():
                return self._transport.watch(action)
            case Verify():
                return self._transport.verify(action)
            case Renew():
                error = None
                try:
                    self._renew()
                except SpyError as failure:
                    error = failure
                return Outcome(took=self._clock.monotonic() - started, error=error)
            case Wait(seconds):
                self._clock.wait(self._nudged, seconds)
                if not self._stopped:
                    self._nudged.clear()
                return Outcome(took=self._clock.monotonic() - started)
            case Stop(error):
                return Outcome(error=error)

    def _say(self, status: Status) -> None:
        if not self._stopped:
            self._said = status
            self._tell(status)


class _Progress:
    """Says during one action that no answer comes, or that a watch works again.

    The end of a failure is reported once the watch has lasted a moment. A quiet watch
    may bring nothing for minutes.
    """

    def __init__(
        self, tell: Callable[[Status], None], clock: Clock, pace: Pace, state: State
    ) -> None:
        self._tell = tell
        self._clock = clock
        self._pace = pace
        self._watches = isinstance(state.action, Watch)
        self.troubled = state.troubled  # whether the last line was about a failure
        self._lock = threading.Lock()
        self._over = False
        self._cancel: Callable[[], None] = lambda: None
        self._overdue = "no answer for"
        if isinstance(state.action, Renew):
            self._overdue = "no new credentials for"
            self.asked()

    def asked(self) -> None:
        """Note that a request was sent."""
        self._cancel()
        if not self.troubled:
            self._cancel = self._clock.after(self._pace.overdue_after, self._late)

    def answered(self) -> None:
        """Note that the answer began."""
        self._cancel()
        with self._lock:
            unreported = self._watches and self.troubled
        if unreported:
            self._cancel = self._clock.after(self._pace.short_watch, self._recovered)

    def end(self) -> bool:
        """End the action. Return whether a reported failure goes on."""
        self._cancel()
        with self._lock:
            self._over = True
            return self.troubled

    def _late(self) -> None:
        seconds = f"{self._pace.overdue_after:g} s"
        self._say(Status(f"{self._overdue} {seconds}; still waiting"))

    def _recovered(self) -> None:
        self._say(Status("watching again", works=True))

    def _say(self, status: Status) -> None:
        with self._lock:
            if self._over:
                return
            self.troubled = not status.works
        self._tell(status)
