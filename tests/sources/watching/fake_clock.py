"""A clock that stands still until somebody lets time pass."""

from __future__ import annotations

import heapq
import math
import threading
from collections.abc import Callable
from itertools import count


class FakeClock:
    """Both clocks at once: `suspend` moves one of them only. For one thread."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self._now = now
        self._monotonic = 0.0
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._prevented: set[int] = set()
        self._numbers = count()

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def wait(self, event: threading.Event, seconds: float) -> None:
        end = self._monotonic + seconds
        while not event.is_set() and self._monotonic < end:
            self.advance(min(self.next_due(), end) - self._monotonic)

    def after(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        number = next(self._numbers)
        heapq.heappush(self._timers, (self._monotonic + seconds, number, call))
        return lambda: self._prevented.add(number)

    def advance(self, seconds: float) -> None:
        """Let *seconds* pass, and do what falls due meanwhile."""
        end = self._monotonic + seconds
        while self._timers and self._timers[0][0] <= end:
            due, number, call = heapq.heappop(self._timers)
            self._move(due)
            if number not in self._prevented:
                call()
            self._prevented.discard(number)
        self._move(end)

    def next_due(self) -> float:
        """Return when the next thing falls due; infinity if nothing does."""
        return self._timers[0][0] if self._timers else math.inf

    def suspend(self, seconds: float) -> None:
        """Sleep as a laptop does: only the wall clock goes on."""
        self._now += seconds

    def set_back(self, seconds: float) -> None:
        """Do as an administrator or NTP may: the wall clock alone goes back."""
        self._now -= seconds

    def _move(self, to: float) -> None:
        self._now += to - self._monotonic
        self._monotonic = to
