"""Delays signals until a step is complete."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class DeferSignals:
    """Raises the signals that arrive inside the block when the block ends.

    Python raises a signal handler's exception between any two steps of the main
    thread. A line could be written to a file, but not counted.
    """

    def __init__(self) -> None:
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
            number, self._arrived = self._arrived, None
            self._handle(number, None)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._inside:
            self._arrived = number
            return
        handler = self._handlers[number]
        if callable(handler):
            handler(number, frame)
