"""`--for` with `--from`: what was recorded comes to an end."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.cli.run.view import Consumer
from kubectl_spy.core.awaiting.awaiting import Awaiting, Step, Verdict
from kubectl_spy.core.record import Item
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.wanted import Wanted


class RecordedWait:
    """Waits for what of a recording is *wanted*, and ends with the recording.

    Without types or names that is what was asked for when it was recorded, and not what
    was followed along with it.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        wanted: Wanted,
        recording: Recording,
        showing: Consumer,
    ) -> None:
        self._recording = recording
        self._wanted = wanted
        self._known = 0
        self._awaiting = Awaiting(
            steps, (), concerns=wanted.asks_for, failures=showing.failures
        )

    def observe(self, item: Item) -> Verdict | None:
        """Return the verdict that *item* brings, if it brings one."""
        self._expect()
        return self._awaiting.observe(item) or self._awaiting.judge()

    def end(self) -> Verdict:
        """Return the verdict when there is nothing more to come."""
        self._expect()
        return self._awaiting.conclude() or Verdict(
            False,
            f"{self._recording.name} ends before --for {self._awaiting.phrase} came",
            self._awaiting.missing(),
        )

    def _expect(self) -> None:
        """Wait for what is declared, too, by a run that continued the recording."""
        declared = self._recording.declared
        if len(declared) != self._known:
            self._known = len(declared)
            for root in self._wanted.asked(declared):
                self._awaiting.expect(root)
