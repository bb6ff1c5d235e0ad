"""The objects that an object names or selects without owning them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.label_selectors import Requirement, meets, requirements
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON, GroupVersionKind


class Reference(NamedTuple):
    """Another object in the same namespace."""

    group: str
    kind: str
    name: str


def references(gvk: GroupVersionKind, document: JSON) -> Iterator[Reference]:
    """Yield a Pod's claims, an autoscaler's target, or an Ingress' Services."""
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


class Selector(NamedTuple):
    """A selector of Pods: labels, and the expressions of a LabelSelector."""

    labels: Labels
    expressions: tuple[Requirement, ...] = ()

    def selects(self, labels: Labels) -> bool:
        """Return whether the selector matches *labels*."""
        if not self.labels <= labels:
            return False
        known = dict(labels) if self.expressions else {}
        return all(meets(each, known) for each in self.expressions)


def selected(gvk: GroupVersionKind, document: JSON) -> Selector | None:
    """Return the selector of a Service or a PodDisruptionBudget, or None.

    A Service without a selector has no Pods. An empty one of a budget selects all.
    https://kubernetes.io/docs/concepts/services-networking/service/
    https://kubernetes.io/docs/tasks/run-application/configure-pdb/
    """
    match gvk.group, gvk.kind:
        case "", "Service":
            wanted = _labels(mapping(document, "spec", "selector"))
            return Selector(wanted) if wanted else None
        case "policy", "PodDisruptionBudget":
            spec = mapping(document, "spec")
            if isinstance(spec.get("selector"), dict):
                wanted = _labels(mapping(spec, "selector", "matchLabels"))
                return Selector(wanted, requirements(spec["selector"]))
    return None


def labels(gvk: GroupVersionKind, document: JSON) -> Labels | None:
    """Return the labels of a Pod, or None for other kinds."""
    if (gvk.group, gvk.kind) != ("", "Pod"):
        return None
    return _labels(mapping(document, "metadata", "labels"))


def _labels(found: dict[str, JSON]) -> Labels:
    return frozenset((key, each) for key, each in found.items() if type(each) is str)
