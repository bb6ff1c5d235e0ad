"""The clock of a served recording: it stands still, or plays."""

from __future__ import annotations

import threading
import time
from typing import NamedTuple

from kubectl_spy.extras.serve.recorded import RecordedCluster


class Place(NamedTuple):
    """A place in a recording: its line, and the time, in seconds since the epoch."""

    line: int
    moment: float


class Player:
    """Moves *recorded* through its recording, which is at *begin*.

    With a *speed* it plays, that many times as fast as recorded, from the first watch
    on; 0 is as fast as possible. Without one it stands still.
    """

    def __init__(
        self, recorded: RecordedCluster, begin: Place, speed: float | None = None
    ) -> None:
        self._recorded = recorded
        self._speed = speed
        self._changed = recorded.cluster.changed
        self._playing = False
        self._closed = False
        self._moment, self._since = begin.moment, 0.0
        self._thread = threading.Thread(target=self._run, name="player", daemon=True)
        recorded.seek(begin.line)

    def start(self) -> None:
        """Start the thread that plays."""
        self._thread.start()

    def close(self) -> None:
        """Stop playing, at once."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def watched(self) -> None:
        """Begin to play: somebody watches."""
        with self._changed:
            if not self._playing and self._speed is not None:
                self._playing, self._since = True, time.monotonic()
                self._changed.notify_all()

    def seek(self, place: Place) -> None:
        """Go to *place*, and play on from there."""
        with self._changed:
            self._recorded.seek(place.line)
            self._moment, self._since = place.moment, time.monotonic()

    def step(self) -> Place | None:
        """Go to the next change of any object, and return where it is, if any is."""
        with self._changed:
            line = self._recorded.next_version
            if line is None:
                return None
            while self._recorded.line < line:
                self._recorded.advance()
            times = self._recorded.index.times
            self._moment, self._since = times[self._recorded.line], time.monotonic()
            self._changed.notify_all()
            return Place(self._recorded.line, self._moment)

    def now(self) -> float:
        """Return the time in the recording."""
        with self._changed:
            if not self._playing or not self._speed or self._due is None:
                return self._moment
            return self._moment + (time.monotonic() - self._since) * self._speed

    @property
    def _due(self) -> float | None:
        """When the next line is due, by the monotonic clock; None at the end."""
        line, index = self._recorded.line + 1, self._recorded.index
        if line >= len(index):
            return None
        if not self._speed:
            return self._since
        return self._since + (index.times[line] - self._moment) / self._speed

    def _run(self) -> None:
        with self._changed:
            while not self._closed:
                due = self._due if self._playing else None
                wait = None if due is None else due - time.monotonic()
                if wait is not None and wait <= 0:
                    self._recorded.advance()
                    if not self._speed or self._due is None:
                        self._moment = self._recorded.index.times[self._recorded.line]
                    continue
                self._changed.wait(wait)
