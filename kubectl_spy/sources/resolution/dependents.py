"""Which types to watch for what an object owns, and for the Events about all of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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
"""What the controllers of Kubernetes itself create, by what they create it for."""
_LEAVES = frozenset(
    {
        ("", "configmaps"),
        ("", "secrets"),
        ("", "events"),
        ("", "endpoints"),
        ("", "namespaces"),
        ("", "persistentvolumes"),
        ("", "persistentvolumeclaims"),
        ("", "serviceaccounts"),
        ("autoscaling", "horizontalpodautoscalers"),
        ("apps", "controllerrevisions"),
        ("coordination.k8s.io", "leases"),
        ("discovery.k8s.io", "endpointslices"),
    }
)
"""Types for whose objects no controller of Kubernetes creates others."""
_EVENTS = ("", "events")
_SAME_EVENTS = ("events.k8s.io", "events")
"""The same objects once more."""


def dependents(
    catalogue: Catalogue, selections: Sequence[Selection]
) -> Iterator[Selection]:
    """Yield what to watch besides *selections*, for what their objects own.

    Of types of Kubernetes itself it is known what their objects own. What a custom
    resource owns, only its controller knows: then it may be any type that is served in
    the namespace.
    """
    scopes: dict[tuple[Resource, str | None], None] = {}
    for selection in selections:
        scope = selection.namespace if selection.resource.namespaced else None
        for resource in _reachable(catalogue, selection.resource):
            scopes[resource, scope] = None
    asked = {
        (each.resource, each.namespace)
        for each in selections
        if each.name is None and not each.narrowed
    }
    watched = asked | scopes.keys()
    for resource, scope in scopes:
        if (resource, scope) in asked or (scope and (resource, None) in watched):
            continue  # as part of something else
        yield Selection(resource=resource, namespace=scope)


def _reachable(catalogue: Catalogue, root: Resource) -> Iterable[Resource]:
    """Return the types that objects of *root* may own, directly or not; and Events."""
    served = {
        _key(each): each
        for each in reversed(catalogue.resources)  # the preferred version wins
        if is_watchable(each)
    }
    if _key(root) not in _OWNED and _key(root) not in _LEAVES:
        return [
            each
            for key, each in reversed(served.items())
            if (each.namespaced or not root.namespaced) and key != _SAME_EVENTS
        ]
    found: dict[tuple[str, str], Resource] = {}
    pending = [_key(root)]
    while pending:
        for key in (*_OWNED.get(pending.pop(), ()), _EVENTS):
            if key in served and key not in found:
                found[key] = served[key]
                pending.append(key)
    return list(found.values())


def _key(resource: Resource) -> tuple[str, str]:
    return resource.gvk.group, resource.plural
