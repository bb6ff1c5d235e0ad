"""The state of a history: the last version of each object of each stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from kubectl_spy.core.changes import managers
from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.core.patch.compact import Compact, Parsed, compacted

_DEPARTED = 10_000  # the most objects of a selection to remember after they left it

T = TypeVar("T")


def set_aside(departed: dict[str, T], identity: str, known: T) -> None:
    """Remember in *departed* an object that left its selection: it may return."""
    departed[identity] = known
    if len(departed) > _DEPARTED:
        departed.pop(next(iter(departed)))


@dataclass(slots=True)
class Version:
    """The last version of one object."""

    name: str
    namespace: str | None
    resource_version: str
    document: Compact | Parsed
    stamps: managers.Stamps
    epoch: int
    """The stream's epoch of this version. A later epoch means a possible gap."""
    recorded: str  # the resourceVersion of the object's last record


@dataclass(slots=True)
class Stream:
    """The objects of one selection."""

    selection: Selection
    present: dict[str, Version] = field(default_factory=dict)
    departed: dict[str, Version] = field(default_factory=dict)
    names: dict[tuple[str | None, str], str] = field(default_factory=dict)
    """The uid by namespace and name."""
    listed: set[str] | None = None  # the uids in the current list
    synced: bool = False  # whether a first list was complete
    ended: tuple[str, str] = ("", "")
    """The uid and resourceVersion of the last DELETED, which a server may repeat."""
    epoch: int = 0  # grows whenever versions may have been missed
    suspect_since: float | None = None
    """Since when versions may be missing, if a new list shows a difference."""

    def kept(self, document: JSON) -> Compact | Parsed:
        """Return *document* as it is kept: parsed for a selection of one object."""
        return compacted(document) if self.selection.name is None else Parsed(document)
