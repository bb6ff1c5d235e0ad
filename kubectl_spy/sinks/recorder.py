"""Write a recording as things happen: docs/recording-format.md."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from kubectl_spy.core.changes.contents import Asked
from kubectl_spy.core.changes.earlier import PAST, EarlierWrite
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import (
    Aside,
    ChangeRecord,
    ChangeType,
    Horizon,
    Item,
    Listed,
    Logged,
    OfStream,
    Refused,
    Watched,
    stream_gap,
)
from kubectl_spy.core.changes.recording_format import (
    FORBIDDEN,
    Origin,
    change_line,
    seal,
    stream_line,
)
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON, Selection, WatchEvent
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import SpyError
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.closed_segments import Packer, Ring, Rotation
from kubectl_spy.sinks.recording_file import RecordingFile
from kubectl_spy.sinks.resuming import Resumed

# When an object is written as a whole again, and not as one more patch.

_CHANGES, _MOST_CHANGES = 64, 256
"""The least and the most changes of an object between two snapshots, without a GAP."""
_PATCHES = 4
"""Between these, a snapshot is due if the changes are this many times its size.

One snapshot every 64 changes adds at most 1/64 of the size of all versions in full. One
every 256 changes, for large objects with small changes, adds 1/256. Reading a state
takes 60 µs a change, so 15 ms for 256. For a Pod in a crash loop, of 4 KB with changes
of 1.6 KB, 4 % of a recording are snapshots.
"""


class Chain(NamedTuple):
    """The bytes of an object's last snapshot, and what was written since then."""

    snapshot: int = 0
    patches: int = 0
    changes: int = 0

    def longer(self, size: int) -> Chain:
        """Return the chain with one more patch of *size* bytes."""
        return Chain(self.snapshot, self.patches + size, self.changes + 1)

    @property
    def is_long(self) -> bool:
        """Whether a snapshot is due."""
        enough = self.patches >= _PATCHES * self.snapshot
        return self.changes >= (_CHANGES if enough else _MOST_CHANGES)


# What a recorder knows of its recording, and of each stream in it.


@dataclass(slots=True)
class Progress:
    """The progress of a recording, without what was deleted."""

    objects: int = 0
    referred: int = 0  # how many of them are only referred to
    changes: int = 0
    earlier: int = 0  # earlier writes that something else tells of
    size: int = 0  # bytes of all segments
    began: float = 0.0
    last: float | None = None  # the time of the last change: seconds since the epoch


@dataclass(slots=True)
class StreamState:
    """One list and watch."""

    number: int
    selection: Selection
    chains: dict[str, Chain] = field(default_factory=dict)
    keys: int = 0  # how many of the keys that were used are written in this segment


_SYNC_EVERY = 1.0  # seconds after which a line is on the disk


