"""API discovery: the types that are served, and what a path names.

Discovery has two forms: a document for each group version, and since Kubernetes 1.26
an aggregated one for `/api` and for `/apis`, which a client asks for with its Accept
header.
https://kubernetes.io/docs/concepts/overview/kubernetes-api/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON, GroupVersionKind, Resource
from kubectl_spy.extras.serve.api_server.cluster import Collection, is_custom
from kubectl_spy.extras.serve.api_server.exchange import Answer, json_answer

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


class Discovery:
    """Discovery *documents* by path, as `discovery_documents` makes them."""

    def __init__(self, documents: dict[str, JSON]) -> None:
        self._documents = documents
        self.resources = {
            Collection(resource.gvk.api_version, resource.plural): resource
            for document in documents.values()
            if document.get("kind") == "APIResourceList"
            for resource in _resources(document)
        }

    def answer(self, route: str, accept: str) -> Answer | None:
        """Answer a discovery request; None if *route* is something else."""
        if route in ("/api", "/apis") and _accepts_aggregated(accept):
            document = self._documents[f"{route} (aggregated)"]
            return Answer(200, dumps(document) + b"\n", AGGREGATED)
        if route in self._documents:
            return json_answer(self._documents[route])
        for group in self._documents["/apis"]["groups"]:
            if route == f"/apis/{group['name']}":
                return json_answer({"kind": "APIGroup", "apiVersion": "v1", **group})
        return None

    def knows(self, route: str) -> bool:
        """Return whether *route* is below a group of Kubernetes that is served."""
        root, group, *_ = (*route.removeprefix("/").split("/"), "")
        groups = {each.group for each in self.resources if not is_custom(each.group)}
        return root == "api" or (root == "apis" and group in groups - {""})


def _accepts_aggregated(accept: str) -> bool:
    return any(
        {"g=apidiscovery.k8s.io", "v=v2", "as=APIGroupDiscoveryList"}
        <= {parameter.strip() for parameter in media_type.split(";")}
        for media_type in accept.split(",")
    )


def _resources(document: JSON) -> Iterator[Resource]:
    group, _, version = document["groupVersion"].rpartition("/")
    names = {entry["name"] for entry in document["resources"]}
    for entry in document["resources"]:
        if "/" not in entry["name"]:
            yield Resource(
                gvk=GroupVersionKind(group, version, entry["kind"]),
                plural=entry["name"],
                singular=entry["singularName"],
                namespaced=entry["namespaced"],
                verbs=tuple(entry["verbs"]),
                short_names=tuple(entry.get("shortNames", ())),
                categories=tuple(entry.get("categories", ())),
                has_status=f"{entry['name']}/status" in names,
            )


@dataclass(frozen=True, slots=True)
class Target:
    """What the path of a request names."""

    resource: Resource
    namespace: str | None
    name: str | None

    @property
    def collection(self) -> Collection:
        """The collection it is, or the object is in."""
        return Collection(self.resource.gvk.api_version, self.resource.plural)


def find_target(discovery: Discovery, route: str) -> Target | None:
    """Return the collection or the object that *route* names; None for neither.

    https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris
    A `status` subresource is read as the object itself, which is what it returns.
    """
    root, *parts = [unquote(part) for part in route.strip("/").split("/")]
    cut = {"api": 1, "apis": 2}.get(root, len(parts))
    api_version, rest = "/".join(parts[:cut]), parts[cut:]
    namespace = None
    if len(rest) > 2 and rest[0] == "namespaces" and rest[2] != "status":
        namespace, rest = rest[1], rest[2:]
    if not rest or not all(rest):
        return None
    plural, name, *subresource = [*rest, None] if len(rest) == 1 else rest
    resource = discovery.resources.get(Collection(api_version, str(plural)))
    if resource is None or subresource not in ([], ["status"]):
        return None
    if subresource and not resource.has_status:
        return None
    if not resource.namespaced and namespace is not None:
        return None
    if resource.namespaced and namespace is None and name is not None:
        return None
    return Target(resource, namespace, name)


# The discovery documents of a server that serves some resources, for reading only.

_VERBS = ["get", "list", "watch"]


def discovery_documents(
    resources: Iterable[Resource],
    subresources: Mapping[str, Iterable[str]],
) -> dict[str, JSON]:
    """Return the documents of `Discovery`, by path.

    *subresources* has the names of more subresources, by plural of the core group.
    """
    groups: dict[str, dict[str, list[Resource]]] = {}
    for each in sorted(resources, key=lambda each: (each.gvk.group, each.plural)):
        versions = groups.setdefault(each.gvk.group, {})
        versions.setdefault(each.gvk.version, []).append(each)
    core = groups.pop("", {})
    named = [_group(name, versions) for name, versions in groups.items()]
    documents: dict[str, JSON] = {
        "/api": {"kind": "APIVersions", "versions": list(core)},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": named},
        "/api (aggregated)": _aggregated({"": core} if core else {}, subresources),
        "/apis (aggregated)": _aggregated(groups, subresources),
    }
    for group, versions in {"": core, **groups}.items():
        for version, served in versions.items():
            root = f"/apis/{group}" if group else "/api"
            documents[f"{root}/{version}"] = {
                "kind": "APIResourceList",
                "apiVersion": "v1",
                "groupVersion": served[0].gvk.api_version,
                "resources": [
                    entry for each in served for entry in _entries(each, subresources)
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
    entry |= _other_names(resource)
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


def _other_names(resource: Resource) -> dict[str, JSON]:
    names = {"shortNames": resource.short_names, "categories": resource.categories}
    return {key: list(each) for key, each in names.items() if each}


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
    entry |= _other_names(resource)
    below = [
        {"subresource": each, "responseKind": kind, "verbs": ["get"]}
        for each in _subresources(resource, more)
    ]
    return {**entry, "subresources": below} if below else entry
