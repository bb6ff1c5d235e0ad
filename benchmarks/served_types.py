"""The types that a load server serves, and its discovery documents."""

from __future__ import annotations

from benchmarks import objects

VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]

Served = tuple[str, str, str, bool]
"""Kind, plural, short name, and whether namespaced."""


def served(types: int) -> list[Served]:
    """Return the types of which there are objects, and namespaces."""
    kinds = [objects.kind_of(number, types) for number in range(types)]
    others = [(kind, plural(kind), f"c{kind[7:]}", True) for kind in kinds[1:]]
    return [
        ("Pod", "pods", "po", True),
        *others,
        ("Namespace", "namespaces", "ns", False),
    ]


def plural(kind: str) -> str:
    """Return what the objects of a kind are called in paths."""
    return f"{kind.lower()}s"


def discovery(resources_served: list[Served]) -> dict[str, object]:
    """Return the plain discovery documents by path."""
    resources = [
        {
            "name": plural,
            "singularName": kind.lower(),
            "namespaced": namespaced,
            "kind": kind,
            "verbs": VERBS,
            "shortNames": [short],
            **({"categories": ["all"]} if kind == "Pod" else {}),
        }
        for kind, plural, short, namespaced in resources_served
    ]
    return {
        "/version": {
            "major": "1",
            "minor": "36",
            "gitVersion": "v1.36.2",
            "gitCommit": "",
            "gitTreeState": "clean",
            "buildDate": "2026-11-20T00:00:00Z",
            "goVersion": "go1.26.8",
            "compiler": "gc",
            "platform": "linux/amd64",
        },
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
        "/api/v1": {
            "kind": "APIResourceList",
            "groupVersion": "v1",
            "resources": resources,
        },
    }


def aggregated_discovery(resources_served: list[Served]) -> dict[str, object]:
    """Return the aggregated discovery documents (KEP-3352) by path."""
    resources = [
        {
            "resource": plural,
            "responseKind": {"group": "", "version": "v1", "kind": kind},
            "scope": "Namespaced" if namespaced else "Cluster",
            "singularResource": kind.lower(),
            "verbs": VERBS,
            "shortNames": [short],
            **({"categories": ["all"]} if kind == "Pod" else {}),
        }
        for kind, plural, short, namespaced in resources_served
    ]
    core = {
        "metadata": {"creationTimestamp": None},
        "versions": [{"version": "v1", "resources": resources, "freshness": "Current"}],
    }
    head = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2"}
    return {
        "/api": {**head, "metadata": {}, "items": [core]},
        "/apis": {**head, "metadata": {}, "items": []},
    }
