"""Runs a function with a timeout."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from kubectl_spy.errors import TimedOut
from kubectl_spy.sources.watching.clock import UNSEEN

T = TypeVar("T")


def run_with_timeout(call: Callable[[], T], timeout: float, awaited: str = "") -> T:
    """Return what *call* returns, or raise what it raises. It waits for *awaited*.

    *call* runs in a daemon thread. A signal cannot interrupt a DNS lookup, but the end
    of the process ends the thread. Raises TimedOut if *timeout* seconds were not
    enough.
    """
    results: queue.SimpleQueue[tuple[T] | BaseException] = queue.SimpleQueue()

    def run() -> None:
        try:
            results.put((call(),))
        except BaseException as error:
            results.put(error)

    threading.Thread(target=run, name="connect", daemon=True).start()
    end = monotonic() + timeout
    while True:
        try:
            left = max(end - monotonic(), 0)
            result = results.get(timeout=min(left, UNSEEN))
        except queue.Empty:
            if monotonic() >= end:
                raise TimedOut(f"waited for {awaited}" if awaited else "") from None
            continue
        if isinstance(result, BaseException):
            raise result
        return result[0]
