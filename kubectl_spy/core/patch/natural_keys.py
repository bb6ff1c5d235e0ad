"""The keys that name the elements of Kubernetes lists.

They are the `x-kubernetes-list-map-keys` of the built-in types (OpenAPI of 1.36). Some
lists are declared atomic, such as containerStatuses, endpoints and Node images. Their
keys are what controllers keep unique. Declared keys can repeat in live objects (Node
addresses: kubernetes/kubernetes#101029), so each use checks that they are unique.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import JSON

Key = tuple[str, ...]

_BY_MEMBER: dict[str, tuple[Key, ...]] = {
    "addresses": (("ip",), ("type",), ("type", "address")),
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
    "podIPs": (("ip",),),
    "ports": (("containerPort", "protocol"), ("name",), ("port", "protocol")),
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


_KEYS = {member: (*own, *_COMMON) for member, own in _BY_MEMBER.items()}


def label(member: str, element: JSON) -> str:
    """Return the key of *element* of the list under *member*, or "".

    >>> label("conditions", {"type": "Ready", "status": "True"})
    'type=Ready'
    """
    if type(element) is not dict:
        return ""
    for key in _KEYS.get(member, _COMMON):
        value = _lookup(element, key[0])
        if type(value) is str or type(value) is int:
            return f"{key[0].rpartition('.')[2]}={value}"
    return ""


def natural_keys(
    member: str, before: list[JSON], after: list[JSON]
) -> tuple[list[Hashable], list[Hashable]] | None:
    """Return the keys of the elements of both lists, or None.

    This uses the first key that every element has, and that is unique in each list.
    """
    if {*map(type, before), *map(type, after)} != {dict}:
        return None
    for key in _KEYS.get(member, _COMMON):
        old = _identities(before, key)
        if old is None:
            continue
        new = _identities(after, key)
        if new is not None:
            return old, new
    return None


def _identities(elements: list[dict[str, Any]], key: Key) -> list[Hashable] | None:
    first, *others = key
    if "." in first:
        values = [_lookup(element, first) for element in elements]
    else:
        values = [element.get(first) for element in elements]
    if None in values:
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
    return identities if len(set(identities)) == len(identities) else None


def _lookup(element: dict[str, Any], member: str) -> JSON:
    if "." not in member:
        return element.get(member)
    outer, _, inner = member.partition(".")
    holder = element.get(outer)
    return holder.get(inner) if isinstance(holder, dict) else None


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