class Recorder:
    """Appends each item that it observes to a file, as one line.

    What *history* knows by then begins a segment.
    *defer_signals* holds back Ctrl-C while a change is written. Logs are written with
    *logs* only. *segments* are those of an earlier run. Each of *also* gets each line,
    with its time and members. After *refresh* seconds all objects are written again.
    *began* is the time from which on the server's memory is recorded first.
    Any method may raise SpyError, as when the disk is full; what was written before
    stays readable.
    """

    def __init__(
        self,
        file: RecordingFile,
        origin: Origin,
        selections: Sequence[Selection],
        *,
        history: History,
        rotation: Rotation,
        resumed: Resumed | None = None,
        segments: Sequence[Path] = (),
        say: Callable[[str], None] = lambda line: None,
        defer_signals: AbstractContextManager[object] | None = None,
        logs: bool = False,
        also: Sequence[Callable[[float, dict[str, JSON], bytes], None]] = (),
        refresh: float | None = None,
        began: float | None = None,
    ) -> None:
        self._file = file
        self._also = also
        self._refresh = math.inf if refresh is None else refresh
        self._logs = logs
        self._origin = origin
        self._history = history
        self._rotation = rotation
        self._seq = resumed.seq if resumed else 0
        self._segment = resumed.segment if resumed else 1
        self._recording = resumed.recording if resumed else os.urandom(8).hex()
        self._opening = 0  # bytes at the beginning that hold existing objects
        self._packer = Packer()
        self._ring = Ring(rotation.keep, self._packer)
        for each in segments:
            self._ring.adopt(each)
        self._say = say
        self._astray = ""  # what happened to the file, if it cannot go on at its path
        self._unwritten: list[tuple[float, str]] = []
        """Messages of `note` since then."""
        self._stopped = threading.Event()
        self._writing = threading.RLock()
        self._defer_signals = defer_signals or nullcontext()
        self._streams = {
            id(selection): StreamState(number, selection)
            for number, selection in enumerate(selections)
        }
        self._asked = Asked(selections)
        self.positions = resumed.positions if resumed else {}
        self._opened = self._refreshed = time.monotonic()
        now = time.time() if began is None else began
        self.progress = Progress(began=now, size=file.size)
        if not file.size:
            self._write(now, "HEADER", self._header())
        if resumed:
            after = {} if resumed.after is None else {"after": resumed.after}
            self._write(now, "RESUME", {**self._header(), **after})
        for stream in self._streams.values():
            line = stream_line(stream.number, stream.selection)
            at = resumed.positions.get(stream.selection) if resumed else None
            if at is not None:
                line["since"] = rfc3339(at.time)
            self._write(now, "STREAM", line)
            if resumed and at is None:
                gap = change_line(stream_gap(stream.selection, now, now), stream.number)
                self._write(now, "GAP", {**gap, "since": resumed.time})
        threading.Thread(target=self._watch_file, name="sync", daemon=True).start()

    @property
    def name(self) -> str:
        """The file, or where else the recording goes."""
        return self._file.name

    def renew(self, now: float) -> None:
        """Do what is due: go on in a new file, write all objects, delete old segments.

        Call it only while the history knows exactly what was observed.
        """
        if self._astray or self._is_old():
            with self._defer_signals, self._writing:
                self._rotate(now)
        elif time.monotonic() - self._refreshed >= self._refresh:
            with self._defer_signals, self._writing:
                self._begin(now)
        while dropped := self._ring.drop(now):
            self.progress.changes -= dropped.changes
            self.progress.size = self._ring.size + self._file.size
            self.progress.began = dropped.until

    def freeze(self) -> None:
        """Delete no more segments."""
        self._ring.keep = None

    def observe(self, item: Item | Aside) -> None:
        """Write one change, how a first list ended, or a log."""
        with self._defer_signals, self._writing:
            if isinstance(item, Logged):
                if self._logs:
                    self._write(item.time, "LOG", item.as_json())
                return
            stream = self._streams[id(item.selection)]
            if isinstance(item, EarlierWrite):
                members = {**item.as_json(), "stream": stream.number}
                self._write(item.time, PAST, members)
                self.progress.earlier += 1
            elif isinstance(item, ChangeRecord):
                self._change(stream, item)
            else:
                self._of_stream(stream, item, item.time)
            if self._segment_is_over():
                self._rotate(item.time)

    def _of_stream(self, stream: StreamState, item: OfStream, now: float) -> None:
        of: dict[str, JSON] = {"stream": stream.number}
        match item:
            case Listed():
                self._write(now, "LISTED", {**of, "objects": item.objects})
            case Refused():
                reason = {"reason": FORBIDDEN} if item.forbidden else {}
                members = {**of, "message": item.message, **reason}
                self._write(now, "REFUSED", members)
            case Horizon():
                self._write(now, "HORIZON", {**of, **item.as_json()})
            case Watched():
                state = "back" if item.back else "lost"
                members = {**of, "state": state, "message": item.message}
                self._write(now, "RECONNECT", members)

    def _change(self, stream: StreamState, item: ChangeRecord) -> None:
        line = change_line(item, stream.number)
        if item.patch:
            self._write_keys(stream, item.time)
        size = self._write(item.time, item.type.value, line)
        self.progress.changes += not item.initial
        self.progress.last = item.time
        if item.of_stream:
            return
        identity = item.identity
        known = identity in stream.chains
        match item.type:
            case ChangeType.ADDED:
                stream.chains[identity] = Chain(size)
            case ChangeType.DELETED | ChangeType.LEFT:
                stream.chains.pop(identity, None)
            case ChangeType.MODIFIED | ChangeType.GAP:
                chain = stream.chains.get(identity, Chain()).longer(size)
                if chain.is_long or item.type is ChangeType.GAP:
                    self._snapshot(stream, item)
                else:
                    stream.chains[identity] = chain
        more = (identity in stream.chains) - known
        self.progress.objects += more
        if self._asked.refers_to(stream.selection, item.namespace):
            self.progress.referred += more

    def reached(self, event: WatchEvent) -> None:
        """Note that all versions up to that of *event* were written."""
        self._file.reached(event)

    def note(self, message: str) -> None:
        """Write *message*, on what is missing. Any thread may call this."""
        with self._writing:
            if self._stopped.is_set():
                return
            self._unwritten.append((time.time(), message))
            if not self._astray:
                self._write_notes()

    def end(self, reason: str) -> None:
        """Write why the recording ends, and close the file."""
        with self._writing:
            self._stopped.set()  # threads may still call `note`
            try:
                self._check_path()
                if self._astray:
                    self._rotate(time.time())
                self._write(time.time(), "END", {"reason": reason})
            finally:
                try:
                    self._file.close()
                finally:
                    self._packer.stop()

    def _watch_file(self) -> None:
        """Sync the file, and check that it is still at its path."""
        while not self._stopped.wait(_SYNC_EVERY):
            with suppress(SpyError):  # the next write reports it
                self._file.sync()
            with self._writing:
                self._check_path()

    def _check_path(self) -> None:
        if not self._astray and (how := self._file.astray()):
            self._astray = how
            self._say(f"warning: {self.name} {how} while it was recorded to")

    def _write(self, moment: float, kind: str, members: dict[str, JSON]) -> int:
        line = {**members, "seq": self._seq + 1, "time": rfc3339(moment), "type": kind}
        ordered = {name: line[name] for name in ("seq", "time", "type")} | line
        sealed = seal(inert(dumps(ordered).decode()).encode())
        self._file.write(sealed)
        for also in self._also:
            also(moment, ordered, sealed)
        self._seq += 1
        self.progress.size = self._ring.size + self._file.size
        return len(sealed)

    def _write_notes(self) -> None:
        for moment, message in self._unwritten:
            self._write(moment, "RECONNECT", {"message": message})
        self._unwritten.clear()

    def _write_keys(self, stream: StreamState, now: float) -> None:
        """Write the keys of lists that were used since the last time."""
        used = self._history.keys.of(stream.selection).used
        for pattern, key in used[stream.keys :]:
            line = {"stream": stream.number, "path": pattern, "members": list(key)}
            self._write(now, "KEYS", line)
        stream.keys = len(used)

    def _snapshot(self, stream: StreamState, item: ChangeRecord) -> None:
        line = change_line(item._replace(type=ChangeType.ADDED), stream.number)
        for name in ("managers", "initial", "previous"):
            line.pop(name, None)
        size = self._write(item.time, "SNAPSHOT", line)
        stream.chains[item.identity] = Chain(size)

    def _segment_is_over(self) -> bool:
        size = self._rotation.size
        # A segment must not consist mostly of its opening: the next one would, too.
        full = size is not None and self._file.size >= max(size, 2 * self._opening)
        return full or self._is_old()

    def _is_old(self) -> bool:
        age = self._rotation.age
        return age is not None and time.monotonic() - self._opened >= age

    def _rotate(self, now: float) -> None:
        """Go on in a new file, which can be read without those before it.

        If the current file cannot go on at its path, the new one gets another name:
        whatever is there now is left alone.
        """
        self._check_path()
        size = self._file.size
        closed: Path | None = None
        if self._astray:
            astray, self._file = self._file, self._file.beside()
            try:
                astray.close()
            except SpyError as error:
                self._say(f"warning: {error}")
            self._astray = ""
            self._say(f"recording to {self.name} from now on")
        else:
            self._file, closed = self._file.rotate(self._segment)
        self._ring.add(closed, now, size, self.progress.changes)
        self._segment += 1
        self._opened = time.monotonic()
        self._begin(now)
        self._opening = self._file.size
        self._write_notes()
        if closed:
            self._file.sync()
            self._packer.add(closed)

    def _begin(self, now: float) -> None:
        """Write what makes the lines that follow readable without those before."""
        self._refreshed = time.monotonic()
        self._write(now, "HEADER", self._header())
        for stream in self._streams.values():
            self._write(now, "STREAM", stream_line(stream.number, stream.selection))
            stream.keys = 0
            self._write_keys(stream, now)
        for each in self._history.present():
            stream = self._streams[id(each.selection)]
            self._snapshot(stream, each._replace(time=now))
        for stream in self._streams.values():
            reach = self._history.coverage.of(stream.selection)
            for item in (reach.answer, reach.lost):
                if item is not None:
                    self._of_stream(stream, item, now)

    def _header(self) -> dict[str, JSON]:
        run = {"recording": self._recording, "segment": self._segment}
        keep = self._rotation.keep
        return self._origin.as_json() | run | ({"keep": keep} if keep else {})
