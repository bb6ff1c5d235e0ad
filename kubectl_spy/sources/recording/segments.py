"""Finds the files of a recording, and reads the lines of all of them in order.

Lines that are not needed are passed over, without parsing them.
"""

from __future__ import annotations

import gzip
import math
import re
import sys
import zlib
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import ExitStack, nullcontext, suppress
from io import BufferedReader
from itertools import chain, islice, takewhile
from os.path import sameopenfile
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from kubectl_spy.core.changes.line_reading import HEAD, decode, line_of, stream_of
from kubectl_spy.core.changes.lines import BadLine, ObjectLine
from kubectl_spy.core.changes.recording_format import LONGEST, is_sealed
from kubectl_spy.core.times import rfc3339, seconds
from kubectl_spy.core.wording import did_you_mean
from kubectl_spy.doors import part
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording import naming
from kubectl_spy.terms import called

# Reads the lines of one file of a recording, plain or compressed.

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
    packed = start == naming.GZIP
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


_OPEN = 64  # segments that are open together; some systems allow 256 files
_FEW = 20  # lines after which a file counts as a recording
_MOST = 500  # files beside one that is not there, whose names may be meant

fetched: dict[str, Callable[[], Iterator[RawLine]]] = {}
"""How to read the recordings that were fetched from Loki, by name."""


def segments_of(path: Path) -> list[Path]:
    """Return the closed segments of the recording at *path*, oldest first.

    They are NAME.0001 and so on, beside it, and usually gzipped.
    """
    try:
        beside = sorted(each.name for each in path.parent.iterdir())
    except OSError:  # the directory cannot be listed, but its files may be readable
        beside = []
    pattern = re.compile(re.escape(path.name) + r"\.([0-9]{4,})(?:\.gz)?")
    closed: dict[int, Path] = {}
    for found in filter(None, map(pattern.fullmatch, beside)):
        # While a segment is compressed there are two. The plain one is whole.
        closed.setdefault(int(found[1]), path.with_name(found[0]))
    # A listing may omit both names of a segment that is being compressed.
    # https://pubs.opengroup.org/onlinepubs/9699919799/functions/readdir.html
    for number in (0, *closed):
        while number + 1 not in closed and (left_out := _segment(path, number + 1)):
            closed[number := number + 1] = left_out
    return [closed[number] for number in sorted(closed)]


def _segment(path: Path, number: int) -> Path | None:
    plain = path.with_name(f"{path.name}.{number:04}")
    packed = plain.with_name(f"{plain.name}.gz")
    # In this order: the plain file is removed after it is compressed.
    for each in (plain, packed):
        with suppress(OSError):
            each.stat()
            return each
    return None


def is_read_once(name: str) -> bool:
    """Return whether the recording *name* is a pipe, which can be read only once."""
    file, _ = naming.in_file(name)
    return file == naming.STDIN or Path(file).is_fifo()


def is_segment(name: str, number: object) -> bool:
    """Return whether *name* is the closed segment of that *number*, without an END."""
    found = re.search(r"\.([0-9]{4,})(?:\.gz)?$", name)
    return found is not None and int(found[1]) == number


def lines_of(name: str) -> Iterator[RawLine]:
    """Yield the lines of the recording *name*, of all its segments.

    The segments are consistent, also while a recorder rotates. Raises SpyError if a
    file cannot be read.
    """
    if name in fetched:
        yield from fetched[name]()
        return
    lines, otlp = _recognized(name)
    if otlp:
        # sqlite3 may be missing, and is not needed for recordings.
        lines = part("read log records")(name, lines, naming.in_file(name)[1])
    yield from lines


def _recognized(name: str) -> tuple[Iterator[RawLine], bool]:
    """Return the lines in the files of *name*, and whether they are log records."""
    file, recording = naming.in_file(name)
    lines, ahead, otlp = _lines_in_files(file), list[RawLine](), False
    for line in lines:
        ahead.append(line)
        otlp = line.raw.startswith(naming.OTLP)
        if otlp or line.raw.startswith(naming.RECORDING) or len(ahead) == _FEW:
            break
    if recording and not otlp:
        raise SpyError(
            f"{called(file)} holds one recording",
            "leave out what follows #",
        )
    return chain(ahead, lines), otlp


