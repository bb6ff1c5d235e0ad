"""Finds the lines of a recording again, 8 bytes a line.

Plain files are read where they are. What is compressed, comes through a pipe or from a
log store is copied: a little to memory, more to a temporary file without a name.
"""

from __future__ import annotations

import tempfile
from array import array
from bisect import bisect_right
from pathlib import Path
from typing import IO, cast

from kubectl_spy.core.changes.recording_format import LONGEST
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.segments import RawLine, is_read_once

_IN_MEMORY = 16 << 20  # bytes that are copied before there is a file
_OPEN = 64  # segments that stay open; the lines of others are copied


class LinePlaces:
    """Where the lines of the recording *name* are. It may be moved meanwhile."""

    def __init__(self, name: str) -> None:
        self._at = array("Q")
        self._begins: list[int] = []  # the first line of each run of lines in one file
        self._files: list[IO[bytes]] = []
        self._reading = ""
        self._file: IO[bytes] | None = None  # the file that is read where it is
        self._read_once = is_read_once(name)
        self._opened = self._copied = 0
        self._copy: IO[bytes] | None = None

    def add(self, place: RawLine, *, whole: bool) -> None:
        """Take in the next line. Only a *whole* one can be read again."""
        if place.file != self._reading:
            self._reading = place.file
            self._file = self._original(place)
        if self._file is not None and place.at >= 0:
            self._keep(self._file, place.at)
            return
        copy = self._copy
        if copy is None:
            # Few lines need no file: a recorder in a cluster may have no place for one.
            spooled = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
            copy = self._copy = cast("IO[bytes]", spooled)
        self._keep(copy, self._copied)
        if whole:
            self._append(copy, place.raw)

    def raw(self, line: int) -> bytes:
        """Return a line, with its newline."""
        file = self._files[bisect_right(self._begins, line) - 1]
        try:
            file.seek(self._at[line])
            return file.readline(LONGEST)
        except OSError as error:
            raise SpyError(f"cannot read the recording: {error.strerror}") from None

    def close(self) -> None:
        """Close the files."""
        for each in self._files:
            each.close()

    def _keep(self, file: IO[bytes], at: int) -> None:
        if not self._files or self._files[-1] is not file:
            self._begins.append(len(self._at))
            self._files.append(file)
        self._at.append(at)

    def _append(self, copy: IO[bytes], raw: bytes) -> None:
        try:
            copy.seek(self._copied)
            copy.write(raw)
        except OSError as error:
            raise SpyError(
                f"cannot copy the recording to a temporary file: {error.strerror}",
                "name another directory with TMPDIR",
            ) from None
        self._copied += len(raw)

    def _original(self, first: RawLine) -> IO[bytes] | None:
        """Return the file that *first* is in, or None if it cannot be read there."""
        if first.at < 0 or self._read_once or self._opened == _OPEN:
            return None
        try:
            file = Path(first.file).open("rb")  # noqa: SIM115
            file.seek(first.at)
            # A recorder may have renamed the file since it was opened.
            if file.readline(LONGEST) == first.raw:
                self._opened += 1
                return file
            file.close()
        except OSError:
            pass
        return None
