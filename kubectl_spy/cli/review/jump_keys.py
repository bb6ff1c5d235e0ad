"""The keys that look for a change. They look in small steps, so other keys work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from kubectl_spy.cli.review.base import PAUSE, STEP, Base
from kubectl_spy.core.changes.recording_format import managers_of


class Sought(NamedTuple):
    """A search for a change that is under way."""

    clock: int  # a line: if the clock is moved, the search ends
    lines: Iterator[int | None]  # where to look; None if that is not known yet
    wanted: Callable[[int], bool]
    what: str  # in the plural
    reached: Callable[[int], None] | None  # is called with the line that was found


class JumpKeys(Base):
    """Goes to the next change that somebody made, and to the next failure."""

    sought: Sought | None = None
    """The search that is under way."""

    def action_same_manager(self, by: int) -> None:
        """Go to the next or previous change by a manager of this one."""
        line = self.session.version
        names = [] if line is None else managers_of(self.session.index.raw(line))
        if not names:
            self.say("who made this change is not known")
            return
        quick = [name.encode() for name in names if name.isascii()]

        def is_by_one(line: int) -> bool:
            raw = self.session.index.raw(line)
            if len(quick) == len(names) and not any(each in raw for each in quick):
                return False
            return not set(names).isdisjoint(managers_of(raw))

        what = f"changes by {', '.join(names)}"
        self.seek(self.session.changes_from(by), is_by_one, what)

    def action_failure(self, by: int) -> None:
        """Go to the next or previous failure of any object that is shown."""
        what = "failures in what is shown" if self.session.filters else "failures"
        self.seek(self.session.failures_from(by), self.session.is_shown, what)

    def seek(
        self,
        lines: Iterator[int | None],
        wanted: Callable[[int], bool],
        what: str,
        reached: Callable[[int], None] | None = None,
    ) -> None:
        """Go to the first of *lines* that is *wanted*."""
        self.sought = Sought(self.session.clock, lines, wanted, what, reached)
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
            if sought.wanted(line):
                self.sought = None
                session.go_to(line)
                self.say("")
                if sought.reached is not None:
                    sought.reached(line)
                return
        self.sought = None
        self.say(f"no more {sought.what} that way")
