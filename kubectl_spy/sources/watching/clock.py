"""The clock of the watch. It notices that the machine was suspended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

_LOOK_EVERY = 5.0
_SLEPT = 10.0
"""The machine slept if the wall clock gained so many seconds on the monotonic."""
UNSEEN = 0.1
"""The longest wait of the main thread, in seconds. A Ctrl-C may go unseen that long.

On Windows a signal does not wake a thread that waits for a lock. Elsewhere a signal may
arrive between Python's last check and the wait: 8 of 300,000 did.
https://docs.python.org/3/library/signal.html#execution-of-python-signal-handlers
"""


class Clock(Protocol):
    """Tells the time, and waits."""

    def now(self) -> float:
        """Return seconds since the epoch. The clock may be set."""

    def monotonic(self) -> float:
        """Return seconds since some moment. They never decrease."""

    def wait(self, event: threading.Event, seconds: float) -> None:
        """Return when *event* is set, and after *seconds* at the latest."""

    def after(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        """Call *call* in *seconds*, from a thread. Return a function to cancel that."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def wait(self, event: threading.Event, seconds: float) -> None:
        event.wait(seconds)

    def after(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        timer = threading.Timer(seconds, call)
        timer.daemon = True
        timer.start()
        return timer.cancel


def notice_suspensions(
    clock: Clock, stopped: threading.Event, woken: Callable[[], None]
) -> None:
    """Call *woken* each time the machine seems to have slept, until *stopped* is set.

    On Linux and macOS the monotonic clock stops during sleep and the wall clock does
    not. Setting the wall clock forward looks the same, so *woken* must be harmless.
    https://docs.python.org/3/library/time.html#time.CLOCK_BOOTTIME
    """
    ahead = clock.now() - clock.monotonic()
    while not stopped.is_set():
        clock.wait(stopped, _LOOK_EVERY)
        before, ahead = ahead, clock.now() - clock.monotonic()
        if ahead - before > _SLEPT:
            woken()
