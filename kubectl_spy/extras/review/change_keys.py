"""How the change at the clock is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kubectl_spy.extras.review.pages import Pages
from kubectl_spy.extras.review.panes import ChangePane
from kubectl_spy.extras.review.prompt import PromptKeys
from kubectl_spy.extras.review.session import Session


class ChangeKeys(PromptKeys):
    """Shows the change of *session* from its *pages*."""

    def __init__(self, session: Session, pages: Pages, **options: Any) -> None:
        super().__init__(**options)
        self.session = session
        self.pages = pages
        self.full = self.whole = False
        self.instead: Callable[[], list[str]] | None = None
        """Returns the lines to show in place of the change."""
        self._shown: tuple[object, ...] = ()
        self.scrolled: tuple[object, ...] = ()
        """What was shown when the pane was scrolled."""

    def forget(self) -> None:
        """Draw the change anew, even if it is the same."""
        self._shown = ()

    def show_change(self) -> None:
        """Show the change at the clock, if it is not there yet."""
        session = self.session
        line = session.version
        compared, mark = session.compared, session.mark
        read = session.index.complete
        how = (self.full, self.whole, self.instead, self.columns(), read)
        shown = (session.clock, session.subject, line, mark, *how)
        again, self._shown = shown == self._shown, shown
        if again:
            return
        lines = self.pages.notices(session.clock)
        if self.instead is not None:
            lines += self.instead()
        elif compared is not None and mark is not None:
            lines += self.pages.difference(mark, compared)
        elif line is not None and self.whole:
            lines += self.pages.document(line)
        elif line is not None:
            lines += self.pages.change(line, full=self.full)
        elif versions := session.versions(session.subject):
            lines += self.pages.not_yet(session.subject, versions[0])
        else:
            lines += ["nothing to show"]
        scrolled = session.subject, self.instead
        again = self.instead is not None and scrolled == self.scrolled
        self.scrolled = scrolled
        self.query_one(ChangePane).show(lines, again=again)

    def columns(self) -> int:
        """Return how many columns the change has."""
        return max(20, self.query_one(ChangePane).size.width - 1)

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
