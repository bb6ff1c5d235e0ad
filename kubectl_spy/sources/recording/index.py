"""An index of a recording, for `review`: which line is about which object, and when.

It is made in one pass without parsing patches, and keeps 26 bytes a line. What is
damaged or missing, and which lines show a version, is what `Recording` says. That a
patch does not apply shows only when its version is played.
"""

from __future__ import annotations

import tempfile
import time
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple, cast

from kubectl_spy.core.changes import lines
from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.line_reading import line_of
from kubectl_spy.core.changes.lines import Line, Names, ObjectLine
from kubectl_spy.core.changes.playback import OF_STREAM, said_of_streams
from kubectl_spy.core.changes.recording_format import LONGEST
from kubectl_spy.core.changes.version_order import StreamOrder, VersionOrder
from kubectl_spy.core.objects import GroupVersionKind, Selection
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.recording import Damage, Recording
from kubectl_spy.sources.recording.segments import (
    RawLine,
    is_read_once,
    lines_from,
    whole_lines,
)

WHOLE = ("ADDED", "SNAPSHOT", "RELISTED")
"""Lines with a whole object. RELISTED is a SNAPSHOT of a version that is new."""
DAMAGED, UNFIT = "DAMAGED", "UNFIT"
"""A line that cannot be read, and one that does not fit the lines before it."""
_OTHER = (*lines.HEADERS, "STREAM", "LISTED", "REFUSED", "RECONNECT", "LOG", "END", "")
_TYPES = (DAMAGED, UNFIT, *WHOLE, *_OTHER, *sorted(lines.CHANGES - {"ADDED"}))
_CODES = {name: code for code, name in enumerate(_TYPES)}
_VERSION, _THERE = 1, 2  # what a line shows: a change, or what was there before
_AT_ONCE = 128  # lines between two looks at the clock
_IN_MEMORY = 16 << 20  # bytes that are copied before there is a file
_OPEN = 64  # segments that stay open; the lines of others are copied


class Subject(NamedTuple):
    """The names of an object. One that is created anew under them shares its lines."""

    api_version: str
    kind: str
    namespace: str | None
    name: str  # "" for a GAP of a whole stream

    def may_be_in(self, selection: Selection) -> bool:
        """Return whether *selection* may hold it, as far as its names tell."""
        gvk = selection.resource.gvk
        return (
            (gvk.api_version, gvk.kind) == (self.api_version, self.kind)
            and selection.namespace in (None, self.namespace)
            and selection.name in (None, self.name)
        )

    @property
    def label(self) -> str:
        """The kind and name, as on a command line."""
        return f"{self.kind.lower()}/{self.name}"

    @property
    def printed(self) -> str:
        """The kind with its group, and the name, as kubectl prints them."""
        return f"{GroupVersionKind(self._group, '', self.kind).printed}/{self.name}"

    @property
    def identity(self) -> tuple[str, str, str | None, str]:
        """What names the object, whatever the version of its type."""
        return self._group, self.kind, self.namespace, self.name

    @property
    def _group(self) -> str:
        return self.api_version.rpartition("/")[0]


