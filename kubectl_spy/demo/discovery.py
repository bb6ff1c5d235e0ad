"""What the API server says it serves: versions, groups, resources.

Both forms are served: a document for each group version, and since Kubernetes 1.26
one aggregated document for `/api` and one for `/apis`, which a client asks for with
its Accept header. https://kubernetes.io/docs/concepts/overview/kubernetes-api/
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping

from kubectl_spy.core.objects import JSON, GroupVersionKind, Resource
from kubectl_spy.demo.exchange import (
    Answer,
    Refused,
    encode,
    failure,
    json_answer,
    page_not_found,
    standard_failure,
)
from kubectl_spy.demo.recordings import Collection, load_document

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

_STATUS_VERBS = ["get", "patch", "update"]


class Discovery:
    """The recorded discovery documents, with what a test changes about them.

    *custom_resources* are added as a CustomResourceDefinition would. A group in
    *broken_groups* answers everything below `/apis/GROUP/` with that status code,
    as one of an extension API server that is down (503), gone (404) or closed to
    the client (403) does; the aggregated document calls it stale. "" is the core
    group. Without *aggregated* the server is an old one: whatever the Accept header
    says, it gives the plain documents.
    """

    def __init__(
        self,
        *,
        aggregated: bool = True,
        custom_resources: Iterable[Resource] = (),
        broken_groups: Mapping[str, int] | None = None,
    ) -> None:
        self._documents: dict[str, JSON] = load_document("discovery")
        self._aggregated = aggregated
        self._broken = dict(broken_groups or {})
        self._custom = {
            Collection(resource.gvk.api_version, resource.plural): resource
            for resource in custom_resources
        }
        for resource in self._custom.values():
            _add(self._documents, resource)
        for group in self._broken:
            _make_stale(self._documents, group)
        self._resources = {
            Collection(resource.gvk.api_version, resource.plural): resource
            for document in self._documents.values()
            if document.get("kind") == "APIResourceList"
            for resource in _resources(document)
        }

    def resource(self, collection: Collection) -> Resource | None:
        """Return what serves *collection*, or None."""
        return self._resources.get(collection)

    def resource_of(self, api_version: str, kind: str) -> Resource | None:
        """Return what serves a type, or None."""
        for collection, resource in self._resources.items():
            if (collection.api_version, resource.gvk.kind) == (api_version, kind):
                return resource
        return None

    def is_custom(self, group: str) -> bool:
        """Tell whether a CustomResourceDefinition serves *group*.

        Groups of Kubernetes itself have no dot or end in `.k8s.io`.
        """
        built_in = "." not in group or group.endswith(".k8s.io")
        return not built_in or any(group == each.group for each in self._custom)

    def check(self, route: str) -> None:
        """Let requests to groups that work pass.

        Raises:
            Refused: the group of *route* is a broken one.
        """
        for group, code in self._broken.items():
            prefix = f"/apis/{group}/" if group else "/api/v1"
            if route.startswith(prefix):
                raise _refusal_below(route, code)

    def answer(self, route: str, accept: str) -> Answer | None:
        """Answer a discovery request; None if *route* is something else."""
        if self._aggregated and route in ("/api", "/apis") and _is_asked_for(accept):
            document = self._documents[f"{route} (aggregated)"]
            return Answer(200, encode(document) + b"\n", AGGREGATED)
        if route in self._documents:
            return json_answer(self._documents[route])
        for group in self._documents["/apis"]["groups"]:
            if route == f"/apis/{group['name']}":
                return json_answer({"kind": "APIGroup", "apiVersion": "v1", **group})
        return None


def _is_asked_for(accept: str) -> bool:
    return any(
        {"g=apidiscovery.k8s.io", "v=v2", "as=APIGroupDiscoveryList"}
        <= {parameter.strip() for parameter in media_type.split(";")}
        for media_type in accept.split(",")
    )


def _refusal_below(route: str, code: int) -> Refused:
    if code == 404:
        return Refused(page_not_found())
    if code == 403:
        message = f'forbidden: User "demo" cannot get path "{route}"'
        return failure(403, "Forbidden", message, {})
    if code == 503:
        return Refused(
            Answer(503, b"service unavailable\n", "text/plain; charset=utf-8")
        )
    return standard_failure(code)


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


def _add(documents: dict[str, JSON], resource: Resource) -> None:
    """Add a custom resource to all the documents that would name it."""
    group, version, kind = resource.gvk
    group_version = resource.gvk.api_version
    plain = documents.setdefault(
        f"/apis/{group_version}",
        {
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": group_version,
            "resources": [],
        },
    )
    optional = {
        "shortNames": list(resource.short_names),
        "categories": list(resource.categories),
    }
    named = {name: value for name, value in optional.items() if value}
    verbs = list(resource.verbs)
    plain["resources"].append(
        {
            "name": resource.plural,
            "singularName": resource.singular,
            "namespaced": resource.namespaced,
            "kind": kind,
            "verbs": verbs,
            **named,
        }
    )
    response_kind = {"group": group, "version": version, "kind": kind}
    aggregated: dict[str, JSON] = {
        "resource": resource.plural,
        "responseKind": response_kind,
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": verbs,
        **named,
    }
    if resource.has_status:
        status = {"singularName": "", "namespaced": resource.namespaced, "kind": kind}
        plain["resources"].append(
            {"name": f"{resource.plural}/status", **status, "verbs": _STATUS_VERBS}
        )
        aggregated["subresources"] = [
            {
                "subresource": "status",
                "responseKind": copy.copy(response_kind),
                "verbs": _STATUS_VERBS,
            }
        ]
    _aggregated_version(documents, group, version)["resources"].append(aggregated)
    _name_version(documents, group, version)


def _aggregated_version(documents: dict[str, JSON], group: str, version: str) -> JSON:
    items = documents["/apis (aggregated)"]["items"]
    item = _find(items, lambda each: each["metadata"]["name"] == group)
    if item is None:
        item = {"metadata": {"name": group}, "versions": []}
        items.append(item)
    found = _find(item["versions"], lambda each: each["version"] == version)
    if found is None:
        found = {"version": version, "resources": [], "freshness": "Current"}
        item["versions"].append(found)
    return found


def _name_version(documents: dict[str, JSON], group: str, version: str) -> None:
    entry = {"groupVersion": f"{group}/{version}", "version": version}
    groups = documents["/apis"]["groups"]
    found = _find(groups, lambda each: each["name"] == group)
    if found is None:
        found = {"name": group, "versions": [], "preferredVersion": entry}
        groups.append(found)
    if entry not in found["versions"]:
        found["versions"].append(entry)


def _make_stale(documents: dict[str, JSON], group: str) -> None:
    """Mark a group as the aggregator does when it could not fetch its documents."""
    root = "/apis" if group else "/api"
    for item in documents[f"{root} (aggregated)"]["items"]:
        if item["metadata"].get("name", "") == group:
            item["versions"] = [
                {"version": version["version"], "freshness": "Stale"}
                for version in item["versions"]
            ]


def _find(entries: list[JSON], is_it: Callable[[JSON], bool]) -> JSON | None:
    return next(filter(is_it, entries), None)
