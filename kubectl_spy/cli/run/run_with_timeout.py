"""Runs a function, or a block, with a timeout."""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

from kubectl_spy.cli.run.signals import deliver
from kubectl_spy.errors import Terminated, TimedOut
from kubectl_spy.sources.watching.clock import UNSEEN

T = TypeVar("T")

_AGAIN = 3.0  # seconds after which the end of the time is delivered once more


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


@contextmanager
def over_after(timeout: float | None) -> Iterator[None]:
    """Raise TimedOut in the block after *timeout* seconds, also while it reads a pipe.

    It comes as SIGTERM does: at the end of a line that is being written.
    """
    if timeout is None:
        yield
        return
    over, done, main = threading.Event(), threading.Event(), threading.get_ident()

    def end() -> None:
        over.set()
        deliver(signal.SIGTERM, main)
        # Where Python ignores exceptions, as in a finalizer, it does not arrive.
        while not done.wait(_AGAIN):
            deliver(signal.SIGTERM, main)

    timer = threading.Timer(timeout, end)
    timer.daemon = True
    timer.start()
    try:
        try:
            yield
        finally:
            done.set()
            timer.cancel()
            timer.join()  # what it sent arrives here at the latest
    except Terminated:
        if not over.is_set():
            raise
        raise TimedOut from None
