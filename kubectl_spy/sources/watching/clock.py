"""Time as the watching needs it, and what suspending the machine does to it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

_LOOK_EVERY = 5.0
_SLEPT = 10.0
"""Seconds by which the wall clock must have outrun the monotonic one."""
UNSEEN = 0.1
"""Seconds for which a Ctrl-C may go unseen: the longest wait of the main thread.

Windows delivers none to a thread that waits for a lock. Elsewhere one that arrives in
the few instructions between Python's last look and the wait goes unseen for as long as
the wait lasts: 8 of 300,000 that were sent at once when something was printed.
https://docs.python.org/3/library/signal.html#execution-of-python-signal-handlers
"""


class Clock(Protocol):
    """What tells the time and lets it pass."""

    def now(self) -> float:
        """Return seconds since the epoch; may be set forward and back."""

    def monotonic(self) -> float:
        """Return seconds since some moment; never runs backwards."""

    def wait(self, event: threading.Event, seconds: float) -> None:
        """Return when *event* is set, and after *seconds* at the latest."""

    def after(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        """Call *call* in *seconds*, from a thread; return what prevents it."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Return seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds since some moment."""
        return time.monotonic()

    def wait(self, event: threading.Event, seconds: float) -> None:
        """Return when *event* is set, and after *seconds* at the latest."""
        event.wait(seconds)

    def after(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        """Call *call* in *seconds*, from a thread; return what prevents it."""
        timer = threading.Timer(seconds, call)
        timer.daemon = True
        timer.start()
        return timer.cancel


def notice_suspensions(
    clock: Clock, stopped: threading.Event, woken: Callable[[], None]
) -> None:
    """Call *woken* each time the machine seems to have slept, until *stopped* is set.

    The monotonic clock stands still meanwhile on Linux and macOS, the wall clock does
    not. One that was set forward looks the same; what *woken* does must do no harm.
    https://docs.python.org/3/library/time.html#time.CLOCK_BOOTTIME
    """
    ahead = clock.now() - clock.monotonic()
    while not stopped.is_set():
        clock.wait(stopped, _LOOK_EVERY)
        before, ahead = ahead, clock.now() - clock.monotonic()
        if ahead - before > _SLEPT:
            woken()
