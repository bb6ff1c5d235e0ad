"""Work that Ctrl-C does not end in the middle, but behind it."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class Undivided:
    """While entered, signals that end the program wait until it is left.

    Python raises what a signal handler raises between any two steps of the main
    thread: a line of a file would be written, and nobody know.
    """

    def __init__(self) -> None:
        self._entered = False
        self._waiting: int | None = None
        self._before: dict[int, signal.Handlers | object] = {}
        if threading.current_thread() is threading.main_thread():
            for name in ("SIGINT", "SIGTERM", "SIGHUP"):
                number = getattr(signal, name, None)
                if number is not None and callable(signal.getsignal(number)):
                    self._before[number] = signal.signal(number, self._arrived)

    def __enter__(self) -> None:
        self._entered = True

    def __exit__(self, *exception: object) -> None:
        self._entered = False
        if self._waiting is not None:
            number, self._waiting = self._waiting, None
            self._arrived(number, None)

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        if self._entered:
            self._waiting = number
            return
        before = self._before[number]
        if callable(before):
            before(number, frame)
