"""The keys that choose what is shown of a version."""

from __future__ import annotations

from kubectl_spy.cli.review.base import Base


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

    def action_mark(self) -> None:
        """Mark the version, and compare others with it. End that if one is marked."""
        session, self.instead = self.session, None
        session.mark = session.version if session.mark is None else None
        self.say("" if session.mark is None else "compared with A (m ends that)")
