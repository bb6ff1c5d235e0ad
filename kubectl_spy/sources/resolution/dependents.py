"""Chooses the types to watch along with the targets: what they own and need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from kubectl_spy.core.objects import Resource, Selection
from kubectl_spy.sources.resolution.discovery import Catalogue
from kubectl_spy.sources.resolution.resolve import is_watchable

_OWNED: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    ("apps", "deployments"): (("apps", "replicasets"),),
    ("apps", "replicasets"): (("", "pods"),),
    ("apps", "statefulsets"): (
        ("", "pods"),
        ("", "persistentvolumeclaims"),
        ("apps", "controllerrevisions"),
    ),
    ("apps", "daemonsets"): (("", "pods"), ("apps", "controllerrevisions")),
    ("batch", "cronjobs"): (("batch", "jobs"),),
    ("batch", "jobs"): (("", "pods"),),
    ("", "replicationcontrollers"): (("", "pods"),),
    ("", "services"): (("discovery.k8s.io", "endpointslices"),),
    ("networking.k8s.io", "ingresses"): (),
    ("", "nodes"): (
        ("", "pods"),
        ("coordination.k8s.io", "leases"),
        ("storage.k8s.io", "csinodes"),
        ("resource.k8s.io", "resourceslices"),
    ),
    ("", "pods"): (
        ("", "persistentvolumeclaims"),
        ("resource.k8s.io", "resourceclaims"),
    ),
}
"""The types that Kubernetes' controllers create, by the type of the owner."""
_AUTOSCALER = ("autoscaling", "horizontalpodautoscalers")
_SCALED = (
    ("apps", "deployments"),
    ("apps", "statefulsets"),
    ("apps", "replicasets"),
    ("", "replicationcontrollers"),
)
"""The types that an autoscaler may scale. Its target may change at any time.

A custom resource with a scale subresource is not watched.
https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/
"""
_BUDGET = ("policy", "poddisruptionbudgets")
_MAKERS = (
    ("apps", "deployments", None),
    ("apps", "statefulsets", None),
    ("apps", "daemonsets", None),
    ("apps", "replicasets", "!pod-template-hash"),
    ("", "replicationcontrollers", None),
)
"""The types that create Pods from a template, each with a label selector.

ReplicaSets of Deployments are left out, because there are many.
https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template-hash-label
"""
_LEAVES = frozenset(  # types for which controllers create nothing
    {
        ("", "configmaps"),
        ("", "secrets"),
        ("", "events"),
        ("", "endpoints"),
        ("", "namespaces"),
        ("", "persistentvolumes"),
        ("", "persistentvolumeclaims"),
        ("", "serviceaccounts"),
        _AUTOSCALER,
        _BUDGET,
        ("apps", "controllerrevisions"),
        ("coordination.k8s.io", "leases"),
        ("discovery.k8s.io", "endpointslices"),
    }
)
_ROUTES = frozenset({("", "services"), ("networking.k8s.io", "ingresses")})
"""The types that route to others by labels or names."""
_SELECTING = _ROUTES | {_BUDGET}  # the types that select Pods
_SYSTEM = "kube-system"
_DNS = "k8s-app=kube-dns"
"""The label of the Service of the cluster's DNS, and of its EndpointSlices.

https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/
"""
_EVENTS = ("", "events")
_TWICE = frozenset({("events.k8s.io", "events"), ("", "endpoints")})  # shown by others


class Dependents(NamedTuple):
    """What to watch along with the targets."""

    owned: tuple[Selection, ...]  # only what belongs to the targets matters
    beside: tuple[Selection, ...]  # all matter: targets name or select them

    @property
    def all(self) -> tuple[Selection, ...]:
        """Both together."""
        return self.owned + self.beside


def dependents(
    catalogue: Catalogue, selections: Sequence[Selection], *, explained: bool = False
) -> Dependents:
    """Return what to watch along with *selections*.

    *explained* adds the types that explain why a Pod does not work. A custom resource
    may own objects of any type, so all types of its namespace are watched.
    """
    served = _served(catalogue)
    owned: dict[Selection, None] = {}
    beside: dict[Selection, None] = {}
    for selection in selections:
        scope = selection.namespace if selection.resource.namespaced else None
        reachable = list(_reachable(served, selection.resource))
        for resource in reachable:
            owned[Selection(resource=resource, namespace=scope, asked=False)] = None
        for each in _needed(served, selection.resource, reachable, scope):
            beside[each] = None
        if explained:
            for each in _explaining(served, selection.resource, reachable, scope):
                beside[each] = None
    watched = {*selections, *owned, *beside}
    held = [each for each in watched if each.name is None and not each.narrowed]
    whole = {(each.resource, each.namespace) for each in held}

    def part_of_another(each: Selection) -> bool:
        if each.namespace is not None and (each.resource, None) in whole:
            return True
        if each.narrowed:
            return (each.resource, each.namespace) in whole
        return replace(each, asked=True) in watched

    return Dependents(
        tuple(
            each for each in owned if each not in beside and not part_of_another(each)
        ),
        tuple(each for each in beside if not part_of_another(each)),
    )


