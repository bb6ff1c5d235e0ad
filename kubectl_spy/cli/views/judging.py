"""What fails of an object and of all under it, for `--for`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kubectl_spy.cli.run.view import Consumer
from kubectl_spy.core.record import Item
from kubectl_spy.render.text import type_name

if TYPE_CHECKING:
    from kubectl_spy.core.awaiting.awaiting import Failure
    from kubectl_spy.core.trace.picture import Node
    from kubectl_spy.core.trace.trace import Trace


class Judging(Consumer):
    """A consumer that judges what it shows by *trace*; without one it knows nothing."""

    def __init__(self, trace: Trace | None) -> None:
        self._judged = trace

    def _judge(self, item: Item) -> None:
        """Take in what happened, to judge by it."""
        if self._judged is not None:
            self._judged.observe(item)

    def failures(self) -> Iterator[Failure]:
        """Yield what fails; nothing while lists are half read, which prove nothing."""
        # Whoever waits for nothing does not wait for this import.
        from kubectl_spy.core.awaiting.awaiting import Failure

        if self._judged is None or not self._judged.complete:
            return
        for root in self._judged.picture().roots:
            name = root.gvk.group, root.gvk.kind, root.namespace, root.name
            for node, finding in root.failing():
                said = (
                    finding.text if finding else f"{node.phase} {node.summary}".strip()
                )
                remedy = finding.remedy if finding else ""
                final = finding is not None and finding.final
                yield Failure(name, f"{label(node)}: {said}", remedy, final)


def label(node: Node) -> str:
    """Return what *node* is called: deployment.apps/web."""
    return f"{type_name(node.gvk)}/{node.name}"
