"""Chooses what a command reads if no target is named: everything of the namespace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_spy.core.objects import BUILT_IN_GROUPS, Resource, Selection
from kubectl_spy.sources.resolution.discovery import Catalogue
from kubectl_spy.sources.resolution.resolve import is_watchable, one_version

_AGAIN = {
    ("events.k8s.io", "events"): ("", "events"),
    ("", "endpoints"): ("discovery.k8s.io", "endpointslices"),
}
"""Types whose objects another type shows as well."""
_OLD = "extensions"
"""The group that once held what apps, networking.k8s.io and policy hold now.

https://kubernetes.io/docs/reference/using-api/deprecation-guide/
"""
_MEASURED = "metrics.k8s.io"
"""The end of the groups of measurements, which are not kept as objects."""
_SECRETS = ("", "secrets")
_OF_CLUSTER = frozenset(
    [
        "nodes",
        "persistentvolumes",
        "namespaces",
        "storageclasses.storage.k8s.io",
        "volumeattachments.storage.k8s.io",
        "ingressclasses.networking.k8s.io",
        "priorityclasses.scheduling.k8s.io",
        "runtimeclasses.node.k8s.io",
        "apiservices.apiregistration.k8s.io",
        "mutatingwebhookconfigurations.admissionregistration.k8s.io",
        "validatingwebhookconfigurations.admissionregistration.k8s.io",
    ]
)
"""The built-in cluster-scoped types that explain what fails in namespaces.

Roles, CSINodes, flow schemas and the like explain nothing, and there are many of them.
"""


def everything(
    catalogue: Catalogue,
    namespace: str | None,
    *,
    label_selector: str | None = None,
    heads: bool = False,
) -> tuple[Selection, ...]:
    """Return a selection for each type that can be listed and watched, once.

    Without a *namespace* they are of all namespaces, and cluster-scoped types that
    explain things are among them. With *heads*, only metadata of Secrets is read.
    """
    return tuple(
        Selection(
            resource=resource,
            namespace=namespace if resource.namespaced else None,
            label_selector=label_selector or None,
            heads=heads and _key(resource) == _SECRETS,
        )
        for resource in _each_once(catalogue.resources)
        if resource.namespaced or (namespace is None and _explains(resource))
    )


def _each_once(resources: Iterable[Resource]) -> Iterator[Resource]:
    """Yield the types whose objects no other type of *resources* shows as well."""
    watchable = list(filter(is_watchable, one_version(resources)))
    served = {_key(each) for each in watchable}
    plurals = {each.plural for each in watchable if each.gvk.group != _OLD}
    for each in watchable:
        if each.gvk.group.endswith(_MEASURED) or _AGAIN.get(_key(each)) in served:
            continue
        if each.gvk.group == _OLD and each.plural in plurals:
            continue
        yield each


def _explains(resource: Resource) -> bool:
    custom = resource.gvk.group not in BUILT_IN_GROUPS
    return custom or resource.group_resource in _OF_CLUSTER


def _key(resource: Resource) -> tuple[str, str]:
    return resource.gvk.group, resource.plural
