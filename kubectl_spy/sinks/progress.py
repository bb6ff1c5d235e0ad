"""What a recorder knows of its recording, and of each stream in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.sinks.chain import Chain


@dataclass(slots=True)
class Progress:
    """The progress of a recording, without what was deleted."""

    objects: int = 0
    referred: int = 0  # how many of them are only referred to
    changes: int = 0
    earlier: int = 0  # earlier writes that something else tells of
    size: int = 0  # bytes of all segments
    began: float = 0.0
    last: float | None = None  # the time of the last change: seconds since the epoch


@dataclass(slots=True)
class StreamState:
    """One list and watch."""

    number: int
    selection: Selection
    listed: int | None = None
    refused: dict[str, JSON] = field(default_factory=dict)  # why it cannot be listed
    chains: dict[str, Chain] = field(default_factory=dict)
    keys: int = 0  # how many of the keys that were used are written in this segment

    def listed_line(self) -> dict[str, JSON]:
        """Return the members of its LISTED line."""
        return {"stream": self.number, "objects": self.listed}
