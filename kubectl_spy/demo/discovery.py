"""What the API server says it serves: versions, groups, resources.

Both forms are served: a document for each group version, and since Kubernetes 1.26
one aggregated document for `/api` and one for `/apis`, which a client asks for with
its Accept header. https://kubernetes.io/docs/concepts/overview/kubernetes-api/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.objects import JSON, GroupVersionKind, Resource
from kubectl_spy.demo.exchange import Answer, encode, json_answer
from kubectl_spy.demo.recordings import Collection

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


class Discovery:
    """Discovery *documents* by path, as `load_document("discovery")` has them."""

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
            return Answer(200, encode(document) + b"\n", AGGREGATED)
        if route in self._documents:
            return json_answer(self._documents[route])
        for group in self._documents["/apis"]["groups"]:
            if route == f"/apis/{group['name']}":
                return json_answer({"kind": "APIGroup", "apiVersion": "v1", **group})
        return None


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
