"""How objects refer to each other: by uid, by name, and by labels.

A name is a text such as `apps/Deployment/shop/web`. Events usually have the uid of
their object. But a kubelet writes a Node's name as its uid, and for a static Pod the
hash of its file, which differs from the uid of its mirror Pod. Some operators write no
uid and no apiVersion.
https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-config-mirror
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.selectors import Requirement, meets, requirements
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON, GroupVersionKind

_MIRROR = "kubernetes.io/config.mirror"
_ANY = "*"  # replaces a group that an Event does not name
LEVELS = 40  # the most levels of owners; more are hostile

# By uid, and how Events name their objects


class Reference(NamedTuple):
    """An owner of an object, or the object of an Event. *group* may be None there."""

    uid: str
    group: str | None
    kind: str
    name: str


def owner_uids(document: JSON) -> tuple[str, ...]:
    """Return the uids in the ownerReferences of *document*."""
    references = mappings(document, "metadata", "ownerReferences")
    return tuple(
        dict.fromkeys(uid for each in references if (uid := text(each, "uid")))
    )


def controller_of(document: JSON) -> dict[str, JSON]:
    """Return the reference to the owner that controls an object, or {}."""
    for each in mappings(document, "metadata", "ownerReferences"):
        if each.get("controller") is True:
            return each
    return {}


def owners_of(obj: JSON) -> tuple[Reference, ...]:
    """Return the owners of *obj*, or the object of an Event.

    >>> owners_of({"kind": "Event", "involvedObject": {"uid": "u1", "kind": "Pod"}})
    (Reference(uid='u1', group=None, kind='Pod', name=''),)
    """
    found = [
        _reference(text(each, "uid"), each)
        for each in mappings(obj, "metadata", "ownerReferences")
    ]
    if text(obj, "kind") == "Event":
        about = event_object(obj)
        found.insert(0, _reference(subject(about), about))
    return tuple(dict.fromkeys(each for each in found if each.uid))


def _reference(uid: str, value: dict[str, JSON]) -> Reference:
    version = text(value, "apiVersion")
    group = version.rpartition("/")[0] if version else None
    return Reference(uid, group, text(value, "kind"), text(value, "name"))


def event_object(event: JSON) -> dict[str, JSON]:
    """Return the reference of an Event of core/v1 or events.k8s.io/v1 to its object."""
    return mapping(event, "involvedObject") or mapping(event, "regarding")


def subject(reference: JSON) -> str:
    """Return the uid or name of an object in an Event's *reference*, or "".

    >>> subject({"kind": "Node", "name": "n1", "uid": "n1"})
    '/Node//n1'
    >>> subject({"kind": "Pod", "name": "web", "namespace": "shop"})
    '*/Pod/shop/web'
    """
    kind, name = text(reference, "kind"), text(reference, "name")
    version = text(reference, "apiVersion")
    if kind == "Node" and name and version in ("", "v1"):
        return called("", kind, None, name)
    uid = text(reference, "uid")
    if uid or not kind or not name:
        return uid
    group = version.rpartition("/")[0] if version else _ANY
    return called(group, kind, text(reference, "namespace"), name)


def aliases(
    gvk: GroupVersionKind, namespace: str | None, name: str, document: JSON
) -> tuple[str, ...]:
    """Return the names of an object that may replace its uid in references."""
    found = tuple(called(each, gvk.kind, namespace, name) for each in (gvk.group, _ANY))
    if (gvk.group, gvk.kind) == ("", "Pod"):
        mirrored = text(document, "metadata", "annotations", _MIRROR)
        if mirrored and "/" not in mirrored:  # a hash, and no name of another object
            return (*found, mirrored)
    return found


def called(group: str, kind: str, namespace: str | None, name: str) -> str:
    """Return the name of an object of that group, or of any (`*`)."""
    return f"{group}/{kind}/{namespace or ''}/{name}"


# By name and by labels

Labels = frozenset[tuple[str, str]]


class Selector(NamedTuple):
    """A selector of Pods: labels, and the expressions of a LabelSelector."""

    namespace: str | None
    labels: Labels
    expressions: tuple[Requirement, ...] = ()

    def selects(self, labels: Labels) -> bool:
        """Return whether the selector matches *labels*."""
        if not self.labels <= labels:
            return False
        known = dict(labels) if self.expressions else {}
        return all(meets(each, known) for each in self.expressions)


def references(
    gvk: GroupVersionKind, namespace: str | None, document: JSON
) -> Iterator[str | Selector]:
    """Yield the names of other objects in *document*, and its selector of Pods.

    A Service without a selector has no Pods. An empty one of a budget selects all.
    https://kubernetes.io/docs/concepts/services-networking/service/
    https://kubernetes.io/docs/tasks/run-application/configure-pdb/
    """
    match gvk.group, gvk.kind:
        case "", "Pod":
            for volume in mappings(document, "spec", "volumes"):
                claim = text(volume, "persistentVolumeClaim", "claimName")
                if claim:
                    yield called("", "PersistentVolumeClaim", namespace, claim)
        case "autoscaling", "HorizontalPodAutoscaler":
            target = mapping(document, "spec", "scaleTargetRef")
            group = text(target, "apiVersion").rpartition("/")[0]
            kind, name = text(target, "kind"), text(target, "name")
            yield called(group, kind, namespace, name)
        case "networking.k8s.io", "Ingress":
            for service in services_of(document):
                yield called("", "Service", namespace, service)
        case "", "Service":
            if wanted := _labels(document, "spec", "selector"):
                yield Selector(namespace, wanted)
        case "policy", "PodDisruptionBudget":
            selector = mapping(document, "spec").get("selector")
            if isinstance(selector, dict):
                wanted = _labels(selector, "matchLabels")
                yield Selector(namespace, wanted, requirements(selector))


def services_of(ingress: JSON) -> Iterator[str]:
    """Yield the names of the Services that an Ingress leads to."""
    backends = [mapping(ingress, "spec", "defaultBackend")]
    for rule in mappings(ingress, "spec", "rules"):
        paths = mappings(rule, "http", "paths")
        backends += [mapping(path, "backend") for path in paths]
    for backend in backends:
        if name := text(backend, "service", "name"):
            yield name


def labels_of(gvk: GroupVersionKind, document: JSON) -> Iterator[Labels]:
    """Yield the labels of a Pod. Other kinds are not selected."""
    if (gvk.group, gvk.kind) == ("", "Pod"):
        yield _labels(document, "metadata", "labels")


def _labels(value: JSON, *steps: str) -> Labels:
    found = mapping(value, *steps).items()
    return frozenset((key, each) for key, each in found if type(each) is str)
