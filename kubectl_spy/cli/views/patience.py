"""Which lists are not there yet, and how long the first output waits for them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from kubectl_spy.cli.run.defer_signals import Undivided
from kubectl_spy.cli.run.first_lists import types_of
from kubectl_spy.cli.run.request import OwnedFormat
from kubectl_spy.cli.run.view import Consumer
from kubectl_spy.cli.views.judging import Judging
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.errors import Overdue, TimedOut
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal

_PATIENCE = 3.0
"""Seconds after which a live view begins, though not all is listed yet."""
_LONGEST = 10
"""Times as long as --once waits for something new, it waits altogether."""
_OF_LISTS = frozenset(
    {EventType.LISTING, EventType.LISTED, EventType.SYNCED, EventType.REFUSED}
)


class Lists(Protocol):
    """What knows which lists there are."""

    @property
    def listed(self) -> bool:
        """Whether all that was asked for was listed."""

    @property
    def complete(self) -> bool:
        """Whether everything was listed, or refused."""

    @property
    def unlisted(self) -> Sequence[Selection]:
        """What was neither listed nor refused yet."""


class Patient(Judging):
    """A consumer that waits for lists before it shows anything.

    With --once it waits for all of them: what is left out would seem not to be there.
    Otherwise it waits for what was asked for, then says which lists are missing. The
    clock is that of the records where they are not *live*.
    """

    def __init__(
        self,
        wanted: OwnedFormat,
        lists: Lists,
        terminal: Terminal,
        judge: Trace | None,
    ) -> None:
        super().__init__(judge)
        self._lists = lists
        self._terminal = terminal
        self._live = wanted.live
        self._once = wanted.once
        self._since: float | None = time.monotonic() if wanted.live else None
        self._patient = True
        self._admitted = False
        self._undivided = Undivided()
        """To be entered to take in an item: what is shown at the end is made of all."""

    @property
    def once(self) -> bool:
        """Whether what there is now is all that is wanted."""
        return self._once

    @property
    def unlisted(self) -> str:
        """The types of which no list is there yet, or ""."""
        return types_of(self._lists.unlisted)

    def partly(self) -> str:
        """Return what --once prints if it ends before all lists are there."""
        return ""

    def quiet(self, until: float) -> str:
        """Know that nothing came up to a time; return what there is to print of it."""
        return ""

    def say_unlisted(self) -> None:
        """Say which lists are missing, if any are and that was not said yet."""
        missing = self.unlisted
        if missing and not self._admitted:
            self._admitted = True
            self._terminal.say(
                inert(f"note: not listed yet: {missing}; what is shown lacks them")
            )

    def _begins(self, recorded: float) -> bool:
        """Return whether to wait no longer; *recorded* is the time of the records."""
        if self._patient and self._lists.complete:
            self._patient = False
        elif self._patient and not self._once:
            now = time.monotonic() if self._live else recorded
            self._since = now if self._since is None else self._since
            if self._lists.listed and now - self._since > _PATIENCE:
                self._patient = False
                self.say_unlisted()
        return not self._patient


def in_time(
    source: Iterable[Iterable[WatchEvent]], within: float
) -> Iterator[Iterable[WatchEvent]]:
    """Yield what *source* yields while lists come in.

    Raises:
        Overdue: none brought anything *within* seconds, or all take too long.
    """
    began = heard = time.monotonic()

    def noted(events: Iterable[WatchEvent]) -> Iterator[WatchEvent]:
        nonlocal heard
        for event in events:
            if event.type in _OF_LISTS:
                heard = time.monotonic()
            yield event

    for events in source:
        yield noted(events)
        now = time.monotonic()
        if now - heard > within:
            raise Overdue(f"no list came any further for {within:g} s")
        if now - began > _LONGEST * within:
            raise Overdue(f"--once is not done after {_LONGEST * within:g} s")


@contextmanager
def overdue(showing: Consumer | None, terminal: Terminal) -> Iterator[None]:
    """Have --once print what is there if its time is over, and say what is missing.

    Raises:
        Overdue, TimedOut: as the block does, with what is missing.
    """
    try:
        yield
    except (Overdue, TimedOut) as over:
        if not isinstance(showing, Patient) or not showing.once:
            raise
        if not (missing := showing.unlisted):
            raise
        terminal.write(showing.partly())
        lacking = f"not listed yet: {missing}; what is shown lacks them"
        over.remedy = "; ".join(filter(None, (over.remedy, lacking)))
        raise
