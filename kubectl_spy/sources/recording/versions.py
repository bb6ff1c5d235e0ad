"""Plays the lines of one object, and returns its versions as `Recording` does.

Only the lines since the last whole object are read, which are some 256 at most.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

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
    begin, end = _last_whole(index, line), bisect_right(of, line)
    played = _Played(index, index.run_of(line))
    for number in of[begin:end]:
        for each in played.play(number, index.raw(number)):
            if each.seq:  # a GAP for lost lines has none
                yield number, each


class Versions:
    """The versions of one object of *index*. To go forward, only new lines are read."""

    def __init__(self, index: Index, subject: int) -> None:
        self._index = index
        self._of = index.lines(subject)
        self._played: _Played | None = None
        self._begin = self._next = 0
        self._found: ChangeRecord | None = None

    def at(self, line: int) -> ChangeRecord | None:
        """Return the record of the last certain version up to *line*, if there is one.

        *line* is about the object.
        """
        begin, end = _last_whole(self._index, line), bisect_right(self._of, line)
        if self._played is None or begin != self._begin or end < self._next:
            self._played = _Played(self._index, self._index.run_of(line))
            self._begin = self._next = begin
            self._found = None
        for number in self._of[self._next : end]:
            for each in self._played.play(number, self._index.raw(number)):
                if each.seq:
                    self._found = each
        self._next = end
        return self._found


def _last_whole(index: Index, line: int) -> int:
    """Return which line of its object, up to *line*, has the whole of it.

    It is in the same run and stream. Without one, it is the first line there.
    """
    of = index.lines(index.subject(line))
    begin, run = bisect_right(of, line) - 1, index.run_of(line)
    named = index.subjects[index.subject(line)].name
    if named and index.type(line) != "ADDED":
        stream = stream_of(index.raw(line))
        while begin and of[begin - 1] >= run:
            begin -= 1
            at = of[begin]
            if index.type(at) in WHOLE and stream_of(index.raw(at)) == stream:
                break
    return begin


def _gaps_before(index: Index, line: int) -> Iterator[ChangeRecord]:
    """Yield a GAP for each stream if lines before *line* are lost."""
    if not index.is_lost_before(line):
        return
    played = _Played(index, index.run_of(line), index.last_before(line))
    played.declare(line)
    for each in played.play(line, index.raw(line)):
        if each.of_stream and each.seq == 0:
            yield each


class _Played:
    """Plays lines of the run that begins with the line *run*, in their order."""

    def __init__(self, index: Index, run: int, since: float = 0.0) -> None:
        self._index = index
        self._playback = Playback(since)
        self._run = self._before = run
        self._seq = 0
        self._declared: set[int] = set()

    def play(self, number: int, raw: bytes) -> Iterator[ChangeRecord]:
        """Yield the records of the line *number*, which is *raw*."""
        if number not in self._declared:
            self.declare(number, stream_of(raw))
            yield from self._play(number, raw)

    def declare(self, last: int, stream: int | None = None) -> None:
        """Play what declares *stream*, or any without one, up to the line *last*."""
        index = self._index
        begin = bisect_left(index.declarations, self._run)
        for at in range(begin, bisect_right(index.declarations, last)):
            number = index.declarations[at]
            if number in self._declared or stream not in (None, index.declared[at]):
                continue
            self._declared.add(number)
            for _ in self._play(number, index.raw(number)):
                pass

    def _play(self, number: int, raw: bytes) -> Iterator[ChangeRecord]:
        if self._index.is_lost_between(self._before, number):
            self._playback.lost()
        self._before = number
        try:
            line = decode(raw)
            skipped = line["seq"] - self._seq - 1
            self._seq = line["seq"]
            for each in self._playback.observe(line, skipped):
                if isinstance(each, ChangeRecord):
                    yield each
        except BadLine:
            self._playback.lost()
