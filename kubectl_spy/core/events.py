"""Kubernetes Events, read alike from core/v1 and events.k8s.io/v1.

An Event is an object of its own that tells of another one. What happens again is not
another Event but the same one with a higher count, in `count` (core/v1, as most
controllers still write it) or in `series`.
https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.fields import mapping, moment, number, text
from kubectl_spy.core.objects import JSON


class ClusterEvent(NamedTuple):
    """One Event, with how often it has happened so far."""

    uid: str
    """Of the Event itself."""
    about: str
    """The uid of the object that it tells of; for a Node its name, from the kubelet."""
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
    first = _known(
        moment(obj, "firstTimestamp"),
        moment(obj, "deprecatedFirstTimestamp"),
        moment(obj, "eventTime"),
        moment(obj, "metadata", "creationTimestamp"),
    )
    last = _known(
        moment(obj, "series", "lastObservedTime"),
        moment(obj, "lastTimestamp"),
        moment(obj, "deprecatedLastTimestamp"),
        moment(obj, "eventTime"),
        first,
    )
    count = number(obj, "series", "count") or number(obj, "count")
    return ClusterEvent(
        uid=text(obj, "metadata", "uid"),
        about=text(about, "uid"),
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


def _known(*times: float | None) -> float | None:
    """Return the first of *times* that is known: they are in order of preference."""
    return next((time for time in times if time is not None), None)
