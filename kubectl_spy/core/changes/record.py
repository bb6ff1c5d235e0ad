"""The change record: one change of one object. The items that sources yield."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.objects import JSON, GroupVersionKind, Selection
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import rfc3339


class ChangeType(Enum):
    """What happened to an object."""

    ADDED = "ADDED"  # a new object, or a new uid under an old name
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    LEFT = "LEFT"  # deleted, or no longer selected: the server does not say which
    GAP = "GAP"  # a change between two versions; others in between may be missing


class Edited(NamedTuple):
    """A write of an object by a client."""

    time: float  # by the API server's clock, in whole seconds since the epoch
    manager: str  # "" if several wrote within that second
    managed: JSON = None
    """The managedFields of clients that own parts of the Pod template, if watched."""


class Actor(NamedTuple):
    """Who made a change, by an audit log."""

    user: str
    agent: str
    """The program: `kubectl/v1.36.2`."""
    address: str
    likely: bool = False
    """Whether it was found by time only."""

    def __str__(self) -> str:
        said = ", ".join(filter(None, (self.user, self.agent, self.address)))
        return f"likely {said}" if self.likely else said


class ChangeRecord(NamedTuple):
    """One change. `as_json` is a public contract: docs/change-record.md."""

    seq: int
    time: float  # when it was observed, in seconds since the epoch
    type: ChangeType
    selection: Selection
    gvk: GroupVersionKind
    namespace: str | None = None
    name: str = ""  # empty for a GAP of a whole stream, like *uid*
    uid: str = ""
    resource_version: str = ""
    initial: bool = False
    inferred: bool = False
    listed: bool = False
    """Whether a later list showed it. When it happened is then not known."""
    previous: str | None = None
    managers: tuple[str, ...] = ()
    document: JSON = None
    patch: tuple[PatchOperation, ...] = ()
    elapsed: float | None = None  # seconds since its previous change; None if unknown
    since: float | None = None
    until: float | None = None
    written: float | None = None
    """By when its status was written at the latest, where a list showed it."""
    edited: Edited | None = None
    """The last write by anyone but a controller, where a list showed it."""
    actor: Actor | None = None  # who made the change, if an audit log tells
    bound: bool = False  # whether *time* is only the latest time at which it was made
    first: bool = False
    """Whether it is the first version that the server remembers of an older object."""

    @property
    def identity(self) -> str:
        """The uid, or the kind, namespace and name if the server sends no uid."""
        return self.uid or f"{self.gvk.kind}/{self.namespace}/{self.name}"

    @property
    def label(self) -> str:
        """The kind and name of the object, for messages."""
        return f"{self.gvk.printed}/{self.name}"

    @property
    def full_label(self) -> str:
        """The kind, the name and the namespace of the object, for messages."""
        return f"{self.label} -n {self.namespace}" if self.namespace else self.label

    @property
    def gone(self) -> bool:
        """Whether the object was deleted, or left its selection."""
        return self.type is ChangeType.DELETED or self.type is ChangeType.LEFT

    @property
    def of_stream(self) -> bool:
        """Whether this is a GAP of a whole stream."""
        return not self.name and self.type is ChangeType.GAP

    def as_json(self) -> dict[str, JSON]:
        """Return the record as a JSON object. Members that do not apply are absent."""
        line: dict[str, JSON] = {
            "seq": self.seq,
            "time": rfc3339(self.time),
            "type": self.type.value,
            "apiVersion": self.gvk.api_version,
            "kind": self.gvk.kind,
        }
        if self.namespace:
            line["namespace"] = self.namespace
        if self.of_stream:
            line["since"] = rfc3339(self.since or self.time)
            line["until"] = rfc3339(self.until or self.time)
            return line
        line["name"] = self.name
        line["uid"] = self.uid
        line["resourceVersion"] = self.resource_version
        if self.initial:
            line["initial"] = True
        if self.inferred:
            line["inferred"] = True
        if self.listed:
            line["listed"] = True
        if self.written is not None:
            line["written"] = rfc3339(self.written)
        if self.previous is not None:
            line["previous"] = self.previous
        if self.type in (ChangeType.ADDED, ChangeType.MODIFIED, ChangeType.GAP):
            line["managers"] = list(self.managers)
        if self.bound:
            line["timeIsBound"] = True
        if self.first:
            line["firstRemembered"] = True
        if self.actor is not None:
            line["audit"] = self.actor._asdict()
        if self.type is ChangeType.ADDED:
            line["object"] = self.document
        elif self.type in (ChangeType.MODIFIED, ChangeType.GAP):
            line["patch"] = [step.as_json() for step in self.patch]
        return line


def stream_gap(
    selection: Selection, since: float, until: float, *, seq: int = 0
) -> ChangeRecord:
    """Return the GAP of a whole stream, which is observed at its end."""
    return ChangeRecord(
        seq=seq,
        time=until,
        type=ChangeType.GAP,
        selection=selection,
        gvk=selection.resource.gvk,
        namespace=selection.namespace,
        since=since,
        until=until,
    )


def as_record(write: EarlierWrite, document: JSON = None) -> ChangeRecord:
    """Return *write* in the form of a change, without a version. It is not applied."""
    return ChangeRecord(
        seq=0,
        time=write.until,
        type=ChangeType.MODIFIED,
        selection=write.selection,
        gvk=write.gvk,
        namespace=write.namespace,
        name=write.name,
        uid=write.uid,
        managers=write.managers,
        document=document,
        patch=write.patch or tuple(map(_owned, write.fields)),
    )


def _owned(path: str) -> PatchOperation:
    return PatchOperation("replace", path)


class Listed(NamedTuple):
    """A first list is complete, with this number of *objects*."""

    selection: Selection
    objects: int
    time: float


class Refused(NamedTuple):
    """A selection cannot be watched. *message* says why."""

    selection: Selection
    message: str
    time: float
    forbidden: bool = False  # whether a right is missing


class Watched(NamedTuple):
    """The watch of a selection broke, or works again. *message* says how."""

    selection: Selection
    back: bool | None  # None if an earlier format does not tell which
    message: str
    time: float
    ended: bool = False  # whether its recorder ended: the next list is a first one


class Horizon(NamedTuple):
    """What the server remembered of a selection from before its first list."""

    selection: Selection
    time: float  # from when on it was asked for, in seconds since the epoch
    exact: float | None
    """From when on all writes are known; None if only from its list on."""
    writes: int = 0  # how many were remembered
    first: float | None = None  # when the first of them was made
    whole: bool = False  # whether all since *time* are known
    reason: str = ""  # why nothing could be had

    def as_json(self) -> dict[str, JSON]:
        """Return the members of a HORIZON line."""
        line: dict[str, JSON] = {"writes": self.writes}
        if self.exact is not None:
            line["exact"] = rfc3339(self.exact)
        if self.reason:
            return {**line, "reason": self.reason}
        if self.first is not None:
            line["first"] = rfc3339(self.first)
        return {**line, "whole": self.whole}


class Probed(NamedTuple):
    """The answer of a port of a Service to `--probe`. It is not recorded."""

    uid: str  # the uid of the Service
    port: int
    protocol: str
    answers: bool | None  # whether it answers, or None if that is not known
    what: str  # the answer, in one line
    time: float


class ContainerRun(NamedTuple):
    """One run of a container of a Pod."""

    uid: str  # the uid of the Pod
    namespace: str
    name: str  # the name of the Pod
    container: str
    container_id: str  # the ID in the Pod's status, which is another one for each run


class Logged(NamedTuple):
    """The end of the log of a container that failed. It is not masked."""

    run: ContainerRun
    lines: tuple[str, ...]  # the last that are not blank; () if nothing was written
    cut: bool  # whether the end of the last line is missing
    time: float  # when it was read

    def as_json(self) -> dict[str, JSON]:
        """Return the members of a LOG line."""
        of = dict(zip(LOG_MEMBERS, self.run, strict=True))
        return {**of, "lines": list(self.lines), "cut": self.cut}


LOG_MEMBERS = ("uid", "namespace", "name", "container", "containerID")
"""The members of a LOG line that name a `ContainerRun`."""

OfStream = Listed | Refused | Watched | Horizon
"""What is known of all objects of a selection: `Coverage` takes it in."""
Item = ChangeRecord | OfStream  # what a source yields, live or recorded
Aside = Logged | EarlierWrite  # what it yields beside: neither may be applied
