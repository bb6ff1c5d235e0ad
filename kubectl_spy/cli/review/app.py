"""The screen of a review: panes that share one clock, and the keys that move it."""

from __future__ import annotations

import time
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from kubectl_spy.cli.review.keys import KeysPage, bindings
from kubectl_spy.cli.review.pages import Pages
from kubectl_spy.cli.review.panes import ObjectsPane, VersionsPane
from kubectl_spy.cli.review.rows import Lines
from kubectl_spy.cli.review.session import Session
from kubectl_spy.cli.review.time_bar import TimeBar
from kubectl_spy.core.changes.filtering import Filter, parse_filter
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.sources.recording.index import Index

_STEP = 0.03  # seconds of indexing between two looks at the keys
_PAUSE = 0.002  # seconds for keys and for drawing; without a pause nothing is drawn
_DRAWN = 0.25  # seconds between two drawings while nobody presses a key


class ReviewApp(App[SpyError]):
    """Reviews the recording in *index*. Its result is why it had to end, if it had."""

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
    #change { width: 1fr; padding: 0 0 0 1; }
    #filter { display: none; height: 1; border: none; padding: 0;
              background: ansi_default; color: ansi_default; }
    KeysPage { align: center middle; background: ansi_default; }
    #keys { width: 78; height: auto; max-height: 100%; }
    """

    def __init__(self, index: Index, palette: Palette = PLAIN) -> None:
        super().__init__(ansi_color=True)
        self.session = Session(index)
        self._palette = palette
        self._pages = Pages(index, palette, self._columns)
        self._full = self._whole = False
        self._said = ""
        self._shown: tuple[object, ...] = ()
        self._next_drawing = 0.0

    def compose(self) -> ComposeResult:
        """Make the panes."""
        yield Static(id="head", markup=False)
        yield TimeBar(self.session)
        with Horizontal():
            with Vertical(id="left"):
                yield ObjectsPane(self.session, self._choose_object)
                yield VersionsPane(self.session, self._pages, self._choose_version)
            yield Lines(id="change")
        yield Static(id="status", markup=False)
        yield Input(id="filter", placeholder="pod/web !event -n shop ~REGEX")

    def on_mount(self) -> None:
        """Show what is there, and index on."""
        self._focus("#objects")
        self.call_after_refresh(self._grow)

    def on_resize(self) -> None:
        """Wrap the text anew."""
        self._shown = ()
        self.call_after_refresh(self.redraw)

    def _grow(self) -> None:
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
            self.set_timer(_PAUSE, self._grow)

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
        self.query_one("#head", Static).update(Text(f"{day} {at}  {name}"))
        self.query_one("#status", Static).update(Text(self._status()))

    def _show_change(self) -> None:
        session, pane = self.session, self.query_one("#change", Lines)
        line = session.version
        compared, mark = session.compared, session.mark
        shown = (session.clock, session.subject, line, self._full, self._whole, mark)
        again, self._shown = shown == self._shown, shown
        if again:
            return
        lines = self._pages.notices(session.clock)
        if compared is not None and mark is not None:
            lines += self._pages.difference(mark, compared)
        elif line is not None:
            of = self._pages
            lines += (
                of.document(line) if self._whole else of.change(line, full=self._full)
            )
        elif versions := session.versions(session.subject):
            lines += self._pages.not_yet(session.subject, versions[0])
        else:
            lines += ["nothing to show"]
        pane.show(lines, again=False)

    def _columns(self) -> int:
        return max(20, self.query_one("#change", Lines).size.width - 1)

    def _status(self) -> str:
        session = self.session
        objects, changes = session.hidden
        parts = [many(len(session.objects), "object")]
        if objects or changes:
            hidden = f"{many(objects, 'object')}, {many(changes, 'change')} hidden"
            parts.append(f"{hidden} (/)")
        parts.append(session.progress)
        if damages := len(session.index.recording.damages):
            parts.append(f"{many(damages, 'damage')} (g)")
        parts.append(self._said or "? keys  q quit")
        return " · ".join(filter(None, parts))

    def _say(self, text: str) -> None:
        self._said = text
        self.redraw()

    def _choose_object(self, number: int) -> None:
        self.session.choose(self.session.objects[number])
        self._say("")

    def _choose_version(self, number: int) -> None:
        session = self.session
        session.go_to(session.versions(session.subject)[number])
        self._say("")

    def on_time_bar_clicked(self, clicked: TimeBar.Clicked) -> None:
        """Set the clock."""
        self.session.clock = max(0, self.session.index.line_at(clicked.moment))
        self.redraw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave keys to the filter and to the page of keys while these are shown."""
        if len(self.screen_stack) > 1:
            return action == "interrupt"
        asking = self.query_one("#filter").display
        return not asking or action in ("leave", "interrupt")

    def action_interrupt(self) -> None:
        """End, also while a filter is typed."""
        self.exit()

    def action_pane(self, move: str, by: int) -> None:
        """Move in the pane with the focus: by lines, pages, or to its end."""
        if isinstance(self.focused, Lines):
            moves = {"line": self.focused.move, "page": self.focused.page}
            moves.get(move, self.focused.end)(by)

    def action_step(self, by: int) -> None:
        """Go to the next or previous change of the object."""
        moved = self.session.step(by)
        end = "last" if by > 0 else "first"
        self._say("" if moved else f"this is its {end} change")

    def action_step_any(self, by: int) -> None:
        """Go to the next or previous change of any object."""
        moved = self.session.step_any(by)
        self._say("" if moved else "no more changes that way")

    def action_next_loss(self) -> None:
        """Go to the next GAP or damaged place."""
        moved = self.session.next_loss()
        self._say("" if moved else "no GAP, and nothing is damaged")

    def action_document(self) -> None:
        """Show the whole object, or its change."""
        self._whole = not self._whole
        self._say("the whole object (d: its change)" if self._whole else "")

    def action_full(self) -> None:
        """Fold times and the like, or show all."""
        self._full = not self._full
        self._say("nothing folded (f folds)" if self._full else "")

    def action_mark(self) -> None:
        """Mark the version, and compare others with it. End that if one is marked."""
        session = self.session
        session.mark = session.version if session.mark is None else None
        self._say("" if session.mark is None else "compared with A (m ends that)")

    def action_events(self) -> None:
        """Show the Events of the object, the one that is latest at the clock first."""
        named = self.session.index.subjects[self.session.subject]
        if named.kind == "Event" or not named.name:
            self._say("this is an Event (Esc drops the filter)")
            return
        within = f" -n {named.namespace}" if named.namespace else ""
        text = f"event/{named.name}.{within}"
        self.query_one("#filter", Input).value = text
        self._apply(parse_filter(text))
        self.session.choose_latest()
        self._focus("#objects")
        self._say("" if self.session.objects else "no Event of it was recorded")

    def action_enter(self) -> None:
        """Open what is chosen."""
        focused = self.focused.id if self.focused else ""
        if focused == "objects":
            self._focus("#versions")
            return
        self._zoom(not self._zoomed)

    def action_leave(self) -> None:
        """Go back from the change to the lists, or drop the filter."""
        focused = self.focused.id if self.focused else ""
        if self._zoomed:
            self._zoom(False)
        elif focused in ("filter", "objects"):
            self.query_one("#filter", Input).value = ""
            self._end_filter()
        else:
            self._focus("#objects")

    @property
    def _zoomed(self) -> bool:
        return not self.query_one("#left").display

    def _focus(self, pane: str) -> None:
        # At once: keys that were typed meanwhile are for the new pane.
        self.screen.set_focus(self.query_one(pane))

    def _zoom(self, zoomed: bool) -> None:
        self.query_one("#left").display = not zoomed
        self._focus("#change" if zoomed else "#versions")
        self._shown = ()
        self.call_after_refresh(self.redraw)

    def action_filter(self) -> None:
        """Ask for a filter."""
        self._ask(True)
        self._focus("#filter")

    def on_input_changed(self, changed: Input.Changed) -> None:
        """Apply the filter while it is typed."""
        try:
            chosen = parse_filter(changed.value)
        except ValueError as error:
            self._say(str(error))
            return
        if chosen != self.session.filter:
            self._said = ""
            self._apply(chosen)

    def _apply(self, chosen: Filter) -> None:
        self.session.set_filter(chosen)
        self._shown = ()
        self._grow()
        self.redraw()

    def on_input_submitted(self) -> None:
        """Keep the filter."""
        self._end_filter()

    def _end_filter(self) -> None:
        self._focus("#objects")
        self._ask(False)
        self.redraw()

    def _ask(self, asking: bool) -> None:
        self.query_one("#filter").display = asking

    def action_copy(self) -> None:
        """Copy the command line that shows the same."""
        line = self.session.version
        if line is None:
            self._say("nothing is shown that a command could show")
            return
        file, mark = self.session.index.recording.name, self.session.mark
        index, command = self.session.index, self._pages.command(line, file)
        if (
            mark is not None
            and index.subject(mark) == index.subject(line)
            and mark != line
        ):
            command = self._pages.comparison(mark, line, file)
        self.copy_to_clipboard(command)
        self._say(f"copied: {command}")

    def action_keys(self) -> None:
        """Show every key."""
        self.push_screen(KeysPage())
