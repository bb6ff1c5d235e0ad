"""The run loop and its wait for `--for`, for every command, live or recorded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic, time
from typing import TYPE_CHECKING, Protocol

from kubectl_spy.cli.run.defer_signals import DeferSignals
from kubectl_spy.cli.run.view import View
from kubectl_spy.core.changes.record import Item, Logged
from kubectl_spy.core.objects import Selection
from kubectl_spy.errors import TimedOut, WaitFailed
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.core.waiting.awaiting import Step, Verdict


class Waiting:
    """Waits until all targets meet *steps*.

    *asked* returns the targets among *declared*, which grows when a continued recording
    declares more. *concerns* says which items count. By default these are the items of
    a selection that was asked for. A failure that *view* knows ends the wait, too. With
    *any_of* one object is enough.
    """

    held: Verdict | None = None  # the verdict, if the run goes on for a time after it

    def __init__(
        self,
        steps: Sequence[Step],
        declared: Sequence[Selection],
        view: View,
        *,
        asked: Callable[[Sequence[Selection]], Iterable[Selection]] = iter,
        concerns: Callable[[Item], bool] | None = None,
        any_of: bool = False,
    ) -> None:
        # The import is slow, and most runs wait for nothing.
        from kubectl_spy.core.waiting.awaiting import Awaiting

        self._declared = declared
        self._asked = asked
        self._known = 0
        self._awaiting = Awaiting(
            steps, (), concerns=concerns, failures=view.failures, any_of=any_of
        )
        self._expect()

    def observe(self, item: Item) -> Verdict | None:
        """Take in *item*. Return the verdict, or None while waiting."""
        self._expect()
        return self._awaiting.observe(item)

    def judge(self) -> Verdict | None:
        """Return the verdict of the view's failures, or None."""
        return self._awaiting.judge()

    def explained(self, verdict: Verdict) -> Verdict:
        """Return *verdict* with the reason that the view knows."""
        return self._awaiting.explained(verdict)

    def now(self) -> Verdict:
        """Return the verdict on the current state, without more waiting."""
        return self._awaiting.conclude() or _failed(f"not {self._told}")

    def at_end(self, name: str) -> Verdict:
        """Return the verdict at the end of the recording *name*."""
        self._expect()
        if verdict := self._awaiting.conclude() or self._awaiting.judge():
            return verdict
        message = f"{name} ends before --for {self._awaiting.phrase} came"
        return _failed(message, self._awaiting.missing())

    def unmet(self) -> str:
        """Return what was not met, and what is missing."""
        return f"waited for {self._told}"

    @property
    def _told(self) -> str:
        return f"{self._awaiting.phrase}: {self._awaiting.missing()}"

    def _expect(self) -> None:
        if len(self._declared) != self._known:
            self._known = len(self._declared)
            for each in self._asked(self._declared):
                self._awaiting.expect(each)


def conclude(verdict: Verdict, terminal: Terminal) -> None:
    """Say that the wait is over. Raises WaitFailed if *verdict* is not met."""
    if not verdict.met:
        raise WaitFailed(verdict.message, verdict.remedy)
    if verdict.message:
        terminal.say(inert(verdict.message))


def _failed(message: str, remedy: str = "") -> Verdict:
    from kubectl_spy.core.waiting.awaiting import Verdict

    return Verdict(False, message, remedy)


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
        """Check that everything was there that was asked for.

        Raises SpyError if something is missing or damaged; WaitFailed if what was
        waited for did not come.
        """


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
            texts, alone = [], source.alone
            for item in items:
                if isinstance(item, Logged):
                    view.log(item)
                    continue
                if waiting is not None and verdict is None and view.elapse(item.time):
                    verdict = waiting.judge()
                texts.append(view.text(item, alone=alone))
                if waiting is not None and verdict is None:
                    verdict = waiting.observe(item)
                if _ends(verdict, view):
                    break
            if waiting is not None and verdict is None:
                if source.live:
                    view.elapse(time())
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
        verdict = verdict or (waiting.held if waiting else None)
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
