"""What fails of an object and of all under it, for `--for`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kubectl_spy.cli.consumer import Consumer
from kubectl_spy.core.record import Item
from kubectl_spy.render.text import type_name

if TYPE_CHECKING:
    from kubectl_spy.core.trace.picture import Finding, Node
    from kubectl_spy.core.trace.trace import Trace


class Judging(Consumer):
    """A consumer that judges what it shows by *trace*; without one it knows nothing."""

    def __init__(self, trace: Trace | None) -> None:
        self._judged = trace

    def _judge(self, item: Item) -> None:
        """Take in what happened, to judge by it."""
        if self._judged is not None:
            self._judged.observe(item)

    def failing(self) -> str:
        """Return what fails, of the objects and of what counts under them; or ""."""
        for node, finding in self._failing():
            said = finding.text if finding else node.summary or node.phase
            return f"{label(node)}: {said}"
        return ""

    def hopeless(self) -> tuple[str, str]:
        """Return what fails for good, and what to do; or "" twice."""
        for node, finding in self._failing():
            if finding is not None and finding.final:
                return f"{label(node)}: {finding.text}", finding.remedy
        return "", ""

    def cause(self) -> tuple[str, str]:
        """Return what fails deepest down, and what to do; or "" twice."""
        for node, finding in reversed(list(self._failing())):
            if finding is not None and finding.remedy:
                return f"{label(node)}: {finding.text}", finding.remedy
        return "", ""

    def _failing(self) -> Iterator[tuple[Node, Finding | None]]:
        """Yield what fails; nothing while lists are half read, which prove nothing."""
        if self._judged is None or not self._judged.complete:
            return
        for root in self._judged.picture().roots:
            yield from root.failing()


def label(node: Node) -> str:
    """Return what *node* is called: deployment.apps/web."""
    return f"{type_name(node.gvk)}/{node.name}"
