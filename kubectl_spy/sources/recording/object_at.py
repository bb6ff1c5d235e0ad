"""Finds an object in a recording as it was at a point."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.changes.points import AtVersion, Beginning, First, Point, is_after
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.doubt import Doubt
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.wanted import Wanted
from kubectl_spy.terms import option


class NotRecorded(SpyError, code="not-found"):
    """The object, or that version of it, was not recorded up to the point."""


class Gone(SpyError, code="not-found"):
    """The object was there before the point, and no longer."""


class RecordedObject(NamedTuple):
    """The whole object at one point, and the record of its last change."""

    record: ChangeRecord
    document: dict[str, JSON]
    epoch: str  # names the key that masks values; only equal keys give equal tags
    masked: bool  # whether values of Secrets were masked when this was recorded
    doubt: Doubt | None = None  # it may have changed then, before the point


def object_at(recording: Recording, wanted: Wanted, point: Point) -> RecordedObject:
    """Return the one *wanted* object as it was at *point*, or raise SpyError."""
    found: RecordedObject | None = None
    gone: ChangeRecord | None = None
    known: ChangeRecord | None = None
    for item in recording:
        if is_after(item, point):
            break
        if not isinstance(item, ChangeRecord):
            continue
        if item.of_stream or item not in wanted:
            continue
        if known is None:
            known = item
        elif _identity(item) != _identity(known):
            raise several(recording, known, item)
        if item.gone:
            found, gone = None, item
            continue
        gone = None
        epoch, masked = recording.epoch
        found = RecordedObject(item, item.document, epoch, masked)
        if isinstance(point, Beginning):
            if item.initial and recording.is_in_first_run:
                return found
            raise NotRecorded("an appended run saw it first")
        if isinstance(point, First) or (
            isinstance(point, AtVersion)
            and item.resource_version == point.resource_version
        ):
            return found
    if found is None and gone is not None and not isinstance(point, AtVersion):
        raise _gone(gone)
    if found is None or isinstance(point, AtVersion):
        raise NotRecorded("nothing of it was recorded up to that point")
    return found


def states_at(
    recording: Recording, wanted: Wanted, point: Point
) -> list[RecordedObject]:
    """Return each *wanted* object as it was at *point*, or at the end for First.

    Events are left out unless *wanted* names them.
    """
    found: dict[tuple[str, str, str | None, str], RecordedObject] = {}
    for item in recording:
        if is_after(item, point):
            break
        if not isinstance(item, ChangeRecord) or item.of_stream or item not in wanted:
            continue
        if item.gvk.kind == "Event" and not wanted.narrows:
            continue
        found.pop(_identity(item), None)
        if not item.gone:
            epoch, masked = recording.epoch
            state = RecordedObject(item, item.document, epoch, masked)
            found[_identity(item)] = state
        version = isinstance(point, AtVersion) and point.resource_version
        if version == item.resource_version:
            break
    return list(found.values())


def _identity(record: ChangeRecord) -> tuple[str, str, str | None, str]:
    return record.gvk.group, record.gvk.kind, record.namespace, record.name


def several(recording: Recording, one: ChangeRecord, other: ChangeRecord) -> SpyError:
    """Return the error that a recording holds *one* and *other* of what is wanted."""
    if one.label == other.label:
        where = f"several namespaces, {one.namespace} and {other.namespace} among them"
        return SpyError(
            f"{recording.name} holds {one.label} in {where}",
            f"choose with {option('-n')}",
            code="several",
        )
    names = f"{one.label} and {other.label}"
    return SpyError(
        f"{recording.name} holds several objects, {names} among them",
        "name one, as in pod/web-0",
        code="several",
    )


def _gone(record: ChangeRecord) -> Gone:
    how = "was deleted"
    if record.type is ChangeType.LEFT:
        how += ", or no longer matched the selector,"
    return Gone(
        f"{record.label} {how} at {rfc3339(record.time)}",
        "choose a point before that",
    )
