"""The first page of a review as text, for the demo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from rich.console import Console

from kubectl_spy.core.changes.record import Aside, Item
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.extras.review.launch import screen_class
from kubectl_spy.render.columns import wrapped
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.render.summary import Sections, none_failed
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.recording import Recording


def first_page(name: str, palette: Palette, size: tuple[int, int]) -> str:
    """Return what the screen shows of the recording *name* once all of it is read.

    *size* is columns and lines. Raises SpyError if Textual is not installed.
    """
    console = Console(color_system="standard", force_terminal=True)
    page = list[str]()

    async def look(pilot: Any) -> None:
        app, before = pilot.app, None
        while page != before or app.session.progress or app.sought or app.reads_on:
            before = page.copy()
            await pilot.pause(0.1)
            strips = app.screen._compositor.render_strips()
            page[:] = [
                each.text.rstrip() if palette is PLAIN else each.render(console)
                for each in strips
            ]
        app.exit()

    with closing(Index(name)) as index:
        app = screen_class()(index, palette)
        app.run(headless=True, size=size, auto_pilot=look)
    return "".join(f"{line}\n" for line in page)


# What failed in a recording and why, drawn as `summary` prints it.


class AnswerView:
    """Draws fights, what fails and what failed, with what likely caused it."""

    def __init__(self, scope: Scope, palette: Palette, recording: Recording) -> None:
        self._recording = recording
        self._coverage = scope.coverage
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
        damaged = bool(self._recording.damages)
        found = self._summary
        nothing = none_failed(found, self._coverage, found.began, now, damaged=damaged)
        return lines[1:] or wrapped(nothing, width)

    def _sections(self, *, width: int, full: bool) -> Iterator[str]:
        failures = self._summary.failures()
        spaces = len({each.top.namespace for each in failures})
        sections = Sections(self._palette, width, full=full, days=1, spaces=spaces)
        yield from sections.lasting(self._summary, failures)
        yield from sections.over(failures)
