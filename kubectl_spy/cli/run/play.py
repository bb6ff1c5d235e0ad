"""The loop of every command, live or recorded: items go to the view and the wait."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kubectl_spy.cli.run.run_with_timeout import over_after
from kubectl_spy.cli.run.signals import DeferSignals
from kubectl_spy.cli.run.view import View
from kubectl_spy.core.changes.record import Aside, Item
from kubectl_spy.errors import TimedOut
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.cli.run.waiting import Wait

_PATIENCE = 3.0  # seconds to wait for the lists that explain a failure
_WHOLE = 1.0  # seconds for which Ctrl-C waits, so that the last line is whole


class Batch(NamedTuple):
    """Items that came together. Without any, only time has passed."""

    items: Iterable[Item | Aside] = ()
    shown: bool = True  # whether they are to be shown, and to be waited for


class Source(Protocol):
    """Yields batches of items. A cluster never ends; a recording does."""

    live: bool

    @property
    def left(self) -> float | None:
        """The seconds until it raises TimedOut, if it does not do so by itself."""

    @property
    def now(self) -> float:
        """The time up to which everything came, in seconds since the epoch."""

    def __iter__(self) -> Iterator[Batch]:
        """Yield items that came together."""

    def end(self, view: View, wait: Wait | None) -> None:
        """Raise if a requested object was never seen.

        Raises SpyError if something is missing or damaged; WaitFailed if what was
        waited for did not come.
        """


def play(source: Source, view: View, wait: Wait | None, terminal: Terminal) -> None:
    """Show the items of *source*, until the source, the view or the wait ends.

    Raises SpyError if something that was asked for is missing or damaged; WaitFailed if
    what was waited for cannot come any more; StdoutClosed if nobody reads the output
    any more.
    """
    decided = math.inf
    whole = DeferSignals(_WHOLE)
    try:
        with over_after(source.left):
            for items, shown in source:
                for item in items:
                    view.take(item, shown=shown)
                    if wait is not None:
                        wait.take(item, shown=shown)
                        if wait.ends(view):
                            break
                text = view.flush(source.now)
                if wait is not None:
                    wait.judge(source.now)
                with whole:
                    terminal.write(text)
                if wait is not None and wait.ends(view):
                    break
                if wait is not None and wait.verdict is not None and source.live:
                    decided = min(decided, monotonic())
                    if monotonic() - decided > _PATIENCE:
                        break
                if source.live and (wait is None or wait.once) and view.finished:
                    if wait is not None:
                        wait.settle()
                    break
    except TimedOut:
        if wait is None or not (wait.verdict or wait.held):
            raise
        wait.verdict = wait.verdict or wait.held
    source.end(view, wait)
    if wait is not None:
        wait.conclude(terminal)