class Index:
    """The lines of the recording *name*, as far as `grow` has read it.

    With *live*, it is one plain file that a recorder still writes. *recording* is it,
    if that is open. Raises SpyError if it cannot be read, or is no recording.
    """

    def __init__(
        self, name: str, *, live: bool = False, recording: Recording | None = None
    ) -> None:
        self.recording = recording or Recording(name)
        if live:
            self.recording.narrow(whole_lines)
        self.is_live = live
        """Whether `go_on` may find more lines."""
        self._places = _LinePlaces(name)
        self.subjects: list[Subject] = [Subject("", "", None, "")]
        self.times = array("d")
        """Of each line: the latest time of a change up to it."""
        self._losses = array("I")  # lines before which any are lost, in their run
        self.declarations = array("I")  # STREAM lines
        self.declared: list[lines.StreamLine] = []
        """What each of them says."""
        self.runs = array("I", [0])  # where a recorder began
        self.counts = array("I", [0])  # the versions of each subject
        self.initial = array("I")  # versions that a first list showed: no changes
        self.gaps = array("I")  # lines that say that versions may be missing
        self.last_version = -1
        """The last line that shows a new version."""
        self._version_order: VersionOrder[int] = VersionOrder()
        self._shown = bytearray()  # by line: whether it shows a version
        self.earlier: dict[Names, list[tuple[int, Selection]]] = {}
        """The lines with what else tells of the past of an object."""
        self.complete = False
        self.coverage = Coverage()  # what was read of each selection, up to here
        self._next = (1, 0)  # the number of the line to come, and where it begins
        self.damaged = array("I")
        """The line of each damage, or the one after what is missing."""
        self._objects = array("I")
        self._kinds = bytearray()
        self._of: list[array[int]] = [array("I")]
        self._numbers: dict[Names, int] = {}
        self._namespaces: set[str] = set()
        self._latest = 0.0  # the latest time of any line
        self._news: list[int] = []
        self.unplayed: dict[int, str] = {}
        """Why these lines could not be played, although their heads are undamaged."""
        self._since: dict[int, float] = {}  # that time, before each loss
        self._unread = self.recording.places()  # lines to come

    def __len__(self) -> int:
        return len(self._kinds)

    def grow(self, seconds: float) -> bool:
        """Read on for *seconds* at most. Return whether there is more."""
        until = time.monotonic() + seconds
        for number, (place, line) in enumerate(self._unread, 1):
            self.take(place, line)
            if number % _AT_ONCE == 0 and time.monotonic() >= until:
                return True
        self.complete = True
        return False

    def go_on(self, *, ended: bool) -> bool:
        """Let `grow` read on if the file has grown. Return whether it has.

        A line without its newline waits until the recorder has *ended*.
        """
        name, (number, at) = self.recording.file, self._next
        try:
            size = Path(name).stat().st_size
        except OSError as error:
            raise SpyError(f"cannot read {name}: {error.strerror}") from None
        self.is_live = not ended
        if size <= at:
            return False
        further = lines_from(name, number, at)
        self.recording.narrow(lambda _: further if ended else whole_lines(further))
        self._unread = self.recording.places()
        self.complete = False
        return True

    def close(self) -> None:
        """Close the files of the recording."""
        self._unread.close()
        self.recording.close()
        self._places.close()

    def type(self, line: int) -> str:
        """Return what kind of line it is: MODIFIED, HEADER, DAMAGED and so on."""
        return _TYPES[self._kinds[line]]

    def subject(self, line: int) -> int:
        """Return the number of the object that *line* is about; 0 for none."""
        return self._objects[line]

    def lines(self, subject: int) -> Sequence[int]:
        """Return the lines about an object, in order."""
        return self._of[subject]

    def is_version(self, line: int) -> bool:
        """Return whether *line* shows a version of an object, as a replay does."""
        return self._shown[line] > 0

    def is_initial(self, line: int) -> bool:
        """Return whether *line* shows a version that was there before."""
        return self._shown[line] == _THERE

    def raw(self, line: int) -> bytes:
        """Return a line that is not damaged, with its newline."""
        return self._places.raw(line)

    def line(self, line: int) -> Line:
        """Return what a line says. Raises BadLine if the file has changed."""
        return line_of(self.raw(line))

    def line_at(self, moment: float) -> int:
        """Return the last line up to *moment*; -1 for none."""
        return bisect_right(self.times, moment) - 1

    def run_of(self, line: int) -> int:
        """Return the first line of the recorder's run that wrote *line*."""
        return self.runs[bisect_right(self.runs, line) - 1]

    def is_lost_between(self, before: int, line: int) -> bool:
        """Return whether anything is lost after the line *before*, up to *line*."""
        return bisect_right(self._losses, before) < bisect_right(self._losses, line)

    def is_lost_before(self, line: int) -> bool:
        """Return whether *line* is the first one after a loss, in its run."""
        return line in self._since

    def may_be_gap(self, line: int) -> bool:
        """Return whether *line* may make a GAP of a whole stream."""
        of_stream = not self.subjects[self._objects[line]].name
        return self.is_lost_before(line) or (self.type(line) == "GAP" and of_stream)

    def last_before(self, line: int) -> float:
        """Return the time of the last line before the loss before *line*."""
        return self._since.get(line, 0.0)

    def damages_of(self, line: int) -> list[Damage]:
        """Return what is damaged at *line*."""
        last = bisect_right(self.damaged, line)
        return self.recording.damages[bisect_right(self.damaged, line - 1) : last]

    @property
    def span(self) -> tuple[float, float]:
        """When it begins, and the latest time of any line."""
        return (self.times[0] if self.times else 0.0), self._latest

    @property
    def has_several_namespaces(self) -> bool:
        """Whether objects of several namespaces were recorded."""
        return len(self._namespaces) > 1

    def take(self, place: RawLine, line: Line | None) -> list[int]:
        """Take in the next line. Return those whose versions are known from then on."""
        self._latest = max(self._latest, place.before)
        number, since, self._news = len(self._kinds), self._latest, []
        kind, moment, subject = DAMAGED, 0.0, 0
        self._kinds.append(_CODES[DAMAGED])
        self._objects.append(0)
        self._shown.append(0)
        if line is None:
            self._version_order.lose()
        else:
            moment = self.recording.time
            self._latest = max(self._latest, moment)
            if number and isinstance(line, lines.HeaderLine) and line.begins_run:
                self.runs.append(number)
                self.coverage.end_run(since)
            if self._version_order.follow(line, place.skipped):
                self._losses.append(number)
                self._since[number] = since
            try:
                kind, subject = self._read(line, number)
            except lines.BadLine as error:
                self.recording.note_damage(place, str(error))
                self._version_order.lose()
                kind = UNFIT
        self._kinds[number] = _CODES.get(kind, _CODES[""])
        self._places.add(place, whole=kind != DAMAGED)
        self._next = (place.number + 1, place.at + len(place.raw))
        fresh = len(self.recording.damages) - len(self.damaged)
        self.damaged.extend([number] * fresh)
        self._note_time(number, moment if subject else 0.0)
        return self._news

    def _note_time(self, number: int, moment: float) -> None:
        last = self.times[-1] if number else 0.0
        if moment and not last:  # the first change: nothing is known of the time before
            self.times = array("d", [moment]) * number
        self.times.append(max(moment, last))

    def _read(self, line: Line, number: int) -> tuple[str, int]:
        """Take in what *line* says. Return what kind of line it is, and its object.

        Raises BadLine if it does not fit the lines before it.
        """
        follow, subject = self._version_order, 0
        if isinstance(line, ObjectLine):
            return self._read_object(line, number)
        if isinstance(line, lines.StreamLine):
            follow.declare(line)
            self.declarations.append(number)
            self.declared.append(line)
        elif isinstance(line, lines.KeysLine):
            selection = follow.order(line.stream).selection
            self.recording.keys.of(selection).note(line.path, line.key)
        elif isinstance(line, lines.ListedLine | lines.StreamGap):
            for held in follow.caught_up(follow.order(line.stream)):
                self._show(held, _THERE)
            if isinstance(line, lines.StreamGap):
                subject = self._objects[number] = self._subject_of(line.names, number)
                self.gaps.append(number)
        elif isinstance(line, lines.PastLine):
            selection = follow.order(line.stream).selection
            self.earlier.setdefault(line.names, []).append((number, selection))
        if isinstance(line, OF_STREAM):
            for item in said_of_streams(line, follow):
                self.coverage.observe(item)
        return line.type, subject

    def _read_object(self, line: ObjectLine, number: int) -> tuple[str, int]:
        order, kind = self._version_order.order(line.stream), line.type
        shows = order.shows(line)
        if not (shows or kind == "SNAPSHOT"):
            return kind, 0  # the version before it is lost
        subject = self._objects[number] = self._subject_of(line.names, number)
        if shows:
            kind = self._take_version(order, line, number)
        if kind in ("GAP", "RELISTED") and not self.is_initial(number):
            self.gaps.append(number)
        return kind, subject

    def _take_version(
        self, order: StreamOrder[int], line: ObjectLine, number: int
    ) -> str:
        """Take in a line that shows a version. Return what kind of line it is."""
        seen = line.seen
        is_new = seen.identity not in order.present
        order.take(line.type, seen)
        if line.type == "SNAPSHOT":
            self._show(number, _THERE if is_new else _VERSION)
            return "RELISTED"
        for each, there in self._version_order.new(order, number, seen):
            self._show(each, _THERE if there or seen.initial else _VERSION)
        return line.type

    def _show(self, line: int, how: int) -> None:
        """Note that *line*, maybe an earlier one, shows a version."""
        self._shown[line] = how
        self._news.append(line)
        self.counts[self._objects[line]] += 1
        if how == _THERE:
            self.initial.append(line)
        self.last_version = max(self.last_version, line)

    def _subject_of(self, names: Names, number: int) -> int:
        subject = self._numbers.get(names)
        if subject is None:
            subject = self._numbers[names] = len(self.subjects)
            self.subjects.append(Subject(*names))
            self._namespaces.update(filter(None, (names[2],)))
            self._of.append(array("I"))
            self.counts.append(0)
        self._of[subject].append(number)
        return subject


