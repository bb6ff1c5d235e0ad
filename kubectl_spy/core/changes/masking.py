"""Masks Secrets before anything else sees them.

A Secret shows its keys, its `type` and the well-known fields of its metadata, and a
release of Helm its state. Every other value is masked, in every member. Tools copy
secret values, also earlier ones, into annotations and labels, in more forms than a
search could find.

A masked value is `***` and a keyed tag. The tag changes when the value does. Without
the key nobody can test guesses against it. Unless --mask-key-file gives it, the key
lives as long as the process, and tags of two runs do not compare.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from kubectl_spy.core.fields import mapping, mappings
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import JSON, MASKED, Resource
from kubectl_spy.core.patch import pointer

_HARMLESS = frozenset(  # unmasked annotations and labels, of controllers and charts
    {
        # https://kubernetes.io/docs/reference/labels-annotations-taints/
        "app.kubernetes.io/component",
        "app.kubernetes.io/created-by",
        "app.kubernetes.io/instance",
        "app.kubernetes.io/managed-by",
        "app.kubernetes.io/name",
        "app.kubernetes.io/part-of",
        "app.kubernetes.io/version",
        "kubernetes.io/legacy-token-invalid-since",
        "kubernetes.io/legacy-token-last-used",
        "kubernetes.io/service-account.name",
        "kubernetes.io/service-account.uid",
        # https://helm.sh/docs/chart_best_practices/labels/
        "helm.sh/chart",
        "meta.helm.sh/release-name",
        "meta.helm.sh/release-namespace",
        # https://cert-manager.io/docs/reference/annotations/
        "cert-manager.io/alt-names",
        "cert-manager.io/certificate-name",
        "cert-manager.io/common-name",
        "cert-manager.io/issuer-group",
        "cert-manager.io/issuer-kind",
        "cert-manager.io/issuer-name",
        "controller.cert-manager.io/fao",
    }
)

HELM_RELEASE = "helm.sh/release.v1"
"""The type of the Secrets in which Helm keeps its releases.
https://helm.sh/docs/topics/advanced/#storage-backends
"""
_OF_RELEASES = ("owner", "name", "status", "version", "modifiedAt")
"""Labels that Helm writes on them. People may add others.
https://github.com/helm/helm/blob/main/pkg/storage/driver/secrets.go
"""
# https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
_LABEL = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"

_TAG = re.compile(r"\*\*\* [0-9a-f]{16}")
_UNKNOWN = "*** (masked, cannot compare)"

Show = Callable[[JSON, "Tag"], JSON]
"""Returns the value of a member, with its secret parts masked by the tag."""


class SecretMask:
    """Masks Secrets with a key of at least 16 random bytes, kept in memory only."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def __call__(
        self, document: dict[str, JSON], resource: Resource
    ) -> dict[str, JSON]:
        """Return *document*, or a masked copy if it is a Secret.

        It is one if *resource*, which was asked for, is secrets, or if its kind is
        Secret. The kind alone is not enough, because a server may send any.
        """
        asked = resource.plural == "secrets" and not resource.gvk.group
        named = document.get("kind") == "Secret" and document.get("apiVersion") == "v1"
        if not asked and not named:
            return document
        metadata = document.get("metadata")
        get = metadata.get if isinstance(metadata, dict) else {}.get
        place = f"{get('namespace')}/{get('name')}"
        show = _RELEASE if document.get("type") == HELM_RELEASE else _SECRET
        masked: dict[str, JSON] = show(document, Tag(self._key, (place,)))
        return masked


def epoch_of(key: bytes) -> str:
    """Return the name of *key*. Tags of one name compare."""
    return blake2b(b"epoch", key=key, digest_size=4).hexdigest()


class Tag(NamedTuple):
    """Masks the values of one place. Equal values of two places get different tags."""

    key: bytes
    place: tuple[str, ...]

    def below(self, name: str) -> Tag:
        """Return the tag of the member *name* of this place."""
        return Tag(self.key, (*self.place, name))

    def masked(self, value: JSON) -> JSON:
        """Return `*** ` and 16 hexadecimal digits: 64 bits. null is no value."""
        if value is None:
            return None
        text = canonical([*self.place, value])
        return f"{MASKED}{blake2b(text, key=self.key, digest_size=8).hexdigest()}"


