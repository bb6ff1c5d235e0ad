"""The keys that move in panes and in time."""

from __future__ import annotations

from kubectl_spy.cli.review.base import Base
from kubectl_spy.cli.review.rows import Lines


class Moving(Base):
    """Moves the clock, the cursors and the focus."""

    def action_pane(self, move: str, by: int) -> None:
        """Move in the pane with the focus: by lines, pages, or to its end."""
        if isinstance(self.focused, Lines):
            moves = {"line": self.focused.move, "page": self.focused.page}
            moves.get(move, self.focused.end)(by)

    def action_step(self, by: int) -> None:
        """Go to the next or previous change of the object."""
        moved = self.session.step(by)
        end = "last" if by > 0 else "first"
        self.say("" if moved else f"this is its {end} change")

    def action_step_any(self, by: int) -> None:
        """Go to the next or previous change of any object."""
        moved = self.session.step_any(by)
        self.say("" if moved else "no more changes that way")

    def action_next_loss(self) -> None:
        """Go to the next GAP or damaged place."""
        moved = self.session.next_loss()
        self.say("" if moved else "no GAP, and nothing is damaged")

    def action_enter(self) -> None:
        """Open what is chosen."""
        focused = self.focused.id if self.focused else ""
        if focused == "objects":
            self.focus_on("#versions")
            return
        self.zoom(not self.zoomed)
