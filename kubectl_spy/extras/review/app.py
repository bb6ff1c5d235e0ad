"""The screen of a review: its panes, how they are drawn, and what its keys do."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from kubectl_spy.cli.run.first_lists import types_of
from kubectl_spy.core.changes.filtering import Filter, parse_filter
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import many, one_line
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.review.folds import AnswerView, Fold, Page, SpansView, TreeView
from kubectl_spy.extras.review.keys import KeysPage, bindings
from kubectl_spy.extras.review.pages import Pages
from kubectl_spy.extras.review.panes import (
    ChangePane,
    Lines,
    ObjectsPane,
    TimeBar,
    VersionsPane,
)
from kubectl_spy.extras.review.prompt import HINT, Asked, Prompt, PromptKeys
from kubectl_spy.extras.review.recorder import RecorderProcess
from kubectl_spy.extras.review.session import Kept, Session, Sought
from kubectl_spy.render.denials import not_listed
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock, day_and_clock
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.sources.recording.index import DAMAGED, Index

_STEP = 0.03  # seconds of work between two looks at the keys
_PAUSE = 0.002  # seconds for keys and for drawing; without a pause nothing is drawn
_FRESH = 0.3  # seconds after a key in which the next one must not wait
_DRAWN = 0.5  # seconds between two drawings while nobody presses a key
_TOLD = 0.5  # seconds between two looks at how far it is
_LOOK = 0.2  # seconds between two looks at the file of a live review


class ReviewApp(PromptKeys):
    """Reviews the recording in *index*. Its result is the error that ended it.

    It begins with what failed in the whole recording, until the clock or the object is
    moved. The tree and spans follow the clock. A live review follows *recorder*, as
    long as the clock is at the end.
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

    def __init__(
        self,
        index: Index,
        palette: Palette = PLAIN,
        *,
        recorder: RecorderProcess | None = None,
        targets: str = "",
        temporary: bool = False,
    ) -> None:
        super().__init__(ansi_color=True)
        self.session = Session(index)
        self.pages = Pages(index, palette, self.columns)
        self._trees = Fold(index, partial(TreeView, palette=palette))
        self._bars = Fold(index, partial(SpansView, palette=palette))
        of = partial(AnswerView, palette=palette, recording=index.recording)
        self._answers = Fold(index, of)
        self._recorder = recorder
        self._targets = targets
        self._temporary = temporary
        self._over = ""  # why a live review no longer follows
        self._growing = self._told = False
        self._next_drawing = self._next_told = 0.0
        self._pressed = 0.0  # when the last key came, or 0
        self._full = self._whole = False  # nothing is folded; the object as a whole
        self._instead: Callable[[], list[str]] | None = None
        """Returns the lines to show in place of the change."""
        if not index.is_live:
            self._instead = self._answer
        self._shown: tuple[object, ...] = ()  # () draws the change anew
        self._scrolled: tuple[object, ...] = ()  # shown when the pane was scrolled
        self._at = (0, 0)  # the clock and the object when it was drawn last
        self.reads_on = False  # whether what is shown in its place is still read
        self.sought: Sought | None = None  # the search that is under way

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
        yield Prompt(id="prompt", placeholder=HINT)

    def on_mount(self) -> None:
        """Show what is there, index on, and look at the file of a recorder."""
        if self._recorder is not None:
            self._recorder.say = None
        # It also wakes the loop: a signal that comes just before it sleeps is not seen.
        self.set_interval(_LOOK, self._follow)
        self.focus_on("#objects")
        self.call_after_refresh(self.grow)
        # After Ctrl-Z Textual draws only what has changed meanwhile.
        self.app_resume_signal.subscribe(self, lambda _: self._draw_all())

    async def on_event(self, event: events.Event) -> None:
        """Note when a key comes: then the next one must not wait for the index."""
        if isinstance(event, events.InputEvent):
            self._pressed = time.monotonic()
        await super().on_event(event)

    # Reading on, a moment at a time: keys go first.

    @property
    def _pace(self) -> tuple[float, float]:
        """How many seconds to work, and to pause then. After a key, keys go first."""
        used = time.monotonic() - self._pressed < _FRESH
        return (_STEP / 6, _PAUSE * 10) if used else (_STEP, _PAUSE)

    def grow(self) -> None:
        """Read and filter on for a moment, and again until all is done."""
        if self._growing:
            return
        step, pause = self._pace
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
        index = self.session.index
        if index.complete and not self._told:
            self._told = True
            if not index.recording.ended and not index.is_live:
                self.say("no end: still being recorded, or its recorder was killed")

    def _grow_again(self) -> None:
        self._growing = False
        self.grow()

    def _follow(self) -> None:
        """Go on with the lines that the recorder wrote."""
        recorder, index = self._recorder, self.session.index
        if recorder is None or not index.is_live or not index.complete:
            return
        ended = recorder.has_ended  # before the look: then nothing comes after it
        try:
            grown = index.go_on(ended=ended)
        except SpyError as error:
            self.exit(error)
            return
        if ended:
            self._over = "✗ no longer recorded"
            self.say(inert(recorder.said) or "its recorder was killed")
        elif recorder.said:
            said, recorder.said = recorder.said, ""
            self.say(inert(said))
        if grown:
            self.grow()

    # Drawing.

    def redraw(self) -> None:
        """Draw every pane. A move ends the answer: who moves wants to see where to."""
        session = self.session
        at = session.clock, session.subject
        if self._instead == self._answer and self._pressed and at != self._at:
            self._instead = None
        self._at = at
        self._next_drawing = time.monotonic() + _DRAWN
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
        moment = session.index.times[session.clock] or session.index.recording.began
        at_clock = " ".join(day_and_clock(moment))
        head = Text("  ".join(filter(None, (at_clock, self._doing, self._what))))
        kept = " › ".join(inert(each.text) for each in session.filters)
        if kept:
            head.append(f"  {kept}", style="not bold")
        self.query_one("#head", Static).update(head)
        status = Text(self._status(), no_wrap=True, overflow="ellipsis")
        self.query_one("#status", Static).update(status)

    @property
    def _what(self) -> str:
        """What is reviewed."""
        if self._temporary:
            return inert(self._targets)
        return inert(self.session.index.recording.name.rpartition("/")[2])

    @property
    def _doing(self) -> str:
        """Whether it is live, and whether the clock is at the end of that."""
        if not self.session.index.is_live:
            return self._over
        if since := self.session.index.coverage.unwatched:
            return f"✗ not watched since {clock(since)}"
        return "● live" if self.session.is_at_end else "● recording (G: live)"

    def _status(self) -> str:
        session = self.session
        objects, changes = session.hidden
        parts = [session.counted]
        if objects or changes:
            hidden = f"{many(objects, 'object')}, {many(changes, 'change')} hidden"
            parts.append(f"{hidden} (Esc)")
        parts.append(session.progress)
        if damages := sum(not each.torn for each in session.index.recording.damages):
            parts.append(f"{many(damages, 'damage')} (g)")
        parts.append(self.said or "? keys  q quit")
        return " · ".join(filter(None, parts))

    def _show_change(self) -> None:
        """Show the change at the clock, or what is in its place.

        Scroll spans to the latest ones.
        """
        pane, before = self.query_one(ChangePane), self._scrolled
        at_end = pane.is_vertical_scroll_end
        session, how = self.session, (self._full, self._whole, self._instead)
        wrapped = self.columns(), session.index.complete
        at = session.clock, session.subject, session.version, session.mark
        shown = (*at, *how, *wrapped)
        if shown != self._shown:
            self._shown = shown
            lines = self.pages.notices(session.clock) + self._change()
            self._scrolled = session.subject, self._instead
            again = self._instead is not None and self._scrolled == before
            pane.show(lines, again=again)
        if self._instead == self._spans and (at_end or self._scrolled != before):
            pane.scroll_end(animate=False, force=True)

    def _change(self) -> list[str]:
        """Return the lines of the change at the clock, or those in its place."""
        session, line = self.session, self.session.version
        if self._instead is not None:
            return self._instead()
        if session.compared is not None and session.mark is not None:
            return self.pages.difference(session.mark, session.compared)
        if line is not None and self._whole:
            return self.pages.document(line)
        if line is not None:
            return self.pages.change(line, full=self._full)
        if versions := session.versions(session.subject):
            return self.pages.not_yet(session.subject, versions[0])
        return ["nothing to show"]

    def columns(self) -> int:
        """Return how many columns the change has."""
        return max(20, self.query_one(ChangePane).size.width - 1)

    def _refill(self) -> None:
        """Show what is there after another filter."""
        self._shown = ()
        self.grow()
        self.redraw()

    def _draw_all(self) -> None:
        self._shown = ()
        self.redraw()
        self.refresh(layout=True)

    def on_change_pane_resized(self) -> None:
        """Wrap the text anew."""
        self.redraw()

    # Moving, with the keys and the mouse.

    @property
    def _zoomed(self) -> bool:
        """Whether the change has the whole screen."""
        return not self.query_one("#left").display

    def _zoom(self, zoomed: bool) -> None:
        """Give the change the whole screen, or a part of it again."""
        self.query_one("#left").display = not zoomed
        self.focus_on("#change" if zoomed else "#versions")

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

    def action_pane(self, move: str, by: int) -> None:
        """Move in the pane with the focus: by lines, pages, or to its end."""
        if isinstance(self.focused, Lines):
            moves = {"line": self.focused.move, "page": self.focused.page}
            moves.get(move, self.focused.end)(by)

    def action_enter(self) -> None:
        """Open what is chosen."""
        if self.focused is not None and self.focused.id == "objects":
            self.focus_on("#versions")
        else:
            self._zoom(not self._zoomed)

    def action_leave(self) -> None:
        """Go back, at last to all objects and to what failed."""
        focused = self.focused.id if self.focused else ""
        if focused == "prompt":
            if asked := self.end_asking():
                asked.typed("")
            self.redraw()
        elif self._zoomed:
            self._zoom(False)
        elif focused != "objects":
            self.focus_on("#objects")
        elif self.session.filters or self.session.index.is_live:
            self._drop_filter()
        else:
            self._instead = self._answer
            self.say("")

    def action_step(self, by: int) -> None:
        """Go to the next or previous change of the object, and show it."""
        if self._instead == self._answer:
            self._instead = None  # also if there is no other change
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
        self.say("" if moved else self.session.progress or self.pages.no_gaps)

    def action_end_of_time(self) -> None:
        """Go to the last change."""
        self.session.go_to_end()
        self.say("")

    def action_failure(self, by: int) -> None:
        """Go to the next or previous failure of any object that is shown."""
        session = self.session
        what = "failures in what is shown" if session.filters else "failures"
        self.sought = Sought(session.clock, session.failures_from(by), what)
        self._look()

    def _look(self) -> None:
        """Look on, unless the clock was moved meanwhile. Other keys work."""
        session, sought = self.session, self.sought
        if sought is None or sought.clock != session.clock:
            self.sought = None
            return
        until = time.monotonic() + _STEP
        for line in sought.lines:
            if line is None or time.monotonic() > until:
                self.say(f"looking for {sought.what}")
                self.set_timer(_PAUSE, self._look)
                return
            if session.is_shown(line):
                self.sought = None
                session.go_to(line)
                self.say("")
                return
        self.sought = None
        self.say(f"no more {sought.what} that way")

    def action_keys(self) -> None:
        """Show every key."""
        self.push_screen(KeysPage())

    def action_interrupt(self) -> None:
        """End, also while a filter is typed."""
        self.exit()

    # Filters are asked for, stacked and dropped.

    def action_filter(self) -> None:
        """Ask for a filter within those that are kept."""
        self.ask(Asked(self._narrow, self._keep))

    def action_events(self) -> None:
        """Show the Events of the object, the one that is latest at the clock first."""
        named = self.session.index.subjects[self.session.subject]
        if named.kind == "Event" or not named.name:
            self.say("this is an Event (Esc drops the filter)")
            return
        within = f" -n {named.namespace}" if named.namespace else ""
        self._keep(f"event/{named.name}.{within}", instead=True)
        self.session.choose_latest()
        self.say("" if self.session.objects else self.pages.no_events)

    def _narrow(self, typed: str) -> None:
        """Apply a filter while it is typed."""
        try:
            self.session.set_filter(parse_filter(typed))
        except ValueError as error:
            self.say(str(error))
            return
        self.said = ""
        self._refill()

    def _keep(self, typed: str, *, instead: bool = False) -> None:
        """Keep a filter, and show the objects that it leaves."""
        try:
            kept, refused = Kept(typed.strip(), parse_filter(typed), instead), ""
        except ValueError as error:
            kept, refused = Kept(typed, Filter()), f"not filtered: {error}"
        self.session.keep_filter(kept)
        if self._zoomed:
            self._zoom(False)
        self.focus_on("#objects")
        self._refill()
        if refused:
            self.say(refused)

    def _drop_filter(self) -> None:
        """Drop the filter that was kept last."""
        if self.session.drop_filter():
            self._refill()
        left = len(self.session.filters)
        self.say(f"{many(left, 'filter')} left (Esc drops the last)" if left else "")

    # What is shown of a change, or in place of it.

    def action_document(self) -> None:
        """Show the whole object, or its change."""
        self._whole = not self._whole or self._instead is not None
        self._instead = None
        self.say("the whole object (d: its change)" if self._whole else "")

    def action_full(self) -> None:
        """Fold times and the like, or show all."""
        self._full = not self._full
        self.say("nothing folded (f folds)" if self._full else "")

    def action_mark(self) -> None:
        """Mark the version, and compare others with it. End that if one is marked."""
        session, self._instead = self.session, None
        session.mark = session.version if session.mark is None else None
        self.say("" if session.mark is None else "compared with A (m ends that)")

    def action_tree(self) -> None:
        """Show the tree of the object at the clock, or its change."""
        self._instead = None if self._instead == self._tree else self._tree
        self.say("the tree (t: the change)" if self._instead else "")

    def action_spans(self) -> None:
        """Show what the object led to up to the clock, as spans, or its change."""
        self._instead = None if self._instead == self._spans else self._spans
        self.say("spans (S: the change)" if self._instead else "")

    def action_copy(self) -> None:
        """Copy the command line that shows the same."""
        session, index = self.session, self.session.index
        line, mark = session.version, session.mark
        if self._instead == self._answer:
            self._copy(kubectl("spy summary {}", index.recording.name))
        elif self._instead is not None:
            self._copy_instead()
        elif line is None:
            self.say("nothing is shown that a command could show")
        elif mark in (None, line) or index.subject(mark) != index.subject(line):
            self._copy(self.pages.command(line))
        else:
            self._copy(self.pages.comparison(mark, line))

    def _copy_instead(self) -> None:
        """Copy the command line that shows the same tree, or the same spans."""
        index, line = self.session.index, self.session.clock
        while index.type(line) == DAMAGED:
            line -= 1
        subject, seq = index.subjects[self._subject], index.line(line).seq
        template, point = "spy trace {} {} --at {}", f"seq:{seq}"
        if self._instead == self._spans:
            page = self._page()
            if isinstance(page, int):
                self.say("not all is read yet")
                return
            template, point = "spy spans {} {} --until {}", rfc3339(page.now)
        name, namespace = index.recording.name, subject.namespace
        self._copy(kubectl(template, name, subject.label, point, namespace=namespace))

    def _copy(self, command: str) -> None:
        """Copy to the clipboard of the terminal, by OSC 52, and say so."""
        self.copy_to_clipboard(command)
        self.say(f"copied: {one_line(inert(command))}")

    def _answer(self) -> list[str]:
        if not self.session.index.complete:
            return ["reading what failed"]
        page = self._page()
        if isinstance(page, int):
            self._read_later()
            return [f"reading what failed, {page} %"]
        how = "Any move shows the change, x the next failure. Esc leads back here."
        return [*page.lines, "", *self.pages.wrapped(how)]

    def _tree(self) -> list[str]:
        return self._lines("{} is not there at this time")

    def _spans(self) -> list[str]:
        return self._lines("{} led to nothing up to this time")

    def _page(self, step: float = _STEP) -> Page | int:
        """Return what is shown at the clock, or how many percent are read so far."""
        until = time.monotonic() + step
        subject, line, width = self._subject, self.session.clock, self.columns()
        if self._instead == self._answer:
            fold, subject, line = self._answers, 0, len(self.session.index) - 1
        else:
            fold = self._trees if self._instead == self._tree else self._bars
        return fold.page(subject, line, until, width=width, full=self._full)

    def _lines(self, nothing: str) -> list[str]:
        """Return the lines at the clock, or how far it is read."""
        page = self._page()
        if isinstance(page, int):
            self._read_later()
            return [f"reading what happened up to here, {page} %"]
        label = self.session.index.subjects[self._subject].label
        lines = page.lines or self.pages.wrapped(inert(nothing.format(label)))
        if missing := types_of(page.unlisted):
            note = inert(f"note: {not_listed(missing)}")
            return [*lines, *self.pages.wrapped(note)]
        return lines

    def _read_later(self) -> None:
        if not self.reads_on:
            self.reads_on = True
            self.set_timer(self._pace[1], self._read_on)

    def _read_on(self) -> None:
        self.reads_on = False
        if self._instead is None or not self.is_running:
            return
        try:
            page = self._page(self._pace[0])
        except SpyError as error:
            self.exit(error)
            return
        now = time.monotonic()
        if isinstance(page, int):
            self._read_later()
        if not isinstance(page, int) or now >= self._next_told:
            self._next_told = now + _TOLD
            self._shown = ()
            self.redraw()

    @property
    def _subject(self) -> int:
        """The object that is chosen. For an Event, the one that it is about."""
        return self.pages.about(self.session.subject, self.session.version)
