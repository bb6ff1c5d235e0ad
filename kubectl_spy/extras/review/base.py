"""The screen of a review: its panes, how they are drawn, and how keys move in them."""

from __future__ import annotations

import time
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.review.change_keys import ChangeKeys
from kubectl_spy.extras.review.keys import bindings
from kubectl_spy.extras.review.pages import Pages
from kubectl_spy.extras.review.panes import ChangePane, Lines, ObjectsPane, VersionsPane
from kubectl_spy.extras.review.prompt import Prompt
from kubectl_spy.extras.review.session import Session
from kubectl_spy.extras.review.time_bar import TimeBar
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.sources.recording.index import Index

STEP = 0.03  # seconds of work between two looks at the keys
PAUSE = 0.002  # seconds for keys and for drawing; without a pause nothing is drawn
_FRESH = 0.3  # seconds after a key in which the next one must not wait
_DRAWN = 0.5  # seconds between two drawings while nobody presses a key


class Base(ChangeKeys):
    """Draws the recording in *index*, and moves in it.

    Subclasses add the actions of other keys. The result is the error that ended it.
    """

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = bindings()
    CSS = """
    Screen { background: ansi_default; color: ansi_default; }
    * { scrollbar-size: 1 1; scrollbar-background: ansi_default;
        scrollbar-color: ansi_bright_black; link-style: none; }
    #head, #status { height: 1; text-style: bold; }
    #status { text-style: none; }
    #bar { height: 2; }
    #left { width: 40%; min-width: 30; border-right: vkey ansi_bright_black; }
    #objects { height: 1fr; border-bottom: hkey ansi_bright_black; }
    #versions { height: 1fr; }
    #right { width: 1fr; }
    #change { height: 1fr; padding: 0 0 0 1; }
    #prompt { display: none; height: 1; border: none; padding: 0;
              background: ansi_default; color: ansi_default; }
    KeysPage { align: center middle; background: ansi_default; }
    #keys { width: 78; height: auto; max-height: 100%; }
    """

    def __init__(self, index: Index, palette: Palette = PLAIN) -> None:
        session = Session(index)
        super().__init__(session, Pages(index, palette, self.columns), ansi_color=True)
        self.palette = palette
        self._growing = self._told = False
        self._next_drawing = 0.0
        self.pressed = 0.0  # when the last key came, or 0

    def compose(self) -> ComposeResult:
        """Make the panes."""
        yield Static(id="head", markup=False)
        yield TimeBar(self.session)
        with Horizontal(id="panes"):
            with Vertical(id="left"):
                yield ObjectsPane(self.session, self._choose_object)
                yield VersionsPane(self.session, self.pages, self._choose_version)
            with Vertical(id="right"):
                yield ChangePane()
        yield Static(id="status", markup=False)
        yield Prompt(id="prompt")

    def on_mount(self) -> None:
        """Show what is there, and index on."""
        self.focus_on("#objects")
        self.call_after_refresh(self.grow)
        # After Ctrl-Z Textual draws only what has changed meanwhile.
        self.app_resume_signal.subscribe(self, lambda _: self._draw_all())

    def _draw_all(self) -> None:
        self.forget()
        self.redraw()
        self.refresh(layout=True)

    async def on_event(self, event: events.Event) -> None:
        """Note when a key comes: then the next one must not wait for the index."""
        if isinstance(event, events.InputEvent):
            self.pressed = time.monotonic()
        await super().on_event(event)

    @property
    def pace(self) -> tuple[float, float]:
        """How many seconds to work, and to pause then. After a key, keys go first."""
        used = time.monotonic() - self.pressed < _FRESH
        return (STEP / 6, PAUSE * 10) if used else (STEP, PAUSE)

    def on_change_pane_resized(self) -> None:
        """Wrap the text anew."""
        self.redraw()

    def grow(self) -> None:
        """Read and filter on for a moment, and again until all is done."""
        if self._growing:
            return
        step, pause = self.pace
        try:
            more = self.session.grow(step)
        except SpyError as error:
            self.exit(error)
            return
        if not more or time.monotonic() >= self._next_drawing:
            self.redraw()
        if more:
            self.set_timer(pause, self._grow_again)
        self._growing = more
        self.grown()

    def grown(self) -> None:
        """Say once the index is complete if the recording has no end."""
        session, recording = self.session, self.session.index.recording
        if not session.index.complete or self._told:
            return
        self._told = True
        if not recording.ended and not session.index.is_live:
            self.say("no end: still being recorded, or its recorder was killed")

    def _grow_again(self) -> None:
        self._growing = False
        self.grow()

    @property
    def doing(self) -> str:
        """What the screen does by itself, for the first line."""
        return ""

    @property
    def what(self) -> str:
        """What is reviewed, for the first line."""
        return inert(self.session.index.recording.name.rpartition("/")[2])

    def refill(self) -> None:
        """Show what is there after another filter."""
        self.forget()
        self.grow()
        self.redraw()

    def redraw(self) -> None:
        """Draw every pane as it is at the clock."""
        session = self.session
        self._next_drawing = time.monotonic() + _DRAWN
        if not self.is_running or not len(session.index):
            return
        try:
            self.query_one(ObjectsPane).refill()
            self.query_one(VersionsPane).refill()
            self.show_change()
        except SpyError as error:
            self.exit(error)
            return
        self.query_one(TimeBar).refresh()
        moment = session.index.times[session.clock] or session.index.recording.began
        at = " ".join(day_and_clock(moment))
        head = Text("  ".join(filter(None, (at, self.doing, self.what))))
        kept = " › ".join(inert(each.text) for each in session.filters)
        if kept:
            head.append(f"  {kept}", style="not bold")
        self.query_one("#head", Static).update(head)
        status = Text(self._status(), no_wrap=True, overflow="ellipsis")
        self.query_one("#status", Static).update(status)

    def _status(self) -> str:
        session = self.session
        objects, changes = session.hidden
        parts = [many(len(session.objects), "object")]
        if objects or changes:
            hidden = f"{many(objects, 'object')}, {many(changes, 'change')} hidden"
            parts.append(f"{hidden} (Esc)")
        parts.append(session.progress)
        if damages := sum(not each.torn for each in session.index.recording.damages):
            parts.append(f"{many(damages, 'damage')} (g)")
        parts.append(self.said or "? keys  q quit")
        return " · ".join(filter(None, parts))

    def _choose_object(self, number: int) -> None:
        self.session.subject = self.session.objects[number]  # the clock stays
        self.say("")

    def _choose_version(self, number: int) -> None:
        session = self.session
        session.go_to(session.versions(session.subject)[number])
        self.say("")

    def on_time_bar_clicked(self, clicked: TimeBar.Clicked) -> None:
        """Set the clock."""
        self.session.clock = max(0, self.session.index.line_at(clicked.moment))
        self.redraw()

    @property
    def zoomed(self) -> bool:
        """Whether the change has the whole screen."""
        return not self.query_one("#left").display

    def zoom(self, zoomed: bool) -> None:
        """Give the change the whole screen, or a part of it again."""
        self.query_one("#left").display = not zoomed
        self.focus_on("#change" if zoomed else "#versions")

    def action_pane(self, move: str, by: int) -> None:
        """Move in the pane with the focus: by lines, pages, or to its end."""
        if isinstance(self.focused, Lines):
            moves = {"line": self.focused.move, "page": self.focused.page}
            moves.get(move, self.focused.end)(by)

    def action_step(self, by: int) -> None:
        """Go to the next or previous change of the object."""
        moved = self.session.step(by)
        end = "last" if by > 0 else "first"
        self.say("" if moved else f"this is its {end} change")

    def action_step_any(self, by: int) -> None:
        """Go to the next or previous change of any object."""
        moved = self.session.step_any(by)
        self.say("" if moved else "no more changes that way")

    def action_next_loss(self) -> None:
        """Go to the next GAP or damaged place."""
        moved = self.session.next_loss()
        self.say("" if moved else "no GAP, and nothing is damaged")