class _LinePlaces:
    """Finds the lines of the recording *name* again, 8 bytes a line.

    Plain files are read where they are, also if they are moved meanwhile. What is
    compressed, comes through a pipe or from a log store is copied: a little to memory,
    more to a temporary file without a name.
    """

    def __init__(self, name: str) -> None:
        self._at = array("Q")
        self._begins: list[int] = []  # the first line of each run of lines in one file
        self._files: list[IO[bytes]] = []
        self._reading = ""
        self._file: IO[bytes] | None = None  # the file that is read where it is
        self._read_once = is_read_once(name)
        self._opened = self._copied = 0
        self._copy: IO[bytes] | None = None

    def add(self, place: RawLine, *, whole: bool) -> None:
        """Take in the next line. Only a *whole* one can be read again."""
        if place.file != self._reading:
            self._reading = place.file
            self._file = self._original(place)
        if self._file is not None and place.at >= 0:
            self._keep(self._file, place.at)
            return
        copy = self._copy
        if copy is None:
            # Few lines need no file: a recorder in a cluster may have no place for one.
            spooled = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
            copy = self._copy = cast("IO[bytes]", spooled)
        self._keep(copy, self._copied)
        if whole:
            self._append(copy, place.raw)

    def raw(self, line: int) -> bytes:
        """Return a line, with its newline."""
        file = self._files[bisect_right(self._begins, line) - 1]
        try:
            file.seek(self._at[line])
            return file.readline(LONGEST)
        except OSError as error:
            raise SpyError(f"cannot read the recording: {error.strerror}") from None

    def close(self) -> None:
        """Close the files."""
        for each in self._files:
            each.close()

    def _keep(self, file: IO[bytes], at: int) -> None:
        if not self._files or self._files[-1] is not file:
            self._begins.append(len(self._at))
            self._files.append(file)
        self._at.append(at)

    def _append(self, copy: IO[bytes], raw: bytes) -> None:
        try:
            copy.seek(self._copied)
            copy.write(raw)
        except OSError as error:
            raise SpyError(
                f"cannot copy the recording to a temporary file: {error.strerror}",
                "name another directory with TMPDIR",
            ) from None
        self._copied += len(raw)

    def _original(self, first: RawLine) -> IO[bytes] | None:
        """Return the file that *first* is in, or None if it cannot be read there."""
        if first.at < 0 or self._read_once or self._opened == _OPEN:
            return None
        try:
            file = Path(first.file).open("rb")  # noqa: SIM115
            file.seek(first.at)
            # A recorder may have renamed the file since it was opened.
            if file.readline(LONGEST) == first.raw:
                self._opened += 1
                return file
            file.close()
        except OSError:
            pass
        return None
