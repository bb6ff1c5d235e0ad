"""Finds versions in a recording, a few at a time: keys are answered meanwhile."""

from __future__ import annotations

import time
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush

from kubectl_spy.core.changes.filtering import Filter
from kubectl_spy.core.changes.line_reading import stream_of
from kubectl_spy.extras.review.pages import played
from kubectl_spy.sources.recording.index import WHOLE, Index


class Finder:
    """Finds what is *wanted* among the versions in an index that may still grow.

    It looks at the objects together, from the line *begin* on.
    """

    def __init__(self, index: Index, wanted: Filter, begin: int = 0) -> None:
        self._index = index
        self.begin = begin
        self._wanted = wanted
        self._may_keep = wanted.may_keep()
        self._done: dict[int, int] = {}  # how many lines of each subject
        self._seen = self._read = 0  # lines
        self._counted = self._all = 0  # lines of the index, and of the subjects in it
        self._steps: Iterator[None] | None = None
        self._subjects: Sequence[int] = ()
        self.hits: dict[int, array[int]] = {}
        """The lines of what was found, in order, by subject."""
        self._marks = bytearray()  # by line: 1 if it was found
        self.sure = 0
        """All lines from `begin` up to before this one were looked at."""

    def look_among(self, subjects: Sequence[int]) -> None:
        """Look at the versions of these from now on."""
        if subjects == self._subjects:
            return
        self._subjects, self._seen, self.sure = subjects, 0, 0
        self._counted = 0

    def found(self, line: int) -> bool:
        """Return whether *line* was found."""
        return line < len(self._marks) and self._marks[line] == 1

    def found_between(self, begin: int, end: int) -> bool:
        """Return whether any line from *begin* up to before *end* was found."""
        return self._marks.find(1, begin, end) >= 0

    def next(self, line: int, by: int) -> int | None:
        """Return what was found next after *line* (1), or before it (-1)."""
        marks = self._marks
        at = marks.find(1, line + 1) if by > 0 else marks.rfind(1, 0, max(0, line))
        return None if at < 0 else at

    @property
    def progress(self) -> int | None:
        """How many percent of the lines were looked at; None if it is complete."""
        if self._steps is None and self._seen == len(self._index):
            return None
        if self._counted != len(self._index):
            self._counted = len(self._index)
            self._all = sum(len(self._index.lines(each)) for each in self._subjects)
        return min(99, self._read * 100 // max(1, self._all))

    def go_on(self, until: float) -> bool:
        """Look on until that monotonic time. Return whether there is more to do."""
        while self._steps is not None or self._seen < len(self._index):
            if self._steps is None:
                self._seen = len(self._index)
                self._steps = self._look()
            for _ in self._steps:
                if time.monotonic() > until:
                    return True
            self._steps, self.sure = None, self._seen
        return False

    def _look(self) -> Iterator[None]:
        of, subjects, upto = self._index.lines, self._subjects, self._done
        seen = self._seen  # what comes later may be of other objects
        for each in subjects:
            if each not in upto:
                upto[each] = bisect_left(of(each), self.begin)
        self._read = sum(upto[each] for each in subjects)
        begins = [
            (of(each)[upto[each]], each)
            for each in subjects
            if upto[each] < len(of(each))
        ]
        heapify(begins)
        while begins:
            begin, subject = heappop(begins)
            self.sure = min(begin, seen)
            lines, done = of(subject), upto[subject]
            run = self._run(lines, done)
            yield from self._look_at(subject, run)
            done = upto[subject] = done + len(run)
            self._read += len(run)
            if done < len(lines) and lines[done] < seen:
                heappush(begins, (lines[done], subject))
            if self._subjects is not subjects:
                return

    def _run(self, lines: Sequence[int], begin: int) -> Sequence[int]:
        """Return the lines from *begin* on that are played together."""
        for end in range(begin + 1, len(lines)):
            if self._index.type(lines[end]) in WHOLE:
                return lines[begin:end]
        return lines[begin:]

    def _look_at(self, subject: int, run: Sequence[int]) -> Iterator[None]:
        index, wanted = self._index, self._wanted
        # If the run does not begin with a whole object, its first values are unknown. A
        # version that a list showed is compared with the one before it.
        kept, may_be = list[int](), index.type(run[0]) not in ("ADDED", "SNAPSHOT")
        last: dict[tuple[int, int | None], int] = {}  # of each recorder and stream
        for line in run:
            readable = index.is_version(line)
            raw = index.raw(line) if readable or wanted.plays else b""
            may_be = may_be or not wanted.plays or self._may_keep(raw)
            if wanted.plays:
                last[index.run_of(line), stream_of(raw)] = line
            if readable and wanted.keeps_line(raw):
                kept.append(line)
            yield
        if wanted.plays and (may_be or len(last) > 1):
            among, kept = set(kept), list[int]()
            relisted = run[:1] if index.type(run[0]) == "RELISTED" else ()
            for end in (*relisted, *last.values()):
                for line, (record, headline) in played(index, end) if among else ():
                    if line in among:
                        among.remove(line)
                        if wanted.keeps(record, fails=headline.fails):
                            kept.append(line)
                    yield
        elif wanted.plays:
            kept = []
        if kept:
            self.hits.setdefault(subject, array("I")).extend(sorted(set(kept)))
            self._marks.extend(bytes(len(index) - len(self._marks)))
        for line in kept:
            self._marks[line] = 1


# Looks for the failure that is next to a line, while somebody waits for it.

_SPAN = 4_096  # lines that are looked at first, on the way back
_STEP = 0.03  # seconds of work at once


class Nearest:
    """Finds failures in *index* after a line (1), or before it (-1), nearest first."""

    def __init__(self, index: Index, by: int) -> None:
        self._index = index
        self._by = by
        self._finder: Finder | None = None
        self._span = _SPAN
        self.is_over = False
        """Whether there is no failure that way."""

    def look(self, line: int) -> int | None:
        """Look on from *line* for a moment. Return the failure, if it is known."""
        back = self._by < 0
        begin = max(0, line - self._span) if back else line + 1
        finder = self._finder
        if finder is None or (back and begin < finder.begin):
            finder = self._finder = Finder(self._index, Filter(failing=True), begin)
        finder.look_among(range(1, len(self._index.subjects)))
        more = not (back and finder.sure >= line)
        if more:
            more = finder.go_on(time.monotonic() + _STEP)
        found = finder.next(line, self._by)
        if back and finder.sure < line:
            return None
        if found is None and back:
            self._span *= 4
            self.is_over = finder.begin == 0
        elif found is None:
            self.is_over = self._index.complete and not more
        elif found > finder.sure:
            return None
        return found
