"""An index of a recording, for `review`: which line is about which object, and when.

It is made in one pass without parsing patches, and keeps 25 bytes a line. What is
damaged or missing is what `Recording` says. That a patch does not apply shows only when
its version is played.
"""

from __future__ import annotations

import time
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubectl_spy.core.changes.recording_format import (
    CHANGES,
    HEAD,
    BadLine,
    decode,
    is_sealed,
    selection_of,
    stream_of,
)
from kubectl_spy.core.objects import Selection
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.line_places import LinePlaces
from kubectl_spy.sources.recording.recording import HEADERS, Damage, Recording
from kubectl_spy.sources.recording.segments import RawLine, lines_from, whole_lines

WHOLE = ("ADDED", "SNAPSHOT", "RELISTED")
"""Lines with a whole object. RELISTED is a SNAPSHOT of a version that is new."""
DAMAGED, UNFIT = "DAMAGED", "UNFIT"
"""A line that cannot be read, and one that does not fit the lines before it."""
_OTHER = ("STREAM", "LISTED", "REFUSED", "RECONNECT", "LOG", "END", "")
_TYPES = (DAMAGED, UNFIT, *WHOLE, *HEADERS, *_OTHER, *sorted(CHANGES - {"ADDED"}))
_CODES = {name: code for code, name in enumerate(_TYPES)}
_OF_STREAM = CHANGES | {"SNAPSHOT", "LISTED", "REFUSED"}
_AT_ONCE = 128  # lines between two looks at the clock


class Subject(NamedTuple):
    """The names of an object. One that is created anew under them shares its lines."""

    api_version: str
    kind: str
    namespace: str | None
    name: str  # "" for a GAP of a whole stream

    @property
    def label(self) -> str:
        """The kind and name, as on a command line."""
        return f"{self.kind.lower()}/{self.name}"


