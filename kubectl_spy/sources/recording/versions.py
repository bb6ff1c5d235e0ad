"""Plays the lines of one object, and returns its versions as `Recording` does.

Only the lines since the last whole object are read, which are some 256 at most.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.changes.line_reading import check_document, members_of
from kubectl_spy.core.changes.lines import BadLine, Line, ObjectLine
from kubectl_spy.core.changes.playback import Playback, as_there
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.apply import PatchConflict, applied
from kubectl_spy.sources.recording.index import WHOLE, Index


def records_at(index: Index, line: int) -> list[ChangeRecord]:
    """Return the records that *line* makes, as if every line was read."""
    records = list(_gaps_before(index, line))
    if index.subject(line):
        at = (each for number, each in history(index, line) if number == line)
        shown = index.is_version(line)
        records += [each for each in at if shown or each.of_stream]
    return records


def history(index: Index, line: int) -> Iterator[tuple[int, ChangeRecord]]:
    """Yield the records of an object since it was last whole, up to *line*.

    They are of its stream: another one may be slower. Each comes with its line, also if
    it was written again and is not shown. A SNAPSHOT comes first as if it was new.
    """
    of = index.lines(index.subject(line))
    begin, end = _last_whole(index, line), bisect_right(of, line)
    while begin and not _is_readable(index.line(of[begin])):
        before = _last_whole(index, line, begin)  # what is in it cannot be read
        if before == begin:
            break
        begin = before
    played, stream = _Played(index, index.run_of(line)), index.line(line).stream
    for number in of[begin:end]:
        said = index.line(number)
        for each in played.play(number, said) if said.stream == stream else ():
            if not each.seq:  # a GAP for lost lines has none
                continue
            if index.is_initial(number) and not each.initial:
                each = as_there(each, each.time)
            yield number, each


def first_line_of(index: Index, line: int) -> int:
    """Return the line since which `history` reads the object of *line*."""
    return index.lines(index.subject(line))[_last_whole(index, line)]


class VersionAtLine(NamedTuple):
    """An object at one line."""

    resource_version: str
    document: JSON  # None if it is gone


class Versions:
    """The versions of one object of *index*. To go forward, only new lines are read."""

    def __init__(self, index: Index, subject: int) -> None:
        self._index = index
        self._of = index.lines(subject)
        self._next = 0
        self._stream = -1
        self._found: VersionAtLine | None = None

    def at(self, line: int) -> VersionAtLine | None:
        """Return the last certain version up to *line*, if there is one.

        *line* is about the object.
        """
        index, of = self._index, self._of
        begin, end = self._next, bisect_right(of, line)
        if end < begin or any(index.type(each) in WHOLE for each in of[begin:end]):
            begin = _last_whole(index, line)
        if not all(self._goes_on(number) for number in of[begin:end]):
            self._found = None
            for _, each in history(index, line):
                document = None if each.gone else each.document
                self._found = VersionAtLine(each.resource_version, document)
            self._stream = index.line(line).stream
        self._next = end
        return self._found

    def _goes_on(self, line: int) -> bool:
        """Take in *line*, if it is certain what it makes of the version before."""
        new, found = self._index.line(line), self._found
        whole, document = self._index.type(line) in WHOLE, None
        if not isinstance(new, ObjectLine) or (
            not whole
            and (found is None or found.document is None or new.stream != self._stream)
        ):
            return False
        try:
            if whole:
                document = members_of(new)["object"]
            elif found is not None and not new.seen.gone:
                if new.previous != found.resource_version:
                    return False
                document, _ = applied(found.document, members_of(new)["patch"])
            if document is not None:
                check_document(document)
        except (BadLine, PatchConflict):
            return False
        self._found = VersionAtLine(new.seen.version, document)
        self._stream = new.stream
        return True


def _is_readable(line: Line) -> bool:
    try:
        if isinstance(line, ObjectLine) and "object" in (read := members_of(line)):
            check_document(read["object"])
    except BadLine:
        return False
    return True


def _last_whole(index: Index, line: int, before: int | None = None) -> int:
    """Return which line of its object, up to *line*, has the whole of it.

    It is in the same run and stream, and comes *before* another one, if that is given.
    Without one, it is the first line there.
    """
    of = index.lines(index.subject(line))
    begin, run = bisect_right(of, line) - 1, index.run_of(line)
    begin = begin if before is None else before
    named = index.subjects[index.subject(line)].name
    if named and index.type(line) != "ADDED":
        stream = index.line(line).stream
        while begin and of[begin - 1] >= run:
            begin -= 1
            at = of[begin]
            if index.type(at) in WHOLE and index.line(at).stream == stream:
                break
    return begin


def _gaps_before(index: Index, line: int) -> Iterator[ChangeRecord]:
    """Yield a GAP for each stream if lines before *line* are lost."""
    if not index.is_lost_before(line):
        return
    played = _Played(index, index.run_of(line), index.last_before(line))
    played.declare(line - 1)
    for each in played.play(line, index.line(line)):
        if each.of_stream and each.seq == 0:
            yield each


class _Played:
    """Plays lines of the run that begins with the line *run*, in their order."""

    def __init__(self, index: Index, run: int, since: float = 0.0) -> None:
        self._index = index
        self._playback = Playback(since, index.recording.keys)
        self._run = self._before = run
        self._seq = 0
        self._declared: set[int] = set()

    def play(self, number: int, line: Line) -> Iterator[ChangeRecord]:
        """Yield the records of *line*, whose number is *number*."""
        if number not in self._declared:
            self.declare(number - 1, line.stream)
            self._declared.add(number)
            yield from self._play(number, line)

    def declare(self, last: int, stream: int | None = None) -> None:
        """Play what declares *stream*, or any without one, up to the line *last*."""
        index = self._index
        begin = bisect_left(index.declarations, self._run)
        for at in range(begin, bisect_right(index.declarations, last)):
            number, said = index.declarations[at], index.declared[at]
            if number in self._declared or stream not in (None, said.stream):
                continue
            self._declared.add(number)
            if index.is_lost_between(self._run, number):
                for _ in self._play(number, said):
                    pass
            else:
                self._playback.declare(said)

    def _play(self, number: int, line: Line) -> Iterator[ChangeRecord]:
        if self._index.is_lost_between(self._before, number):
            self._playback.lost()
        self._before = number
        skipped = line.seq - self._seq - 1
        self._seq = line.seq
        try:
            for each in self._playback.observe(line, skipped):
                if isinstance(each, ChangeRecord):
                    yield each
        except BadLine as error:
            self._index.unplayed[number] = str(error)
