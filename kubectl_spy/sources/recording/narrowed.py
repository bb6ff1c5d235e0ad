"""Passes over the lines of a recording that are not needed, without parsing them."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import chain

from kubectl_spy.core.changes.line_reading import HEAD, line_of, stream_of
from kubectl_spy.core.changes.lines import BadLine, ObjectLine
from kubectl_spy.core.changes.recording_format import is_sealed
from kubectl_spy.core.times import rfc3339, seconds
from kubectl_spy.sources.recording.segments import RawLine

_NOTHING = 0, b"", b"", b""
_VERSIONS = (b"ADDED", b"SNAPSHOT", b"MODIFIED")
_SEQ_LENGTH = 28
_MOST = 1024  # lines to hold; a recorder writes an object whole after 256
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
                if len(held) == _MOST:  # a recording without whole objects in between
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
