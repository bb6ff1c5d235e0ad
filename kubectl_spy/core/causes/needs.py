"""What an object depends on, and which writes of it can explain which failures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kubectl_spy.core.causes.writes import (
    CONTAINERS,
)
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.references import services_of
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON

Names = dict[str, set[str]]
"""Names of objects by their kind."""

_DEFAULT = "default"
"""The service account of a Pod that names none.
https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/
"""
MAKERS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "Pod")
"""The kinds whose Pods a Service may select."""


def pod_spec(document: JSON) -> dict[str, JSON]:
    """Return the spec of a Pod, or of the Pods that *document* makes."""
    spec = mapping(document, "spec")
    job = mapping(spec, "jobTemplate", "spec")
    return mapping(job or spec, "template", "spec") or spec


def needs(entry: Entry, container: str = "") -> Names:
    """Return the objects that *entry* refers to, by kind; of its containers only one.

    https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    for kind, name in _references(entry, container):
        if name:
            found[kind].add(name)
    return found


def related(entry: Entry, finding: Finding, seen: Inventory) -> tuple[Entry, ...]:
    """Return the Services that traffic must reach, and the claims of a Pod."""
    if entry.gvk.kind == "Service":
        return (entry,)
    needed = needs(entry)
    names = [
        (kind, entry.namespace, name)
        for kind in ("Service", "PersistentVolumeClaim")
        for name in sorted(needed.get(kind, ()))
    ]
    names += (
        ("Service", str(fact.args.get("namespace", "")), str(service))
        for fact in finding.fact.all()
        if (service := fact.args.get("service"))  # of a webhook
    )
    known = (seen.named("", *each) for each in names)
    return tuple(each for each in known if each is not None)


def _references(entry: Entry, container: str) -> Iterator[tuple[str, str]]:
    spec = mapping(entry.document, "spec")
    match entry.gvk.kind:
        case "Ingress":
            yield "IngressClass", text(spec, "ingressClassName")
            yield from (
                ("Secret", text(each, "secretName")) for each in mappings(spec, "tls")
            )
            yield from (("Service", name) for name in services_of(entry.document))
        case "HorizontalPodAutoscaler":
            target = mapping(spec, "scaleTargetRef")
            yield text(target, "kind"), text(target, "name")
        case "PersistentVolumeClaim":
            yield "StorageClass", text(spec, "storageClassName")
            yield "PersistentVolume", text(spec, "volumeName")
        case _:
            yield from _of_pod(pod_spec(entry.document), container)


def _of_pod(spec: dict[str, JSON], only: str) -> Iterator[tuple[str, str]]:
    yield "ServiceAccount", text(spec, "serviceAccountName") or _DEFAULT
    yield "PriorityClass", text(spec, "priorityClassName")
    yield "RuntimeClass", text(spec, "runtimeClassName")
    yield "Node", text(spec, "nodeName")
    for each in mappings(spec, "imagePullSecrets"):
        yield "Secret", text(each, "name")
    for container in (it for where in CONTAINERS for it in mappings(spec, where)):
        if only not in ("", text(container, "name")):
            continue
        for each in mappings(container, "envFrom"):
            yield "ConfigMap", text(each, "configMapRef", "name")
            yield "Secret", text(each, "secretRef", "name")
        for each in mappings(container, "env"):
            yield "ConfigMap", text(each, "valueFrom", "configMapKeyRef", "name")
            yield "Secret", text(each, "valueFrom", "secretKeyRef", "name")
    for volume in mappings(spec, "volumes"):
        for each in (volume, *mappings(volume, "projected", "sources")):
            yield "ConfigMap", text(each, "configMap", "name")
            yield "Secret", text(each, "secret", "secretName")
            yield "Secret", text(each, "secret", "name")
        yield (
            "PersistentVolumeClaim",
            text(volume, "persistentVolumeClaim", "claimName"),
        )