class Index:
    """The lines of the recording *name*, as far as `grow` has read it.

    With *live*, it is one plain file that a recorder still writes. Raises SpyError if
    it cannot be read, or is no recording.
    """

    def __init__(self, name: str, *, live: bool = False) -> None:
        self.recording = Recording(name)
        if live:
            self.recording.narrow(whole_lines)
        self.is_live = live
        """Whether `go_on` may find more lines."""
        self._places = LinePlaces(name)
        self.subjects: list[Subject] = [Subject("", "", None, "")]
        self.times = array("d")
        """Of each line: the latest time of a change up to it."""
        self._breaks = array("I")  # lines before which some are missing
        self._losses = array("I")  # these, and those that are DAMAGED or UNFIT
        self.declarations = array("I")  # STREAM lines
        self.declared: list[tuple[int, Selection, bool]] = []
        """The stream that each declares, and whether it goes on from an earlier run."""
        self.runs = array("I", [0])  # where a recorder began
        self.counts = array("I", [0])  # the versions of each subject
        self.initial = array("I")  # versions that a first list showed: no changes
        self.gaps = array("I")  # lines that say that versions may be missing
        self.last_version = -1
        """The last line that shows a new version."""
        self.complete = False
        self._next = (1, 0)  # the number of the line to come, and where it begins
        self._damages = array("I")  # the line of each damage
        self._objects = array("I")
        self._kinds = bytearray()
        self._of: list[array[int]] = [array("I")]
        self._numbers: dict[tuple[bytes | None, ...], int] = {}
        self._versions: list[bytes] = [b""]  # the last of each subject
        self._streams: set[int] = set()  # declared in this run
        self._namespaces: set[str] = set()
        self._seq = 0
        self._latest = 0.0  # the latest time of any line
        self._since: dict[int, float] = {}  # that time, before each loss
        self._unread = self.recording.places(_beginning_of)  # lines to come

    def __len__(self) -> int:
        return len(self._kinds)

    def grow(self, patience: float) -> bool:
        """Read on for *patience* seconds at most. Return whether there is more."""
        until = time.monotonic() + patience
        for number, (place, line) in enumerate(self._unread, 1):
            self._take(place, line)
            if number % _AT_ONCE == 0 and time.monotonic() >= until:
                return True
        self.complete = True
        return False

    def go_on(self, *, ended: bool) -> bool:
        """Let `grow` read on if the file has grown. Return whether it has.

        A line without its newline waits until the recorder has *ended*.
        """
        name, (number, at) = self.recording.name, self._next
        try:
            size = Path(name).stat().st_size
        except OSError as error:
            raise SpyError(f"cannot read {name}: {error.strerror}") from None
        self.is_live = not ended
        if size <= at:
            return False
        further = lines_from(name, number, at)
        self.recording.narrow(lambda _: further if ended else whole_lines(further))
        self._unread = self.recording.places(_beginning_of)
        self.complete = False
        return True

    def close(self) -> None:
        """Close the files of the recording."""
        self._unread.close()
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
        """Return whether *line* shows a version of an object that no line before did.

        A GAP of a whole stream is none.
        """
        number = self._objects[line]
        kind = self.type(line)
        return kind != "SNAPSHOT" and number > 0 and self.subjects[number].name != ""

    def raw(self, line: int) -> bytes:
        """Return a line that is not damaged, with its newline."""
        return self._places.raw(line)

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
        if self.type(line) == DAMAGED or self._begins_run(line):
            return False
        if line and self.type(line - 1) in (DAMAGED, UNFIT):
            return True
        return bisect_right(self._breaks, line - 1) < bisect_right(self._breaks, line)

    def may_be_gap(self, line: int) -> bool:
        """Return whether *line* may make a GAP of a whole stream."""
        of_stream = not self.subjects[self._objects[line]].name
        return self.is_lost_before(line) or (self.type(line) == "GAP" and of_stream)

    def _begins_run(self, line: int) -> bool:
        return line == self.run_of(line) and self.type(line) in HEADERS

    def last_before(self, line: int) -> float:
        """Return the time of the last line before the loss before *line*."""
        return self._since.get(line, 0.0)

    def damages_of(self, line: int) -> list[Damage]:
        """Return what is damaged at *line*."""
        last = bisect_right(self._damages, line)
        return self.recording.damages[bisect_right(self._damages, line - 1) : last]

    @property
    def has_several_namespaces(self) -> bool:
        """Whether objects of several namespaces were recorded."""
        return len(self._namespaces) > 1

    @property
    def damaged(self) -> Sequence[int]:
        """The lines that are damaged, or before which some are missing."""
        return self._damages

    def _take(self, place: RawLine, line: dict[str, Any] | None) -> None:
        number, subject, since = len(self._kinds), 0, self._latest
        kind, moment = DAMAGED, 0.0
        if line is not None:
            kind, moment = self._kind(place, line)
        if kind == DAMAGED or line is None:
            self._losses.append(number)
        else:
            self._follow(place, line, number)
            if kind == UNFIT:
                self._losses.append(number)
            else:
                subject = self._subject_of(line, number)
        if kind == "STREAM" and line is not None:
            self._streams.add(line["stream"])
            self.declarations.append(number)
            declared = line["stream"], selection_of(line), "since" in line
            self.declared.append(declared)
        elif kind == "GAP":
            self.gaps.append(number)
        if subject and line is not None:
            if kind == "SNAPSHOT" and self._is_news(subject, line["version"]):
                kind = "RELISTED"
            self._versions[subject] = line["version"]
        self._places.add(place, whole=kind != DAMAGED)
        self._next = (place.number + 1, place.at + len(place.raw))
        fresh = len(self.recording.damages) - len(self._damages)
        self._damages.extend([number] * fresh)
        self._kinds.append(_CODES.get(kind, _CODES[""]))
        self._objects.append(subject)
        if self.is_version(number):
            self.counts[subject] += 1
            there = line is not None and line.get("initial") is True
            if there or (kind == "RELISTED" and self._begins(subject)):
                self.initial.append(number)
            self.last_version = number
        near = self._losses and self._losses[-1] >= number - 1
        if near and self.is_lost_before(number):
            self._since[number] = since
        self._note_time(number, moment if subject else 0.0)

    def _note_time(self, number: int, moment: float) -> None:
        last = self.times[-1] if number else 0.0
        if moment and not last:  # the first change: nothing is known of the time before
            self.times = array("d", [moment]) * number
        self.times.append(max(moment, last))

    def _kind(self, place: RawLine, line: dict[str, Any]) -> tuple[str, float]:
        """Return what kind of line it is, and its time."""
        kind, moment = line["type"], self.recording.time
        self._latest = max(self._latest, moment)
        try:
            if kind == "STREAM":
                selection_of(line)
                if type(line.get("stream")) is not int:
                    raise BadLine("it has no number of a stream")
            elif kind in _OF_STREAM and self._is_doubtful():
                stream = line.get("stream", stream_of(place.raw))
                if stream not in self._streams:
                    raise BadLine("its stream was not declared")
        except BadLine as error:
            self.recording.note_damage(place, str(error))
            return UNFIT, moment
        return kind, moment

    def _follow(self, place: RawLine, line: dict[str, Any], number: int) -> None:
        seq = line["seq"]
        if line["type"] == "RESUME" or (line["type"] == "HEADER" and seq == 1):
            if number:
                self.runs.append(number)
            self._streams = set()
        elif self._seq and seq != self._seq + place.skipped + 1:
            self._breaks.append(number)
            self._losses.append(number)
        self._seq = seq

    def _is_doubtful(self) -> bool:
        """Return whether the declaration of a stream may be lost in this run."""
        return bool(self._losses) and self._losses[-1] >= self.runs[-1]

    def _subject_of(self, line: dict[str, Any], number: int) -> int:
        key = line.get("key")
        if key is None:
            if line["type"] not in CHANGES and line["type"] != "SNAPSHOT":
                return 0
            parts = (line.get(each) for each in _KEY)
            key = tuple(None if each is None else _utf8(each) for each in parts)
            line["version"] = _utf8(line.get("resourceVersion", ""))
        subject = self._numbers.get(key)
        if subject is None:
            texts = [
                None if each is None else each.decode(errors="replace") for each in key
            ]
            subject = self._numbers[key] = len(self.subjects)
            api_version, kind, namespace, name = texts
            self.subjects.append(
                Subject(api_version or "", kind or "", namespace, name or "")
            )
            self._namespaces.update(filter(None, (namespace,)))
            self._of.append(array("I"))
            self.counts.append(0)
            self._versions.append(b"")
        self._of[subject].append(number)
        return subject

    def _is_news(self, subject: int, version: bytes) -> bool:
        return self._begins(subject) or self._versions[subject] != version

    def _begins(self, subject: int) -> bool:
        """Return whether the latest line of an object is its first one in this run."""
        known = self._of[subject]
        return len(known) == 1 or known[-2] < self.runs[-1]


_KEY = ("apiVersion", "kind", "namespace", "name")


def _utf8(value: object) -> bytes:
    return str(value).encode("utf-8", "surrogatepass")


def _beginning_of(raw: bytes) -> dict[str, Any]:
    """Return what the index needs of a line. Raises BadLine."""
    found = HEAD.match(raw)
    if found is None or not is_sealed(raw):
        return decode(raw)
    seq, moment, kind, *key, _, version = found.groups()
    return {
        "seq": int(seq),
        "time": moment.decode(errors="replace"),
        "type": kind.decode(),
        "key": tuple(key),
        "version": version,
        "initial": raw.startswith(b',"initial":true', found.end()),
    }
