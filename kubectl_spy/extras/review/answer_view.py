"""What failed in a recording and why, drawn as `summary` prints it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_spy.core.changes.record import Aside, Item
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.summary import Read, Sections, none_failed
from kubectl_spy.render.wrapping import wrapped


class AnswerView:
    """Draws fights, what fails and what failed, with what likely caused it."""

    def __init__(self, scope: Scope, palette: Palette, recording: Read) -> None:
        self._recording = recording
        self._summary = Summary(scope, lambda record: True)
        self._palette = palette

    def taking(self, item: Item | Aside) -> Iterator[None]:
        """Take in an item, step by step: to look at what fails may take a second."""
        return self._summary.taking(item)

    def lines(
        self, roots: Sequence[str], now: float, *, width: int, full: bool
    ) -> list[str]:
        """Return what failed, or that nothing did. The *roots* make no difference."""
        self._summary.pass_time(now)
        lines = [
            line
            for lines in self._sections(width=width, full=full)
            for line in lines.splitlines() or [""]
        ]
        return lines[1:] or wrapped(none_failed(self._summary, self._recording), width)

    def _sections(self, *, width: int, full: bool) -> Iterator[str]:
        failures = self._summary.failures()
        spaces = len({each.top.namespace for each in failures})
        sections = Sections(self._palette, width, full=full, days=1, spaces=spaces)
        yield from sections.lasting(self._summary, failures)
        yield from sections.over(failures)
