"""The first page of a review as text, for the demo."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from rich.console import Console

from kubectl_spy.extras.review.launch import screen_class
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.sources.recording.index import Index


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
