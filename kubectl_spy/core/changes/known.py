"""What is known of the objects of each stream: the state that a history keeps."""

from __future__ import annotations

from dataclasses import dataclass, field

from kubectl_spy.core.changes import managers
from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.core.patch.compact import Compact, Parsed, compacted

DEPARTED = 10_000
"""How many objects that left a selection are remembered, for when they return."""


@dataclass(slots=True)
class Version:
    """The last version seen of one object."""

    name: str
    namespace: str | None
    resource_version: str
    document: Compact | Parsed
    stamps: managers.Stamps
    epoch: int
    """The stream's epoch it was seen in; from an older one, versions may be missing."""
    recorded: str
    """resourceVersion of the object's last record."""


@dataclass(slots=True)
class Stream:
    """What is known of the objects of one selection."""

    selection: Selection
    present: dict[str, Version] = field(default_factory=dict)
    departed: dict[str, Version] = field(default_factory=dict)
    names: dict[tuple[str | None, str], str] = field(default_factory=dict)
    """uid by namespace and name."""
    listed: set[str] | None = None
    """uids of the list under way."""
    synced: bool = False
    """Whether a first list was complete."""
    ended: tuple[str, str] = ("", "")
    """uid and resourceVersion of the last DELETED: a server may repeat it."""
    epoch: int = 0
    suspect_since: float | None = None
    """A list again, with no sign so far that anything was missed."""

    def kept(self, document: JSON) -> Compact | Parsed:
        """Return what to keep of *document*: all of it, of one that has a name."""
        return compacted(document) if self.selection.name is None else Parsed(document)
