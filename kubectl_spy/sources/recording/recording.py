"""Read a recording from its beginning: what it holds, and what of it is damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from kubectl_spy.core.changes.playback import Playback
from kubectl_spy.core.changes.record import Item
from kubectl_spy.core.changes.recording_format import (
    FORMAT,
    VERSION,
    BadLine,
    decode,
    selection_of,
)
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.times import seconds
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.segments import (
    RawLine,
    last_line,
    lines_of,
    no_recording,
)

HEADERS = ("HEADER", "RESUME")
_HOPELESS = 10_000
"""Damaged places past which the rest is not read: each is kept, and told."""
_LOOK = 1000
"""Lines in which one that can be read must be, or the file is no recording."""


class Damage(NamedTuple):
    """A place where a recording is not as it was written."""

    file: str
    line: int
    reason: str
    torn: bool
    """Whether it is only the end, where a write was cut short."""

    def __str__(self) -> str:
        if self.torn:
            return f"{self.file}: its last line is torn: what it said is lost"
        return f"{self.file}: line {self.line} is damaged: {self.reason}"


class Recording:
    """The recording at *name*, `-` being standard input; iterate for what it holds.

    *header* is its first ({} if that is damaged), *declared* what it was recorded of;
    *damages* grows with what is found while iterating.

    Raises:
        SpyError: it cannot be read, is no recording, or is of a later format.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.damages: list[Damage] = []
        self.lines = self.size = 0
        """How many were whole, and the bytes of all, unpacked."""
        self.last = ""
        """The time of the last line, as it stands there."""
        self.ended = ""
        """Why it ended, as it says; "" if it does not."""
        self._playback = Playback()
        self._seq = 0
        self._loss = ""
        """Where lines were lost, last."""
        self._first = ""
        self._raw = lines_of(name)
        self.header: dict[str, Any] = {}
        self._session: dict[str, Any] = {}
        self.declared: list[Selection] = []
        self._ahead = list(self._beginning())

    @property
    def began(self) -> float:
        """When recording began: seconds since the epoch."""
        try:
            return seconds(self._first)
        except ValueError:
            return 0.0

    @cached_property
    def until(self) -> float:
        """When its last line was written: seconds since the epoch.

        Not for a pipe, which can be read once.
        """
        try:
            return seconds(decode(last_line(self.name))["time"])
        except ValueError:
            return self.began

    @property
    def is_in_first_run(self) -> bool:
        """Whether nothing was continued with --append so far."""
        return self._session.get("redaction") == self.header.get("redaction")

    @property
    def epoch(self) -> tuple[str, bool]:
        """What tells the key apart that values are masked with, and whether any are."""
        redaction = self._session.get("redaction")
        redaction = redaction if isinstance(redaction, dict) else {}
        if not self._session:
            # What is lost may have been a RESUME, and with it another key.
            return f"unknown since {self._loss}", True
        return str(redaction.get("epoch", "")), redaction.get("secrets") != "shown"

    @property
    def selections(self) -> list[Selection]:
        """What was recorded, as far as it has been read."""
        return self._playback.selections

    def narrow(self, among: Callable[[Iterable[RawLine]], Iterator[RawLine]]) -> None:
        """Iterate over those lines only that *among* yields of all there are."""
        self._ahead, self._raw = [], among(chain(self._ahead, self._raw))

    def __iter__(self) -> Iterator[Item]:
        for place in chain(self._ahead, self._raw):
            if self.damages and self.damages[-1].torn:
                # It is not the end, after all.
                self.damages[-1] = self.damages[-1]._replace(torn=False)
            self.size += len(place.raw)
            line = self._decoded(place)
            if line is None or not self._is_next(place, line):
                self._playback.lost()
                self._lose(place)
                continue
            self.lines += 1
            self.last = line["time"]
            if line["type"] in HEADERS:
                check_format(self.name, line)
                self._session = line
            elif line["type"] == "STREAM":
                self._declare(line)
            self.ended = str(line.get("reason", "")) if line["type"] == "END" else ""
            try:
                yield from self._playback.observe(line)
            except BadLine as error:
                self._damaged(place, str(error))

    def _beginning(self) -> Iterator[RawLine]:
        """Read up to the first line that tells of an object, and yield what was read.

        Raises:
            SpyError: there is no line of a recording among the first ones.
        """
        found = False
        for number, place in enumerate(self._raw):
            yield place
            try:
                line = decode(place.raw)
            except BadLine:
                if number == _LOOK:
                    break
                continue
            found = True
            if not self._first:
                self._first = line["time"]
            if line["type"] in HEADERS and not self.header:
                check_format(self.name, line)
                self.header = line
            elif line["type"] == "STREAM":
                self._declare(line)
            else:
                break
        if not found:
            raise no_recording(self.name)

    def _declare(self, line: dict[str, Any]) -> None:
        with suppress(BadLine):
            selection = selection_of(line)
            if selection not in self.declared:
                self.declared.append(selection)

    def _decoded(self, place: RawLine) -> dict[str, Any] | None:
        try:
            return decode(place.raw)
        except BadLine as error:
            self._damaged(place, str(error))
            return None

    def _is_next(self, place: RawLine, line: dict[str, Any]) -> bool:
        """Whether *line* may follow those before it; note what is not there."""
        seq, after = line["seq"], self._seq and self._seq + place.skipped
        begins = line["type"] == "HEADER" and seq == 1
        if begins and line.get("recording") != self._session.get("recording", after):
            after = 0  # another recording, behind the one before it
        elif seq <= self._seq:
            self._damaged(
                place, f"it is line {seq}, and stands behind line {self._seq}"
            )
            return False
        self._seq = seq
        if after and seq != after + 1 and not self._lost_just_now(place):
            missing = seq - after - 1
            reason = f"{missing} lines before it are missing"
            if missing < 0:
                reason = "lines before it are out of place"
            self._damaged(place, reason)
            self._lose(place)
        return True

    def _lose(self, place: RawLine) -> None:
        self._session, self._loss = {}, f"{place.file} {place.number}"

    def _lost_just_now(self, place: RawLine) -> bool:
        """Whether the line before the one at *place* was found damaged."""
        if not self.damages:
            return False
        last = self.damages[-1]
        return last.file != place.file or last.line == place.number - 1

    def _damaged(self, place: RawLine, reason: str) -> None:
        torn = not place.raw.endswith(b"\n")
        self.damages.append(Damage(place.file, place.number, reason, torn))
        if len(self.damages) > _HOPELESS:
            raise SpyError(
                f"{self.name} is damaged in more than {_HOPELESS:,} places",
                "what is left of it is not read",
            )


def check_format(name: str, header: dict[str, Any]) -> None:
    """Check that this program knows what the lines under *header* mean.

    Raises:
        SpyError: they are of a later major version, or of another program.
    """
    major = str(header.get("version", "")).partition(".")[0]
    if header.get("format") != FORMAT or not major.isdecimal():
        raise SpyError(f"{name} is a recording of something else", "")
    if int(major) > VERSION[0]:
        raise SpyError(
            f"{name} has format {header['version']}; this kubectl spy reads "
            f"{VERSION[0]}",
            "use a newer kubectl spy",
        )
