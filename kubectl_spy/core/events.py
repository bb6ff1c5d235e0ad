"""Kubernetes Events, read alike from core/v1 and events.k8s.io/v1.

An Event is an object of its own that tells of another one. What happens again is not
another Event but the same one with a higher count, in `count` (core/v1, as most
controllers still write it) or in `series`.
https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.fields import mapping, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.subjects import subject

EVENT_GROUPS = ("", "events.k8s.io")
"""API groups that the kind Event is of."""
_STAMPED = re.compile(r".*\.([0-9a-f]{15,16})", re.DOTALL)


class ClusterEvent(NamedTuple):
    """One Event, with how often it has happened so far."""

    uid: str
    """Of the Event itself."""
    about: str
    """The uid of the object that it tells of, as it says, if it does."""
    subject: str
    """By what it knows that object: see `subjects`; "" if it is about none."""
    kind: str
    namespace: str
    name: str
    """Of the object that it tells of."""
    field: str
    """Which part of that: `spec.containers{app}`, or "" for all of it."""
    warning: bool
    reason: str
    message: str
    times: int
    """How often it has happened so far."""
    first: float | None
    """Seconds since the epoch, where the Event says so."""
    last: float | None
    seen: float | None
    """When it was observed, by our clock, if it was while it happened."""
    component: str
    """Who reports it: kubelet, deployment-controller."""


def cluster_event(obj: dict[str, JSON]) -> ClusterEvent:
    """Return what the Event *obj* says; what is missing or odd in it is empty."""
    about = mapping(obj, "involvedObject") or mapping(obj, "regarding")
    source = mapping(obj, "source") or mapping(obj, "deprecatedSource")
    name = text(obj, "metadata", "name")
    first = _precise(
        name,
        _known(
            moment(obj, "firstTimestamp"),
            moment(obj, "deprecatedFirstTimestamp"),
            moment(obj, "eventTime"),
            moment(obj, "metadata", "creationTimestamp"),
        ),
    )
    last = _precise(
        name,
        _known(
            moment(obj, "series", "lastObservedTime"),
            moment(obj, "lastTimestamp"),
            moment(obj, "deprecatedLastTimestamp"),
            moment(obj, "eventTime"),
            first,
        ),
    )
    count = number(obj, "series", "count") or number(obj, "count")
    return ClusterEvent(
        uid=text(obj, "metadata", "uid"),
        about=text(about, "uid"),
        subject=subject(about),
        kind=text(about, "kind"),
        namespace=text(about, "namespace"),
        name=text(about, "name"),
        field=text(about, "fieldPath"),
        warning=text(obj, "type") not in ("Normal", ""),
        reason=text(obj, "reason"),
        message=text(obj, "message") or text(obj, "note"),
        times=max(count or number(obj, "deprecatedCount"), 1),
        first=first,
        last=last,
        seen=None,
        component=text(source, "component")
        or text(obj, "reportingComponent")
        or text(obj, "reportingController"),
    )


def _precise(name: str, time: float | None) -> float | None:
    """Return *time* as exactly as the *name* of the Event has it.

    Times of core/v1 are of whole seconds. Who makes an Event names it after the object,
    and after the nanosecond of the first time:
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/client-go/tools/record/event.go
    """
    found = _STAMPED.fullmatch(name)
    if found is None or time is None or not time.is_integer():
        return time
    exact = int(found[1], 16) / 1e9
    return round(exact, 6) if int(exact) == time else time


def _known(*times: float | None) -> float | None:
    """Return the first of *times* that is known: they are in order of preference."""
    return next((time for time in times if time is not None), None)
