"""What names the elements of a list: its key, or what people call them.

The API server's own keys come first for custom resources (`ListKeys`). The keys of this
page are the `x-kubernetes-list-map-keys` of the built-in types (OpenAPI of 1.36), and
what controllers keep unique in lists that are declared atomic, such as
containerStatuses, endpoints and Node images, and in those of well-known projects.
Declared keys can repeat in live objects (Node addresses: kubernetes/kubernetes#101029),
so each use checks that they are unique.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import lru_cache
from typing import Any

from kubectl_spy.core.jsontext import UnreadableJSON, canonical, dumps, loads
from kubectl_spy.core.objects import JSON, MASKED
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.list_keys import Key, ListKeys

Identities = tuple[list[Hashable], list[Hashable]]
"""What names the elements of two versions of a list, in their order."""

_RULE = "alert|record"
"""Either member names a rule of Prometheus."""

_BY_MEMBER: dict[str, tuple[Key, ...]] = {
    "addresses": (("ip",), ("type",), ("type", "address")),
    "additionalPrinterColumns": (("name",),),
    "ancestors": (("ancestorRef", "controllerName"),),  # of Gateway API policies
    "backendRefs": (("name", "port", "kind", "namespace", "group"),),
    "backends": (("name", "port", "kind", "namespace", "group"),),
    "budgets": (("schedule", "reasons"),),  # of Karpenter: one may have neither
    "conditions": (("type",),),
    "containerStatuses": (("name",),),
    "containers": (("name",),),
    "endpoints": (("targetRef.uid",), ("addresses",)),
    "env": (("name",),),
    "hostIPs": (("ip",),),
    "images": (("names",),),
    "ingress": (("ip",), ("hostname",)),
    "initContainerStatuses": (("name",),),
    "initContainers": (("name",),),
    "managedFields": (("manager", "operation", "subresource", "apiVersion"),),
    "matchExpressions": (("key", "operator"),),
    "ownerReferences": (("uid",),),
    "parentRefs": (("name", "sectionName", "port", "kind", "namespace", "group"),),
    "parents": (("parentRef", "controllerName"),),  # of Gateway API routes
    "podIPs": (("ip",),),
    "ports": (("containerPort", "protocol"), ("name",), ("port", "protocol")),
    "requirements": (("key",), ("key", "operator")),
    "route": (("destination.host", "destination.subset", "destination.port"),),
    "routes": (("name",), ("match",)),
    # A group of Prometheus may alert by one name for several severities.
    "rules": (("name",), (_RULE,), (_RULE, "labels.severity")),
    "taints": (("key", "effect"),),
    "tolerations": (("key", "operator", "value", "effect"),),
    "topologySpreadConstraints": (("topologyKey", "whenUnsatisfiable"),),
    "volumeDevices": (("devicePath",),),
    "volumeMounts": (("mountPath",),),
    "volumes": (("name",),),
}

_COMMON: tuple[Key, ...] = (
    ("type",),
    ("name",),
    ("uid",),
    ("ip",),
    ("key",),
    ("containerPort", "protocol"),
    ("port", "protocol"),
    ("mountPath",),
    ("id",),
)

_MAY_LACK = frozenset({"budgets"})
"""Lists with an element that has no member of the key."""
_CALLED = (
    *("alert", "record", "host", "hostname", "path", "prefix", "address"),
    *("parentRef.name", "ancestorRef.name"),
)
"""What people call elements that have no key."""

_KEYS = {member: (*own, *_COMMON) for member, own in _BY_MEMBER.items()}
_OWN_NAME = r'(?:^| )[^ =]+=("(?:[^"\\]|\\.)*"|[^ ]*)'


def label(member: str, element: JSON, key: Key = ()) -> str:
    """Return the name of *element* of the list under *member*, or "".

    *key* is the key of its list, if the server has one.

    >>> label("conditions", {"type": "Ready", "status": "True"})
    'type=Ready'
    >>> label("hosts", {"address": "10.0.0.1", "zone": "a"}, ("address", "zone"))
    'address=10.0.0.1,zone=a'
    """
    if type(element) is not dict:
        return ""
    if key:
        values = [(each, element.get(each)) for each in key]
        parts = [f"{each}={value}" for each, value in values if _names(value)]
        if parts:
            first, _, rest = ",".join(parts).partition("=")
            return _word(first, rest)
    for name in _names_of(member):
        value = element.get(name) if name.isalnum() else _lookup(element, name)
        kind = type(value)
        if kind is str or kind is int:
            return _word(name.rpartition(".")[2], str(value))
    return ""


@lru_cache(1024)
def _names_of(member: str) -> tuple[str, ...]:
    if member == "route":  # of a VirtualService: mostly all of one host
        return "destination.subset", "destination.host"
    first = [key[0] for key in _KEYS.get(member, _COMMON) if "|" not in key[0]]
    return *dict.fromkeys(first), *_CALLED


def names_in(labels: str) -> tuple[str, ...]:
    """Return what the *labels* of an operation name, from the outer list to the inner.

    >>> names_in('name=shop alert="High errors"')
    ('shop', 'High errors')
    """
    return tuple(map(_unquoted, re.findall(_OWN_NAME, labels)))


def _unquoted(word: str) -> str:
    try:
        value = loads(word.encode()) if word[:1] == '"' else word
    except (UnreadableJSON, UnicodeEncodeError):
        return word
    return value if type(value) is str else word


def identities(
    member: str, before: list[JSON], after: list[JSON], key: Key = ()
) -> Identities | None:
    """Return what names the elements of two versions of a list under *member*, or None.

    This uses *key*, which is that of the server, or else the first key that such lists
    usually have, which is in every element, and unique in each list.
    """
    if {*map(type, before), *map(type, after)} != {dict}:
        return None
    usual = _KEYS.get(member, _COMMON)
    may_lack = member in _MAY_LACK
    for each in (key, *usual) if key else usual:
        old = _identities(before, each, may_lack or each is key)
        if old is None:
            continue
        new = _identities(after, each, may_lack or each is key)
        if new is not None:
            return old, new
    return None


def servers_key(path: str, member: str, keys: ListKeys) -> Key:
    """Return the key that the server uses for the list at *path*; () without one.

    It is noted, unless it is the usual one of lists under *member*.
    """
    key = keys.of(path)
    if key and key != _KEYS.get(member, _COMMON)[0]:
        keys.uses(path, key)
    return key


def _identities(
    elements: list[dict[str, Any]], key: Key, may_lack: bool
) -> list[Hashable] | None:
    first, *others = key
    if first.isalnum():
        values = [element.get(first) for element in elements]
    else:
        values = [_lookup(element, first) for element in elements]
    if None in values and not may_lack:
        return None
    identities: list[Hashable]
    if others:
        identities = [
            (
                _hashable(value),
                *(_hashable(_lookup(element, other)) for other in others),
            )
            for value, element in zip(values, elements, strict=True)
        ]
    else:
        identities = [
            value if type(value) is str else _hashable(value) for value in values
        ]
    if len(set(identities)) != len(identities) or any(map(_is_masked, identities[:1])):
        return None
    return identities


def _is_masked(identity: Hashable) -> bool:
    """Return whether a value of *identity* is masked: a tag depends on its place."""
    if type(identity) is str:
        return identity.startswith(MASKED)
    return type(identity) is tuple and any(
        type(each) is str and each.startswith(MASKED) for each in identity
    )


def _lookup(element: dict[str, Any], member: str) -> JSON:
    """Return the value of *member*, which may be `outer.inner`, or `one|other`."""
    if member.isalnum():
        return element.get(member)
    if "|" in member:
        either = (element.get(each) for each in member.split("|"))
        return next((each for each in either if each is not None), None)
    if "." in member and member not in element:
        outer, _, inner = member.partition(".")
        holder = element.get(outer)
        return holder.get(inner) if isinstance(holder, dict) else None
    return element.get(member)


def _names(value: JSON) -> bool:
    return type(value) is str or type(value) is int


def _word(member: str, value: str) -> str:
    """Return `member=value` as one word: quoted as JSON if the value has spaces."""
    if '"' in value or (value and value.split() != [value]):
        value = dumps(value).decode("utf-8", "replace")
    return f"{member}={value}"


def _hashable(value: JSON) -> Hashable:
    """Return a value that differs for `1`, `true` and `1.0`; of a list, of its first.

    Node images and endpoints are named by lists, of which the first element stays.
    """
    if type(value) is str:
        return value
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict | list):
        return canonical(value)
    return (type(value), value)


# The labels of the list elements on the way to a value.


def labels_along(
    tokens: pointer.Tokens, document: JSON, last: JSON = None
) -> dict[int, str]:
    """Return the labels of the elements that *tokens* lead to, by the token's place.

    *last* is what is or was at the end, if that is itself an element. An element
    without a label is left out.

    >>> document = {"ports": [{"name": "http", "port": 1}], "args": ["-v"]}
    >>> labels_along(("ports", "0", "port"), document), labels_along(("args", "0"), {})
    ({1: 'name=http'}, {})
    """
    found: dict[int, str] = {}
    here, member = document, ""
    for place, token in enumerate(tokens):
        if not isinstance(here, list):
            here = here.get(token) if isinstance(here, dict) else None
            member = token
            continue
        at = int(token) if token.isdecimal() and len(token) < 10 else len(here)
        here = here[at] if at < len(here) else None
        is_last = place == len(tokens) - 1 and last is not None
        if own := label(member, last if is_last else here):
            found[place] = own
    return found