def _needed(
    served: dict[tuple[str, str], Resource],
    root: Resource,
    reachable: Iterable[Resource],
    scope: str | None,
) -> Iterator[Selection]:
    """Yield what objects of *root* need but do not own."""
    stream = _streams(served, scope)
    key = _key(root)
    routes = key in _ROUTES
    if key == ("networking.k8s.io", "ingresses"):
        yield from stream("", "services")
        yield from stream("networking.k8s.io", "ingressclasses", None)
    if key in _SELECTING:
        yield from stream("", "pods")
    if routes:
        yield from stream("discovery.k8s.io", "endpointslices")
        yield from stream("", "nodes", None)
        yield from stream("", "pods", _SYSTEM)
        yield from stream("", "services", _SYSTEM, _DNS)
        yield from stream("discovery.k8s.io", "endpointslices", _SYSTEM, _DNS)
    if key == _AUTOSCALER:
        for each in _SCALED:
            yield from stream(*each)
    pods = ("", "pods") in {key, *map(_key, reachable)}
    if pods and not routes:
        yield from stream("", "persistentvolumeclaims")


def _explaining(
    served: dict[tuple[str, str], Resource],
    root: Resource,
    reachable: Iterable[Resource],
    scope: str | None,
) -> Iterator[Selection]:
    """Yield what explains why a Pod does not start, or why there is none.

    These are nodes, ConfigMaps, claims, volumes, StorageClasses, the creators of Pods,
    and other PodDisruptionBudgets. Secrets are left out, because the right to list them
    is the right to read them all.
    """
    stream = _streams(served, scope)
    types = {_key(root), *map(_key, reachable)}
    if _key(root) in _SELECTING:
        for group, plural, labels in _MAKERS:
            yield from stream(group, plural, labels=labels)
        yield from stream("", "persistentvolumeclaims")
        types.add(("", "pods"))
    if _key(root) == _BUDGET:
        yield from stream(*_BUDGET)
    if ("", "pods") in types:
        yield from stream("", "nodes", None)
        yield from stream("", "configmaps")
        yield from stream("resource.k8s.io", "resourceclaims")
    if types & {("", "pods"), ("", "persistentvolumeclaims")}:
        yield from stream("", "persistentvolumes", None)
        yield from stream("storage.k8s.io", "storageclasses", None)
    if ("apps", "statefulsets") in types:
        yield from stream("", "services")


def _streams(
    served: dict[tuple[str, str], Resource], scope: str | None
) -> Callable[..., Iterator[Selection]]:
    """Return a function that yields the selection of a type, if it is served."""

    def stream(
        group: str,
        plural: str,
        namespace: str | None = scope,
        labels: str | None = None,
    ) -> Iterator[Selection]:
        resource = served.get((group, plural))
        if resource is not None:
            yield Selection(
                resource=resource,
                namespace=namespace,
                label_selector=labels,
                asked=False,
            )

    return stream


def _served(catalogue: Catalogue) -> dict[tuple[str, str], Resource]:
    return {
        _key(each): each
        for each in reversed(catalogue.resources)  # the preferred version wins
        if is_watchable(each)
    }


def _reachable(
    served: dict[tuple[str, str], Resource], root: Resource
) -> Iterable[Resource]:
    """Return the types that objects of *root* may own, directly or not, and Events."""
    if _key(root) not in _OWNED and _key(root) not in _LEAVES:
        return [
            each
            for key, each in reversed(served.items())
            if (each.namespaced or not root.namespaced) and key not in _TWICE
        ]
    found: dict[tuple[str, str], Resource] = {}
    pending = [_key(root), *(_SCALED if _key(root) == _AUTOSCALER else ())]
    while pending:
        for key in (*_OWNED.get(pending.pop(), ()), _EVENTS):
            if key in served and key not in found:
                found[key] = served[key]
                pending.append(key)
    return list(found.values())


def _key(resource: Resource) -> tuple[str, str]:
    return resource.gvk.group, resource.plural
