"""Limits how long `--once` and `--timeout 0` wait for the first lists."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.errors import Overdue

_LONGEST = 10  # all lists together may take this many times as long as one list
_OF_LISTS = frozenset(
    {EventType.LISTING, EventType.LISTED, EventType.SYNCED, EventType.REFUSED}
)


def in_time(
    source: Iterable[Iterable[WatchEvent]], within: float
) -> Iterator[Iterable[WatchEvent]]:
    """Yield from *source*; Overdue if no list comes *within* seconds, or all lag."""
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
