"""The discovery documents of a server that serves some resources, for reading only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kubectl_spy.core.objects import JSON, Resource

_VERBS = ["get", "list", "watch"]


def discovery_documents(
    resources: Iterable[Resource],
    subresources: Mapping[str, Iterable[str]] | None = None,
) -> dict[str, JSON]:
    """Return the documents of `Discovery`, by path.

    *subresources* has the names of more subresources, by plural of the core group.
    """
    groups: dict[str, dict[str, list[Resource]]] = {}
    for each in sorted(resources, key=lambda each: (each.gvk.group, each.plural)):
        versions = groups.setdefault(each.gvk.group, {})
        versions.setdefault(each.gvk.version, []).append(each)
    more = subresources or {}
    core = groups.pop("", {})
    named = [_group(name, versions) for name, versions in groups.items()]
    documents: dict[str, JSON] = {
        "/api": {"kind": "APIVersions", "versions": list(core)},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": named},
        "/api (aggregated)": _aggregated({"": core} if core else {}, more),
        "/apis (aggregated)": _aggregated(groups, more),
    }
    for group, versions in {"": core, **groups}.items():
        for version, served in versions.items():
            root = f"/apis/{group}" if group else "/api"
            documents[f"{root}/{version}"] = {
                "kind": "APIResourceList",
                "apiVersion": "v1",
                "groupVersion": served[0].gvk.api_version,
                "resources": [
                    entry for each in served for entry in _entries(each, more)
                ],
            }
    return documents


def _group(name: str, versions: Iterable[str]) -> JSON:
    listed = [{"groupVersion": f"{name}/{each}", "version": each} for each in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _entries(resource: Resource, more: Mapping[str, Iterable[str]]) -> list[JSON]:
    entry: dict[str, JSON] = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.gvk.kind,
        "verbs": _VERBS,
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    below = [
        {
            "name": f"{resource.plural}/{each}",
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": resource.gvk.kind,
            "verbs": ["get"],
        }
        for each in _subresources(resource, more)
    ]
    return [entry, *below]


def _subresources(resource: Resource, more: Mapping[str, Iterable[str]]) -> list[str]:
    names = [] if resource.gvk.group else list(more.get(resource.plural, ()))
    return [*names, "status"] if resource.has_status else names


def _aggregated(
    groups: Mapping[str, Mapping[str, list[Resource]]],
    more: Mapping[str, Iterable[str]],
) -> JSON:
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": [
            {
                "metadata": {"name": name} if name else {},
                "versions": [
                    {
                        "version": version,
                        "resources": [_aggregated_entry(each, more) for each in served],
                        "freshness": "Current",
                    }
                    for version, served in versions.items()
                ],
            }
            for name, versions in groups.items()
        ],
    }


def _aggregated_entry(resource: Resource, more: Mapping[str, Iterable[str]]) -> JSON:
    gvk = resource.gvk
    kind = {"group": gvk.group, "version": gvk.version, "kind": gvk.kind}
    entry: dict[str, JSON] = {
        "resource": resource.plural,
        "responseKind": kind,
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": _VERBS,
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    below = [
        {"subresource": each, "responseKind": kind, "verbs": ["get"]}
        for each in _subresources(resource, more)
    ]
    return {**entry, "subresources": below} if below else entry
