"""The key that copies."""

from __future__ import annotations

from kubectl_spy.core.wording import one_line
from kubectl_spy.extras.review.base import Base
from kubectl_spy.render.inert import inert


class CopyKeys(Base):
    """Copies to the clipboard of the terminal, by OSC 52."""

    def action_copy(self) -> None:
        """Copy the command line that shows the same."""
        line = self.session.version
        if line is None:
            self.say("nothing is shown that a command could show")
            return
        index, mark = self.session.index, self.session.mark
        if mark in (None, line) or index.subject(mark) != index.subject(line):
            self.copy(self.pages.command(line))
        else:
            self.copy(self.pages.comparison(mark, line))

    def copy(self, text: str) -> None:
        """Copy *text*, and say so."""
        self.copy_to_clipboard(text)
        self.say(f"copied: {one_line(inert(text))}")
