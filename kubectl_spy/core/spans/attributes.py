"""What a span says of its object, by OpenTelemetry's semantic conventions.

https://opentelemetry.io/docs/specs/semconv/registry/attributes/k8s/
"""

from __future__ import annotations

import re

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.fields import text
from kubectl_spy.core.objects import JSON, GroupVersionKind

Attributes = tuple[tuple[str, JSON], ...]

_NAMED = {
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
"""Kinds whose names and uids have attributes of their own."""
_CONTAINER = re.compile(r"spec\.\w*[cC]ontainers\{([^{}]+)\}")


def of_object(
    gvk: GroupVersionKind, namespace: str | None, name: str, uid: str, document: JSON
) -> Attributes:
    """Return what names an object; kinds the conventions lack are `k8s.object.*`.

    The latter are what the Collector's receiver of Kubernetes Events says:
    https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/main/receiver/k8seventsreceiver
    """
    found: list[tuple[str, JSON]] = []
    if namespace:
        found.append(("k8s.namespace.name", namespace))
    known = _NAMED.get((gvk.group, gvk.kind))
    if known is None:
        found += [
            ("k8s.object.kind", gvk.kind),
            ("k8s.object.api_version", gvk.api_version),
        ]
    prefix = f"k8s.{known or 'object'}"
    found += [(f"{prefix}.name", name), (f"{prefix}.uid", uid)]
    node = text(document, "spec", "nodeName")
    if known == "pod" and node:
        found.append(("k8s.node.name", node))
    return tuple(found)


def of_event(event: ClusterEvent) -> Attributes:
    """Return what an Event says, beside what names its object."""
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
