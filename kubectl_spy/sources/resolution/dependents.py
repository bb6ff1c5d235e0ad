"""Chooses the types to watch along with the targets: what they own and need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from kubectl_spy.core.objects import BUILT_IN_GROUPS, Resource, Selection
from kubectl_spy.sources.resolution.discovery import Catalogue
from kubectl_spy.sources.resolution.resolve import is_watchable

# Types have the names that kubectl prints; several are separated by blanks.
_SLICES = "endpointslices.discovery.k8s.io"
_INGRESS = "ingresses.networking.k8s.io"
_AUTOSCALER = "horizontalpodautoscalers.autoscaling"
_BUDGET = "poddisruptionbudgets.policy"
_SCALED = "deployments.apps statefulsets.apps replicasets.apps replicationcontrollers"
"""The types that an autoscaler may scale. Its target may change at any time.

A custom resource with a scale subresource is not watched.
https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/
"""
_MAKERS = (
    "deployments.apps statefulsets.apps daemonsets.apps replicasets.apps "
    "replicationcontrollers"
)
"""The types that create Pods from a template.

ReplicaSets of Deployments are left out, because there are many.
https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template-hash-label
"""
_ROUTES = ("services", _INGRESS)  # the types that route to others by labels or names
_SELECTING = (*_ROUTES, _BUDGET)  # the types that select Pods
_SYSTEM = "kube-system"
_DNS = "k8s-app=kube-dns"
"""The label of the Service of the cluster's DNS, and of its EndpointSlices.

