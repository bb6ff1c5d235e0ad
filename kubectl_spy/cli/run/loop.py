"""The run loop: from a source to a view, for every command, live or recorded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from kubectl_spy.cli.run.defer_signals import DeferSignals
from kubectl_spy.cli.run.view import View
from kubectl_spy.cli.run.waiting import Waiting, conclude
from kubectl_spy.core.changes.record import Item, Logged
from kubectl_spy.errors import TimedOut
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.core.waiting.awaiting import Verdict

_PATIENCE = 3.0  # seconds to wait for the lists that explain a failure
_WHOLE = 1.0  # seconds for which Ctrl-C waits, so that the last line is whole


class Source(Protocol):
    """Yields batches of items. A cluster never ends; a recording does."""

    live: bool

    @property
    def alone(self) -> bool:
        """Whether there is only one selection."""

    def __iter__(self) -> Iterator[Iterable[Item | Logged]]:
        """Yield items that came together."""

    def end(self, view: View, waiting: Waiting | None, verdict: Verdict | None) -> None:
        """Raise SpyError or WaitFailed if not all was there that was asked for."""


def run(
    source: Source, view: View, waiting: Waiting | None, terminal: Terminal
) -> None:
    """Show the items of *source*, until the source, the view or the wait ends.

    Raises SpyError if something that was asked for is missing or damaged; WaitFailed if
    what was waited for cannot come any more; StdoutClosed if nobody reads the output
    any more.
    """
    verdict: Verdict | None = None
    decided = math.inf
    whole = DeferSignals(_WHOLE)
    try:
        for items in source:
            texts = []
            for item in items:
                if isinstance(item, Logged):
                    view.log(item)
                    continue
                texts.append(view.text(item, alone=source.alone))
                if waiting is not None and verdict is None:
                    verdict = waiting.observe(item)
                if _ends(verdict, view):
                    break
            if waiting is not None and verdict is None:
                verdict = waiting.judge()
            texts.append(view.rest())
            with whole:
                terminal.write("".join(texts))
            if _ends(verdict, view):
                break
            if verdict is not None and source.live:
                decided = min(decided, monotonic())
                if monotonic() - decided > _PATIENCE:
                    break
            if source.live and (waiting is None or view.once) and view.over():
                verdict = None if waiting is None else waiting.now()
                break
    except TimedOut:
        if verdict is None:
            raise
    source.end(view, waiting, verdict)
    if verdict is not None and waiting is not None:
        conclude(waiting.explained(verdict), terminal)


def _ends(verdict: Verdict | None, view: View) -> bool:
    """Return whether *verdict* ends the run now: a failure waits for its reason."""
    if verdict is None or not view.known:
        return False
    return verdict.met or view.explains
