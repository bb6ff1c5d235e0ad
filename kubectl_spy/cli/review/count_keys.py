"""The key that counts changes, and filters by what was counted."""

from __future__ import annotations

from kubectl_spy.cli.review.counts_pane import CountsPane, table
from kubectl_spy.cli.review.filter_keys import FilterKeys
from kubectl_spy.cli.review.prompt import ALWAYS

_KEYS = {"counts", "pane", "enter", "leave", "keys", "quit", *ALWAYS}

_HINT = "Enter filters by it  Esc back"


class CountKeys(FilterKeys):
    """Shows how many of the changes are of a manager, kind or pointer."""

    def on_mount(self) -> None:
        """Make the pane."""
        self.mount(CountsPane(), before="#status")

    @property
    def counting(self) -> bool:
        """Whether the table is shown."""
        return any(pane.display for pane in self.query(CountsPane))

    def action_counts(self) -> None:
        """Show the table, or the panes again."""
        self.show_counts(not self.counting)

    def filter_by_count(self) -> None:
        """Filter by the row with the cursor."""
        kept = self.query_one(CountsPane).kept
        if kept is not None:
            self.show_counts(False)
            self.keep(kept)

    def show_counts(self, shown: bool) -> None:
        """Show the table, or the panes."""
        pane = self.query_one(CountsPane)
        self.query_one("#panes").display = not shown
        pane.display = shown
        self.said = _HINT if shown else ""
        if shown:
            pane.top()
            self.session.count()
        elif self.zoomed:
            self.zoom(False)
        self.focus_on("#counts" if shown else "#objects")
        self.refill()

    def redraw(self) -> None:
        """Draw the table, too."""
        super().redraw()
        tally = self.session.tally
        if self.counting and tally is not None:
            several = self.session.index.has_several_namespaces
            rows = table(tally.counts, several=several, complete=tally.is_complete)
            self.query_one(CountsPane).refill(rows)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave other keys alone while the table is shown."""
        if self.counting and action not in _KEYS:
            return False
        return super().check_action(action, parameters)
