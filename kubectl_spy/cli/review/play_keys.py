"""The keys that play: play, pause, faster, slower."""

from __future__ import annotations

import time

from kubectl_spy.cli.review.base import Base

_TICK = 0.05  # seconds between two looks at the time
_FASTEST = 4096
_LONGEST = 2.0  # seconds of waiting for a change; what is longer is skipped


class PlayKeys(Base):
    """Moves the clock on by itself. It begins paused."""

    _speed = 1
    _playing = False
    _at = 0  # the line at which the clock was set
    _moment = 0.0  # the time in the recording
    _ticked = 0.0

    def on_mount(self) -> None:
        """Begin to look at the time."""
        self.set_interval(_TICK, self._tick)

    @property
    def doing(self) -> str:
        """Whether it plays, and how fast, for the first line."""
        return f"▶ {self._speed}×" if self._playing else ""

    def action_play(self) -> None:
        """Play from the clock on, or pause."""
        index = self.session.index
        if not self._playing and index.complete and self._is_at_end:
            self.say("this is the end: nothing to play")
            return
        self._playing = not self._playing
        self._begin_at_clock()
        self.say("" if self._playing else "paused (space plays on)")

    def action_speed(self, faster: bool) -> None:
        """Play twice or half as fast."""
        speed = self._speed * 2 if faster else self._speed // 2
        self._speed = min(max(speed, 1), _FASTEST)
        self.say("" if self._playing else f"{self._speed}× (space plays)")

    @property
    def _is_at_end(self) -> bool:
        return self.session.clock + 1 >= len(self.session.index)

    def _begin_at_clock(self) -> None:
        self._at = self.session.clock
        self._moment = self.session.index.times[self._at]
        self._ticked = time.monotonic()

    def _tick(self) -> None:
        if not self._playing:
            return
        session, index = self.session, self.session.index
        if session.clock != self._at:
            self._begin_at_clock()  # a key or the mouse moved it
        if self._is_at_end:
            if index.complete:
                self._playing = False
                self.say("this is the end")
            return
        now = time.monotonic()
        self._moment += (now - self._ticked) * self._speed
        self._ticked = now
        following = index.times[session.clock + 1]
        self._moment = max(self._moment, following - _LONGEST * self._speed)
        line = index.line_at(self._moment)
        if line > session.clock:
            session.clock = self._at = line
            self.redraw()
