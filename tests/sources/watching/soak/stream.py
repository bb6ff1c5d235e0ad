"""One open watch as the model serves it: lines, their framing, and how it ends."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kubectl_spy.core.objects import Selection
from tests.sources.watching.fake_clock import FakeClock
from tests.sources.watching.soak.cluster import Cluster, Write, event_of, selects
from tests.sources.watching.soak.faults import Cut, Fate, Weather
from tests.sources.watching.soak.wire import chunk

TYPE = {"apiVersion": "v1", "kind": "ConfigMap"}
ERRORS: tuple[Any, ...] = (
    {"kind": "Status", "code": 500, "message": "etcdserver: leader changed"},
    {"kind": "Status", "code": 504, "reason": "Timeout", "message": "too slow"},
    {"kind": "Status", "code": "500"},
    {},
    None,
)
GONE = {
    "kind": "Status",
    "apiVersion": "v1",
    "code": 410,
    "reason": "Expired",
    "message": "too old resource version",
}
GARBAGE = (b"<html>", b'{"type":"MODIFIED","object":', b"null", b"", b'{"type":7}')


@dataclass(slots=True)
class Told:
    """What the server knows to have served, for the judge."""

    gone: int = 0
    """How often it said that history is gone, or that it is from the future."""
    garbage: int = 0
    """Lines that nobody can read."""
    from_now: int = 0
    """Watches from no version at all, which begin with what there is."""
    opened: float = 0.0
    """When the last watch was answered."""
    mute: bool = False
    """Whether it died before it could tell of what had happened by then."""
    unreadable: set[int] = field(default_factory=set)
    """The writes that such lines stood for."""
    delivered: set[int] = field(default_factory=set)
    """The writes that a watch told of, whole."""
    blind: float = 0.0
    """The longest time from when a connection died to the next request."""
    overslept: float = 0.0
    """The longest time from when the machine slept, in a watch, to the next request."""
    bookmark: int = 0
    """The last bookmark that arrived since the last list."""
    worked: bool = False
    """Whether a watch ever lasted a second or told of anything."""


def encoded(document: Any) -> bytes:
    """Return *document* as a server writes it."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def event_line(kind: str, obj: Any) -> bytes:
    """Return a watch event's line, newline included."""
    return encoded({"type": kind, "object": obj}) + b"\n"


