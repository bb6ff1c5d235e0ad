"""Begins a live run with what the server remembers, in the order in which it happened.

What each watch remembers comes on its own, so it is held back until all have come.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.past.remembered import Past
from kubectl_spy.core.past.subject import Mask
from kubectl_spy.core.past.together import together
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.sinks.recorder import Recorder
from kubectl_spy.sources.past.listing import Fetch

_BATCH = 64  # events to show at once
_NAMED = 4  # types to name with their times; more are counted


class PastFirst:
    """Yields the batches of *source*, and before them the past of all selections.

    *say* gets the lines about what could be had. With *at_once* the past is one batch.
    *further* is the time that was asked for, and what reads and masks what else tells
    of it.
    """

    def __init__(
        self,
        source: Iterable[Iterable[WatchEvent]],
        selections: Sequence[Selection],
        *,
        say: Callable[[str], None],
        at_once: bool,
        recorder: Recorder | None = None,
        further: tuple[float, Fetch, Mask] | None = None,
    ) -> None:
        self._further = further
        self._source = source
        self._recorder = recorder
        self._numbers = {id(each): number for number, each in enumerate(selections)}
        self._missing = {id(each) for each in selections if not each.narrowed}
        self._say = say
        self._at_once = at_once

    def __iter__(self) -> Iterator[Iterable[WatchEvent]]:
        source = iter(self._source)
        pasts: list[Past] = []
        held: list[WatchEvent] = []
        for events in source:
            for event in events:
                if event.type is EventType.HORIZON:
                    pasts.append(event.past)
                else:
                    held.append(event)
                if event.type in (EventType.HORIZON, EventType.REFUSED):
                    self._missing.discard(id(event.selection))
            if not self._missing:
                break
        pasts.sort(key=lambda past: self._numbers[id(past.selection)])
        for line in horizon(pasts):
            self._say(line)
        if self._recorder is not None:
            for each in pasts:
                self._recorder.remembered(each)
        past = together(pasts, self._earlier(pasts))
        if self._at_once:
            yield chain(past, held)
        else:
            while batch := list(islice(past, _BATCH)):
                yield batch
            yield held
        yield from source

    def _earlier(self, pasts: Sequence[Past]) -> Sequence[WatchEvent]:
        if self._further is None or not pasts:
            return ()
        from kubectl_spy.cli.run.earlier import earlier_events

        return earlier_events(pasts, *self._further, say=self._say)


def horizon(pasts: Sequence[Past]) -> Iterator[str]:
    """Yield the lines on how far back each type is known."""
    had = [past for past in pasts if not past.reason]
    whole = [past for past in had if past.reaches]
    if whole:
        writes = many(sum(len(past.versions) for past in whole), "write")
        since = _moment(min(past.since for past in whole))
        yield f"exact since {since}: {_types(whole)} ({writes}, no other was made)"
    partly = [past for past in had if not past.reaches and past.began is not None]
    if partly:
        yield f"exact: {in_brief(list(map(_partly, partly)), _NAMED)}"
    if none := [past for past in had if not past.reaches and past.began is None]:
        yield f"nothing is remembered of {_types(none)}: only how they are now"
    reasons: dict[str, list[Past]] = {}
    for past in pasts:
        if past.reason:
            reasons.setdefault(past.reason, []).append(past)
    for reason, lacking in reasons.items():
        yield f"note: no past of {_types(lacking)}: {reason}"


def _partly(past: Past) -> str:
    since = past.since if past.cut else past.began or 0.0
    cut = ", older ones left out to save memory" if past.cut else ""
    return f"{_type(past)} since {_moment(since)} ({many(past.writes, 'write')}{cut})"


def _moment(when: float) -> str:
    """Return *when* to the second, with its day if that is not today."""
    day, clock = day_and_clock(when)
    today, _ = day_and_clock(time.time())
    return clock[:8] if day == today else f"{day} {clock[:8]}"


def _types(pasts: Sequence[Past]) -> str:
    return in_brief(list(dict.fromkeys(map(_type, pasts))), _NAMED)


def _type(past: Past) -> str:
    return past.selection.resource.group_resource
