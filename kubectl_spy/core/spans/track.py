"""One object through its versions: its phases, the changes of its spec, its owners."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.cluster.inventory import Entry, owner_uids
from kubectl_spy.core.cluster.references import (
    Labels,
    Reference,
    Selector,
    labels,
    references,
    selected,
)
from kubectl_spy.core.fields import mappings, moment, text
from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.core.spans.attributes import Attributes, of_object
from kubectl_spy.core.spans.clocks import Clocks, Instant
from kubectl_spy.core.spans.identity import links
from kubectl_spy.core.spans.past import (
    born,
    past_phases,
    rolling_out,
    settled_since,
    was_settled,
)
from kubectl_spy.core.spans.specs import (
    NO_REVISION,
    REVISED,
    Revision,
    SpecChange,
    operation,
    revision,
    wanted,
)
from kubectl_spy.core.spans.states import ObjectState, state_of
from kubectl_spy.core.times import rfc3339

_VERSIONS = 100
"""Versions that are remembered, for the Events whose reporters saw them."""
_LATE = 1.0
"""Seconds by which Events may come late."""


class Phase(NamedTuple):
    """A time that an object spent in a phase; *end* None is until now."""

    name: str
    start: Instant
    end: Instant | None
    error: str = ""


@dataclass(slots=True)
class Track:
    """What is known of one object over time. It is told its own versions only."""

    uid: str
    gvk: GroupVersionKind
    namespace: str | None
    name: str
    initial: bool
    """Whether it was there already when it was seen first: a list showed it."""
    seen: float
    """When it was seen first."""
    aliases: tuple[str, ...] = ()
    """What Events may name it by, beside its uid."""
    managers: tuple[str, ...] = ()
    """Who wrote it when it was seen first, as far as that was seen."""
    attributes: Attributes = ()
    links: tuple[str, ...] = ()
    owners: dict[str, None] = field(default_factory=dict)
    """The uids of all it ever belonged to."""
    owner: GroupVersionKind | None = None
    """The kind of its controller."""
    references: set[Reference] = field(default_factory=set)
    """All that it ever named."""
    selected: set[Selector] = field(default_factory=set)
    labels: set[Labels] = field(default_factory=set)
    revision: Revision = NO_REVISION
    rolling: bool = False
    """Whether a new template was being rolled out when a list showed it first."""
    born: Instant | None = None
    gone: float | None = None
    over: Instant | None = None
    """Since when it has done its work, or is being deleted."""
    phases: list[Phase] = field(default_factory=list)
    changes: list[SpecChange] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    """By resourceVersion seen as it was made, the key of the change it came of."""
    _document: dict[str, JSON] | None = None
    _newest: float = 0.0
    _latest: float = 0.0
    """When it was seen last."""

    def observe(
        self,
        record: ChangeRecord,
        entry: Entry | None,
        clocks: Clocks,
        since: float | None = None,
    ) -> None:
        """Take in a version; *entry* None means that the object is gone.

        *since* is when the connection was lost, if a later list brought this version.
        """
        if entry is None:
            self._end(record.time)
            return
        document = entry.document
        state = state_of(entry)
        first = self._document is None
        self.revision = revision(self.gvk, document)
        self._compare(record, document, clocks)
        uid = text(document, "metadata", "uid")
        self.attributes = of_object(self.gvk, self.namespace, self.name, uid, document)
        self.links = links(document)
        self.owners.update(dict.fromkeys(owner_uids(document)))
        self.owner = _controller(document) or self.owner
        self.references.update(references(self.gvk, document))
        if (selector := selected(self.gvk, document)) is not None:
            self.selected.add(selector)
        if (labelled := labels(self.gvk, document)) is not None:
            self.labels.add(labelled)
        if first:
            self._begin(record, document, state, since)
        else:
            self.gone = None
            began = Instant(record.time)
            if record.initial or record.listed:
                since = self._latest if since is None else max(since, self._latest)
                began = self._catch_up(record.time, document, state, since)
            self._change(record, document, state)
            self._go_on(state, began)
            self._settle(state, began)
        if self.changes[-1].listed:
            self.rolling = self.rolling or rolling_out(self.gvk, document)
        if record.type is ChangeType.MODIFIED and not record.listed:
            self.versions[record.resource_version] = self.changes[-1].key
            if len(self.versions) > _VERSIONS:
                del self.versions[next(iter(self.versions))]
        self._document = document
        self._latest = record.time

    def _catch_up(
        self, seen: float, document: dict[str, JSON], state: ObjectState, since: float
    ) -> Instant:
        """Tell what nobody saw of the phases since then; return when this one began."""
        past = past_phases(self.gvk, document, state)
        current = self.phases[-1] if self.phases else None
        if current is not None and current.end is None:
            names = [each.name for each in past]
            if current.name != state.phase and current.name in names:
                own, *missed = past[names.index(current.name) :]
                end = Instant(own.end, seen, since)
                self.phases[-1] = current._replace(end=end)
                self.phases += [
                    Phase(name, Instant(start, seen, since), Instant(end, seen, since))
                    for name, start, end in missed
                ]
        said = state.since
        if state.settled:
            said = settled_since(self.gvk, document, state)
        return Instant(seen) if said is None else Instant(said, seen, since)

    def _begin(
        self,
        record: ChangeRecord,
        document: dict[str, JSON],
        state: ObjectState,
        since: float | None,
    ) -> None:
        self.managers = record.managers
        created = born(document)
        seen = record.time
        if not self.initial or created is None:
            self.born = Instant(seen)
        else:
            self.born = Instant(created, seen, since)
        began = self.born
        over = self.initial and not state.settled and was_settled(self.gvk, document)
        if self.initial:
            past = past_phases(self.gvk, document, state)
            self.phases = [
                Phase(name, Instant(start, seen, since), Instant(end, seen, since))
                for name, start, end in past
            ]
            said = state.since
            if said is None and past:
                said = past[-1].end
            if said is not None:
                began = Instant(said, seen, since)
            elif over:
                began = Instant(seen)
        generation, key = wanted(document, began.time)
        deleting = state.phase == "Terminating"
        numbered = isinstance(generation, int)
        made = not self.initial or generation == 1 or not numbered
        if self.initial and not (made and not deleting):
            # When it was changed last cannot be told of what is settled; when it was
            # made, can.
            at, pods = self.born, self.revision.template
            self.changes = [SpecChange("create", "1", at, at, (), pods)]
            if state.settled:
                at = Instant(seen)
                self.changes.append(SpecChange("", REVISED, at, at, (), pods, True))
            else:
                name, start = "delete" if deleting else "update", began
                if began is self.born:
                    start = began = Instant(seen)
                key = "delete" if deleting else key
                self.changes.append(SpecChange(name, key, start, None, (), pods, True))
        else:
            name, who = "delete" if deleting else "create", _author(record)
            self.changes = [
                SpecChange(name, key, self.born, None, who, self.revision.template)
            ]
        if self.initial and made and (state.settled or (over and not deleting)):
            # That it is unready again is no part of how it came to be.
            self.changes[-1] = self.changes[-1]._replace(end=self.born)
        self._go_on(state, began)
        self._settle(state, Instant(seen))

    def _change(
        self,
        record: ChangeRecord,
        document: dict[str, JSON],
        state: ObjectState,
    ) -> None:
        before, _ = wanted(self._document, record.time)
        after, key = wanted(document, record.time)
        deleting = state.phase == "Terminating"
        if deleting and self.changes[-1].operation != "delete":
            self._supersede("delete", "delete", record)
        elif before != after and not deleting:
            self._supersede(operation(self._document, document), key, record)

    def _supersede(self, name: str, key: str, record: ChangeRecord) -> None:
        # When it was asked for is not said, even of what only a list shows.
        start = Instant(record.time)
        last = self.changes[-1]
        if last.end is None:
            self.changes[-1] = last._replace(end=start)
        who = _author(record)
        self.changes.append(
            SpecChange(name, key, start, None, who, self.revision.template)
        )

    def _go_on(self, state: ObjectState, since: Instant) -> None:
        """Begin the phase that the object is in, if it is in another one."""
        over = state.phase == "Terminating" or (state.final and not state.error)
        self.over = (self.over or since) if over else None
        last = self.phases[-1] if self.phases else None
        current = last if last is not None and last.end is None else None
        if current is not None and current.name == state.phase and not state.settled:
            if state.error:
                self.phases[-1] = current._replace(error=state.error)
            return
        if current is not None:
            error = state.error if state.settled else ""
            error = error or current.error
            self.phases[-1] = current._replace(end=since, error=error)
        if not state.settled:
            self.phases.append(Phase(state.phase, since, None, state.error))
        elif state.error and current is None and not (last is not None and last.error):
            # From fine to beyond hope at once: that took no time, but is to be told.
            self.phases.append(Phase(state.phase, since, since, state.error))

    def changing_since(self, at: float, clocks: Clocks) -> float:
        """Return when the observed change in progress at *at* began, or *at*."""
        for change in reversed(self.changes):
            if change.start.time <= at and not change.start.past:
                end = math.inf if change.end is None else clocks.ours(change.end)
                return change.start.time if at <= end + _LATE else at
        return at

    def trim(self, before: float, clocks: Clocks) -> None:
        """Forget what was over *before* a time, but for the last there is."""
        self.phases = [
            each
            for each in self.phases[:-1]
            if each.end is None or clocks.ours(each.end) >= before
        ] + self.phases[-1:]
        later = (
            place
            for place, each in enumerate(self.changes)
            if clocks.ours(each.start) >= before
        )
        at = next(later, len(self.changes))
        del self.changes[: max(at - 1, 0)]

    def _settle(self, state: ObjectState, at: Instant) -> None:
        last = self.changes[-1]
        if last.end is None and (state.settled or (state.final and state.error)):
            self.changes[-1] = last._replace(end=at, error=state.error)

    def _end(self, time: float) -> None:
        self.gone = time
        end = Instant(time)
        self.over = self.over or end
        if self.phases and self.phases[-1].end is None:
            self.phases[-1] = self.phases[-1]._replace(end=end)
        if not self.changes:
            return
        if self.changes[-1].operation != "delete":
            if self.changes[-1].end is None:
                self.changes[-1] = self.changes[-1]._replace(end=end)
            self.changes.append(SpecChange("delete", "delete", end, end, ()))
        else:
            self.changes[-1] = self.changes[-1]._replace(end=end)

    def _compare(
        self, record: ChangeRecord, document: dict[str, JSON], clocks: Clocks
    ) -> None:
        """Let *clocks* know of a time that was said as it happened."""
        said = [
            moment(each, "lastTransitionTime")
            for each in mappings(document, "status", "conditions")
        ]
        newest = max((each for each in said if each is not None), default=0.0)
        if record.type is ChangeType.ADDED and not (record.initial or record.listed):
            created = born(document)
            if created is not None:
                clocks.compare(created, record.time)
        elif record.type is ChangeType.MODIFIED and newest > self._newest:
            clocks.compare(newest, record.time)
        self._newest = max(newest, self._newest)


def _author(record: ChangeRecord) -> tuple[str, ...]:
    """Return who changed the spec: of several writes, it is not known which did."""
    missed = record.listed or record.type is ChangeType.GAP
    return () if missed and len(record.managers) > 1 else record.managers


def stamp(instant: Instant) -> str:
    """Return *instant* as it was said or seen: what ids are made of."""
    return rfc3339(max(instant.time, 0.0))


def _controller(document: JSON) -> GroupVersionKind | None:
    for each in mappings(document, "metadata", "ownerReferences"):
        if each.get("controller") is True:
            group, _, version = text(each, "apiVersion").rpartition("/")
            return GroupVersionKind(group, version, text(each, "kind"))
    return None
