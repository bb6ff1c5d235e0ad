"""The schemas that kube-apiserver publishes for a custom resource.

https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/controller/openapi/builder/builder.go

openapi_schemas.json has what v1.36.2 publishes for a kind Example, whose `spec` is an
embedded resource.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import NamedTuple

from kubectl_spy.api_server.objects import Object
from kubectl_spy.core.fields import flag, mapping, mappings, text
from kubectl_spy.core.jsontext import dumps, loads
from kubectl_spy.core.objects import JSON, GroupVersionKind

_EXAMPLE = "org.example.v1.Example"
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]


class CustomKind(NamedTuple):
    """A version of a CustomResourceDefinition."""

    definition: Object
    version: Object

    @property
    def gvk(self) -> GroupVersionKind:
        return GroupVersionKind(
            text(self.definition, "spec", "group"),
            text(self.version, "name"),
            self.name("kind"),
        )

    def name(self, which: str) -> str:
        """Return one of its names: "kind", "listKind" or "plural"."""
        return text(self.definition, "spec", "names", which)

    def reference(self, kind: str) -> JSON:
        """Return a reference to the schema of its kind or its list."""
        return {"$ref": f"#/components/schemas/{self._path}{kind}"}

    @property
    def _path(self) -> str:
        group, version, _ = self.gvk
        return ".".join([*reversed(group.split(".")), version, ""])

    def schemas(self) -> dict[str, JSON]:
        """Return the schemas of an object and of a list, and those that these use."""
        kind, listed = self.name("kind"), self.name("listKind")
        return {
            **{name: each for name, each in _real().items() if _EXAMPLE not in name},
            f"{self._path}{kind}": {**self._object(), **self._extensions(kind)},
            f"{self._path}{listed}": {**self._list(), **self._extensions(listed)},
        }

    def _extensions(self, kind: str) -> dict[str, JSON]:
        group, version, _ = self.gvk
        typed = {"group": group, "kind": kind, "version": version}
        found: dict[str, JSON] = {"x-kubernetes-group-version-kind": [typed]}
        if fields := mappings(self.version, "selectableFields"):
            found["x-kubernetes-selectable-fields"] = [
                {"fieldPath": text(each, "jsonPath").removeprefix(".")}
                for each in fields
            ]
        return found

    def _object(self) -> dict[str, JSON]:
        recorded = mapping(self.version, "schema", "openAPIV3Schema")
        schema = _published(recorded)
        typed = _real()[_EXAMPLE]["properties"]
        shown = {name: each for name, each in typed.items() if name != "spec"}
        schema["properties"] = {**mapping(schema, "properties"), **shown}
        return schema

    def _list(self) -> dict[str, JSON]:
        schema = _real()[f"{_EXAMPLE}List"]
        items = schema["properties"]["items"]
        said = items["description"].replace("examples", self.name("plural"))
        items = {
            **items,
            "description": said,
            "items": self.reference(self.name("kind")),
        }
        return {
            **schema,
            "description": f"{self.name('listKind')} is a list of {self.name('kind')}",
            "properties": {**schema["properties"], "items": items},
        }


@cache
def _real() -> dict[str, JSON]:
    part = resources.files("kubectl_spy.api_server") / "openapi_schemas.json"
    found: dict[str, JSON] = loads(part.read_bytes())
    return found


def _published(recorded: Object) -> Object:
    """Return a copy of a *recorded* schema with what the API server adds."""
    schema: Object = loads(dumps(recorded))
    embedded = _real()[_EXAMPLE]["properties"]["spec"]
    pending = [schema]
    while pending:
        each = pending.pop()
        properties = mapping(each, "properties")
        within = (
            *properties.values(),
            each.get("items"),
            each.get("additionalProperties"),
        )
        pending += [one for one in within if isinstance(one, dict)]
        alternatives = [each, *mappings(each, "allOf")]
        is_either = flag(each, "x-kubernetes-int-or-string")
        if is_either and not any("anyOf" in one for one in alternatives):
            each["anyOf"] = _INT_OR_STRING
        if flag(each, "x-kubernetes-embedded-resource"):
            each["properties"] = {**properties, **embedded["properties"]}
            required = each.get("required")
            required = required if isinstance(required, list) else []
            missing = [name for name in embedded["required"] if name not in required]
            each["required"] = [*required, *missing]
    return schema
