"""Turns the items of a list into events."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent
from kubectl_spy.sources.watching.arrivals import Mask, masked, typed
from kubectl_spy.sources.watching.watch_stream import is_object

BATCH = 32  # Objects to emit at once. A page is then never in memory twice.


def batches(
    selection: Selection, items: list[JSON], now: float, lag: float | None, mask: Mask
) -> Iterator[list[WatchEvent]]:
    """Yield the masked events of *items*. Empty that list to free their memory."""
    events: list[WatchEvent] = []
    items.reverse()
    while items:
        item = items.pop()
        if not is_object(item):
            events.append(WatchEvent(EventType.UNREADABLE, selection, now))
            continue
        # Without a type the first patch would add one.
        whole = typed(item, selection)
        listed = WatchEvent(EventType.LISTED, selection, now, whole, lag=lag)
        events.append(masked(listed, mask))
        if len(events) == BATCH:
            yield events
            events = []
    if events:
        yield events
