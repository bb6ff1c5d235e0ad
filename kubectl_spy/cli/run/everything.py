"""A run without a target: what of everything could be read, and whether it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kubectl_spy.cli.run.first_lists import ANSWERS
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.wording import in_brief
from kubectl_spy.errors import Forbidden, SpyError
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.resolution.everything import everything
from kubectl_spy.sources.resolution.resolve import Resolution
from kubectl_spy.terms import option

_NAMED = 2  # types that a line names; more are counted
_THERE = (EventType.LISTED, EventType.ADDED)


def resolved(
    connection: Connection,
    namespace: str | None,
    *,
    label_selector: str | None,
    heads: bool,
) -> Resolution:
    """Return everything of *namespace*, or of all. Raises SpyError if it is nothing."""
    found = everything(
        connection.catalogue(), namespace, label_selector=label_selector, heads=heads
    )
    if not found:
        raise SpyError(
            f"{connection.server} serves no type that can be listed and watched",
            "check the server URL, or name a target",
        )
    return Resolution(found)


def _where(selections: Sequence[Selection]) -> str:
    namespace = next((each.namespace for each in selections if each.namespace), None)
    return f" in namespace {namespace}" if namespace else " in all namespaces"


class Readable:
    """Yields the batches of *source*; says once what of it could not be read.

    Events wait until an object of *selections* comes, or all are answered: if nothing
    may be read, or the namespace does not exist, only the error is shown. *suggest*
    returns what may be mistyped in a selection without objects.
    """

    def __init__(
        self,
        source: Iterable[Iterable[WatchEvent]],
        selections: Sequence[Selection],
        others: Sequence[Selection],
        *,
        say: Callable[[str], None],
        suggest: Callable[[Selection], str],
    ) -> None:
        self._source = source
        self._selections = selections
        self._asked = {id(each) for each in selections}
        self._missing = self._asked | {id(each) for each in others}
        self._refused: list[WatchEvent] = []
        self._say = say
        self._suggest = suggest
        self._found = False

    def __iter__(self) -> Iterator[Iterable[WatchEvent]]:
        source = iter(self._source)
        held: list[WatchEvent] = []
        for events in source:
            held += events
            self._note(held)
            if self._found or not self._missing:
                break
            yield []  # time passes
        if not self._found:
            self._check()
        yield held
        for events in source:
            yield self._noted(events) if self._missing else events

    def _noted(self, events: Iterable[WatchEvent]) -> Iterator[WatchEvent]:
        for event in events:
            self._note([event])
            yield event

    def _note(self, events: Iterable[WatchEvent]) -> None:
        before = bool(self._missing)
        for event in events:
            here = id(event.selection)
            if event.type in _THERE and here in self._asked:
                self._found = True
            if event.type is EventType.REFUSED and here in self._missing:
                self._refused.append(event)
            if event.type in ANSWERS:
                self._missing.discard(here)
        if before and not self._missing and not self._none_readable:
            for line in unseen(self._refused):
                self._say(line)

    @property
    def _none_readable(self) -> bool:
        return self._asked <= {id(each.selection) for each in self._refused}

    def _check(self) -> None:
        """Raise SpyError if no type may be read, or the namespace does not exist."""
        where = _where(self._selections)
        if self._none_readable:
            if any(each.forbidden for each in self._refused):
                raise Forbidden(
                    f"no right to list anything{where}",
                    'ask for the ClusterRole "view" there, or choose another '
                    f"namespace with {option('-n')}",
                    status=403,
                )
            raise SpyError(
                f"no list worked{where}: {self._refused[0].reason}",
                "see whether kubectl get pods works there",
            )
        namespaced = (each for each in self._selections if each.namespace)
        if (one := next(namespaced, None)) and (hint := self._suggest(one)):
            raise SpyError(hint, code="not-found")


def unseen(refused: Sequence[WatchEvent]) -> Iterator[str]:
    """Yield a line about the types without a right, and one about other failures."""
    if names := _types(each for each in refused if each.forbidden):
        yield f"not seen, no right to list: {_few(names)}"
    failed = [each for each in refused if not each.forbidden]
    if len(failed) == 1:
        yield f"not seen: {failed[0].reason}"
    elif failed:
        yield f"not seen, the list failed: {_few(_types(failed))}"


def _types(refused: Iterable[WatchEvent]) -> list[str]:
    names = (each.selection.resource.group_resource for each in refused)
    return list(dict.fromkeys(names))


def _few(names: Sequence[str]) -> str:
    one_more = len(names) == _NAMED + 1  # its name says as much as a count
    return in_brief(names, _NAMED + one_more, more="more types")
