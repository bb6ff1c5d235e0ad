"""What an object names that it does not own, and what is there because of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON, GroupVersionKind


class Reference(NamedTuple):
    """Another object in the same namespace."""

    group: str
    kind: str
    name: str


def references(gvk: GroupVersionKind, document: JSON) -> Iterator[Reference]:
    """Yield what the object names: a Pod its claims, an autoscaler what it scales.

    And an Ingress the Services that it leads to, whatever stands before those.
    """
    match gvk.group, gvk.kind:
        case "", "Pod":
            for volume in mappings(document, "spec", "volumes"):
                claim = text(volume, "persistentVolumeClaim", "claimName")
                if claim:
                    yield Reference("", "PersistentVolumeClaim", claim)
        case "autoscaling", "HorizontalPodAutoscaler":
            target = mapping(document, "spec", "scaleTargetRef")
            group = text(target, "apiVersion").rpartition("/")[0]
            yield Reference(group, text(target, "kind"), text(target, "name"))
        case "networking.k8s.io", "Ingress":
            yield from _services(document)


def _services(ingress: JSON) -> Iterator[Reference]:
    backends = [mapping(ingress, "spec", "defaultBackend")]
    for rule in mappings(ingress, "spec", "rules"):
        paths = mappings(rule, "http", "paths")
        backends += [mapping(path, "backend") for path in paths]
    for backend in backends:
        name = text(backend, "service", "name")
        if name:
            yield Reference("", "Service", name)


Labels = frozenset[tuple[str, str]]


def selected(gvk: GroupVersionKind, document: JSON) -> Labels:
    """Return the labels of the Pods that a Service leads to; none is no Pods.

    https://kubernetes.io/docs/concepts/services-networking/service/
    """
    if (gvk.group, gvk.kind) != ("", "Service"):
        return frozenset()
    return _labels(mapping(document, "spec", "selector"))


def labels(gvk: GroupVersionKind, document: JSON) -> Labels:
    """Return the labels of a Pod, which alone are selected by."""
    if (gvk.group, gvk.kind) != ("", "Pod"):
        return frozenset()
    return _labels(mapping(document, "metadata", "labels"))


def _labels(found: dict[str, JSON]) -> Labels:
    return frozenset((key, each) for key, each in found.items() if type(each) is str)
