"""Asks Services for an answer every few seconds, from a thread.

It only collects the answers. The main thread takes them, and decides what they mean.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

from kubectl_spy.core.changes.record import Probed
from kubectl_spy.core.diagnosis.services.probes import ProbeTarget, judged
from kubectl_spy.errors import SpyError

EVERY = 10.0  # seconds between two rounds
PATIENCE = 3.0  # seconds that a Service may take to answer
_CALM = 0.5  # seconds to wait after endpoints change, because more changes often follow

Ask = Callable[[str, float], tuple[int, bytes] | None]


class Probing:
    """Probes the targets of `aim`. One thread may call the methods. They never wait.

    *ask* takes a path and a timeout in seconds. It returns the status and body of the
    answer, None without an answer, or raises a SpyError.
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
        """Probe these targets from now on. If they are new, probe at once."""
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
        """Return the answers since the last call, or raise the thread's exception."""
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
        """Whether `answers` has returned an answer of every target."""
        asked = {(each.uid, each.port, each.protocol) for each in self._targets}
        return asked <= self._answered

    def close(self) -> None:
        """End the thread."""
        self._stopped.set()
        self._wake.set()

    def _run(self) -> None:
        try:
            self._go_round()
        except Exception as bug:  # otherwise the thread would end unnoticed
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
        status, body = answer
        return judged(status, body.decode("utf-8", "replace"))
