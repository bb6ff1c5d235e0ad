"""The keys that choose what is shown of a version."""

from __future__ import annotations

from kubectl_spy.cli.review.base import Base
from kubectl_spy.cli.review.showing import WIDE

_LINES = (0, 3, 10, 1_000_000)
_SAID = (
    "operations (} shows lines around them)",
    "3 lines around ({ fewer, } more, | side by side)",
    "10 lines around ({ fewer, } more, | side by side)",
    "the whole object around ({ fewer, | side by side)",
)


class Viewing(Base):
    """Shows more or less of a version, or compares two."""

    def action_document(self) -> None:
        """Show the whole object, or its change."""
        self.whole = not self.whole or self.instead is not None
        self.instead = None
        self.say("the whole object (d: its change)" if self.whole else "")

    def action_full(self) -> None:
        """Fold times and the like, or show all."""
        self.full = not self.full
        self.say("nothing folded (f folds)" if self.full else "")

    def action_context(self, by: int) -> None:
        """Show more or fewer of the lines around what differs."""
        at = min(max(0, _LINES.index(self.context) + by), len(_LINES) - 1)
        self.context, self.whole, self.instead = _LINES[at], False, None
        self.say(_SAID[at])

    def action_beside(self) -> None:
        """Show what differs side by side, or in one column."""
        if not self.beside and self.columns() < WIDE:
            self.say("too narrow for side by side (Enter: the whole screen)")
            return
        self.beside = not self.beside
        self.context, self.whole = self.context or _LINES[1], False
        self.instead = None
        self.say("")

    def action_mark(self) -> None:
        """Mark the version, and compare others with it. End that if one is marked."""
        session, self.instead = self.session, None
        session.mark = session.version if session.mark is None else None
        self.say("" if session.mark is None else "compared with A (m ends that)")
