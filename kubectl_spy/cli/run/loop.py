"""The run loop: from a source to a view, for every command, live or recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from kubectl_spy.cli.run.view import View
from kubectl_spy.cli.run.waiting import Waiting, conclude
from kubectl_spy.core.changes.record import Item
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.core.waiting.awaiting import Verdict


class Source(Protocol):
    """Yields batches of items. A cluster never ends; a recording does."""

    live: bool

    @property
    def alone(self) -> bool:
        """Whether there is only one selection."""

    def __iter__(self) -> Iterator[Iterable[Item]]:
        """Yield items that came together."""

    def end(self, view: View, waiting: Waiting | None, verdict: Verdict | None) -> None:
        """Check at the end that all was there that was asked for.

        Raises:
            SpyError: something is missing or damaged.
            WaitFailed: what was waited for did not come.
        """


def run(
    source: Source, view: View, waiting: Waiting | None, terminal: Terminal
) -> None:
    """Show the items of *source*, until the source, the view or the wait ends.

    Raises:
        SpyError: something that was asked for is missing or damaged.
        WaitFailed: what was waited for cannot come any more.
        StdoutClosed: nobody reads the output any more.
    """
    verdict: Verdict | None = None
    for items in source:
        texts = []
        for item in items:
            texts.append(view.text(item, alone=source.alone))
            if waiting is not None and verdict is None:
                verdict = waiting.observe(item)
            if _ends(verdict, view):
                break
        if waiting is not None and verdict is None:
            verdict = waiting.judge()
        texts.append(view.rest())
        terminal.write("".join(texts))
        if _ends(verdict, view):
            break
        if source.live and (waiting is None or view.once) and view.over():
            verdict = None if waiting is None else waiting.now()
            break
    source.end(view, waiting, verdict)
    if verdict is not None and waiting is not None:
        conclude(waiting.explained(verdict), terminal)


def _ends(verdict: Verdict | None, view: View) -> bool:
    """Return whether nothing more is to come before *verdict* is told."""
    if verdict is None or not view.known:
        return False
    return verdict.met or view.explains
