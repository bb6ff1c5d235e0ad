"""The keys that go to failures. They look in small steps, so other keys work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.extras.review.base import PAUSE, STEP, Base


class Sought(NamedTuple):
    """A search for a failure that is under way."""

    clock: int  # a line: if the clock is moved, the search ends
    lines: Iterator[int | None]  # the failures; None if the next is not known yet
    what: str  # in the plural


class JumpKeys(Base):
    """Goes to the next failure."""

    sought: Sought | None = None
    """The search that is under way."""

    def action_failure(self, by: int) -> None:
        """Go to the next or previous failure of any object that is shown."""
        session = self.session
        what = "failures in what is shown" if session.filters else "failures"
        self.sought = Sought(session.clock, session.failures_from(by), what)
        self._look()

    def _look(self) -> None:
        """Look on, unless the clock was moved meanwhile."""
        session, sought = self.session, self.sought
        if sought is None or sought.clock != session.clock:
            self.sought = None
            return
        until = time.monotonic() + STEP
        for line in sought.lines:
            if line is None or time.monotonic() > until:
                self.say(f"looking for {sought.what}")
                self.set_timer(PAUSE, self._look)
                return
            if session.is_shown(line):
                self.sought = None
                session.go_to(line)
                self.say("")
                return
        self.sought = None
        self.say(f"no more {sought.what} that way")
