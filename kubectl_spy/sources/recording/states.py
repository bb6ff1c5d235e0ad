"""What an object was at a point of a recording."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.points import (
    AtVersion,
    Beginning,
    First,
    Moment,
    Point,
    Seq,
)
from kubectl_spy.core.record import ChangeRecord, ChangeType, rfc3339
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.wanted import Wanted

_GONE = (ChangeType.DELETED, ChangeType.LEFT)


class NotSeen(SpyError):
    """An object that what can be read of a recording does not hold at a point."""


class State(NamedTuple):
    """One object at one point: the record that made it so, and the whole object."""

    record: ChangeRecord
    document: dict[str, JSON]
    epoch: str
    """Masked values compare with those of the same epoch."""
    masked: bool
    """Whether values of Secrets were masked when this was recorded."""


def state_at(recording: Recording, wanted: Wanted, point: Point) -> State:
    """Return the one object that is *wanted* as it was at *point*.

    Raises:
        SpyError: it was not there, or more than one object is meant.
    """
    found: State | None = None
    gone: ChangeRecord | None = None
    identity: tuple[str, str, str | None, str] | None = None
    for item in recording:
        if isinstance(point, Moment) and item.time > point.time:
            break
        if not isinstance(item, ChangeRecord):
            continue
        if isinstance(point, Seq) and item.seq > point.seq:
            break
        if item.of_stream or item not in wanted:
            continue
        it = (item.gvk.group, item.gvk.kind, item.namespace, item.name)
        if identity is None:
            identity = it
        elif it != identity:
            raise _several(recording, identity, it)
        if item.type in _GONE:
            found, gone = None, item
            continue
        gone = None
        epoch, masked = recording.epoch
        found = State(item, item.document, epoch, masked)
        if isinstance(point, Beginning):
            if item.initial and recording.is_in_first_run:
                return found
            raise _absent(None)
        if isinstance(point, First) or (
            isinstance(point, AtVersion)
            and item.resource_version == point.resource_version
        ):
            return found
    if isinstance(point, AtVersion):
        raise NotSeen(
            f"no version {point.resource_version} of it was recorded",
            "kubectl spy replay -o json shows which were",
        )
    if found is None:
        raise _absent(gone)
    return found


def _several(
    recording: Recording,
    one: tuple[str, str, str | None, str],
    other: tuple[str, str, str | None, str],
) -> SpyError:
    names = " and ".join(f"{kind.lower()}/{name}" for _, kind, _, name in (one, other))
    if one[3] == other[3] and one[2] != other[2]:
        return SpyError(
            f"{recording.name} holds {names} of several namespaces", "choose with -n"
        )
    return SpyError(
        f"{recording.name} holds several objects, {names} among them",
        "name one, as in pod/web-0",
    )


def _absent(gone: ChangeRecord | None) -> SpyError:
    if gone is None:
        return NotSeen("it was not seen by then", "first is the earliest point")
    how = "was deleted" if gone.type is ChangeType.DELETED else "had left the selection"
    return SpyError(
        f"{gone.gvk.kind.lower()}/{gone.name} {how} by then, at {rfc3339(gone.time)}",
        "choose an earlier point",
    )
