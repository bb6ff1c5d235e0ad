"""Waiting with `--for`, live or in a recording, and how it ends a command."""

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
    """Waits until what *asked* returns for *declared* meets *steps*.

    *declared* may grow: a recording that was continued declares more later. *concerns*
    says which items count. By default those do that carry a selection asked for. What
    *view* knows to fail counts too.
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

    def observe(self, item: Item) -> Verdict | None:
        """Return the verdict that *item* brings, if any."""
        self._expect()
        return self._awaiting.observe(item)

    def judge(self) -> Verdict | None:
        """Return the verdict that failures bring, if any."""
        return self._awaiting.judge()

    def explained(self, verdict: Verdict) -> Verdict:
        """Return *verdict* with the reason that is known by now."""
        return self._awaiting.explained(verdict)

    def now(self) -> Verdict:
        """Return the verdict on the current state, if nobody waits any longer."""
        return self._awaiting.conclude() or _failed(f"not {self._told}")

    def at_end(self, name: str) -> Verdict:
        """Return the verdict at the end of the recording *name*."""
        self._expect()
        if verdict := self._awaiting.conclude():
            return verdict
        message = f"{name} ends before --for {self._awaiting.phrase} came"
        return _failed(message, self._awaiting.missing())

    def unmet(self) -> str:
        """Return what was waited for in vain, and what is missing."""
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
    """Say that what was waited for came.

    Raises:
        WaitFailed: it cannot come any more.
    """
    if not verdict.met:
        raise WaitFailed(verdict.message, verdict.remedy)
    terminal.say(inert(verdict.message))


def _failed(message: str, remedy: str = "") -> Verdict:
    from kubectl_spy.core.waiting.awaiting import Verdict

    return Verdict(False, message, remedy)
