"""The clock of a served recording: it stands still, or plays."""

from __future__ import annotations

import time
from typing import NamedTuple

from kubectl_spy.extras.serve.api_server import player
from kubectl_spy.extras.serve.api_server.cluster import Collection
from kubectl_spy.extras.serve.recorded import RecordedCluster


class Place(NamedTuple):
    """A place in a recording: its line, and the time, in seconds since the epoch."""

    line: int
    moment: float


class _Tape:
    """A recording as a tape, which is at *place*."""

    rank = 0

    def __init__(self, recorded: RecordedCluster, place: Place) -> None:
        self._recorded = recorded
        self.seek(place)

    @property
    def place(self) -> Place:
        return Place(self._recorded.line, self._moment)

    def seek(self, place: Place) -> None:
        self._recorded.seek(place.line)
        self._moment = place.moment

    @property
    def pause(self) -> float | None:
        line, times = self._recorded.line + 1, self._recorded.index.times
        return times[line] - self._moment if line < len(times) else None

    def watched(self, collection: Collection, namespace: str | None) -> bool:
        return True

    def advance(self) -> None:
        self._recorded.advance()
        self._moment = self._recorded.index.times[self._recorded.line]


class Player(player.Player):
    """Moves *recorded* through its recording, which is at *begin*.

    With a *speed* it plays, that many times as fast as recorded, from the first watch
    on; 0 is as fast as possible. Without one it stands still.
    """

    def __init__(
        self, recorded: RecordedCluster, begin: Place, speed: float | None = None
    ) -> None:
        self._recorded = recorded
        self._tape = _Tape(recorded, begin)
        tapes = [] if speed is None else [self._tape]
        super().__init__(recorded.cluster.changed, tapes, speed=speed or 0.0)

    def seek(self, place: Place) -> None:
        """Go to *place*, and play on from there."""
        with self._changed:
            self._tape.seek(place)
            self._go_on()

    def _go_on(self) -> None:
        """Play on from now, if it plays."""
        if self._tape in self._reached:
            self._reached[self._tape] = time.monotonic()
        self._changed.notify_all()

    def now(self) -> float:
        """Return the time in the recording."""
        with self._changed:
            moment, since = self._tape.place.moment, self._reached.get(self._tape)
            if since is None or self._tape.pause is None:
                return moment
            return moment + (time.monotonic() - since) * self._speed
