"""Masks fields of any kind of object, as the values of Secrets are masked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kubectl_spy.core.changes.masking import Tag
from kubectl_spy.core.fields import mapping, mappings
from kubectl_spy.core.objects import JSON, Resource
from kubectl_spy.core.patch import pointer

Mask = Callable[[dict[str, JSON], Resource], dict[str, JSON]]

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


class Rule(NamedTuple):
    """A field to mask. In both members `*` matches anything in its place."""

    kind: str
    """A resource, short name or kind, also with its group: `deployments.apps`."""
    path: pointer.Tokens

    def __str__(self) -> str:
        return f"{self.kind}:{pointer.join(self.path)}"

    def applies_to(self, resource: Resource) -> bool:
        """Return whether the rule is about objects of *resource*."""
        kind, names = resource.gvk.kind, [resource.plural, resource.singular]
        names += [kind.lower(), *resource.short_names]
        group = resource.gvk.group
        known = {"*", *names, *(f"{name}.{group}" for name in names if group)}
        return self.kind.lower() in known


def parse_rule(text: str) -> Rule:
    """Return the rule in *text*: KIND:POINTER.

    >>> parse_rule("deploy:/spec/template/spec/containers/*/env/*/value").kind
    'deploy'

    Raises ValueError if it is none, or if the pointer is the whole object.
    """
    kind, colon, path = text.strip().partition(":")
    if not kind or not colon or not path.startswith("/"):
        raise ValueError(f'"{text}" is no KIND:POINTER')
    return Rule(kind, pointer.parse(path))


# Fields of well-known kinds that hold credentials.
# https://github.com/openshift/api/blob/master/oauth/v1/types.go
# https://github.com/rancher/rancher/blob/main/pkg/apis/management.cattle.io/v3/authn_types.go
# https://github.com/grafana/grafana-operator/blob/master/api/v1beta1/grafanadatasource_types.go
DEFAULTS = tuple(
    map(
        parse_rule,
        (
            "oauthclients.oauth.openshift.io:/secret",
            "oauthclients.oauth.openshift.io:/additionalSecrets",
            "oauthaccesstokens.oauth.openshift.io:/authorizeToken",
            "oauthaccesstokens.oauth.openshift.io:/refreshToken",
            "tokens.management.cattle.io:/token",
            "grafanadatasources.grafana.integreatly.org:/spec/datasource/secureJsonData",
        ),
    )
)


class Redaction:
    """Masks the fields that *rules* name, with a key of at least 16 random bytes.

    Keys of objects are shown, and every value below the field is masked. kubectl's copy
    of the last applied configuration is masked, too. *before* masks first.
    """

    def __init__(self, rules: Iterable[Rule], key: bytes, before: Mask) -> None:
        self._rules = tuple(rules)
        self._key = key
        self._before = before
        self._paths: dict[Resource, list[pointer.Tokens]] = {}

    def __call__(
        self, document: dict[str, JSON], resource: Resource
    ) -> dict[str, JSON]:
        """Return *document*, or a masked copy if a rule is about its kind."""
        document = self._before(document, resource)
        paths = self._paths.get(resource)
        if paths is None:
            found = [rule.path for rule in self._rules if rule.applies_to(resource)]
            paths = self._paths[resource] = found
        if not paths:
            return document
        metadata = mapping(document, "metadata")
        tag = Tag(self._key, (f"{metadata.get('namespace')}/{metadata.get('name')}",))
        masked: dict[str, JSON] = _masked(document, paths, tag)
        if _LAST_APPLIED in mapping(metadata, "annotations"):
            copied = [("metadata", "annotations", _LAST_APPLIED)]
            masked = _masked(masked, copied, tag)
        if mappings(metadata, "managedFields"):
            entries = [
                {**each, "fieldsV1": _without_values(each.get("fieldsV1"), tag)}
                for each in mappings(masked, "metadata", "managedFields")
            ]
            masked = {
                **masked,
                "metadata": {**masked["metadata"], "managedFields": entries},
            }
        return masked


def _masked(value: JSON, paths: Sequence[pointer.Tokens], tag: Tag) -> JSON:
    """Return *value* with what is at *paths* masked. It shares the rest."""
    whole = () in paths
    if not whole and not paths:
        return value
    if isinstance(value, dict):
        return {
            name: _masked(each, _below(paths, name), tag.below(name))
            for name, each in value.items()
        }
    if isinstance(value, list):
        # Elements move, so their place is not part of the tag.
        return [
            _masked(each, _below(paths, str(number)), tag.below("*"))
            for number, each in enumerate(value)
        ]
    return tag.masked(value) if whole else value


def _below(paths: Sequence[pointer.Tokens], name: str) -> list[pointer.Tokens]:
    """Return what is left of *paths* in the member *name*. () is all of it."""
    return [path[1:] for path in paths if not path or path[0] in (name, "*")]


def _without_values(fields: JSON, tag: Tag) -> JSON:
    """Return FieldsV1 with masked elements of sets, which stand in it as values."""
    if not isinstance(fields, dict):
        return fields
    shown = {}
    for name, below in fields.items():
        if name.startswith("v:"):
            name = f"v:{json.dumps(tag.masked(name))}"
        shown[name] = _without_values(below, tag)
    return shown
