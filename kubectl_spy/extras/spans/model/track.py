"""One object through its versions: its phases and its spec changes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.cluster.clocks import Instant
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Fact
from kubectl_spy.core.fields import mappings, moment
from kubectl_spy.core.headlines.edits import changed
from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.extras.spans.model.clocks import Clocks
from kubectl_spy.extras.spans.model.naming import (
    Attributes,
    controller_kind,
    links,
    object_attributes,
)
from kubectl_spy.extras.spans.model.object_state import (
    ObjectState,
    PastPhase,
    creation_time,
    past_phases,
    rolling_out,
    settled_since,
    state_of,
    was_settled,
)
from kubectl_spy.extras.spans.model.specs import (
    NO_REVISION,
    REVISED,
    Revision,
    SpecChange,
    desired,
    operation,
    revision,
)

_VERSIONS = 100  # versions that are remembered, for Events whose reporters saw them
_LATE = 1.0  # seconds by which an Event may come after the change that it is about


class Phase(NamedTuple):
    """A phase of an object; it goes on while *end* is None."""

    name: str
    start: Instant
    end: Instant | None
    error: Fact | str = ""


@dataclass(slots=True)
class Track:
    """The phases and changes of one object, from its own versions."""

    uid: str
    gvk: GroupVersionKind
    namespace: str | None
    name: str
    initial: bool  # whether it existed before it was first seen
    first_seen: float
    managers: tuple[str, ...] = ()
    """The field managers of the first version seen, if it was seen being written."""
    attributes: Attributes = ()
    links: tuple[str, ...] = ()
    owner: GroupVersionKind | None = None  # the kind of its controller
    revision: Revision = NO_REVISION
    rolling: bool = False  # whether it was in a rollout when it was first listed
    created: Instant | None = None
    deleted: float | None = None
    ended: Instant | None = None  # when it finished its work, or its deletion began
    phases: list[Phase] = field(default_factory=list)
    changes: list[SpecChange] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    """The key of the current change, by resourceVersion; only of versions that were
    seen being made."""
    _document: dict[str, JSON] | None = None
    _newest: float = 0.0  # the latest transition of a condition so far
    _last_seen: float = 0.0

    def observe(
        self,
        record: ChangeRecord,
        entry: Entry | None,
        clocks: Clocks,
        lost_at: float | None = None,
    ) -> None:
        """Take in a version; *entry* None means that the object was deleted.

        *lost_at* is when the connection was lost, for the first list after that.
        """
        if entry is None:
            self._delete(record.time)
            return
        document = entry.document
        state = state_of(entry)
        self._compare_clocks(record, document, clocks)
        self._describe(document)
        if self._document is None:
            self._first_version(record, document, state, lost_at)
        else:
            self.deleted = None
            began = Instant(record.time)
            if record.initial or record.listed:
                lost_at = max(self._last_seen, lost_at or self._last_seen)
                began = self._add_missed_phases(record.time, document, state, lost_at)
            self._change_spec(record, document, state)
            self._change_phase(state, began)
            self._end_change(state, began)
        if self.changes[-1].listed:
            self.rolling = self.rolling or rolling_out(self.gvk, document)
        if not (record.initial or record.listed or record.type is ChangeType.GAP):
            self.versions[record.resource_version] = self.changes[-1].key
            if len(self.versions) > _VERSIONS:
                del self.versions[next(iter(self.versions))]
        self._document = document
        self._last_seen = record.time

    def _compare_clocks(
        self, record: ChangeRecord, document: dict[str, JSON], clocks: Clocks
    ) -> None:
        """Compare clocks by a time in the object that was set just now."""
        transitions = (
            moment(each, "lastTransitionTime")
            for each in mappings(document, "status", "conditions")
        )
        newest = max((each for each in transitions if each is not None), default=0.0)
        if record.type is ChangeType.ADDED and not (record.initial or record.listed):
            created = creation_time(document)
            if created is not None:
                clocks.compare(created, record.time)
        elif record.type is not ChangeType.MODIFIED or record.listed:
            pass  # nobody knows when it was made
        elif newest > self._newest:
            clocks.compare(newest, record.time)
        self._newest = max(newest, self._newest)

    def _describe(self, document: dict[str, JSON]) -> None:
        self.revision = revision(self.gvk, document)
        self.attributes = object_attributes(
            self.gvk, self.namespace, self.name, document
        )
        self.links = links(document)
        self.owner = controller_kind(document) or self.owner

    def _first_version(
        self,
        record: ChangeRecord,
        document: dict[str, JSON],
        state: ObjectState,
        lost_at: float | None,
    ) -> None:
        self.managers = record.managers
        now = Instant(record.time)
        self.created = now
        began: Instant | None = None
        if self.initial:
            created = creation_time(document)
            if created is not None:
                self.created = Instant(created, record.time, lost_at)
            past = past_phases(self.gvk, document, state)
            self._add_past(past, record.time, lost_at)
            if state.since is not None:
                began = Instant(state.since, record.time, lost_at)
            elif past:
                began = self.phases[-1].end
        was_ready = (
            self.initial and not state.settled and was_settled(self.gvk, document)
        )
        if was_ready:
            began = began or now
        template = self.revision.template
        deleting = state.phase == "Terminating"
        generation, key = desired(document, (began or self.created).time)
        revised = isinstance(generation, int) and generation != 1
        if self.initial and (deleting or revised):
            # The time of the last change is unknown, but that of the first is not.
            at = self.created
            self.changes = [SpecChange("create", "1", at, at, (), template)]
            if state.settled:
                last = SpecChange("", REVISED, now, now, (), template, listed=True)
            else:
                began = began or now
                name, key = ("delete", "delete") if deleting else ("update", key)
                last = SpecChange(name, key, began, None, (), template, listed=True)
            self.changes.append(last)
        else:
            name = "delete" if deleting else "create"
            # If it was ready before, it is unready for another reason.
            end = (
                self.created if self.initial and (state.settled or was_ready) else None
            )
            who = _authors(record)
            self.changes = [SpecChange(name, key, self.created, end, who, template)]
        self._change_phase(state, began or self.created)
        self._end_change(state, now)

    def _add_past(
        self, past: list[PastPhase], read_at: float, lost_at: float | None
    ) -> None:
        for name, start, end in past:
            first, last = (Instant(each, read_at, lost_at) for each in (start, end))
            self.phases.append(Phase(name, first, last))

    def _add_missed_phases(
        self,
        read_at: float,
        document: dict[str, JSON],
        state: ObjectState,
        lost_at: float,
    ) -> Instant:
        """Add phases between two seen versions. Return when the current phase began."""
        past = past_phases(self.gvk, document, state)
        names = [each.name for each in past]
        last = self.phases[-1] if self.phases else None
        if (
            last is not None
            and last.end is None
            and last.name != state.phase
            and last.name in names
        ):
            same, *missed = past[names.index(last.name) :]
            end = Instant(same.end, read_at, lost_at)
            self.phases[-1] = last._replace(end=end)
            self._add_past(missed, read_at, lost_at)
        since = state.since
        if state.settled:
            since = settled_since(self.gvk, document, state)
        return Instant(read_at) if since is None else Instant(since, read_at, lost_at)

    def _change_spec(
        self, record: ChangeRecord, document: dict[str, JSON], state: ObjectState
    ) -> None:
        last = self.changes[-1]
        if state.phase == "Terminating":
            if last.operation == "delete":
                return
            name = key = "delete"
        else:
            before, _ = desired(self._document, record.time)
            after, key = desired(document, record.time)
            if before == after:
                return
            name = operation(self._document, document)
            if last.key.rstrip("+") == key:  # the time: changes of one batch share it
                key = f"{last.key}+"
        # No object says when its spec was changed, not even in a list.
        start = Instant(record.time)
        if last.end is None:
            self.changes[-1] = last._replace(end=start)
        template = self.revision.template
        what = changed(record.patch, document) if name != "delete" else ""
        change = SpecChange(name, key, start, None, _authors(record), template)
        self.changes.append(change._replace(what=what))

    def _change_phase(self, state: ObjectState, since: Instant) -> None:
        ended = state.phase == "Terminating" or (state.final and not state.error)
        self.ended = (self.ended or since) if ended else None
        last = self.phases[-1] if self.phases else None
        if last is not None and last.end is None:
            if last.name == state.phase and not state.settled:
                error = state.error or last.error
                self.phases[-1] = last._replace(error=error)
                return
            error = (state.error if state.settled else "") or last.error
            self.phases[-1] = last._replace(end=since, error=error)
            if state.settled:
                return
        if not state.settled:
            self.phases.append(Phase(state.phase, since, None, state.error))
        elif state.error and not (last is not None and last.error):
            # Settled to failed in one version: record a phase without duration.
            self.phases.append(Phase(state.phase, since, since, state.error))

    def _end_change(self, state: ObjectState, at: Instant) -> None:
        last = self.changes[-1]
        if last.end is None and (state.settled or (state.final and state.error)):
            self.changes[-1] = last._replace(end=at, error=state.error)

    def _delete(self, time: float) -> None:
        self.deleted = time
        end = Instant(time)
        self.ended = self.ended or end
        if self.phases and self.phases[-1].end is None:
            self.phases[-1] = self.phases[-1]._replace(end=end)
        if not self.changes:
            return
        last = self.changes[-1]
        if last.operation == "delete" or last.end is None:
            self.changes[-1] = last._replace(end=end)
        if last.operation != "delete":
            self.changes.append(SpecChange("delete", "delete", end, end, ()))

    def changing_since(self, at: float, clocks: Clocks) -> float:
        """Return when the observed change in progress at *at* began, or *at*."""
        for change in reversed(self.changes):
            if change.start.time <= at and not change.start.past:
                end = math.inf if change.end is None else clocks.local(change.end)
                return change.start.time if at <= end + _LATE else at
        return at

    def trim(self, before: float, clocks: Clocks) -> None:
        """Drop phases and changes *before* a time, but not the last ones."""
        self.phases = [
            each
            for each in self.phases[:-1]
            if each.end is None or clocks.local(each.end) >= before
        ] + self.phases[-1:]
        starts = [clocks.local(each.start) for each in self.changes]
        later = (index for index, start in enumerate(starts) if start >= before)
        del self.changes[: max(next(later, len(starts)) - 1, 0)]


def _authors(record: ChangeRecord) -> tuple[str, ...]:
    """Return who changed the spec; nobody if several of the missed writers may have."""
    missed = record.listed or record.type is ChangeType.GAP
    return () if missed and len(record.managers) > 1 else record.managers
