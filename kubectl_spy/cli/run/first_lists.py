"""Says which objects and which first lists are missing, and limits the wait."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kubectl_spy.cli.run.view import ViewSpec
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Listed
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.errors import Overdue, SpyError
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.terms import phrase

if TYPE_CHECKING:
    from kubectl_spy.sources.connection.connect import Connection


class FirstLists:
    """Says which of *selections* have no objects, as *history* knows.

    *tells* says whether to report that a type beside them cannot be listed. *waits*
    says whether to wait for missing objects. *suggest* returns what may be mistyped in
    a selection that has no objects.
    """

    def __init__(
        self,
        selections: Sequence[Selection],
        history: History,
        *,
        tells: bool = True,
        waits: bool = True,
        suggest: Callable[[Selection], str] = lambda _: "",
    ) -> None:
        self._suggest = suggest
        self.tells = tells
        self._waits = waits
        self.selections = selections
        self._history = history

    @property
    def listed(self) -> bool:
        """Whether every selection that was asked for was listed or refused."""
        coverage = self._history.coverage
        return coverage.complete or not any(
            each in self.selections for each in coverage.unlisted
        )

    def check_any(self) -> None:
        """Raise SpyError if everything was listed, and no named object is there."""
        if self.listed and len(self._absent) == len(self.selections):
            self.check_all()

    def check_all(self) -> None:
        """Raise SpyError if an object that was named does not exist."""
        absent = self._absent
        if absent:
            verb = "is" if len(absent) == 1 else "are"
            hints = dict.fromkeys(filter(None, map(self._suggest, absent)))
            raise SpyError(
                f"{described_together(absent)} {verb} not there{_where(absent[0])}",
                " ".join(hints) or phrase("absent", "leave out --once to wait for it"),
                code="not-found",
            )

    @property
    def _absent(self) -> list[Selection]:
        return [
            each
            for each in self.selections
            if each.name is not None and not self._history.holds(each)
        ]

    def waiting(self, selection: Selection) -> str:
        """Return the note that *selection* has no objects yet."""
        said = self._waiting(selection)
        hint = said and self._suggest(selection)
        return "; ".join(filter(None, (said, hint)))

    def _waiting(self, selection: Selection) -> str:
        where = _where(selection)
        if not selection.asked:
            return ""
        if selection.name is not None:
            if not self._waits:
                return ""
            what = described(selection)
            return f"{what} is not there yet{where}: waiting for it"
        if any(map(self._is_there, self.selections)) or not self.listed:
            return ""
        alone = len(self.selections) == 1
        what = described(selection) if alone else "none of these"
        where = where if alone else ""
        if not self._waits:
            return f"note: {what}: nothing there{where}"
        return f"{what}: nothing there yet{where}; waiting"

    def _is_there(self, selection: Selection) -> bool:
        if selection.name is not None:
            return self._history.holds(selection)
        answer = self._history.coverage.of(selection).answer
        return isinstance(answer, Listed) and answer.objects > 0


def _where(selection: Selection) -> str:
    return f" in namespace {selection.namespace}" if selection.namespace else ""


def described_together(selections: Sequence[Selection]) -> str:
    """Return the first five of *selections*, and how many more there are."""
    return in_brief(list(dict.fromkeys(map(described, selections))), 5)


def types_of(selections: Sequence[Selection]) -> str:
    """Return the first six types of *selections*, and how many more there are."""
    types = list(dict.fromkeys(each.resource.group_resource for each in selections))
    return in_brief(types, 6)


def described(selection: Selection) -> str:
    """Return `deployment.apps/nginx`, or `pods app=web`."""
    if selection.name is not None:
        return f"{selection.resource.gvk.printed}/{selection.name}"
    selectors = filter(None, (selection.label_selector, selection.field_selector))
    return " ".join((selection.resource.group_resource, *selectors))


def announced(
    connection: Connection,
    selections: Sequence[Selection],
    *,
    everything: bool,
    watches: bool,
) -> str:
    """Return the line that names the targets, the namespace and the context.

    The types of *everything* are counted.
    """
    what, where = described_together(selections), ""
    if everything:
        what = many(len({each.resource for each in selections}), "type")
    for selection in selections:
        if selection.namespace:
            where = f" in namespace {selection.namespace}"
        elif selection.resource.namespaced:
            where = " in all namespaces"
    context = connection.context
    cluster = f"context {context}" if context else connection.server
    verb = "watching" if watches else "reading"
    ends = phrase("at-a-shell", "; Ctrl-C ends") if watches else ""
    return f"{verb} {what}{where} ({cluster}){ends}"


def hint_at_changes(
    spec: ViewSpec, selections: Sequence[Selection], terminal: Terminal
) -> None:
    """Say which of the types have no status to show."""
    if spec.shown is None or not spec.shown.excerpt.status:
        return
    for resource in dict.fromkeys(selection.resource for selection in selections):
        if not resource.has_status:
            terminal.say(
                f"note: {resource.group_resource} have no status; "
                f"try: {kubectl('spy changes {}', resource.plural)}"
            )


_LONGEST = 10  # all lists together may take this many times as long as one list
_OF_LISTS = frozenset(
    {
        EventType.LISTING,
        EventType.LISTED,
        EventType.SYNCED,
        EventType.REFUSED,
        EventType.HORIZON,
    }
)


def in_time(
    source: Iterable[Iterable[WatchEvent]], within: float
) -> Iterator[Iterable[WatchEvent]]:
    """Yield the batches of *source* while the first lists make progress.

    Raises Overdue if no list made progress *within* seconds, or all take too long.
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
            raise Overdue(f"the lists made no progress for {within:g} s")
        if now - began > _LONGEST * within:
            raise Overdue(f"the lists are not complete after {_LONGEST * within:g} s")
