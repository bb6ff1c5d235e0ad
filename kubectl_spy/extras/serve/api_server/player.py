"""Playing what was recorded: each step is taken at its time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from math import inf
from typing import Protocol

from kubectl_spy.extras.serve.api_server.cluster import Collection


class Tape(Protocol):
    """What is played into a cluster, step by step."""

    @property
    def pause(self) -> float | None:
        """The recorded seconds from where it is to its next step; None at the end."""

    def watched(self, collection: Collection, namespace: str | None) -> bool:
        """Take note of a watch, and return whether the tape begins."""

    def advance(self) -> None:
        """Take the next step."""


class Player:
    """Plays *tapes*, each from when it is first watched. *changed* guards them.

    It plays *speed* times as fast as recorded; 0 is as fast as possible. Pauses longer
    than *longest_pause* seconds are cut to that. Tapes that one watch starts begin at
    the same moment, and are merged by time; at the same time, the first comes first.
    """

    def __init__(
        self,
        changed: threading.Condition,
        tapes: Iterable[Tape],
        *,
        speed: float = 1.0,
        longest_pause: float = inf,
    ) -> None:
        self._changed = changed
        self._speed = speed
        self._longest_pause = longest_pause
        self._waiting = list(tapes)
        self._reached: dict[Tape, float] = {}
        """When those that play were where they are, by the monotonic clock."""
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="player", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stop playing, at once."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def watched(self, collection: Collection, namespace: str | None) -> None:
        """Begin the tapes that wait for a watch of *collection*."""
        with self._changed:
            self.play(
                [tape for tape in self._waiting if tape.watched(collection, namespace)]
            )

    def play(self, tapes: Iterable[Tape]) -> None:
        """Begin those of *tapes* now that have not begun."""
        with self._changed:
            given = list(tapes)
            begun = [tape for tape in self._waiting if tape in given]
            self._waiting = [tape for tape in self._waiting if tape not in begun]
            self._reached |= dict.fromkeys(begun, time.monotonic())
            self._changed.notify_all()

    def _due(self, tape: Tape) -> float:
        pause = tape.pause
        if pause is None:
            return inf
        pause = pause / self._speed if self._speed else 0.0
        return self._reached[tape] + min(pause, self._longest_pause)

    def _run(self) -> None:
        with self._changed:
            while not self._closed:
                tape = min(self._reached, key=self._due, default=None)
                due = inf if tape is None else self._due(tape)
                wait = due - time.monotonic()
                if tape is not None and wait <= 0:
                    self._reached[tape] = due
                    tape.advance()
                else:
                    self._changed.wait(None if due == inf else wait)
