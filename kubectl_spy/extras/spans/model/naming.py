"""The ids, attributes, links and `service.name` of spans.

Ids are hashes of what a span is about, so everyone who watches a change gets the same
ones. Attributes follow OpenTelemetry's semantic conventions.
https://opentelemetry.io/docs/specs/semconv/registry/attributes/k8s/
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.references import controller_of
from kubectl_spy.core.fields import text
from kubectl_spy.core.objects import JSON, GroupVersionKind

Attributes = tuple[tuple[str, JSON], ...]

UNKNOWN = ""  # the service of spans whose actor is not known
_KCM = "kube-controller-manager"  # the field manager that all its controllers share
_TRACE_DIGITS = 32
_SPAN_DIGITS = 16
_REMEMBERED = 16_384  # ids of objects that are cached
_TRACEPARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
)
_CONTAINER = re.compile(r"spec\.\w*[cC]ontainers\{([^{}]+)\}")
_ATTRIBUTES = {
    ("", "Namespace"): "namespace",
    ("", "Node"): "node",
    ("", "Pod"): "pod",
    ("", "ReplicationController"): "replicationcontroller",
    ("", "ResourceQuota"): "resourcequota",
    ("apps", "DaemonSet"): "daemonset",
    ("apps", "Deployment"): "deployment",
    ("apps", "ReplicaSet"): "replicaset",
    ("apps", "StatefulSet"): "statefulset",
    ("autoscaling", "HorizontalPodAutoscaler"): "hpa",
    ("batch", "CronJob"): "cronjob",
    ("batch", "Job"): "job",
    ("storage.k8s.io", "StorageClass"): "storageclass",
}
"""Kinds with attributes of their own in the semantic conventions."""
_CONTROLLERS = {
    ("", "Node"): "node-controller",
    ("", "PersistentVolumeClaim"): "persistentvolume-controller",
    ("", "Pod"): "kubelet",
    ("", "ReplicationController"): "replication-controller",
    ("", "Service"): "service-controller",
    ("apps", "DaemonSet"): "daemonset-controller",
    ("apps", "Deployment"): "deployment-controller",
    ("apps", "ReplicaSet"): "replicaset-controller",
    ("apps", "StatefulSet"): "statefulset-controller",
    ("autoscaling", "HorizontalPodAutoscaler"): "horizontal-pod-autoscaler",
    ("batch", "CronJob"): "cronjob-controller",
    ("batch", "Job"): "job-controller",
    ("discovery.k8s.io", "EndpointSlice"): "endpoint-slice-controller",
}
"""The controller of each kind, by the name under which it reports Events."""
_MADE_BY_OWN_CONTROLLER = frozenset({("discovery.k8s.io", "EndpointSlice")})
"""Kinds that are not made by the controller of their owner."""


def trace_id(uid: str, change: str) -> str:
    """Return the id of the trace of a *change* of the object with *uid*.

    *change* is the generation of the object, if it has one.
    """
    return _digest(_TRACE_DIGITS, "trace", uid, change)


def root_id(uid: str, change: str) -> str:
    """Return the id of the root span of that trace."""
    return _digest(_SPAN_DIGITS, "change", uid, change)


@lru_cache(_REMEMBERED)
def object_id(root: str, uid: str) -> str:
    """Return the id of the span of an object below the span *root*."""
    return _digest(_SPAN_DIGITS, "object", root, uid)


def phase_id(uid: str, name: str, start: str) -> str:
    """Return the id of the span of a phase of the object with *uid*."""
    return _digest(_SPAN_DIGITS, "phase", uid, name, start)


def event_id(uid: str) -> str:
    """Return the id of the span of the Event with *uid*."""
    return _digest(_SPAN_DIGITS, "event", uid)


def _digest(digits: int, *parts: str) -> str:
    # Each part follows its length, so that different parts never read alike.
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def links(document: JSON) -> tuple[str, ...]:
    """Return the valid W3C traceparent in the annotation of KEP-5915, if any.

    A value of a later version, which may be longer, is ignored.
    https://www.w3.org/TR/trace-context/#traceparent-header

    >>> links({"metadata": {"annotations": {"tracing.k8s.io/traceparent": "00-1"}}})
    ()
    """
    parent = text(document, "metadata", "annotations", "tracing.k8s.io/traceparent")
    return (parent,) if _TRACEPARENT.fullmatch(parent) else ()


def object_attributes(
    gvk: GroupVersionKind, namespace: str | None, name: str, document: JSON
) -> Attributes:
    """Return the attributes that identify an object.

    Kinds without attributes of their own get `k8s.object.*`, as in the Collector's
    receiver of Kubernetes Events:
    https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/main/receiver/k8seventsreceiver
    """
    found: list[tuple[str, JSON]] = []
    if namespace:
        found.append(("k8s.namespace.name", namespace))
    known = _ATTRIBUTES.get((gvk.group, gvk.kind))
    if known is None:
        found += [
            ("k8s.object.kind", gvk.kind),
            ("k8s.object.api_version", gvk.api_version),
        ]
    prefix = f"k8s.{known or 'object'}"
    uid = text(document, "metadata", "uid")
    found += [(f"{prefix}.name", name), (f"{prefix}.uid", uid)]
    node = text(document, "spec", "nodeName")
    if known == "pod" and node:
        found.append(("k8s.node.name", node))
    return tuple(found)


def event_attributes(event: ClusterEvent) -> Attributes:
    """Return the attributes of an Event, without those of its object."""
    found: list[tuple[str, JSON]] = [
        ("k8s.event.reason", event.reason),
        ("k8s.event.count", event.times),
        ("k8s.event.uid", event.uid),
        ("message", event.message),
    ]
    container = container_of(event)
    if container:
        found.append(("k8s.container.name", container))
    return tuple(found)


def container_of(event: ClusterEvent) -> str:
    """Return the container that an Event is about, or ""."""
    found = _CONTAINER.fullmatch(event.field)
    return found[1] if found else ""


def controller(gvk: GroupVersionKind) -> str:
    """Return the controller of a kind."""
    return _CONTROLLERS.get((gvk.group, gvk.kind), UNKNOWN)


def controller_kind(document: JSON) -> GroupVersionKind | None:
    """Return the kind of the owner that controls an object, if there is one."""
    owner = controller_of(document)
    group, _, version = text(owner, "apiVersion").rpartition("/")
    return GroupVersionKind(group, version, text(owner, "kind")) if owner else None


def phase_service(gvk: GroupVersionKind, phase: str) -> str:
    """Return the component that has to bring an object out of a phase."""
    if (gvk.group, gvk.kind) == ("", "Pod") and phase in ("Pending", "SchedulingGated"):
        return "default-scheduler"
    return controller(gvk)


def reporters(events: Iterable[ClusterEvent]) -> dict[str, str]:
    """Return the component that said each word in a message first."""
    found: dict[str, str] = {}
    for event in events:
        if event.component:
            for word in event.message.replace('"', " ").split():
                found.setdefault(word, event.component)
    return found


def creator(
    gvk: GroupVersionKind,
    name: str,
    owner: GroupVersionKind | None,
    reporters: Iterable[Mapping[str, str]],
    managers: Sequence[str],
) -> str:
    """Return the component that made the object *name*.

    The first of these that is known: the reporter of an Event about its owner whose
    message names it ("Created pod: web-0"), its first field manager, the controller of
    its *owner*. The *reporters* are by the words of the messages about each owner.
    """
    for each in reporters:
        if name in each:
            return each[name]
    if (gvk.group, gvk.kind) in _MADE_BY_OWN_CONTROLLER:
        return controller(gvk)
    manager = next((each for each in managers if each != _KCM), UNKNOWN)
    if owner is not None and (_KCM in managers or not manager):
        return controller(owner)
    return manager or next(iter(managers), UNKNOWN)