def _lines_in_files(name: str) -> Iterator[RawLine]:
    if name == naming.STDIN:
        yield from read_lines(name, sys.stdin.buffer)
        return
    path = Path(name)
    if path.is_dir():
        raise SpyError(f"{called(name)} is a directory", "name a recording in it")
    reading = name
    try:
        closed, newest = _opened_together(path)
        with newest or nullcontext(), ExitStack() as held:
            for each, file in _oldest_opened(closed, held):
                reading = str(each)
                with file or _opened(each) as segment:
                    yield from read_lines(reading, segment)
            reading = name
            if newest:
                yield from read_lines(name, newest)
    except OSError as error:
        reason = error.strerror or str(error)
        where = error.filename or reading
        meant = _meant(path) if isinstance(error, FileNotFoundError) else ""
        raise SpyError(f"cannot read {called(where)}: {reason}", meant) from None


def _meant(path: Path) -> str:
    """Return the question whether a recording beside *path* was meant, or ""."""
    with suppress(OSError):
        beside = islice(path.parent.glob("*.spy*"), _MOST)
        return did_you_mean(path.name, {each.name: str(each) for each in beside})
    return ""


def last_line(name: str) -> bytes:
    """Return the last undamaged line of a recording, or b"". Raises SpyError."""
    if name in fetched or _recognized(name)[1]:
        return _last(line.raw for line in lines_of(name) if is_sealed(line.raw))
    for each in (Path(name), *reversed(segments_of(Path(name)))):
        with suppress(FileNotFoundError):  # a recorder rotates, or was killed then
            if last := _last(sealed_lines(each)):
                return last
    return b""


def _last(lines: Iterator[bytes]) -> bytes:
    last = b""
    for last in lines:  # noqa: B007
        pass
    return last


def sealed_lines(file: Path) -> Iterator[bytes]:
    """Yield the undamaged lines of one file of a recording.

    Raises FileNotFoundError, or SpyError if it cannot be read.
    """
    try:
        with _opened(file) as opened:
            for line in read_lines(str(file), opened):
                if is_sealed(line.raw):
                    yield line.raw
    except FileNotFoundError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise SpyError(f"cannot read {called(str(file))}: {reason}") from None


def _opened_together(path: Path) -> tuple[list[Path], BinaryIO | None]:
    """Return the closed segments of a recording, and the open file that follows them.

    The file is None during a rotation, between its renaming and the new file. The
    header of a file has its number. Segments with a smaller number then exist. Segments
    with a larger number are newer than the file.
    """
    while True:
        newest = None
        with suppress(FileNotFoundError):
            newest = path.open("rb", AT_ONCE)
        number = _number_in(newest)
        closed = segments_of(path)
        if number is not None:
            return [each for each in closed if _number_of(each) < number], newest
        if not closed:
            return [], newest or _opened(path)
        # There is no header yet: a rotation is going on, or was killed.
        same = newest is None
        with suppress(FileNotFoundError), path.open("rb", AT_ONCE) as again:
            number = _number_in(again)
            same = newest is not None and sameopenfile(newest.fileno(), again.fileno())
        if number is None and same:
            return closed, newest
        if newest:
            newest.close()


def _oldest_opened(
    closed: list[Path], held: ExitStack
) -> list[tuple[Path, BinaryIO | None]]:
    """Return the segments that exist, the oldest of them opened.

    A recorder with --keep deletes them while they are read, the oldest first. What is
    open stays readable.
    """
    files: list[tuple[Path, BinaryIO | None]] = []
    for each in closed[:_OPEN]:
        try:
            files.append((each, held.enter_context(_opened(each))))
        except FileNotFoundError:
            if each.is_symlink():
                raise
            files.clear()  # they are deleted, too
    return [*files, *((each, None) for each in closed[_OPEN:])]


def _number_in(file: BinaryIO | None) -> float | None:
    """Return the segment number in the header of *file*, or None without a header.

    It is infinite if the first line has none.
    """
    start = file.peek() if isinstance(file, BufferedReader) else b""
    packed = start.startswith(naming.GZIP)
    if not packed and b"\n" not in start and len(start) < AT_ONCE:
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
        return path.open("rb", AT_ONCE)
    except FileNotFoundError:
        packed = path.with_name(f"{path.name}.gz")
        if not packed.exists():
            raise
        return packed.open("rb", AT_ONCE)  # a recorder has just compressed it


# Passes over the lines that are not needed, without parsing them.

