"""How the change at the clock is shown, and where its cursor is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from rich.text import Text
from textual.widgets import Static

from kubectl_spy.cli.review.change_pane import ChangePane
from kubectl_spy.cli.review.pages import Around, Pages
from kubectl_spy.cli.review.prompt import PromptKeys
from kubectl_spy.cli.review.rows import Lines
from kubectl_spy.cli.review.session import Session
from kubectl_spy.core.patch.natural_keys import trail
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.render.inert import inert

WIDE = 60  # columns that a change needs to be shown side by side
_LINES = (0, 3, 10, 1_000_000)
_SAID = (
    "operations (} shows lines around them)",
    "3 lines around ({ fewer, } more, | side by side)",
    "10 lines around ({ fewer, } more, | side by side)",
    "the whole object around ({ fewer, | side by side)",
)
_DIFFERS = re.compile("[-+~] ")


class ChangeKeys(PromptKeys):
    """Shows the change of *session* from its *pages*."""

    def __init__(self, session: Session, pages: Pages, **options: Any) -> None:
        super().__init__(**options)
        self.session = session
        self.pages = pages
        self.full = self.whole = self.beside = False
        self.context = 0
        """How many lines around what differs are shown; 0 for operations alone."""
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
        session, pane = self.session, self.query_one(ChangePane)
        line = session.version
        compared, mark = session.compared, session.mark
        note = session.bookmarks.notes.get(-1 if line is None else line)
        how = (self.full, self.whole, self._around, self.instead, self.columns())
        of = (session.clock, session.subject, line, mark, note, session.search)
        shown = (*of, *how)
        again, self._shown = shown == self._shown, shown
        if again:
            return
        search = session.search
        pane.pattern = None if search is None else search.pattern
        operations: Sequence[PatchOperation] = ()
        lines = self.pages.notices(session.clock)
        if note is not None:
            lines += self.pages.note(note.text)
        if self.instead is not None:
            lines += self.instead()
        elif compared is not None and mark is not None:
            lines += self.pages.difference(mark, compared, self._around)
        elif line is not None:
            version, operations = self._version(line)
            lines += version
        elif versions := session.versions(session.subject):
            lines += self.pages.not_yet(session.subject, versions[0])
        else:
            lines += ["nothing to show"]
        scrolled = session.subject, self.instead
        again = self.instead is not None and scrolled == self.scrolled
        self.scrolled = scrolled
        pane.show_change(lines, operations, again=again)
        if self._around is not None and self.instead is None:
            pane.go_to(_DIFFERS.match)
        self.show_trail()

    def show_trail(self) -> None:
        """Say where the operation with the cursor is."""
        pane, bar = self.query_one(ChangePane), self.query_one("#trail", Static)
        step, line = pane.operation, self.session.version
        version = None if line is None else self.pages.version(line)
        bar.display = self.focused is pane and step is not None
        if step is not None and version is not None:
            value = step.old if step.value is None else step.value
            steps = trail(step.path, version.record.document, value)
            bar.update(cut_off(inert(" › ".join(steps))))

    @property
    def _around(self) -> Around | None:
        """How much is shown around what differs; None for operations alone."""
        wide = self.beside and self.columns() >= WIDE
        return Around(self.context, wide) if self.context else None

    def _version(self, line: int) -> tuple[list[str], Sequence[PatchOperation]]:
        """Return the lines of a version, with what the search found, and operations."""
        of, search = self.pages, self.session.search
        if self.whole:
            return of.document(line), ()
        if self._around is not None:
            return of.around(line, self._around), ()
        found = search if search is not None and self.session.is_at_hit else None
        for full in (self.full, True):
            lines = of.change(line, full=full)
            if found is None or found.is_in(lines):
                return lines, of.operations(line, full=full)
        return of.document(line), ()

    def columns(self) -> int:
        """Return how many columns the change has."""
        return max(20, self.query_one("#change", Lines).size.width - 1)

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


def cut_off(text: str) -> Text:
    """Return *text* as one line that ends with … where it is too long."""
    return Text(text, no_wrap=True, overflow="ellipsis")
