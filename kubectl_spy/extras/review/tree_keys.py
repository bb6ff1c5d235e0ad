"""The keys that show what failed, the tree of the object at the clock, or its spans."""

from __future__ import annotations

import time
from functools import partial

from kubectl_spy.cli.run.first_lists import types_of
from kubectl_spy.core.cluster.references import event_object
from kubectl_spy.core.fields import text
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.review.base import STEP
from kubectl_spy.extras.review.copy_keys import CopyKeys
from kubectl_spy.extras.review.folds import Fold, Page, SpansView, TreeView
from kubectl_spy.extras.review.panes import ChangePane
from kubectl_spy.extras.review.still import AnswerView
from kubectl_spy.render.denials import not_listed
from kubectl_spy.render.inert import inert
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.sources.recording.index import DAMAGED, Index

_TOLD = 0.5  # seconds between two looks at how far it is


class TreeKeys(CopyKeys):
    """Shows something else in place of the change.

    It begins with what failed in the whole recording, until the clock or the object is
    moved. The tree and spans follow the clock.
    """

    def __init__(self, index: Index, palette: Palette = PLAIN) -> None:
        super().__init__(index, palette)
        self._trees = Fold(index, partial(TreeView, palette=self.palette))
        self._bars = Fold(index, partial(SpansView, palette=self.palette))
        of = partial(AnswerView, palette=self.palette, recording=index.recording)
        self._answers = Fold(index, of)
        self._at = (0, 0)  # the clock and the object when it was drawn last
        if not index.is_live:
            self.instead = self._answer
        self.reads_on = False
        """Whether what is shown in place of the change is still read."""
        self._next_told = 0.0

    def show_answer(self) -> None:
        """Show what failed in the whole recording."""
        self.instead = self._answer
        self.say("")

    def action_tree(self) -> None:
        """Show the tree of the object at the clock, or its change."""
        self.instead = None if self.instead == self._tree else self._tree
        self.say("the tree (t: the change)" if self.instead else "")

    def action_spans(self) -> None:
        """Show what the object led to up to the clock, as spans, or its change."""
        self.instead = None if self.instead == self._spans else self._spans
        self.say("spans (S: the change)" if self.instead else "")

    def action_step(self, by: int) -> None:
        """Go to the next or previous change of the object, and show it."""
        if self.instead == self._answer:
            self.instead = None  # also if there is no other change
        super().action_step(by)

    def action_copy(self) -> None:
        """Copy the command line that shows the same."""
        if self.instead is None:
            super().action_copy()
            return
        session, index = self.session, self.session.index
        if self.instead == self._answer:
            self.copy(kubectl("spy summary {}", index.recording.name))
            return
        line = session.clock
        while index.type(line) == DAMAGED:
            line -= 1
        subject, seq = index.subjects[self._subject], index.line(line).seq
        template, point = "spy trace {} {} --at {}", f"seq:{seq}"
        if self.instead == self._spans:
            page = self._page()
            if isinstance(page, int):
                self.say("not all is read yet")
                return
            template, point = "spy spans {} {} --until {}", rfc3339(page.now)
        name, namespace = index.recording.name, subject.namespace
        self.copy(kubectl(template, name, subject.label, point, namespace=namespace))

    def show_change(self) -> None:
        """Show the change, tree or spans. Scroll spans to the latest ones."""
        pane, before = self.query_one(ChangePane), self.scrolled
        at_end = pane.is_vertical_scroll_end
        super().show_change()
        if self.instead == self._spans and (at_end or self.scrolled != before):
            pane.scroll_end(animate=False, force=True)

    def redraw(self) -> None:
        """Draw every pane. A move ends the answer: who moves wants to see where to."""
        at = self.session.clock, self.session.subject
        if self.instead == self._answer and self.pressed and at != self._at:
            self.instead = None
        self._at = at
        super().redraw()

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

    def _page(self, step: float = STEP) -> Page | int:
        """Return what is shown at the clock, or how many percent are read so far."""
        until = time.monotonic() + step
        subject, line, width = self._subject, self.session.clock, self.columns()
        if self.instead == self._answer:
            fold, subject, line = self._answers, 0, len(self.session.index) - 1
        else:
            fold = self._trees if self.instead == self._tree else self._bars
        return fold.page(subject, line, until, width=width, full=self.full)

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
            self.set_timer(self.pace[1], self._read_on)

    def _read_on(self) -> None:
        self.reads_on = False
        if self.instead is None or not self.is_running:
            return
        try:
            page = self._page(self.pace[0])
        except SpyError as error:
            self.exit(error)
            return
        now = time.monotonic()
        if isinstance(page, int):
            self._read_later()
        if not isinstance(page, int) or now >= self._next_told:
            self._next_told = now + _TOLD
            self.forget()
            self.redraw()

    @property
    def _subject(self) -> int:
        """The object that is chosen. For an Event, the one that it is about."""
        session = self.session
        chosen, line = session.subject, session.version
        version = None if line is None else self.pages.version(line)
        if version is None or version.record.gvk.kind != "Event":
            return chosen
        about = event_object(version.record.document)
        wanted = tuple(text(about, each) for each in ("kind", "namespace", "name"))
        for number, each in enumerate(session.index.subjects):
            if (each.kind, each.namespace or "", each.name) == wanted:
                return number
        return chosen
