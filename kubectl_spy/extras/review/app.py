"""The screen of a review, with all its keys."""

from __future__ import annotations

from kubectl_spy.extras.review.filter_keys import FilterKeys
from kubectl_spy.extras.review.following import Following
from kubectl_spy.extras.review.jump_keys import JumpKeys
from kubectl_spy.extras.review.keys import KeysPage
from kubectl_spy.extras.review.tree_keys import TreeKeys


class ReviewApp(FilterKeys, JumpKeys, Following, TreeKeys):
    """Reviews the recording in *index*. Its result is the error that ended it.

    Each base class has the actions of some keys. Textual calls `on_mount` of every one.
    """

    def action_enter(self) -> None:
        """Open what is chosen."""
        if self.focused is not None and self.focused.id == "objects":
            self.focus_on("#versions")
        else:
            self.zoom(not self.zoomed)

    def action_leave(self) -> None:
        """Go back, at last to all objects and to what failed."""
        focused = self.focused.id if self.focused else ""
        if focused == "prompt":
            asked = self.end_asking(self.asked_from)
            if asked is not None:
                asked.left()
            self.redraw()
        elif self.zoomed:
            self.zoom(False)
        elif focused != "objects":
            self.focus_on("#objects")
        elif self.session.filters or self.session.index.is_live:
            self.drop_filter()
        else:
            self.show_answer()

    def action_interrupt(self) -> None:
        """End, also while a filter is typed."""
        self.exit()

    def action_keys(self) -> None:
        """Show every key."""
        self.push_screen(KeysPage())