class Stream:
    """Iterate for the bytes of an answer; time passes in between."""

    def __init__(
        self,
        cluster: Cluster,
        clock: FakeClock,
        weather: Weather,
        told: Told,
        selection: Selection,
        *,
        resource_version: str,
        seconds: float,
        read_timeout: float,
        fate: Fate | None,
        chunked: bool,
    ) -> None:
        self._cluster = cluster
        self._clock = clock
        self._random = weather.random
        self._told = told
        self._selection = selection
        self._read_timeout = read_timeout
        self._fate = fate
        self._chunked = chunked
        self._style = self._random.choice(("whole", "whole", "split", "split"))
        if self._random.random() < 0.02:
            self._style = "bytes"
        self._replays = self._random.random() < 0.1
        self._incarnation = cluster.incarnation
        self._opened = told.opened = clock.monotonic()
        told.mute = True
        self._end = self._opened + seconds
        self._every = weather.bookmark_every
        self._calm = weather.length
        self._from_now = resource_version == ""
        self._cursor = int(resource_version or cluster.resource_version)
        self._future = self._cursor > cluster.resource_version
        self._sent = self._bookmarked = 0
        self.hung_up = False
        self.died: float | None = None
        """Since when nothing passes any more, and nobody says so."""
        self.slept: float | None = None

    @property
    def dead(self) -> bool:
        """Whether nothing passes any more."""
        return self.died is not None

    def die(self) -> None:
        """Let nothing pass from now on."""
        self.died = self._clock.monotonic() if self.died is None else self.died

    def sleep(self) -> None:
        """Die because the machine slept."""
        now = self._clock.monotonic()
        if now >= self._opened + 1:  # or it is no watch yet that broke, but one failed
            self.slept = now
        self.die()

    def parts(self) -> Iterator[bytes]:
        """Yield what arrives; end or raise as a connection does."""
        for payload, framed in self._payloads():
            wire = chunk(payload) if framed and self._chunked else payload
            if self._style == "whole" or not framed:
                yield wire
            elif self._style == "bytes":
                yield from (wire[at : at + 1] for at in range(len(wire)))
            elif self._chunked:
                at = self._random.randrange(len(payload) + 1)
                yield from (
                    chunk(part) for part in (payload[:at], payload[at:]) if part
                )
            else:
                at = self._random.randrange(len(wire) + 1)
                yield wire[:at]
                yield wire[at:]

    def _payloads(self) -> Iterator[tuple[bytes, bool]]:
        """Yield bytes, and whether they are a whole chunk still to be framed."""
        clock, told = self._clock, self._told
        last = self._opened
        bookmark = self._opened + self._every * self._random.uniform(0.5, 1)
        yield from self._before()
        while True:
            now = clock.monotonic()
            if now >= self._opened + 1:
                told.worked = True
            if self.hung_up:
                return
            if self._cluster.incarnation != self._incarnation and not self.dead:
                raise ConnectionResetError
            if not self.dead:
                for write in self._cluster.since(self._cursor):
                    self._cursor = write.resource_version
                    if self._future:
                        continue
                    event = event_of(self._selection, write)
                    if event is None:
                        continue
                    line = event_line(event[0], {**TYPE, **event[1]})
                    fate = self._due(now, self._sent)
                    self._sent += 1
                    last = now
                    if fate is None:
                        # What is there moves no watch from no version on.
                        if not (self._from_now and event[0] == "ADDED"):
                            told.worked = True
                        told.delivered.add(write.index)
                        yield line, True
                        continue
                    yield from self._befall(fate, line, write)
                    if self._fate is fate:
                        return
                    if self.dead:
                        break
                told.mute = told.mute and self.dead
                fate = self._due(now, -1)
                if fate is not None and not self.dead:
                    yield from self._befall(fate, b"", None)
                    if self._fate is fate:
                        return
                    last = now
                elif now >= self._end:
                    yield from self._ended()
                    return
                elif now >= bookmark and not self.dead:
                    bookmark = now + self._every
                    if not self._future:
                        last = now
                        yield self._bookmark(), True
                        told.bookmark = self._bookmarked
            fated = self._fate is not None and now < self._calm
            moment = self._fate.moment if self._fate and fated else math.inf
            until = min(last + self._read_timeout, clock.next_due())
            if not self.dead:
                until = min(until, moment, bookmark, self._end)
            clock.advance(max(until - clock.monotonic(), 0.0))
            if clock.monotonic() >= last + self._read_timeout:
                raise TimeoutError

    def _before(self) -> Iterator[tuple[bytes, bool]]:
        """Yield what comes first: the present state, or the last event once more."""
        if self._from_now:
            for obj in self._cluster.objects.values():
                if selects(self._selection, obj):
                    yield event_line("ADDED", {**TYPE, **obj}), True
        elif self._replays and self._fate is not None:
            for write in self._cluster.since(self._cursor - 1)[:1]:
                event = event_of(self._selection, write)
                told = write.index in self._told.delivered
                if write.resource_version == self._cursor and told and event:
                    yield event_line(event[0], {**TYPE, **event[1]}), True

    def _due(self, now: float, sent: int) -> Fate | None:
        fate = self._fate if now < self._calm else None
        if fate is not None and (now >= fate.moment or sent >= fate.events):
            return fate
        return None

    def _befall(
        self, fate: Fate, line: bytes, write: Write | None
    ) -> Iterator[tuple[bytes, bool]]:
        """Yield what is left of *line*. The fate stays if the watch is over with it."""
        random = self._random
        match fate.cut:
            case Cut.CLEAN_END:
                yield from self._ended()
            case Cut.RESET:
                raise ConnectionResetError
            case Cut.INSIDE_AN_EVENT:
                wire = chunk(line) if self._chunked else line
                yield wire[: random.randrange(max(len(wire), 1))] or b" ", False
            case Cut.INSIDE_A_CHARACTER:
                cuts = [at for at, byte in enumerate(line) if 0x80 <= byte < 0xC0]
                kept = line[: random.choice(cuts)] if cuts else b'{"\xe6'
                yield kept, True
                raise ConnectionResetError
            case Cut.TORN:
                yield line[: random.randrange(len(line))] if line else b"{", True
                yield from self._ended()
            case Cut.SILENCE:
                self._fate = None
                self.die()
            case Cut.ERROR | Cut.GONE:
                status = GONE if fate.cut is Cut.GONE else random.choice(ERRORS)
                self._told.gone += status is GONE
                # Sometimes in one chunk with the event: that one counts nevertheless.
                before = line if random.random() < 0.5 else b""
                yield before + event_line("ERROR", status), True
                yield from self._ended()
            case Cut.UNREADABLE:
                self._fate = None
                self._told.garbage += 1
                if write is not None:
                    self._told.unreadable.add(write.index)
                    garbled = line.replace(b'"metadata":{', b'"metadata":[', 1)
                    yield random.choice((garbled, *(g + b"\n" for g in GARBAGE))), True
                else:
                    yield random.choice(GARBAGE) + b"\n", True
            case Cut.UNKNOWN:
                self._fate = None
                yield event_line("SHRUGGED", {**TYPE, "metadata": {}}) + line, True
            case Cut.TWICE:
                self._fate = None
                yield line + line or self._bookmark(), True

    def _bookmark(self) -> bytes:
        version = max(self._cluster.resource_version, self._cursor)
        self._bookmarked = version
        metadata = {"resourceVersion": str(version)}
        return event_line("BOOKMARK", {**TYPE, "metadata": metadata})

    def _ended(self) -> Iterator[tuple[bytes, bool]]:
        yield (b"0\r\n\r\n", False) if self._chunked else (b"", False)
