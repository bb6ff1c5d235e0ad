"""Orders the events of objects that are held back no longer."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from kubectl_spy.core.objects import WatchEvent

Numbered = tuple[int, WatchEvent]
"""An event, and how many came before it."""


class Released(NamedTuple):
    """The events of an object; *owner* is the uid of what released it, or ""."""

    uid: str
    owner: str
    events: list[Numbered]


def in_order(released: Sequence[Released]) -> list[WatchEvent]:
    """Return the events of *released*, in which owners come first.

    Those of one stream stay in their order: a recorder resumes from the last one. No
    event comes before the first one of its owner, whatever the order of the stream.
    """
    if len(released) == 1:
        return [event for _, event in released[0].events]
    streams: dict[int, list[tuple[int, int]]] = {}  # numbers and places, the next last
    events: dict[int, WatchEvent] = {}
    for place, each in enumerate(released):
        for number, event in each.events:
            events[number] = event
            streams.setdefault(id(event.selection), []).append((number, place))
    for waiting in streams.values():
        waiting.sort(reverse=True)
    ordered: list[WatchEvent] = []
    begun = {""}
    ready: list[tuple[int, int]] = []  # the numbers of next events, and their streams
    blocked: dict[str, list[int]] = {}  # streams, by the owner that comes before

    def offer(stream: int) -> None:
        if waiting := streams[stream]:
            number, place = waiting[-1]
            owner = released[place].owner
            if owner in begun:
                heappush(ready, (number, stream))
            else:
                blocked.setdefault(owner, []).append(stream)

    for stream in streams:
        offer(stream)
    while ready:
        stream = heappop(ready)[1]
        number, place = streams[stream].pop()
        ordered.append(events[number])
        uid = released[place].uid
        begun.add(uid)
        for each_stream in (stream, *blocked.pop(uid, ())):
            offer(each_stream)
    # An owner came after what it owns, in one stream.
    left = sorted(
        (place, number) for each in streams.values() for number, place in each
    )
    return ordered + [events[number] for _, number in left]
