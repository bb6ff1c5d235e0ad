"""The keys that search."""

from __future__ import annotations

from kubectl_spy.cli.review.base import Base
from kubectl_spy.cli.review.prompt import Asked
from kubectl_spy.cli.review.rows import Lines

_HINT = "a text in the pointers and values of changes; n next hit, N previous hit"


class SearchKeys(Base):
    """Searches what the filters leave."""

    _due = False  # whether to go to a hit as soon as all is searched

    def action_search(self) -> None:
        """Ask for a text."""
        search = self.session.search
        before = "" if search is None else search.text
        left = Asked(self._look_for, self._enter, lambda: self._look_for(before))
        self.ask(_HINT, left)

    def _look_for(self, text: str) -> None:
        self.session.look_for(text)
        self.refill()

    def _enter(self, text: str) -> None:
        self._look_for(text)
        self._due = bool(text)
        self.grown()

    def grown(self) -> None:
        """Go to the first hit once all is searched."""
        super().grown()
        search = self.session.search
        if self._due and search is not None and search.is_complete:
            self._due = False
            if not self.session.is_at_hit:
                self.action_hit(1)

    def action_hit(self, by: int) -> None:
        """Go to the next or previous hit; without a search, to the next change."""
        session = self.session
        if session.search is None:
            self.action_step(by)
            return
        self._due = False
        line = session.next_hit(by)
        if line is None:
            self.say("no hit in what is shown" if session.is_complete else "")
            return
        self.say("")
        session.go_to(line)
        self.redraw()
        self.query_one("#change", Lines).go_to_match()

    def drop_search(self) -> bool:
        """End the search. Return whether there was one."""
        searched = self.session.search is not None
        self.session.look_for("")
        self.refill()
        return searched
