"""What a command shows: the base class of all views."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from kubectl_spy.core.changes.record import Item, Logged

if TYPE_CHECKING:
    from kubectl_spy.core.trace.picture import Node
    from kubectl_spy.core.trace.trace import Trace
    from kubectl_spy.core.waiting.awaiting import Failure


NOT_LISTED = "note: not listed yet:"  # how the note on missing lists begins


class View:
    """Turns items into text. This one shows nothing, as `record` does.

    *judge* knows what fails, for `--for`. Without it nothing fails.
    """

    say: Callable[[str], None]  # prints a note, and writes it to a live recording

    def __init__(self, judge: Trace | None = None, *, once: bool = False) -> None:
        self.judge = judge
        self.once = once  # whether to show the current state, and end

    @property
    def known(self) -> bool:
        """Whether the first lists are complete."""
        return True

    @property
    def explains(self) -> bool:
        """Whether the lists that explain a failure are complete."""
        return self.judge is None or self.judge.scope.complete

    @property
    def unlisted(self) -> str:
        """The types whose first list is missing, or ""."""
        return ""

    def text(self, item: Item, *, alone: bool) -> str:
        """Take in *item*; return its text. *alone*: there is only one selection."""
        return ""

    def pass_over(self, item: Item) -> None:
        """Take in an *item* from before the time to show."""
        self.text(item, alone=True)

    def log(self, logged: Logged) -> None:
        """Take in the log of a container that failed. `rest` prints the news."""

    def rest(self) -> str:
        """Return what else to print after a batch of items."""
        return ""

    def quiet(self, until: float) -> str:
        """Note that nothing came up to the time *until*. Return the text to print."""
        return ""

    def over(self) -> bool:
        """Return whether nothing more can come."""
        return False

    def last(self) -> str:
        """Return what is left to print at the end of a recording."""
        return ""

    def partly(self) -> str:
        """Return what `--once` prints if it ends before all lists are there."""
        return ""

    def say_unlisted(self) -> None:
        """Say once which lists are missing, if any are."""

    def close(self) -> None:
        """Leave standard output as it is to stay."""

    def failures(self) -> Iterable[Failure]:
        """Return what fails, from the top down."""
        if self.judge is None or not self.judge.scope.complete:
            return ()  # half a list proves nothing
        return _failures(self.judge)


def _failures(judge: Trace) -> Iterator[Failure]:
    # The import is slow, and most runs wait for nothing.
    from kubectl_spy.core.waiting.awaiting import Failure

    for root in judge.picture().roots:
        name = root.gvk.group, root.gvk.kind, root.namespace, root.name
        for node, finding in root.failing():
            text = finding.text if finding else f"{node.phase} {node.summary}".strip()
            remedy = finding.remedy if finding else ""
            final = finding is not None and finding.final
            yield Failure(name, f"{label(node)}: {text}", remedy, final)


def label(node: Node) -> str:
    """Return the type and name of *node*: `deployment.apps/web`."""
    return f"{node.gvk.printed}/{node.name}"
