"""Lines of a watch that are parsed late, when the main thread falls behind.

Usually the reading thread parses. When the main thread falls behind, it gets the raw
lines and parses each just before use. That is faster: the document is still in the
processor's cache, and two threads do not compete for the interpreter. Raw lines also
take a tenth of the memory.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator

from kubectl_spy.core.objects import (
    JSON,
    EventType,
    Resource,
    Selection,
    WatchEvent,
)
from kubectl_spy.errors import RequestRefused
from kubectl_spy.sources.watching.watch_stream import WatchStream

Mask = Callable[[dict[str, JSON], Resource], dict[str, JSON]]
"""Returns an object of a resource without its secret values."""


class Arrivals:
    """Parses the lines of one watch in order, in whichever thread asks first.

    *mask* masks each object. An ERROR event sets `refusal`, calls *refused* in the
    parsing thread, and all later lines are ignored.
    """

    def __init__(
        self, stream: WatchStream, mask: Mask, refused: Callable[[], None]
    ) -> None:
        self._stream = stream
        self._mask = mask
        self._refused = refused
        self._lock = threading.Lock()
        self._unparsed: deque[Arrival] = deque()
        self.refusal: RequestRefused | None = None
        self.unreadable: list[WatchEvent] = []
        """The first of the unreadable lines at the end, as an event."""

    def add(self, lines: list[bytes], now: float, moment: float) -> Arrival:
        """Return *lines* as an arrival at *now* (wall clock), *moment* (monotonic)."""
        arrival = Arrival(self, lines, now, moment)
        with self._lock:
            self._unparsed.append(arrival)
        return arrival

    def settle(self) -> None:
        """Parse all lines that are not parsed yet."""
        with self._lock:
            while self._unparsed:
                self._parse_line()

    def next_of(self, arrival: Arrival) -> WatchEvent | None:
        """Return the next event of *arrival*, or None after the last."""
        with self._lock:
            while not arrival.events and arrival.pending:
                self._parse_line()
            return arrival.events.popleft() if arrival.events else None

    def _parse_line(self) -> None:
        arrival = self._unparsed[0]
        if arrival.lines and self.refusal is None:
            self._parse(arrival.lines.popleft(), arrival)
        if not arrival.lines or self.refusal is not None:
            self._unparsed.popleft()
            arrival.pending = False
            self._stream.commit(arrival.now, arrival.moment)

    def _parse(self, line: bytes, arrival: Arrival) -> None:
        stream = self._stream
        brought = stream.brought
        try:
            event = stream.event(line, arrival.now)
        except RequestRefused as refusal:
            self.refusal = refusal
            self._refused()
            return
        if event is not None and event.type is EventType.UNREADABLE:
            self.unreadable = self.unreadable or [event]
        elif stream.brought > brought:
            arrival.events += self.unreadable
            self.unreadable = []
            if event is not None:
                arrival.events.append(masked(event, self._mask))
            if mark := stream.caught_up(arrival.now):
                arrival.events.append(mark)


def typed(document: dict[str, JSON], selection: Selection) -> dict[str, JSON]:
    """Return *document* with its apiVersion and kind.

    Items of a list lack them. Metadata alone comes as a PartialObjectMetadata.
    """
    gvk = selection.resource.gvk
    own = {"apiVersion": gvk.api_version, "kind": gvk.kind}
    return {**document, **own} if selection.heads else {**own, **document}


def masked(event: WatchEvent, mask: Mask) -> WatchEvent:
    """Return *event* with its object masked."""
    if event.object is None:
        return event
    document = event.object
    if event.selection.heads:
        document = typed(document, event.selection)
    shown = mask(document, event.selection.resource)
    return event if shown is event.object else event._replace(object=shown)


class Arrival:
    """Lines that came together. Iterate once for their events; `len` counts lines."""

    def __init__(
        self, arrivals: Arrivals, lines: list[bytes], now: float, moment: float
    ) -> None:
        self._arrivals = arrivals
        self._length = len(lines)
        self.lines = deque(lines)
        self.events: deque[WatchEvent] = deque()
        self.now = now
        self.moment = moment
        self.pending = True  # whether some of its lines are not parsed yet

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[WatchEvent]:
        return iter(lambda: self._arrivals.next_of(self), None)
