"""Puts together recordings from OpenTelemetry log records, one JSON request a line.

Collectors write and deliver them in any order, and some of them twice. So they are
sorted in a temporary database on disk, with little memory.
https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple
from zlib import crc32

from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.changes.lines import BadLine
from kubectl_spy.core.changes.recording_format import is_sealed
from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.otel.otlp_lines import Part, parts_in
from kubectl_spy.sources.recording.naming import in_file
from kubectl_spy.sources.recording.segments import RawLine, no_recording
from kubectl_spy.terms import called

_SCHEMA = """
PRAGMA journal_mode = OFF;
CREATE TABLE part (
    recording TEXT, seq INTEGER, total INTEGER, number INTEGER,
    sealed INTEGER, sum INTEGER, body BLOB,
    UNIQUE (recording, seq, total, number, sum) ON CONFLICT IGNORE
);
"""
_INSERT = "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?, ?)"
_HELD = """
SELECT recording, count(DISTINCT seq) FROM part
GROUP BY recording ORDER BY min(rowid) LIMIT 1000
"""
_SORTED = """
SELECT seq, total, number, body FROM part WHERE recording = ?
ORDER BY seq, total, number, sealed DESC
"""
_NEWLINE = b"\n"
_MOST_BAD = 10_001  # unreadable lines after which reading stops
_REQUEST = b'{"resourceLogs":'  # unescaped, it is not in a string
_BEGINS = re.compile(rb'"type":"(HEADER|RESUME)"')
_TIME = re.compile(rb'"time":"([^"]{27})"')
_BEFORE_BODY = 100  # bytes at the beginning of a line, up to its type


class Span(NamedTuple):
    """What is wanted of a recording, in seconds since the epoch."""

    since: float = 0.0  # lines before are only needed for what was there then
    until: float = math.inf
    held: tuple[tuple[int, float], ...] = ()
    """Numbers from and to which all lines are kept somewhere, even if not here."""
    remedy: str = "add the log records of an hour before or after"
    """What to do if there is no HEADER."""


WHOLE = Span()


class LineStore:
    """Sorts the lines of the recordings in *name*, in a temporary database.

    Raises SpyError if there is no space.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._file = called(in_file(name)[0])
        with self._explained():
            self._database = sqlite3.connect("")
            self._database.executescript(_SCHEMA)

    def close(self) -> None:
        self._database.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise SpyError(
                f"cannot sort {self._name}: {error}", "free space for temporary files"
            ) from None

    def keep(self, parts: Iterable[Part]) -> None:
        """Store *parts*, each once."""
        with self._explained():
            self._database.executemany(_INSERT, map(_row, parts))

    def recordings(self) -> list[tuple[str, int]]:
        """Return the names of the recordings, and how many lines each has."""
        with self._explained():
            return self._database.execute(_HELD).fetchall()

    def chosen(self, wanted: str) -> str:
        """Return the one recording whose name begins with *wanted*. Raises SpyError."""
        held = self.recordings()
        if not held:
            raise no_recording(self._name, ": its log records are not of kubectl spy")
        chosen = [recording for recording, _ in held if recording.startswith(wanted)]
        if len(chosen) == 1:
            return chosen[0]
        what = in_brief([self._described(*each) for each in held])
        none = f", and none is {wanted}" if wanted and not chosen else ""
        raise SpyError(
            f"{self._file} holds {many(len(held), 'recording')}{none}: {what}",
            f"name {self._file}#{held[0][0]}",
            code="several",
        )

    def _described(self, recording: str, lines: int) -> str:
        """Return the name of *recording*, when it began, and its number of lines."""
        began, (*_, body) = "", next(self._database.execute(_SORTED, (recording,)))
        with suppress(BadLine):
            began = f"from {str(decode(body + _NEWLINE)['time'])[:19]}Z, "
        return f"{recording} ({began}{many(lines, 'line')})"

    def lines(self, recording: str, span: Span, bad: int = 0) -> Iterator[RawLine]:
        """Yield the lines of *recording* in *span*, from its first HEADER on.

        *bad* lines of the file cannot be read.
        """
        file = f"{self._file} (recording {recording})"
        since, until = _written(span.since), _written(span.until)
        skipped = last = 0
        with self._explained():
            rows = self._database.execute(_SORTED, (recording,))
            for seq, group in groupby(rows, key=itemgetter(0)):
                raw, reason = _joined(list(group))
                time = _TIME.search(raw, 0, _BEFORE_BODY)
                if not last:
                    if not _BEGINS.search(raw, 0, _BEFORE_BODY):
                        skipped += 1
                        continue
                    if skipped and (time is None or time[1] > since):
                        why = f"{many(skipped, 'line')} before the first HEADER"
                        why += " cannot be used"
                        yield RawLine(file, seq - 1, _NEWLINE, reason=why)
                yield RawLine(file, seq, raw, _left_out(last, seq, span), reason)
                last = seq
                if time is not None and time[1] > until:
                    return
        if not last:
            raise SpyError(
                f"{self._name} holds {many(skipped, 'line')} of recording {recording}, "
                "but no HEADER, without which they cannot be read"
                + (f"; {many(bad, 'line')} of the file cannot be read" if bad else ""),
                span.remedy,
            )


