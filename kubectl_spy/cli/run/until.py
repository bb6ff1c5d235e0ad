"""Waits for `--stop-on` of `record`, and goes on recording for a time after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from kubectl_spy.cli.run.loop import Waiting
from kubectl_spy.cli.run.view import View
from kubectl_spy.core.changes.record import Item
from kubectl_spy.core.objects import Selection

if TYPE_CHECKING:
    from kubectl_spy.core.waiting.awaiting import Step, Verdict


class Until(Waiting):
    """Waits until any target meets *steps*, and *after* seconds more.

    *met* is called in between, with what was met. One of several targets may fail to
    meet the steps for good: the others still can.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        declared: Sequence[Selection],
        view: View,
        *,
        after: float,
        met: Callable[[str], None],
    ) -> None:
        super().__init__(steps, declared, view, any_of=True)
        self._several = len(declared) > 1 or declared[0].name is None
        self._after = after
        self._met = met
        self._end = 0.0

    def observe(self, item: Item) -> Verdict | None:
        """Take in *item*. Return the verdict when the time after it is over."""
        return None if self.held else self._hold(super().observe(item))

    def judge(self) -> Verdict | None:
        """Return the verdict when the time after it is over."""
        if self.held is None:
            return self._hold(super().judge())
        return self.held if monotonic() >= self._end else None

    def _hold(self, verdict: Verdict | None) -> Verdict | None:
        if verdict is None or not verdict.met:
            return None if self._several else verdict
        self._met(verdict.message)
        self._end = monotonic() + self._after
        self.held = verdict._replace(message="")  # it was reported
        return self.held if not self._after else None
