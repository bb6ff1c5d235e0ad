"""Reads a recording from its beginning, and finds what is damaged."""

from __future__ import annotations

import math
import re
from collections.abc import (
    Callable,
    Container,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from functools import cached_property, partial
from itertools import chain
from typing import Any, NamedTuple

from kubectl_spy.core.changes import lines
from kubectl_spy.core.changes.line_reading import decode, line_of
from kubectl_spy.core.changes.playback import Playback, note_in
from kubectl_spy.core.changes.record import Aside, Item
from kubectl_spy.core.changes.recording_format import FORMAT, VERSION
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.patch.list_keys import TypeKeys
from kubectl_spy.core.times import seconds
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.segments import (
    RawLine,
    fetched,
    is_read_once,
    last_line,
    lines_about,
    lines_of,
    no_recording,
)
from kubectl_spy.terms import called

_MOST_DAMAGES = 10_000  # damaged places after which reading stops
_MOST_LINES = 1 << 62  # numbers of lines fit into 64 bits
_FIRST_LINES = 1000  # a file without a readable line among so many is no recording
_OF_KEYS = re.compile(rb'\{"seq":[0-9]+,"time":"[^"]*","type":"(?:STREAM|KEYS)"')
_TYPE = 128  # bytes of a line within which its type stands

Epoch = tuple[str, bool]


class Damage(NamedTuple):
    """A damaged place of a recording."""

    file: str
    line: int
    reason: str
    torn: bool  # whether it is the last line, and its end is missing

    def __str__(self) -> str:
        if self.torn:
            return f"{called(self.file)}: its last line is torn: what it said is lost"
        return f"{called(self.file)}: line {self.line} is damaged: {self.reason}"


class Recording:
    """The recording in the file *name*; `-` is standard input. Iterate for its items.

    *header* is its first header, {} if that is damaged. *declared* are the selections
    that were recorded. Iterating adds to *damages*. Raises SpyError if it cannot be
    read, is no recording, or has a newer format.
    """

    def __init__(self, name: str) -> None:
        self.file, self.name = name, called(name)  # to read, and in messages
        self.read_once = is_read_once(name)  # whether it is a pipe
        self.damages: list[Damage] = []
        self.lines = self.size = 0
        """The number of undamaged lines, and the bytes of all lines, unpacked."""
        self.last = 0.0
        """The time of the last undamaged line, in seconds since the epoch, or 0."""
        self.ended = ""  # the reason of its END, or "" without one
        self.pauses: list[tuple[float, float]] = []
        """Between which times nobody recorded, as far as it is read."""
        self.run = 0  # the number of the line that began the last run
        self.resumed: set[Selection] = set()
        """The selections that go on where the run before left off."""
        self.say: Callable[[str], None] = lambda note: None
        """Called with each note on what is missing, as it is read."""
        self.keys = TypeKeys(partial(_read_keys, name))
        """The keys of lists: those of the whole file, if it can be read again."""
        self._playback = Playback(keys=self.keys)
        self._seq = 0
        self.began = 0.0
        """When the recording began, in seconds since the epoch."""
        self._raw = lines_of(name)
        self._headless = False  # whether the first lines are missing
        self.time = 0.0
        """The time of the line that was read last, in seconds since the epoch."""
        self.header: dict[str, Any] = {}
        self._session: dict[str, Any] = {}
        self.epoch: Epoch = ("", True)
        """The name of the key that masks values, and whether values are masked."""
        self.is_in_first_run = True
        """Whether no --append has continued it up to here, for certain."""
        self.declared: list[Selection] = []
        self._ahead = list(self._beginning())

    @property
    def until(self) -> float:
        """When its last line was written, in seconds since the epoch.

        It does not work for a pipe, which can be read only once.
        """
        try:
            return seconds(self._last_line["time"])
        except ValueError:
            return self.began

    @property
    def last_seq(self) -> int:
        """The number of its last line. Not for a pipe."""
        try:
            return int(self._last_line["seq"])
        except ValueError:
            return 0

    @cached_property
    def _last_line(self) -> dict[str, Any]:
        return decode(last_line(self.file))

    @property
    def selections(self) -> list[Selection]:
        """The selections up to the line that was read last."""
        return self._playback.selections

    def close(self) -> None:
        """Close the files. Nothing more can be read."""
        self._ahead, self._raw = [], iter(())

    def read_heads(self) -> None:
        """Iterate without reading documents and patches, nor damage in them."""
        self._playback = Playback(keys=self.keys, bodies=False)

    def narrow(self, among: Callable[[Iterable[RawLine]], Iterator[RawLine]]) -> None:
        """Iterate only over the lines that *among* yields."""
        self._ahead, self._raw = [], among(chain(self._ahead, self._raw))

    def narrow_to(
        self, names: Container[bytes], last: float = math.inf, end: str = "~"
    ) -> None:
        """Iterate over the lines that are not about objects with other *names*.

        Of those, only the checksums and numbers are checked. Behind line *last* and the
        time *end*, in RFC 3339, all lines come.
        """
        among = partial(lines_about, names, passed=self._pass_over, last=last, end=end)
        self.narrow(among)

    def _pass_over(self, count: int, size: int, time: float) -> None:
        self.lines += count
        self.size += size
        self.last = max(self.last, time)

    def __iter__(self) -> Iterator[Item | Aside]:
        for place, line in self.places():
            if line is None:
                self._playback.lost()
                continue
            try:
                yield from self._playback.observe(line, place.skipped)
            except lines.BadLine as error:
                self.note_damage(place, str(error))

    def places(self) -> Generator[tuple[RawLine, lines.Line | None], None, None]:
        """Yield each line, and what it says: None if it is damaged or out of place."""
        for place in chain(self._ahead, self._raw):
            if self._headless:
                self._headless = False
                first = place._replace(number=1, raw=b"\n")
                self.note_damage(first, "it is no header: the first lines are missing")
            if self.damages and self.damages[-1].torn:
                # Another line follows, so it was not the last.
                self.damages[-1] = self.damages[-1]._replace(torn=False)
            self.size += len(place.raw)
            line = self._read(place)
            if line is None or not self._is_next(place, line):
                self._lose(place)
                yield place, None
                continue
            self.lines += 1
            before, self.last = self.last, line.time
            self.ended = ""
            if isinstance(line, lines.HeaderLine):
                check_format(self.name, line.members)
                self._session = line.members
                self.epoch = _epoch_of(line.members)
                same = line.recording == self.header.get("recording")
                self.is_in_first_run &= same and line.type != "RESUME"
                if line.begins_run:
                    self.run, self.resumed = line.seq, set()
                if line.type == "RESUME":
                    self.pauses.append((before, line.time))
            elif isinstance(line, lines.StreamLine):
                self._declare(line)
                if line.since is not None:
                    self.resumed.add(line.selection)
            elif isinstance(line, lines.ReconnectLine):
                typed = lines.tells_states(self._session)
                note = "" if line.state else line.text
                if note := note if typed else note_in(note):
                    self.say(note)
            elif isinstance(line, lines.NoteLine) and line.type == "END":
                self.ended = line.text
            yield place, line

    def _beginning(self) -> Iterator[RawLine]:
        """Yield the lines up to the first one about an object, or raise SpyError."""
        found = False
        for number, place in enumerate(self._raw):
            yield place
            try:
                line = line_of(place.raw)
            except lines.BadLine:
                if number == _FIRST_LINES:
                    break
                continue
            found = True
            self._headless |= not number and not isinstance(line, lines.HeaderLine)
            self.began = self.began or line.time
            if isinstance(line, lines.HeaderLine) and not self.header:
                check_format(self.name, line.members)
                self.header = line.members
            elif isinstance(line, lines.StreamLine):
                self._declare(line)
            else:
                break
        if not found:
            raise no_recording(self.file)

    def _declare(self, line: lines.StreamLine) -> None:
        if line.selection not in self.declared:
            self.declared.append(line.selection)

    def _read(self, place: RawLine) -> lines.Line | None:
        try:
            if place.reason:
                raise lines.BadLine(place.reason)
            line = line_of(place.raw)
            self.time = line.time
            return line
        except lines.BadLine as error:
            self.note_damage(place, str(error))
            return None

    def _is_next(self, place: RawLine, line: lines.Line) -> bool:
        """Return whether *line* may come here. Note the lines that are missing."""
        seq, after = line.seq, self._seq and self._seq + place.skipped
        header = line if isinstance(line, lines.HeaderLine) else None
        if (
            header is not None
            and (header.type, seq) == ("HEADER", 1)
            and header.recording != self._session.get("recording", after)
        ):
            after = 0  # another recording was appended to the file
        elif not self._seq < seq < _MOST_LINES:
            self.note_damage(
                place, f"it is line {seq}, and comes after line {self._seq}"
            )
            return False
        self._seq = seq
        noted = None if header is None else header.after
        if after and noted is not None:
            # Numbers were left out, because a killed recorder sent an unknown number.
            after = seq - 1 - max(0, noted - after)
        if after and seq != after + 1 and not self._lost_just_now(place):
            missing = seq - after - 1
            reason = f"{many(missing, 'line')} missing before it"
            if missing < 0:
                reason = "lines before it are out of place"
            self.note_damage(place, reason)
            self._lose(place)
        return True

    def _lose(self, place: RawLine) -> None:
        # A lost line may have been a RESUME, which starts another key.
        self._session = {}
        self.epoch = f"unknown since {place.file} {place.number}", True
        self.is_in_first_run = False

    def _lost_just_now(self, place: RawLine) -> bool:
        if not self.damages:
            return False
        last = self.damages[-1]
        return last.file != place.file or last.line == place.number - 1

    def note_damage(self, place: RawLine, reason: str) -> None:
        """Add to *damages*. Raises SpyError if there are too many."""
        torn = not place.raw.endswith(b"\n")
        self.damages.append(Damage(place.file, place.number, reason, torn))
        if len(self.damages) > _MOST_DAMAGES:
            raise SpyError(
                f"{self.name} is damaged in more than {_MOST_DAMAGES:,} places",
                "the rest of it is not read",
            )


def _read_keys(name: str, keys: TypeKeys) -> None:
    """Note the keys of lists that *name* holds, wherever they are in it.

    Nothing comes of a pipe, which can be read only once, or of Loki, which is asked for
    a part. Damaged lines are left out. Raises SpyError if it cannot be read.
    """
    if name in fetched or is_read_once(name):
        return
    streams: dict[int, Selection] = {}
    for place in lines_of(name):
        if not _OF_KEYS.match(place.raw):
            continue
        try:
            line = line_of(place.raw)
        except lines.BadLine:
            continue
        if isinstance(line, lines.StreamLine):
            streams[line.stream] = line.selection
        elif isinstance(line, lines.KeysLine) and (held := streams.get(line.stream)):
            keys.of(held).note(line.path, line.key)


def _epoch_of(header: dict[str, Any]) -> Epoch:
    redaction = header.get("redaction")
    redaction = redaction if isinstance(redaction, dict) else {}
    masked = redaction.get("secrets") != "shown" or bool(redaction.get("fields"))
    return str(redaction.get("epoch", "")), masked


def check_format(name: str, header: dict[str, Any]) -> None:
    """Raise SpyError if a newer major version or another program wrote *header*."""
    major = str(header.get("version", "")).partition(".")[0]
    if header.get("format") != FORMAT or not major.isdecimal():
        raise SpyError(f"{name} is a recording of something else", "")
    if int(major) > VERSION[0]:
        raise SpyError(
            f"{name} has format {header['version']}; this kubectl spy reads "
            f"{VERSION[0]}",
            "use a newer kubectl spy",
        )


# Checks that all Secrets of a recording are masked.


def check_masked(recording: str, name: str) -> None:
    """Raise SpyError unless each run of *recording* masked Secrets.

    Messages call it *name*. If lines are lost, the header of a run may be among them.
    So the line after lost lines must be a header.
    """
    headers = last = 0
    for line in lines_of(recording):
        if line.reason:
            continue
        header = _header(line, name)
        if header is None:
            if line.number > last + 1 + line.skipped and headers:
                raise _refused(
                    f"{name} has no line {line.number - 1}, and what follows may hold "
                    "Secrets"
                )
        elif not is_masked(header):
            raise _refused(
                f"{name} was recorded with --show-secrets: it may hold Secrets"
            )
        else:
            headers += 1
        last = line.number
    if not headers:
        raise _refused(f"{name} has no header that says how it was recorded")


def _refused(message: str) -> SpyError:
    remedy = "the tools read only recordings with masked Secrets"
    return SpyError(message, remedy, code="unmasked")


def is_masked(header: Mapping[str, Any]) -> bool:
    """Return whether the run that *header* begins masks Secrets."""
    redaction = header.get("redaction")
    return isinstance(redaction, dict) and redaction.get("secrets") == "masked"


def _header(line: RawLine, name: str) -> dict[str, Any] | None:
    """Return the header that *line* is, or None. Raises SpyError if it is damaged."""
    if not any(each.encode() in line.raw for each in lines.HEADERS):
        return None
    try:
        header = decode(line.raw)
    except lines.BadLine:
        start = line.raw[:_TYPE]
        if any(f'"type":"{each}"'.encode() in start for each in lines.HEADERS):
            raise _refused(
                f"{name} has a damaged header: it may hold Secrets"
            ) from None
        return None
    return header if header["type"] in lines.HEADERS else None