_NOTHING = 0, b"", b"", b""
_VERSIONS = (b"ADDED", b"SNAPSHOT", b"MODIFIED")
_SEQ_LENGTH = 28
_HELD = 1024  # lines to hold; a recorder writes an object whole after 256
_BEFORE_TYPE = len(',"time":"2026-11-20T16:00:00.000000Z",')


def lines_about(
    names: Container[bytes],
    lines: Iterable[RawLine],
    passed: Callable[[int, int, float], None],
    last: float = math.inf,
    end: str = "~",
) -> Iterator[RawLine]:
    """Yield the *lines* that are not about objects with other *names*.

    Of those that are, only the checksums and numbers are checked. *passed* is called
    with how many they were, their bytes, and the time of the last one. A line after
    missing ones is always yielded, and so is all behind line *last* or the time *end*.
    """
    uids, seq, until, lines = set[bytes](), 0, end.encode(), iter(lines)
    count, skipped, size, passed_at = 0, 0, 0, b""
    for place in lines:
        expected = seq + 1 + place.skipped
        seq, time, name, uid = _head(place.raw)
        beyond = name and (seq > last or time > until)
        if name in names:
            uids |= {uid} - {b""}  # it keeps its name, or the line is damaged
        elif (
            name
            and not beyond
            and seq == expected
            and uid not in uids
            and not place.reason
            and is_sealed(place.raw)
        ):
            count, skipped, passed_at = count + 1, skipped + 1 + place.skipped, time
            size += len(place.raw)
            continue
        if count:
            before = _seconds(passed_at)
            passed(count, size, before)
            before = max(place.before, before)
            place = place._replace(skipped=skipped + place.skipped, before=before)
            count, skipped, size = 0, 0, 0
        yield place
        if beyond:
            yield from lines
    if count:
        passed(count, size, _seconds(passed_at))


def lines_since_whole(
    lines: Iterable[RawLine], last: float, end: str
) -> Iterator[RawLine]:
    """Yield *lines* without the changes of an object before a later line has all of it.

    Up to line *last* and the time *end*, in RFC 3339. In a recording of one object most
    lines are such, and are not parsed.
    """
    held: list[RawLine] = []  # changes of one object, which may not be needed
    beyond: list[RawLine] = []  # the first change after the point
    usual = b""  # what stands after the time in the next change of the object
    until, lines = end.encode(), iter(lines)
    for place in lines:
        raw = place.raw
        comma = raw.find(b",", 0, _SEQ_LENGTH)
        if usual and raw.startswith(usual, comma + _BEFORE_TYPE):
            if _is_upto(raw, comma, last, until):
                held.append(place)
                if len(held) == _HELD:  # a recording without whole objects in between
                    yield from held
                    held = []
                continue
            beyond.append(place)
            break
        found, before, usual = HEAD.match(raw), usual, b""
        if found is not None and found[3] in _VERSIONS:
            usual = b'"type":"MODIFIED' + raw[found.end(3) : found.start(9)]
        if (
            held
            and found is not None
            and found[3] == b"SNAPSHOT"
            and usual == before
            and _is_upto(raw, comma, last, until)
            and is_sealed(raw)
            and {stream_of(raw)} == {stream_of(each.raw) for each in held}
        ):
            skipped = sum(each.skipped + 1 for each in held) + place.skipped
            place = place._replace(skipped=skipped)
            held = []
        yield from held
        held = []
        yield place
    yield from chain(held, beyond, lines)


def _is_upto(raw: bytes, comma: int, last: float, until: bytes) -> bool:
    number = raw[7:comma]
    return (
        raw[comma + 9 : comma + _BEFORE_TYPE - 1] <= until
        and number.isdigit()
        and int(number) <= last
    )


def _head(raw: bytes) -> tuple[int, bytes, bytes, bytes]:
    """Return the number of a line, and the time, name and uid if it is of an object."""
    if found := HEAD.match(raw):
        return int(found[1]), found[2], found[7], found[8]
    try:
        line = line_of(raw)
    except BadLine:
        return _NOTHING
    if not isinstance(line, ObjectLine):
        return line.seq, b"", b"", b""
    return line.seq, rfc3339(line.time).encode(), _utf8(line.name), _utf8(line.uid)


def _utf8(text: str) -> bytes:
    """Return *text* in UTF-8, with lone surrogates, which JSON may hold."""
    return text.encode("utf-8", "surrogatepass")


def _seconds(time: bytes) -> float:
    try:
        return seconds(time.decode())
    except ValueError:
        return 0.0
