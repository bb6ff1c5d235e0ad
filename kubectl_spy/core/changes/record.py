"""The change record: one change of one object, as everything downstream sees it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from kubectl_spy.core.objects import JSON, GroupVersionKind, Selection
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import rfc3339


class ChangeType(Enum):
    """What happened, as far as is known."""

    ADDED = "ADDED"
    """First sight of an object, or of a new uid under an old name."""
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    LEFT = "LEFT"
    """Deleted, or no longer matching a selector: the server does not say which."""
    GAP = "GAP"
    """A change across versions that were, or may have been, missed."""


class ChangeRecord(NamedTuple):
    """One line of output. Field names are a public contract in `as_json`."""

    seq: int
    time: float
    """When it was observed: seconds since the epoch."""
    type: ChangeType
    selection: Selection
    gvk: GroupVersionKind
    namespace: str | None = None
    name: str = ""
    """Empty for a GAP of a whole stream, as is *uid*."""
    uid: str = ""
    resource_version: str = ""
    initial: bool = False
    inferred: bool = False
    listed: bool = False
    """Whether a list showed it that came after the first one: it had happened already,
    and when is not known.
    """
    previous: str | None = None
    managers: tuple[str, ...] = ()
    document: JSON = None
    patch: tuple[PatchOperation, ...] = ()
    elapsed: float | None = None
    """Seconds since this object's previous change, where that was seen."""
    since: float | None = None
    until: float | None = None

    @property
    def identity(self) -> str:
        """Its uid, or its kind, namespace and name if the server sends no uid."""
        return self.uid or f"{self.gvk.kind}/{self.namespace}/{self.name}"

    @property
    def of_stream(self) -> bool:
        """Whether this is a GAP of a whole stream rather than of one object."""
        return not self.name and self.type is ChangeType.GAP

    def patched(
        self, document: JSON, patch: tuple[PatchOperation, ...]
    ) -> ChangeRecord:
        """Return the record with its document and patch."""
        # `_replace` takes five times as long, for each record.
        return record_of((*self[:14], document, patch, *self[16:]))

    def shown(
        self,
        seq: int,
        previous: str,
        document: JSON,
        patch: tuple[PatchOperation, ...],
        elapsed: float | None,
    ) -> ChangeRecord:
        """Return the record as one that is shown, with what depends on that."""
        managers = self[13]
        return record_of(
            (seq, *self[1:12], previous, managers, document, patch, elapsed, *self[17:])
        )

    def as_json(self) -> dict[str, JSON]:
        """Return the record as its JSON object; what does not apply is absent."""
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
        if self.previous is not None:
            line["previous"] = self.previous
        if self.type in (ChangeType.ADDED, ChangeType.MODIFIED, ChangeType.GAP):
            line["managers"] = list(self.managers)
        if self.type is ChangeType.ADDED:
            line["object"] = self.document
        elif self.type in (ChangeType.MODIFIED, ChangeType.GAP):
            line["patch"] = [step.as_json() for step in self.patch]
        return line


record_of: Callable[[tuple[Any, ...]], ChangeRecord] = partial(
    tuple.__new__, ChangeRecord
)
"""Returns the record of all its values, in order: a third of the time of the class."""


class Listed(NamedTuple):
    """A first list is complete: so many *objects* were there already."""

    selection: Selection
    objects: int
    time: float


class Refused(NamedTuple):
    """What was to be followed along cannot be; *message* says what, or why."""

    selection: Selection
    message: str
    time: float


class Probed(NamedTuple):
    """What came back from a port of a Service that was asked; never recorded."""

    uid: str
    """Of the Service."""
    port: int
    protocol: str
    answers: bool | None
    """None: that could not be found out."""
    what: str
    """What came back, in a line."""
    time: float


Item = ChangeRecord | Listed | Refused
"""What a source of changes yields, live or recorded."""