https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/
"""
_TWICE = ("events.events.k8s.io", "endpoints")
"""Types that another type shows as well: Events of another group, Endpoints."""

Served = dict[str, Resource]


class Dependents(NamedTuple):
    """What to watch along with the targets."""

    owned: tuple[Selection, ...]
    """Types of which only the objects that belong to the targets matter."""
    beside: tuple[Selection, ...]
    """Types of which all objects matter: the targets refer to them by name or label."""

    @property
    def all(self) -> tuple[Selection, ...]:
        """Both together."""
        return self.owned + self.beside


def dependents(
    catalogue: Catalogue,
    selections: Sequence[Selection],
    referred: Sequence[Selection] = (),
    *,
    explained: bool = False,
) -> Dependents:
    """Return what to watch along with *selections*, and with what they refer to.

    *explained* adds the types that explain why a Pod does not work. A custom resource
    may own objects of any type, so all types of its namespace are watched, unless an
    entry of `knowledge` says which.
    """
    served = {
        each.group_resource: each
        for each in reversed(catalogue.resources)  # the preferred version wins
        if is_watchable(each)
    }
    owned: dict[Selection, None] = {}
    beside: dict[Selection, None] = dict.fromkeys(referred)
    known_owners = (each for each in referred if _owns(each.resource) is not None)
    homes = {each.namespace for each in selections}
    for selection in (*selections, *known_owners):
        scope = selection.namespace if selection.resource.namespaced else None
        reachable = list(_reachable(served, selection.resource))
        for resource in reachable:
            owned[Selection(resource=resource, namespace=scope, asked=False)] = None
        if scope not in homes and None not in homes:
            continue  # of other namespaces only what is referred to, and what it owns
        for each in _needed(served, selection.resource, reachable, scope):
            beside[each] = None
        if explained:
            for each in _explaining(served, selection.resource, reachable, scope):
                beside[each] = None
    asked = (each._replace(heads=False) for each in selections)
    watched = {*asked, *owned, *beside}
    held = [each for each in watched if each.name is None and not each.narrowed]
    whole = {(each.resource, each.namespace) for each in held}

    def part_of_another(each: Selection) -> bool:
        if each.namespace is not None and (each.resource, None) in whole:
            return True
        if each.narrowed:
            return (each.resource, each.namespace) in whole
        return each._replace(asked=True) in watched

    return Dependents(
        tuple(
            each._replace(filtered=True)
            for each in owned
            if each not in beside and not part_of_another(each)
        ),
        tuple(each for each in beside if not part_of_another(each)),
    )


def _needed(
    served: Served, root: Resource, reachable: Iterable[Resource], scope: str | None
) -> Iterator[Selection]:
    """Yield what objects of *root* need but do not own."""
    stream = _streams(served, scope)
    name = root.group_resource
    if name == _INGRESS:
        yield from stream("services")
        yield from stream("ingressclasses.networking.k8s.io", None)
    if name in _SELECTING:
        yield from stream("pods")
    if name in _ROUTES:
        yield from stream(_SLICES)
        yield from stream("nodes", None)
        yield from stream("pods", _SYSTEM)
        yield from stream("services", _SYSTEM, _DNS)
        yield from stream(_SLICES, _SYSTEM, _DNS)
    if name == _AUTOSCALER:
        for each in _SCALED.split():
            yield from stream(each)
    pods = "pods" in {name, *(each.group_resource for each in reachable)}
    if pods and name not in _ROUTES:
        yield from stream("persistentvolumeclaims")


def _explaining(
    served: Served, root: Resource, reachable: Iterable[Resource], scope: str | None
) -> Iterator[Selection]:
    """Yield what explains why a Pod does not start, or why there is none.

    These are nodes, ConfigMaps, claims, volumes, StorageClasses, the creators of Pods,
    and other PodDisruptionBudgets. Secrets are left out, because the right to list them
    is the right to read them all.
    """
    stream = _streams(served, scope)
    types = {root.group_resource, *(each.group_resource for each in reachable)}
    if root.group_resource in _SELECTING:
        for each in _MAKERS.split():
            of_none = "!pod-template-hash" if each == "replicasets.apps" else None
            yield from stream(each, labels=of_none)
        yield from stream("persistentvolumeclaims")
        types.add("pods")
    if root.group_resource == _BUDGET:
        yield from stream(_BUDGET)
    if "pods" in types:
        yield from stream("nodes", None)
        yield from stream("configmaps")
        yield from stream("resourceclaims.resource.k8s.io")
    if types & {"pods", "persistentvolumeclaims"}:
        yield from stream("persistentvolumes", None)
        yield from stream("storageclasses.storage.k8s.io", None)
    if "statefulsets.apps" in types:
        yield from stream("services")


def _streams(served: Served, scope: str | None) -> Callable[..., Iterator[Selection]]:
    """Return a function that yields the selection of a type, if it is served."""

    def stream(
        name: str, namespace: str | None = scope, labels: str | None = None
    ) -> Iterator[Selection]:
        resource = served.get(name)
        if resource is not None:
            yield Selection(
                resource=resource,
                namespace=namespace,
                label_selector=labels,
                asked=False,
            )

    return stream


def _reachable(served: Served, root: Resource) -> Iterable[Resource]:
    """Return the types that objects of *root* may own, directly or not, and Events.

    An autoscaler counts as the owner of what it scales.
    """
    name = root.group_resource
    if _owns(root) is None:
        return [
            each
            for key, each in reversed(served.items())
            if (each.namespaced or not root.namespaced) and key not in _TWICE
        ]
    found: dict[str, Resource] = {}
    pending = [root]
    if name == _AUTOSCALER:
        pending += [served[each] for each in _SCALED.split() if each in served]
    while pending:
        for key in (*(_owns(pending.pop()) or ()), "events"):
            if key in served and key not in found:
                found[key] = served[key]
                pending.append(served[key])
    return list(found.values())


def _owns(resource: Resource) -> tuple[str, ...] | None:
    """Return the names of the types that its controllers create, or None: any.

    Of built-in types, entries name all that create something.
    """
    # A run without --owned does not need it, and its first line waits for imports.
    from kubectl_spy.knowledge.kinds import known

    owns = known(resource.gvk.group, resource.gvk.kind).owns
    return () if owns is None and resource.gvk.group in BUILT_IN_GROUPS else owns
