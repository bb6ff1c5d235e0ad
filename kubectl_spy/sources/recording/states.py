"""Finds objects in a recording as they were at a point: one, or all of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

from kubectl_spy.core.changes import lines, points
from kubectl_spy.core.changes.line_reading import HEAD
from kubectl_spy.core.changes.record import (
    Aside,
    ChangeRecord,
    ChangeType,
    Item,
    Listed,
    Refused,
)
from kubectl_spy.core.cluster.events import is_event
from kubectl_spy.core.objects import JSON, Resource, Selection
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import SpyError
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.sources.recording.gap_tracker import GapTracker, UnknownInterval
from kubectl_spy.sources.recording.index import DAMAGED, UNFIT, Index
from kubectl_spy.sources.recording.object_filter import ObjectFilter
from kubectl_spy.sources.recording.recording import Damage, Recording
from kubectl_spy.sources.recording.segments import lines_since_whole
from kubectl_spy.sources.recording.versions import first_line_of, history
from kubectl_spy.terms import option

_EARLIER = "choose a point before that"
_SEQ = re.compile(rb'\{"seq":([0-9]{1,18}),')
_WHOLE = ("ADDED", "RELISTED")
_INITIAL = b'"initial":true'


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


def state_at(index: Index, wanted: ObjectFilter, point: points.Point) -> RecordedObject:
    """Return the one *wanted* object of *index*, of which no line is read, at *point*.

    Raises Gone, NotRecorded, or SpyError if several objects are wanted.

    The index reads on to the point, and further until it is certain whether the object
    may have changed unseen. Lines about other names are passed over, and of the others
    those are opened that came since the object was last whole. Damage before them is
    harmless.
    """
    last = point.seq if isinstance(point, points.Seq) else math.inf
    end = rfc3339(point.time) if isinstance(point, points.Moment) else "~"
    if wanted.names:
        index.recording.narrow_to(wanted.names, last, end)
    if not isinstance(point, points.First | points.Beginning | points.AtVersion):
        index.recording.narrow(partial(lines_since_whole, last=last, end=end))
    return _Search(index, wanted, point).found()


class _Search:
    def __init__(self, index: Index, wanted: ObjectFilter, point: points.Point) -> None:
        self._index = index
        self._wanted = wanted
        self._point = point
        moment = point.time if isinstance(point, points.Moment) else math.inf
        self._gaps = GapTracker(wanted, moment)
        self._places = index.recording.places()
        self._resources: dict[tuple[str, str], Resource] = {}
        self._about: dict[int, tuple[str, int]] = {}
        """The file of each line about the object, and its number there."""
        self._epoch = index.recording.epoch  # of the last line that shows a version
        self._harmless: set[int] = set()
        """Damaged lines about objects. A later line may have the whole object."""
        self._version = ""  # of the last line about the object
        self._next: lines.Line | None = None  # the first line after the point

    def found(self) -> RecordedObject:
        """Return the object. Raises Gone, NotRecorded or SpyError."""
        last, index = -1, self._index
        for last in self._shown():
            record = self._record(last) if self._is_meant(last) else None
            if record is not None and not record.gone:
                self._check_first_run(record)
                return self._state(last, record)
        record = None if last < 0 else self._record(last, or_before=True)
        if record is None or isinstance(self._point, points.AtVersion):
            raise NotRecorded("nothing of it was recorded up to that point")
        unknown = self._unknown() if isinstance(self._point, points.Moment) else None
        if record.gone:
            raise _gone(record, unknown)
        if gone := self._gaps.vanished:
            if not isinstance(index.coverage.of(record.selection).answer, Refused):
                raise Gone(f"{record.label} was deleted at a time {gone}", _EARLIER)
            unknown = gone  # a later run could not list it
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
            if isinstance(line, lines.StreamLine):
                resource = line.selection.resource
                self._resources[resource.gvk.api_version, resource.gvk.kind] = resource
            elif isinstance(line, lines.ObjectLine) and self._is_wanted(line.names):
                self._about[number] = place.file, place.number
                self._version = line.seen.version
                gaps.seen = number
            for each in filter(self._about.__contains__, shown):
                first = each if first < 0 else first
                self._check_same(first, each)
                self._epoch = recording.epoch
                yield each

    def _is_wanted(self, names: lines.Names) -> bool:
        resource = self._resources.get(names[:2])
        return resource is not None and self._wanted.holds(resource, names[2], names[3])

    def _is_meant(self, line: int) -> bool:
        """Return whether a *line* that shows a version is the one at the point."""
        if isinstance(self._point, points.AtVersion):
            said = self._index.line(line)
            version = said.seen.version if isinstance(said, lines.ObjectLine) else ""
            return version == self._point.resource_version
        return isinstance(self._point, points.First | points.Beginning)

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
        if isinstance(self._point, points.Beginning) and not in_first:
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

        def after() -> Iterator[lines.Line | None]:
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


def _is_past(line: lines.Line, point: points.Point) -> bool:
    """Return whether *line* comes after *point*. Other types may be written late."""
    in_order = isinstance(
        line, lines.ObjectLine | lines.StreamGap | lines.ListedLine | lines.RefusedLine
    )
    if not in_order and line.type != "RESUME":
        return False
    if isinstance(point, points.Seq):
        return line.seq > point.seq
    return isinstance(point, points.Moment) and line.time > round(point.time, 6)


def _gone(record: ChangeRecord, unknown: UnknownInterval | None) -> Gone:
    how = "was deleted"
    if record.type is ChangeType.LEFT:
        how += ", or no longer matched the selector,"
    note = f", and what happened {unknown} is not known" if unknown else ""
    at = " ".join(day_and_clock(record.time))
    return Gone(f"{record.label} {how} at {at}{note}", _EARLIER)


# All objects at several points, read once.


class Snapshot:
    """The *wanted* objects at *point*, from the records in order.

    Events are left out unless *wanted* names them.
    """

    def __init__(self, wanted: ObjectFilter, point: points.Point) -> None:
        self._wanted = wanted
        self.point = point
        self._found: dict[object, RecordedObject] = {}
        self._gaps: dict[str, UnknownInterval] = {}
        """What is not known at the point, by the type. "" is any."""
        self.complete = False  # whether the point is over

    @property
    def states(self) -> list[RecordedObject]:
        """Each object that was there, by the last change."""
        return list(self._found.values())

    @property
    def unknown(self) -> tuple[list[str], UnknownInterval] | None:
        """The types that may have changed unseen, and between which times.

        No types are all.
        """
        if not self._gaps:
            return None
        since = min(each.since for each in self._gaps.values())
        until = max(each.until or 0.0 for each in self._gaps.values())
        types = [] if "" in self._gaps else sorted(self._gaps)
        return types, UnknownInterval(since, until)

    def take(self, record: Item, recording: Recording) -> None:
        """Take in *record*, which *recording* has just yielded."""
        if isinstance(record, Listed) and not self.complete:
            self._drop_unlisted(record.selection, recording)
        if not isinstance(record, ChangeRecord):
            return
        self.complete = self.complete or points.is_after(record, self.point)
        if self.complete:
            if record.of_stream and record in self._wanted:
                name = record.selection.resource.group_resource
                self.note(name, record.since or record.time, record.time)
            return
        if record.of_stream or record not in self._wanted:
            return
        if is_event(record.gvk) and not self._wanted.narrows:
            return
        identity = record.gvk.group, record.gvk.kind, record.namespace, record.name
        if isinstance(self.point, points.Beginning) and (
            not (record.initial and recording.is_in_first_run)
            or identity in self._found  # a later list shows what changed
        ):
            return
        self._found.pop(identity, None)
        if not record.gone:
            state = RecordedObject(record, record.document, *recording.epoch)
            self._found[identity] = state
        if isinstance(self.point, points.AtVersion):
            self.complete = record.resource_version == self.point.resource_version

    def _drop_unlisted(self, selection: Selection, recording: Recording) -> None:
        """Drop what an earlier run saw, and the new list of *selection* does not."""
        if selection in recording.resumed or isinstance(self.point, points.Beginning):
            return
        for identity, state in list(self._found.items()):
            of_list = state.record.selection == selection
            if of_list and state.record.seq < recording.run:
                del self._found[identity]

    def note(self, name: str, since: float, until: float) -> None:
        """Note that what happened to a type between two times is not known."""
        if isinstance(self.point, points.Moment) and since <= self.point.time < until:
            self._gaps[name] = UnknownInterval(since, until)


def snapshots(
    recording: Recording, asked: Iterable[tuple[ObjectFilter, points.Point]]
) -> list[Snapshot]:
    """Return what of *recording* was there at each point, read once.

    After a moment it is read to its end, which tells what nobody saw at that moment.
    Damage there is harmless.
    """
    found = [Snapshot(*each) for each in asked]
    harmless: int | None = None  # the damages before all points are over
    for item in recording:
        if isinstance(item, Aside):
            continue
        for each in found:
            each.take(item, recording)
        if harmless is None and all(each.complete for each in found):
            harmless = len(recording.damages)
            if not any(isinstance(each.point, points.Moment) for each in found):
                break
    for each in found:
        for pause in recording.pauses:
            each.note("", *pause)
    if harmless is not None:
        del recording.damages[harmless:]
    return found


# The line of an index that a point means.


def find_line(index: Index, point: points.Point) -> int:
    """Return the last line of *index*, which is complete, up to *point*.

    The beginning is after the first lists. A version is the first with this
    resourceVersion, of any object. Raises NotRecorded if there is none.
    """
    if isinstance(point, points.First | points.Beginning):
        return _beginning(index)
    if isinstance(point, points.Moment):
        line = index.line_at(point.time)
        return _beginning(index) if line < 0 else line
    if isinstance(point, points.Seq):
        return _of_seq(index, point.seq)
    if isinstance(point, points.AtVersion):
        return _of_version(index, point.resource_version.encode())
    return len(index) - 1


def _beginning(index: Index) -> int:
    listed = False  # whether the first of the lists is complete
    for line in range(len(index)):
        kind = index.type(line)
        listed = listed or kind == "LISTED"
        # The first segment of a ring begins with a SNAPSHOT of each object.
        if not index.is_version(line) or (kind in _WHOLE and not listed):
            continue
        if kind != "ADDED" or _INITIAL not in index.raw(line):
            return line - 1
    return len(index) - 1


def _of_seq(index: Index, seq: int) -> int:
    found = 0
    for line in range(len(index)):
        if index.type(line) == DAMAGED:
            continue
        numbered = _SEQ.match(index.raw(line))
        if numbered and int(numbered[1]) > seq:
            break
        found = line
    return found


def _of_version(index: Index, version: bytes) -> int:
    for line in range(len(index)):
        if index.is_version(line):
            head = HEAD.match(index.raw(line))
            if head is not None and head[9] == version:
                return line
    raise NotRecorded(
        f"no object had the resourceVersion {version.decode()} in the recording"
    )
