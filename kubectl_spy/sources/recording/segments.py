"""Which files a recording consists of, and their lines as they stand there."""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from kubectl_spy.core.recording import LONGEST
from kubectl_spy.errors import SpyError

STDIN = "-"
_AT_ONCE = 96 << 10
"""Bytes to read at once; from 128 KiB on malloc maps memory each time."""
_GZIP = b"\x1f\x8b"


class RawLine(NamedTuple):
    """One line, and where it stands; without a newline at its end it is torn."""

    file: str
    number: int
    """From 1, in its file."""
    raw: bytes
    skipped: int = 0
    """How many lines before it were left out, because they are not needed."""


def segments_of(name: str) -> list[str]:
    """Return the files of the recording *name*, oldest first.

    Closed segments stand beside the file that they were rotated out of, as NAME.0001
    and so on, mostly gzipped. A segment that is asked for itself stands alone.

    Raises:
        SpyError: there is no such file.
    """
    if name == STDIN:
        return [name]
    path = Path(name)
    try:
        beside = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
    except OSError:  # not to be listed, but what is in it may be opened
        beside = []
    pattern = re.compile(re.escape(path.name) + r"\.([0-9]{4,})(?:\.gz)?")
    closed: dict[str, str] = {}
    for each in beside:
        if found := pattern.fullmatch(each.name):
            # Of two, one is being compressed: the other is whole.
            closed.setdefault(found[1], str(each))
    segments = [closed[number] for number in sorted(closed, key=int)]
    if path.is_dir():
        raise SpyError(f"{name} is a directory", "name a recording in it")
    if path.exists() or not segments:
        segments.append(name)
    return segments


def lines_of(files: list[str]) -> Iterator[RawLine]:
    """Yield the lines of *files*, one file after the other.

    Raises:
        SpyError: a file cannot be read.
    """
    for name in files:
        try:
            with _opened(name) as file:
                yield from _lines(name, file)
        except OSError as error:
            reason = error.strerror or str(error)
            raise SpyError(f"cannot read {name}: {reason}") from None


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == STDIN:
        yield from _plain(sys.stdin.buffer)
        return
    path = Path(name)
    try:
        file = path.open("rb", _AT_ONCE)
    except FileNotFoundError:
        # A segment of a recording under way, which was just compressed.
        file = path.with_name(f"{path.name}.gz").open("rb", _AT_ONCE)
    with file:
        yield from _plain(file)


def _plain(file: BinaryIO) -> Iterator[BinaryIO]:
    """Yield *file*, unpacked if it is gzipped."""
    start = file.peek(2)[:2] if hasattr(file, "peek") else b""
    if start == _GZIP:
        yield cast(BinaryIO, gzip.GzipFile(fileobj=file))
    else:
        yield file


def _lines(name: str, file: BinaryIO) -> Iterator[RawLine]:
    number = 0
    try:
        while raw := file.readline(LONGEST):
            number += 1
            yield RawLine(name, number, raw)
            while len(raw) == LONGEST and not raw.endswith(b"\n"):
                raw = file.readline(LONGEST)  # the rest of what is no line of ours
    except EOFError:
        # Cut off while it was compressed or copied: as a line that is torn.
        yield RawLine(name, number + 1, b"")
    except (zlib.error, gzip.BadGzipFile):
        yield RawLine(name, number + 1, b"\n")  # a line that is damaged
