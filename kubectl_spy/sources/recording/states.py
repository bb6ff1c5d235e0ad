"""Finds objects in a recording as they were at a point."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from kubectl_spy.core.changes.line_reading import HEAD
from kubectl_spy.core.changes.lines import (
    Line,
    ListedLine,
    Names,
    ObjectLine,
    RefusedLine,
    StreamGap,
    StreamLine,
)
from kubectl_spy.core.changes.points import (
    AtVersion,
    Beginning,
    First,
    Moment,
    Point,
    Seq,
)
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.objects import JSON, Resource
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import SpyError
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.sources.recording.gap_tracker import GapTracker, UnknownInterval
from kubectl_spy.sources.recording.index import UNFIT, Index
from kubectl_spy.sources.recording.narrowed import lines_since_whole
from kubectl_spy.sources.recording.object_filter import ObjectFilter
from kubectl_spy.sources.recording.recording import Damage, Recording
from kubectl_spy.sources.recording.versions import first_line_of, history
from kubectl_spy.terms import option

_EARLIER = "choose a point before that"


class NotRecorded(SpyError, code="not-found"):
    """The object, or that version of it, was not recorded up to the point."""


class Gone(SpyError, code="not-found"):
    """The object was there before the point, and no longer."""


class RecordedObject(NamedTuple):
    """The whole object at one point, and the record of its last change."""

    record: ChangeRecord
    document: dict[str, JSON]
    epoch: str  # names the key that masks values; only equal keys give equal tags
    masked: bool  # whether values of Secrets were masked when this was recorded
    unknown: UnknownInterval | None = None  # it may have changed then, before the point


def state_at(index: Index, wanted: ObjectFilter, point: Point) -> RecordedObject:
    """Return the one *wanted* object of *index*, of which no line is read, at *point*.

    Raises Gone, NotRecorded, or SpyError if several objects are wanted.

    The index reads on to the point, and further until it is certain whether the object
    may have changed unseen. Lines about other names are passed over, and of the others
    those are opened that came since the object was last whole. Damage before them is
    harmless.
    """
    last = point.seq if isinstance(point, Seq) else math.inf
    end = rfc3339(point.time) if isinstance(point, Moment) else "~"
    if wanted.names:
        index.recording.narrow_to(wanted.names, last, end)
    if not isinstance(point, First | Beginning | AtVersion):
        index.recording.narrow(partial(lines_since_whole, last=last, end=end))
    return _Search(index, wanted, point).found()


class _Search:
    def __init__(self, index: Index, wanted: ObjectFilter, point: Point) -> None:
        self._index = index
        self._wanted = wanted
        self._point = point
        moment = point.time if isinstance(point, Moment) else math.inf
        self._gaps = GapTracker(wanted, moment)
        self._places = index.recording.places()
        self._resources: dict[tuple[str, str], Resource] = {}
        self._about: dict[int, tuple[str, int]] = {}
        """The file of each line about the object, and its number there."""
        self._epoch = index.recording.epoch  # of the last line that shows a version
        self._harmless: set[int] = set()
        """Damaged lines about objects. A later line may have the whole object."""
        self._version = ""  # of the last line about the object
        self._next: Line | None = None  # the first line after the point

    def found(self) -> RecordedObject:
        """Return the object. Raises Gone, NotRecorded or SpyError."""
        last = -1
        for last in self._shown():
            record = self._record(last) if self._is_meant(last) else None
            if record is not None and not record.gone:
                self._check_first_run(record)
                return self._state(last, record)
        record = None if last < 0 else self._record(last, or_before=True)
        if record is None or isinstance(self._point, AtVersion):
            raise NotRecorded("nothing of it was recorded up to that point")
        unknown = self._unknown() if isinstance(self._point, Moment) else None
        if record.gone:
            raise _gone(record, unknown)
        if gone := self._gaps.vanished:
            raise Gone(f"{record.label} was deleted at a time {gone}", _EARLIER)
        return self._state(last, record)._replace(unknown=unknown)

    def _shown(self) -> Iterator[int]:
        """Yield the lines that show a version of the object, as they become known.

        Raises SpyError if several objects are wanted.
        """
        index, gaps = self._index, self._gaps
        recording, latest, first = index.recording, 0.0, -1
        for place, line in self._places:
            number, latest = len(index), max(latest, place.before)
            if number and len(recording.damages) > len(index.damaged):
                gaps.lose(latest)
            if line is not None:
                gaps.go_on(number, line)
                if _is_past(line, self._point):
                    self._next = line
                    return
                latest = max(latest, line.time)
            shown = index.take(place, line)
            if (line is None or index.type(number) == UNFIT) and HEAD.match(place.raw):
                self._harmless.add(number)
            if line is None:
                continue
            gaps.observe(number, line)
            if isinstance(line, StreamLine):
                resource = line.selection.resource
                self._resources[resource.gvk.api_version, resource.gvk.kind] = resource
            elif isinstance(line, ObjectLine) and self._is_wanted(line.names):
                self._about[number] = place.file, place.number
                self._version = line.seen.version
                gaps.seen = number
            for each in filter(self._about.__contains__, shown):
                first = each if first < 0 else first
                self._check_same(first, each)
                self._epoch = recording.epoch
                yield each

    def _is_wanted(self, names: Names) -> bool:
        resource = self._resources.get(names[:2])
        return resource is not None and self._wanted.holds(resource, names[2], names[3])

    def _is_meant(self, line: int) -> bool:
        """Return whether a *line* that shows a version is the one at the point."""
        if isinstance(self._point, AtVersion):
            said = self._index.line(line)
            version = said.seen.version if isinstance(said, ObjectLine) else ""
            return version == self._point.resource_version
        return isinstance(self._point, First | Beginning)

    def _check_same(self, first: int, line: int) -> None:
        index = self._index
        if index.subject(first) == index.subject(line):
            return
        one, other = (index.subjects[index.subject(each)] for each in (first, line))
        if one.identity != other.identity:
            both = (one.printed, one.namespace), (other.printed, other.namespace)
            raise several(index.recording, *both)

    def _check_first_run(self, record: ChangeRecord) -> None:
        in_first = record.initial and self._index.recording.is_in_first_run
        if isinstance(self._point, Beginning) and not in_first:
            raise NotRecorded("an appended run saw it first")

    def _record(self, line: int, *, or_before: bool = False) -> ChangeRecord | None:
        """Return what *line* shows, or None if it cannot be read.

        *or_before* takes the last version before it then, which is still certain.
        """
        shown = [
            each
            for number, each in history(self._index, line)
            if self._index.is_version(number) and (or_before or number == line)
        ]
        return shown[-1] if shown else None

    def _unknown(self) -> UnknownInterval | None:
        """Return what is not certain at the point. It may read a few lines more."""
        damages = self._index.recording.damages
        count = len(damages)

        def after() -> Iterator[Line | None]:
            if self._next is not None:
                yield self._next
            for _, line in self._places:
                yield line if len(damages) == count else None

        unknown = self._gaps.unknown(after(), self._version)
        del damages[count:]  # what comes later is harmless
        return unknown

    def _state(self, line: int, record: ChangeRecord) -> RecordedObject:
        """Return the object. Leave only the damages that matter for it."""
        index, recording = self._index, self._index.recording
        self._leave_damages(first_line_of(index, line))
        for at in index.unplayed.keys() & self._about.keys():
            reason = index.unplayed[at]
            recording.damages.append(Damage(*self._about[at], reason, torn=False))
        return RecordedObject(record, record.document, *self._epoch)

    def _leave_damages(self, begin: int) -> None:
        """Leave the damages that matter for what is known since the line *begin*.

        Before it, a line about an object is harmless, and so is an earlier run.
        """
        index, damages = self._index, self._index.recording.damages
        run = index.run_of(begin)
        damaged = list(zip(index.damaged, damages, strict=False))
        damages[:] = [
            each
            for at, each in damaged
            if at >= begin or (at >= run and at not in self._harmless)
        ]


def several(
    recording: Recording, one: tuple[str, str | None], other: tuple[str, str | None]
) -> SpyError:
    """Return the error that a recording holds *one* and *other* of what is wanted.

    Both are labels with namespaces.
    """
    if one[0] == other[0]:
        where = f"several namespaces, {one[1]} and {other[1]} among them"
        return SpyError(
            f"{recording.name} holds {one[0]} in {where}",
            f"choose with {option('-n')}",
            code="several",
        )
    return SpyError(
        f"{recording.name} holds several objects, {one[0]} and {other[0]} among them",
        "name one, as in pod/web-0",
        code="several",
    )


def _is_past(line: Line, point: Point) -> bool:
    """Return whether *line* comes after *point*. Other types may be written late."""
    in_order = isinstance(line, ObjectLine | StreamGap | ListedLine | RefusedLine)
    if not in_order and line.type != "RESUME":
        return False
    if isinstance(point, Seq):
        return line.seq > point.seq
    return isinstance(point, Moment) and line.time > round(point.time, 6)


def _gone(record: ChangeRecord, unknown: UnknownInterval | None) -> Gone:
    how = "was deleted"
    if record.type is ChangeType.LEFT:
        how += ", or no longer matched the selector,"
    note = f", and what happened {unknown} is not known" if unknown else ""
    at = " ".join(day_and_clock(record.time))
    return Gone(f"{record.label} {how} at {at}{note}", _EARLIER)
