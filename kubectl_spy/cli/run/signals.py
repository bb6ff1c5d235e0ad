"""Signals that end the program: heard from its first moment on, and never lost."""

from __future__ import annotations

import _thread
import os
import signal
import sys
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
