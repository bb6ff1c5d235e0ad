"""The keys of bookmarks."""

from __future__ import annotations

from pathlib import Path

from kubectl_spy.errors import SpyError
from kubectl_spy.extras.review.base import Base
from kubectl_spy.extras.review.postmortem import place_for, postmortem
from kubectl_spy.extras.review.prompt import Asked
from kubectl_spy.private_files import write_private
from kubectl_spy.render.inert import inert

_HINT = "a note for this bookmark; Enter keeps it, Esc does not"
_AGAIN = "a note for this bookmark; without one, Enter removes the bookmark"


class BookmarkKeys(Base):
    """Sets bookmarks, goes to them, and writes them down."""

    def action_bookmark(self) -> None:
        """Ask for a note of the version that is shown."""
        line, notes = self.session.version, self.session.bookmarks.notes
        if line is None:
            self.say("no version is shown that could have a bookmark")
            return
        there = notes.get(line)
        entered = Asked(
            lambda _: None, lambda text: self._note(line, text), lambda: None
        )
        text = "" if there is None else inert(there.text)
        self.ask(_HINT if there is None else _AGAIN, entered, text)

    def _note(self, line: int, text: str) -> None:
        bookmarks = self.session.bookmarks
        if line in bookmarks.notes and not text.strip():
            self.say(bookmarks.drop(line))
        else:
            self.say(bookmarks.note(line, text))

    def action_next_bookmark(self) -> None:
        """Go to the next bookmark, and from the last to the first."""
        session = self.session
        lines = session.bookmarks.lines
        line = session.bookmarks.next(session.clock)
        if line is None:
            self.say("no bookmarks yet: a sets one")
            return
        said = f"bookmark {lines.index(line) + 1} of {len(lines)}"
        session.go_to(line)
        self.say(said if session.version == line else f"{said}: hidden (Esc)")

    def action_write(self) -> None:
        """Write the bookmarks as a Markdown postmortem, into a new file."""
        session = self.session
        if not session.bookmarks.lines:
            self.say("no bookmarks to write down yet: a sets one")
            return
        name = (
            session.index.recording.name if session.bookmarks.has_file else "recording"
        )
        place = place_for(Path(name))
        try:
            write_private(place, postmortem(session.index, session.bookmarks.notes))
        except SpyError as error:
            self.say(str(error))
        else:
            self.say(f"wrote {inert(str(place))}")
