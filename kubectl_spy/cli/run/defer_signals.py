"""Delays signals until a step is complete."""

from __future__ import annotations

import signal
import threading
from types import FrameType

_TIMERS = hasattr(signal, "setitimer")


class DeferSignals:
    """Raises the signals that arrive inside the block when the block ends.

    Python raises a signal handler's exception between any two steps of the main
    thread. A line could be written to a file, but not counted. With *timeout*, a
    signal waits for so many seconds at most, and a second one does not wait. Without
    timers (Windows) none does.
    """

    def __init__(self, timeout: float | None = None) -> None:
        self._timeout = timeout
        self._inside = False
        self._arrived: int | None = None
        self._handlers: dict[int, signal.Handlers | object] = {}
        if threading.current_thread() is threading.main_thread():
            for name in ("SIGINT", "SIGTERM", "SIGHUP"):
                number = getattr(signal, name, None)
                if number is not None and callable(signal.getsignal(number)):
                    self._handlers[number] = signal.signal(number, self._handle)

    def __enter__(self) -> None:
        self._inside = True

    def __exit__(self, *exception: object) -> None:
        self._inside = False
        if self._arrived is not None:
            if self._timeout is not None:
                signal.setitimer(signal.ITIMER_REAL, 0)
            self._raise_arrived()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        timed = self._timeout is not None
        if self._inside and not (timed and (self._arrived or not _TIMERS)):
            self._arrived = number
            if self._timeout is not None:
                signal.signal(signal.SIGALRM, self._give_up)
                signal.setitimer(signal.ITIMER_REAL, self._timeout)
            return
        handler = self._handlers[number]
        if callable(handler):
            handler(number, frame)

    def _give_up(self, number: int, frame: FrameType | None) -> None:
        if self._inside:
            self._inside = False
            self._raise_arrived()

    def _raise_arrived(self) -> None:
        number, self._arrived = self._arrived, None
        if number is not None:
            self._handle(number, None)
