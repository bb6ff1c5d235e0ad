"""When versions were written. A watch does not tell, so they tell it themselves.

Most writes leave their time in `metadata.managedFields`, in whole seconds. Removals of
fields, writes of the scale subresource and deletions do not. They happened before the
next version of their type that has a time: the versions of one type come in order.
https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kubectl_spy.core.changes import managers
from kubectl_spy.core.changes.projection import without_noise
from kubectl_spy.core.fields import mapping, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.times import time_of

SECOND = 1.0
"""How exact the times in managedFields are."""


class Moment(NamedTuple):
    """When a version was written."""

    time: float  # in seconds since the epoch
    bound: bool = False  # whether that is only the latest time that is possible


def created(obj: JSON) -> float | None:
    """Return when *obj* was created."""
    return moment(obj, "metadata", "creationTimestamp")


def last_written(obj: JSON) -> float | None:
    """Return the newest time in the managedFields of *obj*, or that of its creation."""
    newest = max(managers.stamps(obj).values(), default="")
    return time_of(newest) or created(obj)


def written(before: JSON, obj: JSON) -> float | None:
    """Return when *obj* was written after the version *before*, if that is told."""
    old, new = managers.stamps(before), managers.stamps(obj)
    newer = [time for each, time in new.items() if time and time > old.get(each, "")]
    if newer:
        return time_of(max(newer))
    end = text(obj, "metadata", "deletionTimestamp")
    if end != text(before, "metadata", "deletionTimestamp"):
        return deletion_asked(obj)
    # Two writes within a second leave the same time. Who wrote a value owns it, so the
    # time of its owner is that of the write.
    patch = operations_between(without_noise(before), without_noise(obj))
    owners = managers.owners(obj, patch).values()
    return time_of(max((time for _, time in owners), default=""))


def deletion_asked(obj: JSON) -> float | None:
    """Return when the deletion of *obj* was asked for.

    https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
    """
    end = moment(obj, "metadata", "deletionTimestamp")
    grace = number(obj, "metadata", "deletionGracePeriodSeconds")
    return None if end is None else end - grace


def deleted(before: JSON) -> float | None:
    """Return when an object was deleted, if its last version *before* says so.

    Without a grace period and finalizers that is the end of the same request.
    """
    metadata = mapping(before, "metadata")
    if metadata.get("finalizers") or metadata.get("deletionGracePeriodSeconds") != 0:
        return None
    return deletion_asked(before)


class WriteTime(NamedTuple):
    """What a version tells of its time."""

    time: float | None  # when it was written
    after: float = 0.0  # it was written at this time, or later


def moments(write_times: Sequence[WriteTime], until: float) -> list[Moment]:
    """Return when versions of one type were written, in their order.

    All were written before *until*.
    """
    latest: list[float] = []
    following = until
    for time, _ in reversed(write_times):
        following = following if time is None else min(time, following)
        latest.append(following)
    latest.reverse()
    found: list[Moment] = []
    before = 0.0
    for (time, after), bound in zip(write_times, latest, strict=True):
        before = max(before, min(after, bound))
        at = max(bound, before)
        loose = time is None and at - before > SECOND
        found.append(Moment(at, loose))
        before = before if loose else at
    return found
