"""OpenAPI v3, from the CustomResourceDefinitions in the cluster.

Schemas are those of kube-apiserver. Paths have what can be read here, and no query
parameters.
https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3
"""

from __future__ import annotations

import hashlib

from kubectl_spy.api_server.cluster import Cluster
from kubectl_spy.api_server.discovery import Discovery
from kubectl_spy.api_server.exchange import Answer, encode, json_answer
from kubectl_spy.api_server.objects import DEFINITIONS
from kubectl_spy.api_server.openapi_schemas import CustomKind
from kubectl_spy.api_server.representations import wanted_by
from kubectl_spy.core.fields import condition, mapping, mappings, text
from kubectl_spy.core.objects import JSON

_ROOT = "/openapi/v3"
_TEXT = "text/plain; charset=utf-8"  # as kube-apiserver sends the index
_NAMESPACE = "object name and auth scope, such as for teams and projects"
_MISSING = (
    "the recording holds no schema of these kinds: only CustomResourceDefinitions that "
    "exist at this moment have schemas"
)
_NO_V2 = (
    "OpenAPI v2 is not served; kubectl explain reads v3 from 1.29 on, without --output"
)


class OpenApi:
    """The OpenAPI documents of *cluster*, as it is when they are asked for."""

    def __init__(self, cluster: Cluster, discovery: Discovery) -> None:
        self._cluster = cluster
        self._discovery = discovery

    def answer(self, route: str, accept: str) -> Answer | None:
        """Answer a request for OpenAPI; None if there is no such document."""
        if route == "/openapi/v2":
            return _not_implemented(_NO_V2)
        if route == _ROOT:
            return Answer(200, encode(self._index()), _TEXT)
        path = route.removeprefix(f"{_ROOT}/")
        kinds = self._kinds().get(path) if path != route else None
        if kinds is None:
            return None
        wanted_by(accept, watches=False)
        return json_answer(_document(kinds)) if kinds else _not_implemented(_MISSING)

    def _index(self) -> JSON:
        """Return where the documents are.

        A group version without schemas is there, too. Its document says why.
        """
        urls = {
            path: f"{_ROOT}/{path}?hash={_hash(kinds)}"
            for path, kinds in sorted(self._kinds().items())
        }
        return {"paths": {path: {"serverRelativeURL": urls[path]} for path in urls}}

    def _kinds(self) -> dict[str, list[CustomKind]]:
        """Return the kinds with a schema in each group version that is served."""
        found: dict[str, list[CustomKind]] = {
            _path(each.api_version): [] for each in self._discovery.resources
        }
        for each in self._cluster.select(DEFINITIONS, None, lambda item: True):
            if condition(each, "Established").get("status") != "True":
                continue
            for version in mappings(each, "spec", "versions"):
                if version.get("served"):
                    kind = CustomKind(each, version)
                    found.setdefault(_path(kind.gvk.api_version), []).append(kind)
        return found


def _path(api_version: str) -> str:
    return f"apis/{api_version}" if "/" in api_version else f"api/{api_version}"


def _not_implemented(message: str) -> Answer:
    """Answer so that kubectl prints *message*: of a 404 it prints its own.

    https://github.com/kubernetes/apimachinery/blob/master/pkg/api/errors/errors.go
    (NewGenericServerResponse)
    """
    return Answer(501, message.encode(), _TEXT)


def _hash(kinds: list[CustomKind]) -> str:
    """Return a text that changes when the document of *kinds* does."""
    metadata = [mapping(each.definition, "metadata") for each in kinds]
    written = [(text(x, "uid"), text(x, "resourceVersion")) for x in metadata]
    return hashlib.sha256(repr(written).encode()).hexdigest()


def _document(kinds: list[CustomKind]) -> JSON:
    schemas: dict[str, JSON] = {}
    paths: dict[str, JSON] = {}
    for each in kinds:
        schemas.update(each.schemas())
        paths.update(_paths(each))
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _paths(kind: CustomKind) -> dict[str, JSON]:
    root, name = f"/apis/{kind.gvk.api_version}", kind.gvk.kind
    parameters: list[JSON] = []
    listed = _reads(kind, "list", kind.name("listKind"))
    every = f"{root}/{kind.name('plural')}"
    found: dict[str, JSON] = {every: {"get": listed}}
    if text(kind.definition, "spec", "scope") == "Namespaced":
        parameters = [_parameter("namespace", _NAMESPACE)]
        within = f"{root}/namespaces/{{namespace}}/{kind.name('plural')}"
        found[within] = {"get": listed, "parameters": parameters}
        every = within
    parameters = [_parameter("name", f"name of the {name}"), *parameters]
    one = {"get": _reads(kind, "get", name), "parameters": parameters}
    found[f"{every}/{{name}}"] = one
    if "status" in mapping(kind.version, "subresources"):
        found[f"{every}/{{name}}/status"] = one
    return found


def _reads(kind: CustomKind, action: str, returned: str) -> JSON:
    """Return the operation that reads an object, or a list."""
    content = {"application/json": {"schema": kind.reference(returned)}}
    group, version, name = kind.gvk
    return {
        "responses": {"200": {"description": "OK", "content": content}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": {
            "group": group,
            "version": version,
            "kind": name,
        },
    }


def _parameter(name: str, description: str) -> JSON:
    return {
        "name": name,
        "in": "path",
        "description": description,
        "required": True,
        "schema": {"type": "string", "uniqueItems": True},
    }
