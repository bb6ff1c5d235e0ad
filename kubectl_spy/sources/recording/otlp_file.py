"""Puts together recordings from OpenTelemetry log records, one JSON request a line.

Collectors write and deliver them in any order, and some of them twice. So they are
sorted in a temporary database on disk, with little memory.
https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from itertools import groupby, islice
from operator import itemgetter
from typing import Any
from zlib import crc32

from kubectl_spy.core.changes.otlp_lines import Part, parts_in
from kubectl_spy.core.changes.recording_format import BadLine, decode, is_sealed
from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import advice
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.segments import RawLine, in_file, no_recording

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
_BEFORE_BODY = 100  # bytes at the beginning of a line, up to its type


def lines_in(
    name: str, requests: Iterable[RawLine], recording: str
) -> Iterator[RawLine]:
    """Yield the lines of the one recording in *requests*, in order.

    *recording* is the beginning of its name, if there are several. A line that cannot
    be put together has a reason. Raises SpyError if there is not one such recording.
    """
    with closing(sqlite3.connect("")) as store:
        try:
            store.executescript(_SCHEMA)
            bad = list(islice(_stored(requests, store), _MOST_BAD))
            chosen = _chosen(name, store, recording)
            yield from _lines(name, store, chosen, len(bad))
        except sqlite3.Error as error:
            raise SpyError(
                f"cannot sort {name}: {error}", "free space for temporary files"
            ) from None
    yield from bad


def _stored(
    requests: Iterable[RawLine], store: sqlite3.Connection
) -> Iterator[RawLine]:
    """Store the lines in *requests*. Yield those requests that cannot be read.

    If a collector was killed, a torn request and the next one may share a line.
    """
    for place in requests:
        request = _request(place.raw)
        if request is None:
            yield place._replace(raw=place.raw[-1:], reason="it is no JSON")
            request = _request(place.raw[place.raw.rfind(_REQUEST) :])
        store.executemany(_INSERT, map(_row, parts_in(request)))


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


def _chosen(name: str, store: sqlite3.Connection, wanted: str) -> str:
    """Return the one recording whose name begins with *wanted*, or raise SpyError."""
    held = store.execute(_HELD).fetchall()
    if not held:
        raise no_recording(name, ": its log records are not of kubectl spy")
    chosen = [recording for recording, _ in held if recording.startswith(wanted)]
    if len(chosen) == 1:
        found: str = chosen[0]
        return found
    what = in_brief([_described(store, *each) for each in held])
    none = f", and none is {wanted}" if wanted and not chosen else ""
    raise SpyError(
        f"{in_file(name)[0]} holds {many(len(held), 'recording')}{none}: {what}",
        advice("choose one with --recording {}", held[0][0]),
    )


def _described(store: sqlite3.Connection, recording: str, lines: int) -> str:
    """Return the name of *recording*, when it began, and how many lines are there."""
    began, (*_, body) = "", next(store.execute(_SORTED, (recording,)))
    with suppress(BadLine):
        began = f"from {str(decode(body + _NEWLINE)['time'])[:19]}Z, "
    return f"{recording} ({began}{many(lines, 'line')})"


def _lines(
    name: str, store: sqlite3.Connection, recording: str, bad: int
) -> Iterator[RawLine]:
    """Yield the lines of *recording*, from its first HEADER on."""
    file = f"{in_file(name)[0]} (recording {recording})"
    skipped, begun = 0, False
    rows = store.execute(_SORTED, (recording,))
    for seq, group in groupby(rows, key=itemgetter(0)):
        raw, reason = _joined(list(group))
        if not begun:
            begun = _BEGINS.search(raw, 0, _BEFORE_BODY) is not None
            if not begun:
                skipped += 1
                continue
            if skipped:
                before = f"{many(skipped, 'line')} before the first HEADER"
                yield RawLine(
                    file, seq - 1, _NEWLINE, reason=f"{before} cannot be used"
                )
        yield RawLine(file, seq, raw, reason=reason)
    if not begun:
        raise SpyError(
            f"{name} holds {many(skipped, 'line')} of recording {recording}, but no "
            "HEADER, without which they cannot be read"
            + (f"; {many(bad, 'line')} of the file cannot be read" if bad else ""),
            "add the log records of an hour before or after",
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
