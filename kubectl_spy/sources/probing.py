"""Asks Services whether they answer, now and then, from a thread of its own.

It decides nothing: what came back is handed over where it is asked for, so that all
that follows from it stays with the one thread that folds everything else.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

from kubectl_spy.core.changes.record import Probed
from kubectl_spy.core.diagnosis.services.probes import ProbeTarget, judged
from kubectl_spy.errors import SpyError

EVERY = 10.0
"""Seconds between two rounds."""
PATIENCE = 3.0
"""Seconds within which a Service should answer."""
_CALM = 0.5
"""Seconds to wait once more when endpoints change: they rarely do so alone."""

Ask = Callable[[str, float], tuple[int, str] | None]


class Probing:
    """Asks what `aim` says. All methods are for one thread, and never wait.

    *ask* is given a path and the seconds to wait; it returns status and body of what
    answers, None if nothing does, or raises a SpyError.
    """

    def __init__(self, ask: Ask, *, every: float = EVERY) -> None:
        self._ask = ask
        self._every = every
        self._targets: tuple[ProbeTarget, ...] = ()
        self._came: queue.SimpleQueue[Probed | Exception] = queue.SimpleQueue()
        self._answered: set[tuple[str, int, str]] = set()
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def aim(self, targets: tuple[ProbeTarget, ...]) -> None:
        """Ask these from now on; at once, if they are others than before."""
        if targets == self._targets:
            return
        self._targets = targets
        self._wake.set()
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._run, name="probing", daemon=True
            )
            self._thread.start()

    def answers(self) -> list[Probed]:
        """Return what came since the last call; raise what should not have come."""
        came = []
        while not self._came.empty():
            probed = self._came.get()
            if isinstance(probed, Exception):
                raise probed
            self._answered.add((probed.uid, probed.port, probed.protocol))
            came.append(probed)
        return came

    @property
    def settled(self) -> bool:
        """Whether all that is asked has been answered once, as `answers` told."""
        asked = {(each.uid, each.port, each.protocol) for each in self._targets}
        return asked <= self._answered

    def close(self) -> None:
        """Ask no more."""
        self._stopped.set()
        self._wake.set()

    def _run(self) -> None:
        try:
            self._go_round()
        except Exception as bug:  # or the thread would end, and nobody know
            self._came.put(bug)

    def _go_round(self) -> None:
        self._wake.clear()
        while not self._stopped.is_set():
            for target in self._targets:
                if self._stopped.is_set():
                    return
                self._came.put(self._probed(target))
            if self._wake.wait(self._every):
                self._wake.clear()
                self._stopped.wait(_CALM)

    def _probed(self, target: ProbeTarget) -> Probed:
        answers, what = self._outcome(target)
        return Probed(
            target.uid, target.port, target.protocol, answers, what, time.time()
        )

    def _outcome(self, target: ProbeTarget) -> tuple[bool | None, str]:
        if target.protocol != "TCP":
            return None, f"{target.protocol} cannot be asked through the API server"
        try:
            answer = self._ask(target.path, PATIENCE)
        except SpyError as error:
            return None, error.message
        if answer is None:
            return False, f"nothing within {PATIENCE:g} s"
        return judged(*answer)
