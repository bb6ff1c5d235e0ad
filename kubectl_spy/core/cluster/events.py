"""Reads Kubernetes Events of core/v1 and events.k8s.io/v1.

When something happens again, most controllers update the Event instead of making
another one. The count is in `count` (core/v1) or in `series`.
https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.cluster.references import event_object, subject
from kubectl_spy.core.fields import mapping, moment, number, text
from kubectl_spy.core.objects import JSON, GroupVersionKind

EVENT_GROUPS = ("", "events.k8s.io")  # the API groups of the kind Event
# Reasons of Events that say who removed a Pod: the scheduler, kubelet or a taint.
FATES = ("Preempted", "Evicted", "TaintManagerEviction", "Preempting")
_STAMPED = re.compile(r".*\.([0-9a-f]{15,16})", re.DOTALL)
_ACCIDENTAL = re.compile(
    r"^\(combined from similar events\): |(?<=\b(?:tcp|udp) )\S{1,100}->"
)

Order = tuple[float, float, int, str, str, int, str, str]  # sorts Events, by time first


class ClusterEvent(NamedTuple):
    """One Event, and how often it has happened."""

    uid: str  # the uid of the Event
    about: str  # the uid of its object, or ""
    subject: str  # the name of its object as in `references`, or ""
    kind: str
    namespace: str
    name: str  # the name of its object
    field: str  # the part of its object: `spec.containers{app}`, or ""
    warning: bool
    reason: str
    message: str
    times: int  # how often it has happened
    first: float | None  # when it first happened, in seconds since the epoch, or None
    last: float | None
    seen: float | None  # when it was observed, by our clock; None in the first list
    component: str  # the component that reports it: kubelet, deployment-controller
    related: str = ""  # another object that it names, such as the preempting Pod
    stamp: int = 0  # the nanosecond of the first time, if the Event's name holds it
    version: str = ""  # the resourceVersion of its object that the reporter saw, or ""

    @property
    def order(self) -> Order:
        """The key that sorts Events by when they last happened.

        Events do not arrive in that order: a list is sorted by name, and
        resourceVersions have no order. Repeated Events have whole seconds. Within a
        second the Event with the earlier first time comes first. The rest of the key
        makes the order stable.
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
    def occurrence(self) -> tuple[int, float]:
        """The key that grows with each occurrence: the count, then the last time."""
        return self.times, self.last or 0.0

    @property
    def lasted(self) -> float:
        """The seconds from the first time to the last, or 0 if one is not known."""
        if self.first is None or self.last is None:
            return 0.0
        return max(self.last - self.first, 0.0)

    @property
    def said(self) -> str:
        """The message, without the parts that differ each time."""
        return settled(self.message)


def is_event(gvk: GroupVersionKind) -> bool:
    """Return whether *gvk* is that of Kubernetes Events."""
    return gvk.kind == "Event" and gvk.group in EVENT_GROUPS


def settled(message: str) -> str:
    """Return *message* without the parts that differ each time.

    Go's network errors name the source port of a connection. From the tenth Event that
    differs only in its message on, client-go combines them, and adds a prefix:
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/client-go/tools/record/events_cache.go

    >>> settled("read tcp 10.0.0.1:51234->10.0.0.3:8080: read: connection reset")
    'read tcp 10.0.0.3:8080: read: connection reset'
    """
    if "->" in message or message.startswith("("):
        return _ACCIDENTAL.sub("", message)
    return message


def cluster_event(obj: dict[str, JSON]) -> ClusterEvent:
    """Return the Event *obj*. Missing fields and those of a wrong type are empty."""
    about = event_object(obj)
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
    """Return whether *obj* is an Event that says who removed a Pod.

    No other Event matters for a Pod that was gone before the watch began.
    """
    about = event_object(obj)
    reason = text(obj, "reason")
    return (
        reason in FATES
        and text(obj, "kind") == "Event"
        and text(about, "kind") == "Pod"
    )


def _precise(stamp: int, time: float | None) -> float | None:
    """Return *time* with the precision of the *stamp* in the Event's name.

    Times of core/v1 have whole seconds. client-go names an Event after the object and
    the nanosecond of its first time:
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/client-go/tools/record/event.go
    """
    if time is None or not time.is_integer() or stamp // 10**9 != time:
        return time
    return round(stamp / 1e9, 6)


def _known(*times: float | None) -> float | None:
    """Return the first of *times* that is not None."""
    return next((time for time in times if time is not None), None)