def incomparable(one: JSON, other: JSON) -> tuple[JSON, JSON, int]:
    """Return two versions that were masked with different keys, made comparable.

    Values that are masked in both become equal, because a change cannot be known. Also
    returned is the number of these values.
    """
    if not isinstance(one, dict) or not isinstance(other, dict):
        equal = one == other or not (_is_masked(one) and _is_masked(other))
        return (one, other, 0) if equal else (_UNKNOWN, _UNKNOWN, 1)
    left, right, count = dict(one), dict(other), 0
    for name in one.keys() & other.keys():
        left[name], right[name], found = incomparable(one[name], other[name])
        count += found
    return left, right, count


def _is_masked(value: JSON) -> bool:
    return isinstance(value, str) and _TAG.fullmatch(value) is not None


def _only(kind: type) -> Show:
    """Return a function that shows values of one type."""
    return lambda value, tag: value if type(value) is kind else tag.masked(value)


def _members(
    shown: Mapping[str, Show], others: Show = lambda value, tag: tag.masked(value)
) -> Show:
    """Return a function that shows an object's keys, and its members by *shown*."""

    def show(value: JSON, tag: Tag) -> JSON:
        if not isinstance(value, dict):
            return tag.masked(value)
        return {
            name: shown.get(name, others)(member, tag.below(name))
            for name, member in value.items()
        }

    return show


def _each(element: Show) -> Show:
    """Return a function that shows the elements of a list by *element*."""

    def show(value: JSON, tag: Tag) -> JSON:
        if not isinstance(value, list):
            return tag.masked(value)
        return [element(each, tag) for each in value]

    return show


def _field_names(value: JSON, tag: Tag) -> JSON:
    """Show FieldsV1, which holds only the names of fields."""
    pending = [value]
    while pending:
        fields = pending.pop()
        if not isinstance(fields, dict):
            return tag.masked(value)
        pending += fields.values()
    return value


def _label(value: JSON, tag: Tag) -> JSON:
    """Show what the API server takes for the value of a label."""
    legal = type(value) is str and re.fullmatch(_LABEL, value)
    return value if legal else tag.masked(value)


_text, _number, _flag = _only(str), _only(int), _only(bool)
_listed = _members(dict.fromkeys(_HARMLESS, _text))

# https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
_OWNER = {
    **dict.fromkeys(("apiVersion", "kind", "name", "uid"), _text),
    **dict.fromkeys(("controller", "blockOwnerDeletion"), _flag),
}
_MANAGER = {
    **dict.fromkeys(("manager", "operation", "apiVersion", "time"), _text),
    **dict.fromkeys(("fieldsType", "subresource"), _text),
    "fieldsV1": _field_names,
}
_METADATA = {
    **dict.fromkeys(("name", "generateName", "namespace", "uid", "selfLink"), _text),
    **dict.fromkeys(("resourceVersion", "creationTimestamp"), _text),
    "deletionTimestamp": _text,
    **dict.fromkeys(("generation", "deletionGracePeriodSeconds"), _number),
    "annotations": _listed,
    "labels": _listed,
    "finalizers": _each(_text),
    "ownerReferences": _each(_members(_OWNER)),
    "managedFields": _each(_members(_MANAGER)),
}
_MEMBERS = {
    **dict.fromkeys(("apiVersion", "kind", "type"), _text),
    "immutable": _flag,
    **dict.fromkeys(("data", "stringData"), _members({})),
}
_SECRET = _members({**_MEMBERS, "metadata": _members(_METADATA)})
_SHOWN = {**dict.fromkeys(_HARMLESS, _text), **dict.fromkeys(_OF_RELEASES, _label)}
_RELEASE = _members(
    {**_MEMBERS, "metadata": _members({**_METADATA, "labels": _members(_SHOWN)})}
)


# Masks fields of any kind of object, as the values of Secrets are masked.

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
            metadata = {**masked["metadata"], "managedFields": entries}
            masked = {**masked, "metadata": metadata}
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