def _left_out(last: int, seq: int, span: Span) -> int:
    """Return how many lines between these two are held, but were not asked for."""
    if not last:
        return 0
    within = ((max(a, last + 1), min(b, seq - 1)) for a, b in span.held)
    return sum(max(0, int(b) - a + 1) for a, b in within)


def _written(time: float) -> bytes:
    """Return *time* as lines have it."""
    return b"~" if time == math.inf else rfc3339(time).encode()


def lines_in(
    name: str, requests: Iterable[RawLine], recording: str
) -> Iterator[RawLine]:
    """Yield the lines of the one recording in *requests*, in order.

    *recording* is the beginning of its name, if there are several. A line that cannot
    be put together has a reason. Raises SpyError if there is not one such recording.
    """
    with closing(LineStore(name)) as store:
        bad = list(islice(_stored(requests, store), _MOST_BAD))
        yield from store.lines(store.chosen(recording), WHOLE, len(bad))
    yield from bad


def _stored(requests: Iterable[RawLine], store: LineStore) -> Iterator[RawLine]:
    """Store the lines in *requests*. Yield those requests that cannot be read.

    If a collector was killed, a torn request and the next one may share a line.
    """
    for place in requests:
        request = _request(place.raw)
        if request is None:
            yield place._replace(raw=place.raw[-1:], reason="it is no JSON")
            request = _request(place.raw[place.raw.rfind(_REQUEST) :])
        store.keep(parts_in(request))


def _request(raw: bytes) -> JSON:
    try:
        return loads(raw)
    except UnreadableJSON:
        return None


def _row(part: Part) -> tuple[Any, ...]:
    body = part.body.encode("utf-8", "surrogatepass")
    sealed = part.total > 1 or is_sealed(body + _NEWLINE)
    return (
        part.recording,
        part.seq,
        part.total,
        part.number,
        sealed,
        crc32(body),
        body,
    )


def _joined(rows: list[tuple[int, int, int, bytes]]) -> tuple[bytes, str]:
    """Return the line that *rows* hold, and what is wrong with it."""
    total = rows[0][1]
    parts: dict[int, bytes] = {}
    for _, of, number, body in rows:
        if of == total:
            parts.setdefault(number, body)
    missing = [number for number in range(1, total + 1) if number not in parts]
    if missing:
        return (
            _NEWLINE,
            f"part {in_brief(list(map(str, missing)))} of {total} is missing",
        )
    line = b"".join(parts[number] for number in sorted(parts)) + _NEWLINE
    others = sum(is_sealed(body + _NEWLINE) for *_, body in rows)
    if total == 1 and others > 1:
        return _NEWLINE, f"{others} different lines have its number"
    return line, ""
