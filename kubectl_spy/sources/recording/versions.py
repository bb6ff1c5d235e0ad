"""Plays the lines of one object, and returns its versions as `Recording` does.

Only the lines since the last whole object are read, which are some 256 at most.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from kubectl_spy.core.changes.playback import Playback
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.changes.recording_format import BadLine, decode, stream_of
from kubectl_spy.sources.recording.index import WHOLE, Index


def records_at(index: Index, line: int) -> list[ChangeRecord]:
    """Return the records that *line* makes, as if every line was read."""
    records = list(_gaps_before(index, line))
    if index.subject(line):
        records += [each for number, each in history(index, line) if number == line]
    return records


def history(index: Index, line: int) -> Iterator[tuple[int, ChangeRecord]]:
    """Yield the records of an object since it was last whole, up to *line*.

    Each comes with its line. A SNAPSHOT comes first as if the object was new.
    """
    of = index.lines(index.subject(line))
    end = bisect_right(of, line)
    begin, run = end - 1, index.run_of(line)
    named = index.subjects[index.subject(line)].name
    if named and index.type(line) != "ADDED":
        stream = stream_of(index.raw(line))
        while begin and of[begin - 1] >= run:
            begin -= 1
            at = of[begin]
            if index.type(at) in WHOLE and stream_of(index.raw(at)) == stream:
                break
    for number, each in _played(index, of[begin:end], line):
        if each.seq:  # a GAP for lost lines has none
            yield number, each


def _gaps_before(index: Index, line: int) -> Iterator[ChangeRecord]:
    """Yield a GAP for each stream if lines before *line* are lost."""
    if not index.is_lost_before(line):
        return
    since = index.last_before(line)
    for number, each in _played(index, [line], line, since):
        if number == line and each.of_stream and each.seq == 0:
            yield each


def _played(
    index: Index, lines: Sequence[int], last: int, since: float = 0.0
) -> Iterator[tuple[int, ChangeRecord]]:
    """Yield the records of *lines*, and of what is declared in their run."""
    playback, before, seq = Playback(since), index.run_of(last), 0
    declared = index.declarations
    begin, end = bisect_left(declared, before), bisect_right(declared, last)
    for number in sorted({*declared[begin:end], *lines}):
        if index.is_lost_between(before, number):
            playback.lost()
        before = number
        try:
            line = decode(index.raw(number))
            skipped = line["seq"] - seq - 1
            seq = line["seq"]
            for each in playback.observe(line, skipped):
                if isinstance(each, ChangeRecord):
                    yield number, each
        except BadLine:
            playback.lost()
