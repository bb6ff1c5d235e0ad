"""The keys that look for a change like this one, in small steps: keys stay quick."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from kubectl_spy.cli.review.base import Base
from kubectl_spy.core.changes.recording_format import BadLine, decode

_STEP = 0.03  # seconds of looking between two looks at the keys
_PAUSE = 0.002


class Seeking(Base):
    """Goes to the next change that somebody made."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._sought: tuple[int, Iterator[int], Callable[[bytes], bool], str] | None
        self._sought = None

    def action_same_manager(self, by: int) -> None:
        """Go to the next or previous change by a manager of this one."""
        line = self.session.version
        names = [] if line is None else _managers(self.session.index.raw(line))
        if not names:
            self.say("who made this change is not known")
            return
        quick = [name.encode() for name in names if name.isascii()]

        def is_by_one(raw: bytes) -> bool:
            if len(quick) == len(names) and not any(each in raw for each in quick):
                return False
            return not set(names).isdisjoint(_managers(raw))

        changes = self.session.changes_from(by)
        self._sought = self.session.clock, changes, is_by_one, ", ".join(names)
        self._look()

    def _look(self) -> None:
        """Look on, unless the clock was moved meanwhile."""
        session = self.session
        if self._sought is None or self._sought[0] != session.clock:
            self._sought = None
            return
        _, changes, wanted, what = self._sought
        until = time.monotonic() + _STEP
        for line in changes:
            if wanted(session.index.raw(line)):
                self._sought = None
                session.go_to(line)
                self.say("")
                return
            if time.monotonic() > until:
                self.say(f"looking for a change by {what}")
                self.set_timer(_PAUSE, self._look)
                return
        self._sought = None
        self.say(f"no more changes by {what} that way")


def _managers(raw: bytes) -> list[str]:
    """Return who made the change in a line of a recording, as far as it says."""
    try:
        return [str(each) for each in decode(raw).get("managers", ())]
    except BadLine:
        return []
