"""The screen of a review: its panes, how they are drawn, and the line that asks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from kubectl_spy.cli.review.change_pane import ChangePane
from kubectl_spy.cli.review.keys import bindings
from kubectl_spy.cli.review.pages import Pages
from kubectl_spy.cli.review.panes import ObjectsPane, VersionsPane
from kubectl_spy.cli.review.prompt import Asked, Prompt
from kubectl_spy.cli.review.rows import Lines
from kubectl_spy.cli.review.session import Session
from kubectl_spy.cli.review.time_bar import TimeBar
from kubectl_spy.core.patch.natural_keys import trail
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.sources.recording.index import Index

_STEP = 0.03  # seconds of indexing between two looks at the keys
_PAUSE = 0.002  # seconds for keys and for drawing; without a pause nothing is drawn
_DRAWN = 0.25  # seconds between two drawings while nobody presses a key


class Base(App[SpyError]):
    """Draws the recording in *index*. Subclasses have the actions of the keys.

    Its result is why it had to end, if it had.
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
    #trail { display: none; height: 1; padding: 0 0 0 1; }
    #prompt { display: none; height: 1; border: none; padding: 0;
              background: ansi_default; color: ansi_default; }
    KeysPage { align: center middle; background: ansi_default; }
    #keys { width: 78; height: auto; max-height: 100%; }
    """

    def __init__(self, index: Index, palette: Palette = PLAIN) -> None:
        super().__init__(ansi_color=True)
        self.session = Session(index)
        self._palette = palette
        self.pages = Pages(index, palette, self._columns)
        self.full = self.whole = False
        self.said = ""
        self._growing = False
        self.asked_from = "#objects"
        self._asked: Asked | None = None
        self._typed = ""
        self._shown: tuple[object, ...] = ()
        self._next_drawing = 0.0

    def compose(self) -> ComposeResult:
        """Make the panes."""
        yield Static(id="head", markup=False)
        yield TimeBar(self.session)
        with Horizontal():
            with Vertical(id="left"):
                yield ObjectsPane(self.session, self._choose_object)
                yield VersionsPane(self.session, self.pages, self._choose_version)
            with Vertical(id="right"):
                yield ChangePane(self._show_trail)
                yield Static(id="trail", markup=False)
        yield Static(id="status", markup=False)
        yield Prompt(id="prompt")

    def on_mount(self) -> None:
        """Show what is there, and index on."""
        self.focus_on("#objects")
        self.call_after_refresh(self.grow)

    def on_resize(self) -> None:
        """Wrap the text anew."""
        self._shown = ()
        self.call_after_refresh(self.redraw)

    def grow(self) -> None:
        """Read and search on for a moment, and again until all is done."""
        if self._growing:
            return
        try:
            more = self.session.grow(_STEP)
        except SpyError as error:
            self.exit(error)
            return
        now = time.monotonic()
        if not more or now >= self._next_drawing:
            self._next_drawing = now + _DRAWN
            self.redraw()
        if more:
            self.set_timer(_PAUSE, self._grow_again)
        self._growing = more
        self.grown()

    def grown(self) -> None:
        """Say what is known only now."""
        if said := self.session.bookmarks.read():
            self.say(said)

    def _grow_again(self) -> None:
        self._growing = False
        self.grow()

    @property
    def doing(self) -> str:
        """What the screen does by itself, for the first line."""
        return ""

    def refill(self) -> None:
        """Show what is there after another filter or search."""
        self.forget()
        self.grow()
        self.redraw()

    def forget(self) -> None:
        """Draw the change anew, even if it is the same."""
        self._shown = ()

    def redraw(self) -> None:
        """Draw every pane as it is at the clock."""
        session = self.session
        if not self.is_running or not len(session.index):
            return
        try:
            self.query_one(ObjectsPane).refill()
            self.query_one(VersionsPane).refill()
            self._show_change()
        except SpyError as error:
            self.exit(error)
            return
        self.query_one(TimeBar).refresh()
        day, at = day_and_clock(session.index.times[session.clock])
        name = inert(session.index.recording.name.rpartition("/")[2])
        head = Text("  ".join(filter(None, (f"{day} {at}", self.doing, name))))
        kept = " › ".join(inert(each.text) for each in session.filters)
        if kept:
            head.append(f"  {kept}", style="not bold")
        self.query_one("#head", Static).update(head)
        self.query_one("#status", Static).update(_one_line(self._status()))

    def _show_change(self) -> None:
        session, pane = self.session, self.query_one(ChangePane)
        line = session.version
        compared, mark = session.compared, session.mark
        note = session.bookmarks.notes.get(-1 if line is None else line)
        view = (self.full, self.whole, mark, note, session.search)
        shown = (session.clock, session.subject, line, *view)
        again, self._shown = shown == self._shown, shown
        if again:
            return
        search = session.search
        pane.pattern = None if search is None else search.pattern
        operations: Sequence[PatchOperation] = ()
        lines = self.pages.notices(session.clock)
        if note is not None:
            lines += self.pages.note(note.text)
        if compared is not None and mark is not None:
            lines += self.pages.difference(mark, compared)
        elif line is not None:
            version, operations = self._version(line)
            lines += version
        elif versions := session.versions(session.subject):
            lines += self.pages.not_yet(session.subject, versions[0])
        else:
            lines += ["nothing to show"]
        pane.show_change(lines, operations)
        self._show_trail()

    def _show_trail(self) -> None:
        """Say where the operation with the cursor is."""
        pane, bar = self.query_one(ChangePane), self.query_one("#trail", Static)
        step, line = pane.operation, self.session.version
        version = None if line is None else self.pages.version(line)
        bar.display = self.focused is pane and step is not None
        if step is not None and version is not None:
            value = step.old if step.value is None else step.value
            steps = trail(step.path, version.record.document, value)
            bar.update(_one_line(inert(" › ".join(steps))))

    def _version(self, line: int) -> tuple[list[str], Sequence[PatchOperation]]:
        """Return the lines of a version, with what the search found, and operations."""
        of, search = self.pages, self.session.search
        if self.whole:
            return of.document(line), ()
        found = search if search is not None and self.session.is_at_hit else None
        for full in (self.full, True):
            lines = of.change(line, full=full)
            if found is None or found.is_in(lines):
                return lines, of.operations(line, full=full)
        return of.document(line), ()

    def _columns(self) -> int:
        return max(20, self.query_one("#change", Lines).size.width - 1)

    def _status(self) -> str:
        session = self.session
        objects, changes = session.hidden
        parts = [many(len(session.objects), "object")]
        if objects or changes:
            hidden = f"{many(objects, 'object')}, {many(changes, 'change')} hidden"
            parts.append(f"{hidden} (Esc)")
        if session.search is not None:
            parts.append(session.search.place(session.clock, at=session.is_at_hit))
        parts.append(session.progress)
        if damages := len(session.index.recording.damages):
            parts.append(f"{many(damages, 'damage')} (g)")
        parts.append(self.said or "? keys  q quit")
        return " · ".join(filter(None, parts))

    def say(self, text: str) -> None:
        """Say *text* in the last line."""
        self.said = text
        self.redraw()

    def _choose_object(self, number: int) -> None:
        self.session.choose(self.session.objects[number])
        self.say("")

    def _choose_version(self, number: int) -> None:
        session = self.session
        session.go_to(session.versions(session.subject)[number])
        self.say("")

    def on_time_bar_clicked(self, clicked: TimeBar.Clicked) -> None:
        """Set the clock."""
        self.session.clock = max(0, self.session.index.line_at(clicked.moment))
        self.redraw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave keys to the last line and to the page of keys while these are shown."""
        if len(self.screen_stack) > 1:
            return action == "interrupt"
        return self._asked is None or action in ("leave", "interrupt")

    def ask(self, hint: str, asked: Asked, text: str = "") -> None:
        """Ask for a line of text, which begins as *text*."""
        prompt = self.query_one(Prompt)
        with prompt.prevent(Input.Changed):
            prompt.value = text
        prompt.cursor_position = len(text)
        prompt.placeholder = hint
        prompt.display = True
        self._asked, self._typed = asked, text
        self.said = ""
        if self.focused is not None and self.focused.id:
            self.asked_from = f"#{self.focused.id}"
        self.focus_on("#prompt")

    def end_asking(self, pane: str) -> Asked | None:
        """Hide the line, and go to *pane*. Return what was asked for."""
        asked, self._asked = self._asked, None
        self.query_one("#prompt").display = False
        self.focus_on(pane)
        return asked

    def on_input_changed(self, changed: Input.Changed) -> None:
        """Act on what is pasted."""
        if self._asked is not None and changed.value != self._typed:
            self._typed = changed.value
            self._asked.typed(changed.value)

    async def on_event(self, event: events.Event) -> None:
        """Give keys to the last line while it asks."""
        asked = self._asked
        if asked is None or not isinstance(event, events.Key):
            await super().on_event(event)
            return
        prompt = self.query_one(Prompt)
        if event.key == "enter":
            self.end_asking(self.asked_from)
            asked.entered(prompt.value)
            self.redraw()
        elif not prompt.take(event):
            await super().on_event(event)
        elif prompt.value != self._typed:
            self._typed = prompt.value
            asked.typed(prompt.value)

    @property
    def zoomed(self) -> bool:
        """Whether the change has the whole screen."""
        return not self.query_one("#left").display

    def focus_on(self, pane: str) -> None:
        """Give the keys to a pane."""
        # At once: keys that were typed meanwhile are for the new pane.
        self.screen.set_focus(self.query_one(pane))

    def zoom(self, zoomed: bool) -> None:
        """Give the change the whole screen, or a part of it again."""
        self.query_one("#left").display = not zoomed
        self.focus_on("#change" if zoomed else "#versions")
        self._shown = ()
        self.call_after_refresh(self.redraw)


def _one_line(text: str) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis")
