"""What people ask first of an object that appears."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.wording import both_ends, in_brief

_MOST = 5
_WIDTH = 200
_NAMES = 6
"""The most names in one line."""
_SPEC = ("replicas", "schedule", "completions", "type", "clusterIP", "storageClassName")
"""Members of a spec that are shown as they are, for every kind."""


def summary(obj: JSON) -> list[str]:
    """Return at most five lines: owner, images, what its spec asks for, node, ports.

    >>> summary({"spec": {"replicas": 3, "nodeName": "n1"}})
    ['replicas: 3', 'node: n1']
    """
    lines = [
        f"{name}: {both_ends(value, _WIDTH)}" for name, value in _answers(obj) if value
    ]
    return lines[:_MOST]


def _answers(obj: JSON) -> Iterator[tuple[str, str]]:
    spec = mapping(obj, "spec")
    pod = mapping(spec, "template", "spec") or mapping(
        spec, "jobTemplate", "spec", "template", "spec"
    )
    containers = mappings(pod or spec, "containers")
    owners = mappings(obj, "metadata", "ownerReferences")
    yield (
        "owner",
        _listed(f"{text(each, 'kind')}/{text(each, 'name')}" for each in owners),
    )
    yield "image", _listed(text(each, "image") for each in containers)
    for name in _SPEC:
        value = spec.get(name)
        if isinstance(value, (str, int)):
            yield name, str(value)
    yield "node", text(spec, "nodeName")
    ports = [
        *mappings(spec, "ports"),
        *(p for c in containers for p in mappings(c, "ports")),
    ]
    yield "ports", _listed(_port(each) for each in ports)
    yield "selector", _listed(f"{k}={v}" for k, v in _labels(spec).items())
    yield "size", text(spec, "resources", "requests", "storage")
    yield "keys", _listed(mapping(obj, "data"))
    if not containers:
        plain = (each for each in spec.items() if each[0] not in (*_SPEC, "nodeName"))
        for name, value in plain:
            if isinstance(value, (str, int, bool)):
                yield name, value if isinstance(value, str) else dumps(value).decode()


def _labels(spec: dict[str, JSON]) -> dict[str, JSON]:
    selector = mapping(spec, "selector")
    labels = mapping(selector, "matchLabels")
    return {} if mapping(spec, "template") else labels or selector


def _port(port: dict[str, JSON]) -> str:
    inner = number(port, "port") or number(port, "containerPort")
    name = text(port, "name")
    return f"{inner} ({name})" if name else str(inner or "")


def _listed(names: Iterable[str]) -> str:
    return in_brief(list(dict.fromkeys(filter(None, names))), _NAMES)
