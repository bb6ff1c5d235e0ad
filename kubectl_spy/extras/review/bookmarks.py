"""The bookmarks of a review: versions with notes, kept beside the recording."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import islice

from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.index import Index, Subject
from kubectl_spy.sources.recording.notes import (
    LONGEST,
    MOST,
    Note,
    notes_path,
    read_notes,
    write_notes,
)

_NEAR = 1_000  # versions of one object that are looked at to find a note's


class Bookmarks:
    """The bookmarks of the recording in *index*, by line."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._notes: dict[int, Note] = {}
        self._lost: list[Note] = []  # of versions that are not there
        self._read = False
        self._refused = ""  # why the file with notes is left alone
        self._lines: list[int] = []
        self.temporary = False
        """Whether the recording is deleted when the review ends."""

    @property
    def has_file(self) -> bool:
        """Whether there is a recording beside which notes can be kept."""
        name = self._index.recording.file
        return not self.temporary and notes_path(name) is not None

    @property
    def notes(self) -> Mapping[int, Note]:
        """The notes by the lines of their versions."""
        return self._notes

    @property
    def lines(self) -> Sequence[int]:
        """The lines with a bookmark, in order."""
        return self._lines

    @property
    def lost(self) -> Sequence[Note]:
        """The notes of versions that are not there."""
        return self._lost

    def read(self) -> str:
        """Read the notes once the index is complete. Return what to say of them."""
        index = self._index
        if self._read or not index.complete:
            return ""
        self._read = True
        try:
            notes = read_notes(index.recording.file, index.recording.header)
        except SpyError as error:
            self._refused = str(error)
            return self._refused
        numbers = {each: number for number, each in enumerate(index.subjects)}
        for note in notes:
            line = self._line_of(note, numbers)
            if line is None:
                self._lost.append(note)
            else:
                self._notes[line] = note
        self._lines = sorted(self._notes)
        if not self._lost:
            return many(len(notes), "bookmark") + " (')" if notes else ""
        count = len(self._lost)
        fit = "fits" if count == 1 else "fit"
        return f"{many(count, 'note')} {fit} no version of this recording"

    def note(self, line: int, text: str) -> str:
        """Set a bookmark with a note at *line*. Return what to say."""
        if line not in self._notes and len(self._notes) + len(self._lost) >= MOST:
            return f"{MOST:,} bookmarks are the most"
        head, subject = self._index.line(line), self._index.subject(line)
        of = self._index.subjects[subject]
        text = text.strip()[:LONGEST]
        self._notes[line] = Note(head.seq, head.time, *of, text)
        return self._keep("bookmark set")

    def drop(self, line: int) -> str:
        """Remove the bookmark at *line*. Return what to say."""
        del self._notes[line]
        return self._keep("bookmark removed")

    def next(self, line: int) -> int | None:
        """Return the next line with a bookmark, and after the last the first."""
        if not self._lines:
            return None
        return self._lines[bisect_right(self._lines, line) % len(self._lines)]

    def _keep(self, said: str) -> str:
        self._lines = sorted(self._notes)
        name = self._index.recording.file
        if not self._index.complete and not self._read:
            return f"{said}; not kept: the recording is still being read"
        if self._refused:
            return f"{said}, for this review only: {self._refused}"
        if not self.has_file:
            why = "is not kept (--record)" if self.temporary else "is no file"
            return f"{said}, for this review only: the recording {why}"
        try:
            header = self._index.recording.header
            write_notes(name, header, [*self._notes.values(), *self._lost])
        except SpyError as error:
            return f"{said}, for this review only: {error}"
        return said

    def _line_of(self, note: Note, numbers: Mapping[Subject, int]) -> int | None:
        """Return the line of the version that *note* is about, if it is there."""
        index = self._index
        number = numbers.get(Subject(*note[2:6]))
        if number is None:
            return None
        lines = index.lines(number)
        # The times of lines never fall: that of its own may be earlier.
        first = bisect_left(lines, bisect_left(index.times, note.time))
        for line in islice(lines, first, first + _NEAR):
            head = index.line(line)
            if (head.seq, head.time) == note.version:
                return line
        return None
