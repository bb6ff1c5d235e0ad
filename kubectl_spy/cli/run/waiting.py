"""Waits for `--for`, live or in a recording, and ends the command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from kubectl_spy.core.changes.record import Item
from kubectl_spy.core.objects import Selection
from kubectl_spy.errors import WaitFailed
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.cli.run.view import View
    from kubectl_spy.core.waiting.awaiting import Step, Verdict


class Waiting:
    """Waits until all targets meet *steps*.

    *asked* returns the targets among *declared*, which grows when a continued recording
    declares more. *concerns* says which items count. By default these are the items of
    a selection that was asked for. A failure that *view* knows ends the wait, too.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        declared: Sequence[Selection],
        view: View,
        *,
        asked: Callable[[Sequence[Selection]], Iterable[Selection]] = iter,
        concerns: Callable[[Item], bool] | None = None,
    ) -> None:
        # The import is slow, and most runs wait for nothing.
        from kubectl_spy.core.waiting.awaiting import Awaiting

        self._declared = declared
        self._asked = asked
        self._known = 0
        self._awaiting = Awaiting(steps, (), concerns=concerns, failures=view.failures)
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
        if verdict := self._awaiting.conclude():
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
    """Say that the wait is over. Raises WaitFailed if it was in vain."""
    if not verdict.met:
        raise WaitFailed(verdict.message, verdict.remedy)
    terminal.say(inert(verdict.message))


def _failed(message: str, remedy: str = "") -> Verdict:
    from kubectl_spy.core.waiting.awaiting import Verdict

    return Verdict(False, message, remedy)
