"""What sends the lines of a recording elsewhere, as its recorder sees it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from kubectl_spy.core.objects import JSON, EventType, Position, Selection, WatchEvent
from kubectl_spy.private_files import replacing
from kubectl_spy.sinks.recording_file import RecordingFile, failed, open_locked
from kubectl_spy.sinks.resuming import Delivered


class Backlog(NamedTuple):
    """The items that were put in, and neither delivered nor given up yet."""

    items: int
    weight: int  # bytes, about
    age: float  # the seconds since the oldest of them was put in


class Counts(NamedTuple):
    """What became of the lines so far."""

    delivered: int
    refused: int
    dropped: int  # because too many waited
    backlog: Backlog


class Delivery(Protocol):
    """Sends lines from a thread of its own."""

    url: str
    """Where they go, without credentials."""

    def send(self, time: float, members: dict[str, JSON], sealed: bytes) -> None:
        """Queue *sealed*, the line of *members* with its newline, and return at once.

        *time* is in seconds since the epoch.
        """

    def when_settled(self, call: Callable[[int], None]) -> None:
        """Call *call* with the seq of the last line that was delivered or refused."""

    def counts(self) -> Counts:
        """Return what became of the lines. Any thread may call."""


# A recording without a file, and where it can be resumed, for --resume.

_VERSION = re.compile(r"[!-~]{1,200}")  # a server may send anything
_BEGINS = re.compile(rb'\{"seq":([0-9]+),"time":"([^"]+)"')


class DeliveryLog(RecordingFile):
    """A recording that is only sent, to *url*.

    The file *resume* gets the first and the last line of the run, and what is
    `Delivered`: once a second, and at the end. It is replaced each time, so a file
    beside it is locked.
    """

    def __init__(self, url: str, resume: Path | None) -> None:
        super().__init__(resume or Path(os.devnull), -1, 0)
        self.name = url
        self._resume = resume
        if resume is not None:
            beside = resume.with_name(f"{resume.name}.lock")
            self._descriptor = open_locked("lock", beside, os.O_CREAT, of=resume)
        self._begun = self._last = b""
        self._ended = False
        self._settled = 0
        self._positions: dict[Selection, Position] = {}
        self._mark = self._noted = Delivered()
        """What is known once its line is delivered, and what is known now."""

    def begin(self, at: Delivered) -> None:
        """Note where an earlier run left off."""
        self._positions = dict(at.positions)
        self._mark = self._noted = at

    def write(self, line: bytes) -> None:
        with self._lock:
            if self._lost:
                raise self._lost
            self._begun, self._last = self._begun or line, line
            self.size += len(line)
            self._written = True
            if self._begun is line:  # no later run must use its number again
                self._sync()

    def reached(self, event: WatchEvent) -> None:
        selection, version = event.selection, event.reached
        with self._lock:
            if event.type is EventType.SYNCED and not version:
                self._positions.pop(selection, None)
            elif _VERSION.fullmatch(version) and (
                # A watch from no version first sends all objects as ADDED.
                event.type is not EventType.ADDED or selection in self._positions
            ):
                self._positions[selection] = Position(version, event.time)

    def settled(self, seq: int) -> None:
        """Note that all lines up to *seq* were delivered, or refused."""
        with self._lock:
            self._settled = seq
            self._advance()
            if self._ended:
                self._sync()

    def astray(self) -> str:
        return ""

    def close(self) -> None:
        with self._lock:
            self._ended = True
            self._mark = self._now()
            self._sync()

    def _advance(self) -> None:
        if self._settled < self._mark.seq:
            return
        if self._noted != self._mark:
            self._noted, self._written = self._mark, True
        if not self._ended:
            self._mark = self._now()

    def _now(self) -> Delivered:
        found = _BEGINS.match(self._last)
        seq, time = (int(found[1]), found[2].decode()) if found else (0, "")
        return Delivered(seq, time, dict(self._positions))

    def _sync(self) -> None:
        if self._resume is None:
            return
        self._advance()
        if not self._written:
            return
        self._written = False
        try:
            with replacing(self._resume) as file:
                file.writelines((self._begun, self._noted.line(), self._last))
        except OSError as error:
            self._lost = failed("write to", self._resume, error)
            raise self._lost from None
