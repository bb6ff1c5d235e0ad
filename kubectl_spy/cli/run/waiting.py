"""The wait for `--for`, and for `--stop-on` of `record`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from kubectl_spy.cli.run.view import View
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.record import Aside, Item, Logged
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.wording import in_brief
from kubectl_spy.errors import WaitFailed
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.core.trace.trace import Trace
    from kubectl_spy.core.waiting.awaiting import Failure, Step, Verdict


class Wait:
    """Waits until all targets meet *steps*.

    *asked* returns the targets among *declared*, which grows when a continued recording
    declares more. *concerns* says which items count. By default these are the items of
    a selection that was asked for. A failure that *trace* shows ends the wait, too.
    Unless the view *traces*, the wait follows the trace. With *any_of* one object is
    enough. With *once* it ends when the view has shown the current state.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        declared: Sequence[Selection],
        trace: Trace | None,
        *,
        traces: bool = False,
        once: bool = False,
        patient: bool = False,
        asked: Callable[[Sequence[Selection]], Iterable[Selection]] = iter,
        concerns: Callable[[Item], bool] | None = None,
        any_of: bool = False,
    ) -> None:
        # The import is slow, and most runs wait for nothing.
        from kubectl_spy.core.waiting.awaiting import Awaiting

        self.verdict: Verdict | None = None
        self.held: Verdict | None = None  # if the run goes on for a time after it
        self.once = once
        self._declared = declared
        self._asked = asked
        self._known = 0
        self._trace = trace
        self._followed = None if traces else trace
        self._patient = patient
        self._awaiting = Awaiting(
            steps, (), concerns=concerns, failures=self._failures, any_of=any_of
        )
        self._expect()

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        """Take in *item*, which counts if it is *shown*."""
        self._expect()
        if isinstance(item, Logged):
            if self._followed is not None:
                self._followed.log(item)
            return
        if self._followed is not None:
            self._followed.observe(item)
        if shown and self.verdict is None and not isinstance(item, EarlierWrite):
            self.verdict = self._observed(item)

    def judge(self, now: float) -> None:
        """Let time pass up to *now*, and judge what fails."""
        while self._followed is not None and self._followed.pass_time(now):
            pass
        if self.verdict is None:
            self.verdict = self._judged()

    def ends(self, view: View) -> bool:
        """Return whether the verdict ends the run. A failure waits for its reason.

        That is in lists for which a *patient* view has waited.
        """
        if self.verdict is None or not view.ready:
            return False
        return self.verdict.met or self._patient or self._complete

    def settle(self) -> None:
        """Judge the current state as the final one."""
        concluded = self._awaiting.conclude()
        self.verdict = concluded or _failed(f"not {self._pending}")

    def conclude(self, terminal: Terminal) -> None:
        """Say that the wait is over. Raises WaitFailed if the verdict is not met."""
        if self.verdict is None:
            return
        verdict = self._awaiting.explained(self.verdict)
        if not verdict.met:
            raise WaitFailed(verdict.message, verdict.remedy)
        if verdict.message:
            terminal.say(verdict.message)

    def end(self, name: str) -> None:
        """Judge at the end of the recording *name*."""
        self._expect()
        message = f"{name} ends before --for {self._awaiting.phrase} came"
        verdict = self._awaiting.conclude() or self._awaiting.judge()
        self.verdict = verdict or _failed(message, self._awaiting.missing())

    def unmet(self) -> str:
        """Return what was not met, and what is missing."""
        return f"waited for {self._pending}"

    def _observed(self, item: Item) -> Verdict | None:
        return self._awaiting.observe(item)

    def _judged(self) -> Verdict | None:
        return self._awaiting.judge()

    @property
    def _pending(self) -> str:
        return f"{self._awaiting.phrase}: {self._awaiting.missing()}"

    @property
    def _complete(self) -> bool:
        return self._trace is None or self._trace.scope.coverage.complete

    def _failures(self) -> Iterator[Failure]:
        """Yield the failures from the root down, once all lists are complete."""
        if self._trace is None or not self._complete:
            return
        # The import is slow, and most runs wait for nothing.
        from kubectl_spy.core.waiting.awaiting import Failure
        from kubectl_spy.render.findings import text

        for root in self._trace.picture().roots:
            name = root.gvk.group, root.gvk.kind, root.namespace, root.name
            for node, finding in root.failing():
                said = f"{node.phase} {node.summary}".strip()
                reason = text(finding) if finding else said
                remedy = finding.remedy if finding else ""
                final = finding is not None and finding.final
                top = self._trace.top(node.uid)
                yield Failure(name, f"{node.label}: {reason}", remedy, final, top)

    def _expect(self) -> None:
        if len(self._declared) != self._known:
            self._known = len(self._declared)
            for each in self._asked(self._declared):
                self._awaiting.expect(each)


class StopOn(Wait):
    """Waits until any target meets *steps*, and *after* seconds more.

    *met* is called in between, with what was met. One of several targets may fail to
    meet the steps for good: the others still can. What fails when all is listed is
    told to *say*, and counts as a failure after it was well.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        declared: Sequence[Selection],
        trace: Trace | None,
        *,
        after: float,
        met: Callable[[str], None],
        say: Callable[[str], None],
    ) -> None:
        from kubectl_spy.core.waiting.awaited import FAILED

        self._old: set[str] | None = None if FAILED in steps else set()
        """The tops that fail since all was listed; None before that."""
        self._say = say
        super().__init__(steps, declared, trace, any_of=True)
        self._several = len(declared) > 1 or declared[0].name is None
        self._after = after
        self._met = met
        self._end = 0.0

    def _observed(self, item: Item) -> Verdict | None:
        if self._old is None:
            tuple(self._failures())  # before what comes in the same batch
        return None if self.held else self._hold(super()._observed(item))

    def _judged(self) -> Verdict | None:
        if self.held is None:
            return self._hold(super()._judged())
        return self.held if monotonic() >= self._end else None

    def _failures(self) -> Iterator[Failure]:
        """Yield the failures that are new."""
        if self._trace is None or not self._complete:
            return
        found = list(super()._failures())
        failing = {each.top for each in found} | self._trace.failing_tops()
        if self._old is None:
            self._old = failing
            told: dict[str, str] = {}
            for each in found:
                told.setdefault(each.top, each.message)
            if told:
                already = in_brief(list(told.values()), joint="; ")
                self._say(f"fails already: {already}; only a new failure is awaited")
        self._old &= failing
        yield from (each for each in found if each.top not in self._old)

    def _hold(self, verdict: Verdict | None) -> Verdict | None:
        if verdict is None or not verdict.met:
            return None if self._several else verdict
        self._met(verdict.message)
        self._end = monotonic() + self._after
        self.held = verdict._replace(message="")  # it was reported
        return self.held if not self._after else None


def _failed(message: str, remedy: str = "") -> Verdict:
    from kubectl_spy.core.waiting.awaiting import Verdict

    return Verdict(False, message, remedy)
