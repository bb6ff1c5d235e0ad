"""The keys that copy."""

from __future__ import annotations

from kubectl_spy.cli.review.base import Base


class Copying(Base):
    """Copies to the clipboard of the terminal, by OSC 52."""

    def action_copy(self) -> None:
        """Copy the command line that shows the same."""
        line = self.session.version
        if line is None:
            self.say("nothing is shown that a command could show")
            return
        file, mark = self.session.index.recording.name, self.session.mark
        index, command = self.session.index, self.pages.command(line, file)
        if (
            mark is not None
            and index.subject(mark) == index.subject(line)
            and mark != line
        ):
            command = self.pages.comparison(mark, line, file)
        self.copy_to_clipboard(command)
        self.say(f"copied: {command}")
