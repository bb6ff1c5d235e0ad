"""Read a recording from its beginning: what it holds, and what of it is damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from kubectl_spy.core.objects import Selection
from kubectl_spy.core.playback import Item, Playback
from kubectl_spy.core.record import seconds
from kubectl_spy.core.recording import (
    FORMAT,
    VERSION,
    BadLine,
    decode,
    selection_of,
)
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.segments import RawLine, lines_of, segments_of

HEADERS = ("HEADER", "RESUME")
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
        self._raw = lines_of(segments_of(name))
        self.header: dict[str, Any] = {}
        self._session: dict[str, Any] = {}
        self.declared: list[Selection] = []
        self._ahead = list(self._beginning())

    @property
    def began(self) -> float:
        """When recording began: seconds since the epoch."""
        try:
            return seconds(self.header["time"])
        except (KeyError, ValueError):
            return 0.0

    @property
    def epoch(self) -> tuple[str, bool]:
        """What tells the key apart that values are masked with, and whether any are."""
        redaction = self._session.get("redaction")
        redaction = redaction if isinstance(redaction, dict) else {}
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
            if line is None:
                continue
            self.lines += 1
            self.last = line["time"]
            if line["type"] in HEADERS:
                check_format(self.name, line)
                self._session = line
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
            if line["type"] in HEADERS and not self.header:
                check_format(self.name, line)
                self.header = line
            elif line["type"] == "STREAM":
                with suppress(BadLine):
                    self.declared.append(selection_of(line))
            else:
                break
        if not found:
            raise SpyError(
                f"{self.name} is no recording of kubectl spy",
                "make one with kubectl spy record",
            )

    def _decoded(self, place: RawLine) -> dict[str, Any] | None:
        try:
            return decode(place.raw)
        except BadLine as error:
            self._damaged(place, str(error))
            self._playback.lost()
            return None

    def _damaged(self, place: RawLine, reason: str) -> None:
        torn = not place.raw.endswith(b"\n")
        self.damages.append(Damage(place.file, place.number, reason, torn))


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
