"""The lines of a recording, as values. `line_reading` makes them of bytes."""

from __future__ import annotations

from typing import Any, NamedTuple

from kubectl_spy.core.changes.record import ChangeType, ContainerRun
from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.core.patch.list_keys import Key

CHANGES = frozenset(each.value for each in ChangeType)
"""The types of lines that are change records."""
OF_OBJECTS = CHANGES | {"SNAPSHOT"}
"""The types of lines about objects. A GAP without a name is about a stream."""
HEADERS = ("HEADER", "RESUME")

Names = tuple[str, str, str | None, str]
"""The apiVersion, kind, namespace and name of an object."""


class BadLine(ValueError):
    """A damaged line, or one that does not fit."""


class VersionKey(NamedTuple):
    """Which version of which object a line shows, and whether the object is gone."""

    identity: str
    version: str
    initial: bool
    gone: bool


class ObjectLine(NamedTuple):
    """A line about an object: what its beginning says. `members_of` reads the rest."""

    seq: int
    time: float  # when it was written, in seconds since the epoch, as for all lines
    type: str  # of OF_OBJECTS
    stream: int  # -1 if it names none, as for all lines
    names: Names
    uid: str  # "" if the server sends none
    seen: VersionKey
    inferred: bool
    listed: bool
    previous: str | None
    raw: bytes  # the whole line

    @property
    def name(self) -> str:
        """The name of the object."""
        return self.names[3]


class StreamGap(NamedTuple):
    """A GAP of a whole stream."""

    seq: int
    time: float
    type: str
    stream: int
    names: Names  # with the name ""
    since: float
    until: float


_TYPED = (1, 6)  # the first version whose RECONNECT lines have a `state`


def tells_states(header: dict[str, Any]) -> bool:
    """Return whether RECONNECT lines after this *header* have a stream and a state."""
    numbers = str(header.get("version", "")).split(".")
    return all(map(str.isdecimal, numbers)) and tuple(map(int, numbers)) >= _TYPED


class HeaderLine(NamedTuple):
    """A HEADER or RESUME, with all its *members*."""

    seq: int
    time: float
    type: str
    stream: int
    members: dict[str, Any]

    @property
    def recording(self) -> JSON:
        """What names the recording, in all its segments."""
        return self.members.get("recording")

    @property
    def after(self) -> int | None:
        """The last line that is noted as delivered, in a RESUME."""
        number = self.members.get("after") if self.type == "RESUME" else None
        return number if type(number) is int else None

    @property
    def begins_run(self) -> bool:
        """Whether it is the first line of a recorder."""
        return self.type == "RESUME" or self.seq == 1


class StreamLine(NamedTuple):
    """A STREAM. One with *since* goes on from an earlier run."""

    seq: int
    time: float
    type: str
    stream: int
    selection: Selection
    since: float | None


class KeysLine(NamedTuple):
    """A KEYS: what names the elements of the list at *path*."""

    seq: int
    time: float
    type: str
    stream: int
    path: str
    key: Key


class ListedLine(NamedTuple):
    """A LISTED: the first list held so many *objects*."""

    seq: int
    time: float
    type: str
    stream: int
    objects: int


class RefusedLine(NamedTuple):
    """A REFUSED: the stream cannot be listed."""

    seq: int
    time: float
    type: str
    stream: int
    message: str
    forbidden: bool  # whether a right is missing


class LogLine(NamedTuple):
    """A LOG: the end of the log of a container that failed."""

    seq: int
    time: float
    type: str
    stream: int
    run: ContainerRun
    lines: tuple[str, ...]
    cut: bool


class PastLine(NamedTuple):
    """A PAST: a write that something tells of, with all its *members*."""

    seq: int
    time: float
    type: str
    stream: int
    names: Names
    members: dict[str, Any]


class HorizonLine(NamedTuple):
    """A HORIZON: how far back the server remembered. *time* was asked for."""

    seq: int
    time: float
    type: str
    stream: int
    exact: float | None
    writes: int
    first: float | None
    whole: bool
    reason: str


class ReconnectLine(NamedTuple):
    """A RECONNECT: a watch broke, or is back. Without a *state* it is only a text."""

    seq: int
    time: float
    type: str
    stream: int
    text: str
    state: str


class NoteLine(NamedTuple):
    """A line about the recording itself, or of a newer minor version.

    *text* is the reason of an END.
    """

    seq: int
    time: float
    type: str
    stream: int
    text: str


Line = (
    ObjectLine
    | StreamGap
    | HeaderLine
    | StreamLine
    | KeysLine
    | ListedLine
    | RefusedLine
    | LogLine
    | PastLine
    | HorizonLine
    | ReconnectLine
    | NoteLine
)
