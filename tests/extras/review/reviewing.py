"""A review that is driven by keys, and what its panes show."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from kubectl_spy.errors import SpyError
from kubectl_spy.extras.review.app import ReviewApp
from kubectl_spy.extras.review.panes import Lines, TimeBar
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.sources.recording.index import Index
from tests.processes import PATIENCE

Play = Callable[["Review"], Awaitable[None]]


class Review:
    """A review under way, and what its panes show."""

    def __init__(self, app: ReviewApp, pilot: Pilot[SpyError]) -> None:
        self.app, self.pilot = app, pilot

    async def press(self, *keys: str) -> None:
        """Press *keys*, and wait until the screen has followed."""
        await self.pilot.press(*keys)
        await self.drawn()

    async def drawn(self) -> None:
        """Wait until no widget has a message, and the screen stays as it is.

        A message may lead to another layout, and that to other messages.
        """
        screen, until = None, time.monotonic() + PATIENCE
        while (now := self.screen) != screen or not self._is_quiet:
            assert time.monotonic() < until, "the screen goes on changing"
            screen = now
            await self.pilot.pause()

    @property
    def _is_quiet(self) -> bool:
        widgets = [self.app, *self.app.screen.walk_children(with_self=True)]
        return all(each.message_queue_size == 0 for each in widgets)

    @property
    def is_busy(self) -> bool:
        """Whether anything is indexed, filtered, looked for or read."""
        app = self.app
        return bool(app.session.progress or app.sought or app.reads_on)

    @property
    def screen(self) -> list[str]:
        """What every pane shows, line by line."""
        return [
            f"{pane.id} {pane.size} {pane.has_focus} {pane.render_line(y).text}"
            for pane in self.app.screen.query("*").results(Widget)
            if pane.display and not pane.is_container
            for y in range(pane.size.height)
        ]

    async def type(self, text: str) -> None:
        """Filter by *text*."""
        await self.press("slash", *text, "enter")

    @property
    def focus(self) -> str | None:
        return self.app.focused.id if self.app.focused else None

    @property
    def change(self) -> str:
        return "\n".join(self.app.query_one("#change", Lines).shown)

    @property
    def status(self) -> str:
        return str(self.app.query_one("#status", Static).content)

    @property
    def head(self) -> str:
        return str(self.app.query_one("#head", Static).content)

    @property
    def bar(self) -> str:
        """The marks below the time bar."""
        return self.app.query_one(TimeBar).render_line(1).text

    @property
    def objects(self) -> list[str]:
        """The labels in the list of objects."""
        session = self.app.session
        return [session.index.subjects[each].label for each in session.objects]

    @property
    def chosen(self) -> str:
        return self.app.session.index.subjects[self.app.session.subject].label

    @property
    def clock(self) -> float:
        return self.app.session.index.times[self.app.session.clock]


def named(index: Index, label: str) -> tuple[int, list[int]]:
    """Return an object of *index*, and its lines."""
    labels = [each.label for each in index.subjects]
    return labels.index(label), list(index.lines(labels.index(label)))


async def settle(review: Review) -> None:
    """Wait until all is indexed, filtered, looked through for failures, and drawn."""
    until = time.monotonic() + PATIENCE
    while review.is_busy:
        assert time.monotonic() < until, review.status
        await review.pilot.pause()
    await review.drawn()


def reviewed(
    file: Path,
    play: Play,
    size: tuple[int, int] = (80, 24),
    palette: Palette = PLAIN,
) -> None:
    """Review *file* on a screen of that *size*, as *play* does."""

    async def run(index: Index) -> None:
        app = ReviewApp(index, palette)
        async with app.run_test(size=size) as pilot:
            while not index.complete:
                await pilot.pause()
            review = Review(app, pilot)
            await review.drawn()
            await play(review)

    with closing(Index(str(file))) as index:
        asyncio.run(run(index))
