"""Which files a recording consists of, and their lines as they stand there."""

from __future__ import annotations

import gzip
import math
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from kubectl_spy.core.changes.recording_format import (
    LONGEST,
    BadLine,
    decode,
    is_sealed,
)
from kubectl_spy.errors import SpyError

STDIN = "-"
_AT_ONCE = 96 << 10
"""Bytes to read at once; from 128 KiB on malloc maps memory each time."""
_ENDLESS = 256 << 20
"""Bytes past which a line is not read to its end: it may have none."""
_GZIP = b"\x1f\x8b"


class RawLine(NamedTuple):
    """One line, and where it stands; without a newline at its end it is torn."""

    file: str
    number: int
    """From 1, in its file."""
    raw: bytes
    skipped: int = 0
    """How many lines before it were left out, because they are not needed."""


def no_recording(name: str, why: str = " of kubectl spy") -> SpyError:
    """Return the error that the file *name* is no recording."""
    return SpyError(f"{name} is no recording{why}", "make one with kubectl spy record")


def segments_of(path: Path) -> list[Path]:
    """Return the segments that were rotated out of the file at *path*, oldest first.

    They stand beside it as NAME.0001 and so on, mostly gzipped.
    """
    try:
        beside = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
    except OSError:  # not to be listed, but what is in it may be opened
        beside = []
    pattern = re.compile(re.escape(path.name) + r"\.([0-9]{4,})(?:\.gz)?")
    closed: dict[int, Path] = {}
    for each in beside:
        if found := pattern.fullmatch(each.name):
            # Of two, one is being compressed: the other is whole.
            closed.setdefault(int(found[1]), each)
    # A listing may leave out both names of one that is being compressed just then.
    # https://pubs.opengroup.org/onlinepubs/9699919799/functions/readdir.html
    for number in (0, *closed):
        while number + 1 not in closed and (left_out := _segment(path, number + 1)):
            closed[number := number + 1] = left_out
    return [closed[number] for number in sorted(closed)]


def _segment(path: Path, number: int) -> Path | None:
    """Return the segment of that *number*, if it is there."""
    plain = path.with_name(f"{path.name}.{number:04}")
    packed = plain.with_name(f"{plain.name}.gz")
    # In this order: it is removed once it is compressed.
    for each in (plain, packed):
        with suppress(OSError):
            each.stat()
            return each
    return None


def is_read_once(name: str) -> bool:
    """Whether the recording *name* is a pipe: its lines can be read only once."""
    return name == STDIN or Path(name).is_fifo()


def is_segment(name: str, number: object) -> bool:
    """Whether the file *name* is the closed segment of that *number*: it has no end."""
    found = re.search(r"\.([0-9]{4,})(?:\.gz)?$", name)
    return found is not None and int(found[1]) == number


def lines_of(name: str) -> Iterator[RawLine]:
    """Yield the lines of the recording *name*, one segment after the other.

    The segments are those of one moment, also while a recorder rotates.

    Raises:
        SpyError: a file cannot be read.
    """
    if name == STDIN:
        yield from _lines(name, sys.stdin.buffer)
        return
    path = Path(name)
    if path.is_dir():
        raise SpyError(f"{name} is a directory", "name a recording in it")
    reading = name
    try:
        closed, newest = _opened_together(path)
        with newest or nullcontext():
            for each in closed:
                reading = str(each)
                with _opened(each) as file:
                    yield from _lines(reading, file)
            reading = name
            if newest:
                yield from _lines(name, newest)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SpyError(f"cannot read {reading}: {reason}") from None


def last_line(name: str) -> bytes:
    """Return the last line of the recording *name* that is whole; b"" if none is.

    Raises:
        SpyError: a file cannot be read.
    """
    for each in (Path(name), *reversed(segments_of(Path(name)))):
        last = b""
        try:
            with _opened(each) as file:
                for line in _lines(str(each), file):
                    if is_sealed(line.raw):
                        last = line.raw
        except FileNotFoundError:
            continue  # a recorder rotates, or was killed as it did
        except OSError as error:
            reason = error.strerror or str(error)
            raise SpyError(f"cannot read {each}: {reason}") from None
        if last:
            return last
    return b""


def _opened_together(path: Path) -> tuple[list[Path], BinaryIO | None]:
    """Return the closed segments of a recording, and the open file that follows them.

    The file is None in the middle of a rotation, when it is renamed and not yet made
    anew. Its header has its number. The segments before that number exist by then, and
    those after it are newer than what is read.
    """
    while True:
        newest = None
        with suppress(FileNotFoundError):
            newest = path.open("rb", _AT_ONCE)
        number = _number_in(newest)
        closed = segments_of(path)
        if number is not None:
            return [each for each in closed if _number_of(each) < number], newest
        if not closed:
            return [], newest or _opened(path)
        # No header yet: a rotation is under way, or was killed.
        with suppress(FileNotFoundError), path.open("rb", _AT_ONCE) as again:
            number = _number_in(again)
        if number is None:
            return closed, newest
        if newest:
            newest.close()


def _number_in(file: BinaryIO | None) -> float | None:
    """Return the segment number in the header of *file*, or None without a header.

    It is infinite if the first line does not tell.
    """
    start = file.peek() if isinstance(file, BufferedReader) else b""
    if not start.startswith(_GZIP) and b"\n" not in start and len(start) < _AT_ONCE:
        return None
    try:
        number = decode(start.partition(b"\n")[0] + b"\n").get("segment")
    except BadLine:
        return math.inf
    return number if type(number) is int else math.inf


def _number_of(segment: Path) -> int:
    return int(segment.name.removesuffix(".gz").rpartition(".")[2])


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb", _AT_ONCE)
    except FileNotFoundError:
        # A segment of a recording under way, which was just compressed.
        return path.with_name(f"{path.name}.gz").open("rb", _AT_ONCE)


def _lines(name: str, file: BinaryIO) -> Iterator[RawLine]:
    start = file.peek(2)[:2] if hasattr(file, "peek") else b""
    if start == _GZIP:
        file = cast(BinaryIO, gzip.GzipFile(fileobj=file))
    number = 0
    try:
        while raw := file.readline(LONGEST):
            number += 1
            yield RawLine(name, number, raw)
            if len(raw) < LONGEST and not raw.endswith(b"\n"):
                return  # a recorder may be writing the rest of it just now
            length = len(raw)
            while len(raw) == LONGEST and not raw.endswith(b"\n"):
                raw = file.readline(LONGEST)  # the rest of what is no line of ours
                length += len(raw)
                if number == 1 and raw:
                    raise no_recording(
                        name, f": its first line is longer than {LONGEST >> 20} MiB"
                    )
                if length > _ENDLESS:
                    raise SpyError(
                        f"{name}: line {number} is longer than {_ENDLESS >> 20} MiB",
                        "the rest of it is not read",
                    )
    except EOFError:
        # Cut off while it was compressed or copied: as a line that is torn.
        yield RawLine(name, number + 1, b"")
    except (zlib.error, gzip.BadGzipFile):
        yield RawLine(name, number + 1, b"\n")  # a line that is damaged
