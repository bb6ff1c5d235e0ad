"""Signals that end the program: heard from its first moment on, and never lost."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from kubectl_spy.errors import Terminated

_MOMENT = 0.01  # seconds after which a signal that was lost is delivered again


class Ending:
    """The handler of signals that end the program.

    *by* is the signal that came, or 0. Until the program has *begun*, a signal ends the
    process at once: nothing can be left half done, and an exception would be lost. C
    code and ``__set_name__`` make other errors of it while modules are imported.

    Later it raises. Python prints and drops what is raised in a callback, such as that
    of the weak reference to a module's lock; the signal is then delivered again.
    https://docs.python.org/3/library/sys.html#sys.unraisablehook
    """

    def __init__(self) -> None:
        self.by = 0
        self.begun = False
        self._in_hook = False
        self._taken: list[signal.Signals] = []

    def install(self) -> None:
        """Take the signals, but for those that are ignored."""
        for number in signal.Signals:
            if number.name not in ("SIGTERM", "SIGINT", "SIGHUP"):  # POSIX's, the last
                continue
            # nohup and shells have them ignored: who asked for that wants it to go on.
            if number == signal.SIGTERM or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self)
                self._taken.append(number)
        sys.unraisablehook = self._unraisable

    def uninstall(self) -> None:
        """Leave the signals to the system, which ends the process at once."""
        for number in self._taken:
            signal.signal(number, signal.SIG_DFL)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.by = number
        if not self.begun:
            os._exit(128 + number)
        if self._in_hook:
            self._deliver_again()
            return
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)

    def _unraisable(self, dropped: sys.UnraisableHookArgs) -> None:
        self._in_hook = True
        try:
            if isinstance(dropped.exc_value, (KeyboardInterrupt, Terminated)):
                self._deliver_again()
            else:
                sys.__unraisablehook__(dropped)
        finally:
            self._in_hook = False

    def _deliver_again(self) -> None:
        number, main = self.by, _thread.get_ident()

        def later() -> None:
            time.sleep(_MOMENT)
            deliver(number, main)

        _thread.start_new_thread(later, ())


def end_with_input(deleted: Path | None) -> None:
    """End the program, as SIGTERM does, when standard input ends.

    Then the program that started it is gone, or wants no more of it. The file *deleted*
    goes, and its directory if nothing else is in it.
    """
    main = _thread.get_ident()

    def wait() -> None:
        while os.read(0, 1):
            pass
        if deleted is not None:
            with suppress(OSError):
                deleted.unlink()
                deleted.parent.rmdir()
        deliver(signal.SIGTERM, main)

    _thread.start_new_thread(wait, ())


def deliver(number: int, thread: int) -> None:
    """Send the signal *number* to *thread*, which is the main one."""
    if hasattr(signal, "pthread_kill"):  # POSIX's: it ends a wait
        signal.pthread_kill(thread, number)
    else:
        _thread.interrupt_main(signal.Signals(number))


# Delays signals until a step is complete.

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
