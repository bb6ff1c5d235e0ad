"""Passes over the lines of a recording that are about objects with other names."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from kubectl_spy.core.changes.line_reading import HEAD, line_of
from kubectl_spy.core.changes.lines import BadLine, ObjectLine
from kubectl_spy.core.changes.recording_format import is_sealed
from kubectl_spy.core.times import rfc3339, seconds
from kubectl_spy.sources.recording.raw_lines import RawLine

_NOTHING = 0, b"", b"", b""


def lines_about(
    names: Container[bytes],
    lines: Iterable[RawLine],
    passed: Callable[[int, int, float], None],
) -> Iterator[RawLine]:
    """Yield the *lines* that are not about objects with other *names*.

    Of those that are, only the checksums and numbers are checked. *passed* is called
    with how many they were, their bytes, and the time of the last one. A line after
    missing ones is always yielded.
    """
    uids, seq = set[bytes](), 0
    count, skipped, size, last = 0, 0, 0, b""
    for place in lines:
        expected = seq + 1 + place.skipped
        seq, time, name, uid = _head(place.raw)
        if name in names:
            uids.add(uid)  # it keeps its name, or the line is damaged
        elif (
            name
            and seq == expected
            and uid not in uids
            and not place.reason
            and is_sealed(place.raw)
        ):
            count, skipped, last = count + 1, skipped + 1 + place.skipped, time
            size += len(place.raw)
            continue
        if count:
            before = _seconds(last)
            passed(count, size, before)
            before = max(place.before, before)
            place = place._replace(skipped=skipped + place.skipped, before=before)
            count, skipped, size = 0, 0, 0
        yield place
    if count:
        passed(count, size, _seconds(last))


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
