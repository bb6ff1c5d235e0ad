"""Finds all objects in a recording as they were at points."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_spy.core.changes.points import (
    AtVersion,
    Beginning,
    Moment,
    Point,
    is_after,
)
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item, Listed
from kubectl_spy.core.cluster.events import is_event
from kubectl_spy.core.objects import Selection
from kubectl_spy.sources.recording.gap_tracker import UnknownInterval
from kubectl_spy.sources.recording.object_filter import ObjectFilter
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.states import RecordedObject


class Snapshot:
    """The *wanted* objects at *point*, from the records in order.

    Events are left out unless *wanted* names them.
    """

    def __init__(self, wanted: ObjectFilter, point: Point) -> None:
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
        self.complete = self.complete or is_after(record, self.point)
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
        if isinstance(self.point, Beginning) and (
            not (record.initial and recording.is_in_first_run)
            or identity in self._found  # a later list shows what changed
        ):
            return
        self._found.pop(identity, None)
        if not record.gone:
            state = RecordedObject(record, record.document, *recording.epoch)
            self._found[identity] = state
        if isinstance(self.point, AtVersion):
            self.complete = record.resource_version == self.point.resource_version

    def _drop_unlisted(self, selection: Selection, recording: Recording) -> None:
        """Drop what an earlier run saw, and the new list of *selection* does not."""
        if selection in recording.resumed or isinstance(self.point, Beginning):
            return
        for identity, state in list(self._found.items()):
            of_list = state.record.selection == selection
            if of_list and state.record.seq < recording.run:
                del self._found[identity]

    def note(self, name: str, since: float, until: float) -> None:
        """Note that what happened to a type between two times is not known."""
        if isinstance(self.point, Moment) and since <= self.point.time < until:
            self._gaps[name] = UnknownInterval(since, until)


def snapshots(
    recording: Recording, asked: Iterable[tuple[ObjectFilter, Point]]
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
            if not any(isinstance(each.point, Moment) for each in found):
                break
    for each in found:
        for pause in recording.pauses:
            each.note("", *pause)
    if harmless is not None:
        del recording.damages[harmless:]
    return found
