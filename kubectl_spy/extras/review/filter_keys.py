"""The keys that filter."""

from __future__ import annotations

from kubectl_spy.core.changes.filtering import Filter, parse_filter
from kubectl_spy.core.wording import many
from kubectl_spy.extras.review.base import Base
from kubectl_spy.extras.review.prompt import Asked
from kubectl_spy.extras.review.session import Kept

HINT = "pod/web !event -n shop by:kubelet /status is:failing ~REGEX"


class FilterKeys(Base):
    """Asks for filters, stacks them, and drops them."""

    def action_filter(self) -> None:
        """Ask for a filter within those that are kept."""
        self.ask(HINT, Asked(self._narrow, self._keep_filter, lambda: self._narrow("")))

    def action_events(self) -> None:
        """Show the Events of the object, the one that is latest at the clock first."""
        named = self.session.index.subjects[self.session.subject]
        if named.kind == "Event" or not named.name:
            self.say("this is an Event (Esc drops the filter)")
            return
        within = f" -n {named.namespace}" if named.namespace else ""
        self._keep_filter(f"event/{named.name}.{within}", instead=True)
        self.session.choose_latest()
        self.say("" if self.session.objects else "no Event of it was recorded")

    def drop_filter(self) -> None:
        """Drop the filter that was kept last."""
        if self.session.drop_filter():
            self.refill()
        left = len(self.session.filters)
        self.say(f"{many(left, 'filter')} left (Esc drops the last)" if left else "")

    def _narrow(self, typed: str) -> None:
        """Apply a filter while it is typed."""
        try:
            self.session.set_filter(parse_filter(typed))
        except ValueError as error:
            self.say(str(error))
            return
        self.said = ""
        self.refill()

    def _keep_filter(self, typed: str, *, instead: bool = False) -> None:
        try:
            self.keep(Kept(typed.strip(), parse_filter(typed), instead))
        except ValueError as error:
            self.keep(Kept(typed, Filter()))
            self.say(f"not filtered: {error}")

    def keep(self, kept: Kept) -> None:
        """Keep a filter, and show the objects that it leaves."""
        self.session.keep_filter(kept)
        if self.zoomed:
            self.zoom(False)
        self.focus_on("#objects")
        self.refill()
