"""Kubernetes Events, read alike from core/v1 and events.k8s.io/v1.

An Event is an object of its own that tells of another one. What happens again is not
another Event but the same one with a higher count, in `count` (core/v1, as most
controllers still write it) or in `series`.
https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.cluster.subjects import subject
from kubectl_spy.core.fields import mapping, moment, number, text
from kubectl_spy.core.objects import JSON

EVENT_GROUPS = ("", "events.k8s.io")
"""API groups that the kind Event is of."""
FATES = ("Preempted", "Evicted", "TaintManagerEviction", "Preempting")
"""Reasons of Events that say who made a Pod go: the scheduler, kubelet or a taint."""
_STAMPED = re.compile(r".*\.([0-9a-f]{15,16})", re.DOTALL)
_ACCIDENTAL = re.compile(
    r"^\(combined from similar events\): |(?<=\b(?:tcp|udp) )\S{1,100}->"
)

Order = tuple[float, float, int, str, str, int, str, str]
"""What sorts Events: times first."""


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
    related: str = ""
    """Another object that it names: `Pod shop/web`, who preempted this one."""
    stamp: int = 0
    """The nanosecond of the first time, where the Event's name holds it."""
    version: str = ""
    """The resourceVersion of the object that its reporter saw, where it says so."""

    @property
    def order(self) -> Order:
        """The key that sorts Events by when they happened last.

        The order in which Events arrive says nothing: a list is sorted by name, and
        resourceVersions have no order. Repeated Events have times of whole seconds, and
        within one second the one that happened first comes first. The rest only makes
        the order the same each time.
        """
        last = self.first if self.last is None else self.last
        return (
            last or 0.0,
            self.first or 0.0,
            self.stamp,
            self.reason,
            self.field,
            self.times,
            self.uid,
            self.message,
        )

    @property
    def said(self) -> str:
        """The message, without what differs although the same happened again."""
        return settled(self.message)


def settled(message: str) -> str:
    """Return *message* without what differs although the same happened again.

    Go's network errors name the port that a connection came from, another one each
    time. The tenth Event that differs only in its message is combined with those after
    it, and then says so first:
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/client-go/tools/record/events_cache.go

    >>> settled("read tcp 10.0.0.1:51234->10.0.0.3:8080: read: connection reset")
    'read tcp 10.0.0.3:8080: read: connection reset'
    """
    if "->" in message or message.startswith("("):
        return _ACCIDENTAL.sub("", message)
    return message


def cluster_event(obj: dict[str, JSON]) -> ClusterEvent:
    """Return what the Event *obj* says; what is missing or odd in it is empty."""
    about = mapping(obj, "involvedObject") or mapping(obj, "regarding")
    source = mapping(obj, "source") or mapping(obj, "deprecatedSource")
    found = _STAMPED.fullmatch(text(obj, "metadata", "name"))
    stamp = int(found[1], 16) if found else 0
    first = _precise(
        stamp,
        _known(
            moment(obj, "firstTimestamp"),
            moment(obj, "deprecatedFirstTimestamp"),
            moment(obj, "eventTime"),
            moment(obj, "metadata", "creationTimestamp"),
        ),
    )
    last = _precise(
        stamp,
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
        stamp=stamp,
        related=_called(mapping(obj, "related")),
        version=text(about, "resourceVersion"),
    )


def _called(reference: dict[str, JSON]) -> str:
    kind, name = text(reference, "kind"), text(reference, "name")
    namespace = text(reference, "namespace")
    return f"{kind} {namespace}/{name}" if kind and name and namespace else ""


def tells_fate(obj: JSON) -> bool:
    """Tell whether *obj* is an Event that says who made a Pod go.

    Of all that is reported of Pods that were gone before anybody looked, only this is
    of interest to their owners.
    """
    about = mapping(obj, "involvedObject") or mapping(obj, "regarding")
    reason = text(obj, "reason")
    return (
        reason in FATES
        and text(obj, "kind") == "Event"
        and text(about, "kind") == "Pod"
    )


def _precise(stamp: int, time: float | None) -> float | None:
    """Return *time* as exactly as the *stamp* in the name of the Event has it.

    Times of core/v1 are of whole seconds. Who makes an Event names it after the object,
    and after the nanosecond of the first time:
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/client-go/tools/record/event.go
    """
    if time is None or not time.is_integer() or stamp // 10**9 != time:
        return time
    return round(stamp / 1e9, 6)


def _known(*times: float | None) -> float | None:
    """Return the first of *times* that is known: they are in order of preference."""
    return next((time for time in times if time is not None), None)
