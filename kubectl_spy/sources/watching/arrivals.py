"""What arrived on a watch, to be parsed when somebody comes to it.

While the fold keeps up, the thread that reads parses. When it falls behind, it gets the
lines as they are and parses each just before it is folded: a document that was parsed
long before has left the processor's cache, and two threads that both want the
interpreter take longer than one. Lines are also a tenth as large.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator

from kubectl_spy.core.objects import JSON, EventType, Resource, WatchEvent
from kubectl_spy.errors import RequestRefused
from kubectl_spy.sources.watching.watch_stream import WatchStream

Mask = Callable[[dict[str, JSON], Resource], dict[str, JSON]]
"""Returns what may be shown of an object of a resource."""


class Arrivals:
    """The lines of one watch, parsed in order by whichever thread asks first.

    What they hold is masked with *mask*. *refused* is called, in that thread, when one
    says that the watch cannot go on (ERROR): `refusal` is why, and what follows counts
    for nothing.
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
        """What could not be read, as long as nothing came after it."""

    def add(self, lines: list[bytes], now: float, moment: float) -> Arrival:
        """Return *lines*, which came at that time, by the wall's and another clock."""
        arrival = Arrival(self, lines, now, moment)
        with self._lock:
            self._unparsed.append(arrival)
        return arrival

    def settle(self) -> None:
        """Parse all that nobody has come to yet."""
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
        """Parse the first line that was not."""
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


def masked(event: WatchEvent, mask: Mask) -> WatchEvent:
    """Return *event* with its object as *mask* leaves it."""
    if event.object is None:
        return event
    seen = mask(event.object, event.selection.resource)
    return event if seen is event.object else event._replace(object=seen)


class Arrival:
    """Lines that came together: iterate, once, for the events in them.

    `len` is that of the lines.
    """

    def __init__(
        self, among: Arrivals, lines: list[bytes], now: float, moment: float
    ) -> None:
        self._among = among
        self._length = len(lines)
        self.lines = deque(lines)
        self.events: deque[WatchEvent] = deque()
        self.now = now
        self.moment = moment
        self.pending = True
        """Whether lines of it are still to be parsed."""

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[WatchEvent]:
        return iter(lambda: self._among.next_of(self), None)
