"""Reads the lines of one file of a recording, plain or compressed."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from kubectl_spy.core.changes.recording_format import LONGEST
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.naming import GZIP
from kubectl_spy.terms import called

AT_ONCE = 96 << 10  # bytes to read; from 128 KiB on malloc maps memory each time
_ENDLESS = 256 << 20  # bytes of a line after which reading stops


class RawLine(NamedTuple):
    """One line and its place. A line without a newline is torn."""

    file: str
    number: int  # from 1, in its file
    raw: bytes
    skipped: int = 0  # how many lines before it were skipped
    reason: str = ""  # what is wrong with it, if that is known
    at: int = -1  # where it begins in its file, if the file is not compressed
    before: float = 0.0  # the time of the last line that was skipped before it


def no_recording(name: str, why: str = " of kubectl spy") -> SpyError:
    """Return the error that the file *name* is no recording."""
    return SpyError(
        f"{called(name)} is no recording{why}", "make one with kubectl spy record"
    )


def whole_lines(lines: Iterable[RawLine]) -> Iterator[RawLine]:
    """Yield the lines up to one that a recorder may still be writing."""
    return takewhile(lambda line: line.raw.endswith(b"\n"), lines)


def lines_from(name: str, number: int, at: int) -> Iterator[RawLine]:
    """Yield the lines of a plain file from line *number* on, which begins at byte *at*.

    Raises SpyError if it cannot be read.
    """
    try:
        with Path(name).open("rb", AT_ONCE) as file:
            file.seek(at)
            yield from read_lines(name, file, number, at)
    except OSError as error:
        raise SpyError(f"cannot read {called(name)}: {error.strerror}") from None


def read_lines(
    name: str, file: BinaryIO, number: int = 1, at: int = 0
) -> Iterator[RawLine]:
    """Yield the lines from where *file* is: line *number*, at byte *at*."""
    start = file.peek(2)[:2] if hasattr(file, "peek") else b""
    packed = start == GZIP
    if packed:
        file = cast(BinaryIO, gzip.GzipFile(fileobj=file))
    number -= 1
    try:
        while raw := file.readline(LONGEST):
            number += 1
            yield RawLine(name, number, raw, 0, "", -1 if packed else at)
            length = len(raw)
            at += length
            if raw.endswith(b"\n"):
                continue
            if length < LONGEST:
                return  # a recorder may be writing the rest
            while len(raw) == LONGEST and not raw.endswith(b"\n"):
                raw = file.readline(LONGEST)  # the rest of a line that is too long
                at += len(raw)
                length += len(raw)
                if number == 1 and raw:
                    raise no_recording(
                        name, f": its first line is longer than {LONGEST >> 20} MiB"
                    )
                if length > _ENDLESS:
                    most = f"{_ENDLESS >> 20} MiB"
                    raise SpyError(
                        f"{called(name)}: line {number} is longer than {most}",
                        "the rest of it is not read",
                    )
    except EOFError:
        # The file was cut off while it was compressed or copied: a torn line.
        yield RawLine(name, number + 1, b"")
    except (zlib.error, gzip.BadGzipFile):
        yield RawLine(name, number + 1, b"\n")  # a damaged line
