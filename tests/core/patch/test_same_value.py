"""What is only written differently, where a type declares what a member holds."""

from __future__ import annotations

import re
from typing import Any

import pytest
from kubernetes import client

from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.core.patch import same_value
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.patch.same_value import declared, without_same_values

DEPLOYMENT = "apps:Deployment"
CPU = "/spec/template/spec/containers/0/resources/requests/cpu"
SIZE = "/spec/template/spec/volumes/0/emptyDir/sizeLimit"
PROBE = "/spec/template/spec/containers/0/livenessProbe/httpGet/port"
SURGE = "/spec/strategy/rollingUpdate/maxSurge"
CERTIFICATE = "cert-manager.io:Certificate"


def counted(kind: str, path: str, old: JSON, new: JSON) -> dict[str, int]:
    group, _, name = kind.rpartition(":")
    step = PatchOperation("replace", path, new, old)
    kept, others = without_same_values([step], GroupVersionKind(group, "v1", name))
    assert bool(kept) is not bool(others)
    return others


@pytest.mark.parametrize(
    ("kind", "path", "old", "new", "held"),
    [
        (DEPLOYMENT, CPU, "1000m", 1, "quantities"),
        (DEPLOYMENT, CPU, "0.5", "500m", "quantities"),
        (DEPLOYMENT, CPU.replace("cpu", "nvidia.com~1gpu"), "1", 1, "quantities"),
        (DEPLOYMENT, SIZE, "1024Mi", "1Gi", "quantities"),
        ("ResourceQuota", "/spec/hard/requests.cpu", "1k", "1000", "quantities"),
        ("Service", "/spec/ports/0/targetPort", "80", 80, "numbers as texts"),
        (DEPLOYMENT, PROBE, 8080, "8080", "numbers as texts"),
        (DEPLOYMENT, SURGE, "1", 1, "numbers as texts"),
        (CERTIFICATE, "/spec/duration", "2160h", "2160h0m0s", "durations"),
        (CERTIFICATE, "/spec/renewBefore", "1.5h", "90m", "durations"),
        ("example.com:App", CPU, "1", "1000m", "quantities"),
        ("example.com:App", f"/spec/parts/0{CPU[5:]}", "1", "1000m", "quantities"),
    ],
)
def test_values_that_are_only_written_differently_are_counted(
    kind: str, path: str, old: JSON, new: JSON, held: str
) -> None:
    assert counted(kind, path, old, new) == {held: 1}


@pytest.mark.parametrize(
    ("kind", "path", "old", "new"),
    [
        (DEPLOYMENT, CPU, "1000m", 2),
        (DEPLOYMENT, CPU, "1000m", "much"),
        (DEPLOYMENT, CPU, "much", "more"),
        (DEPLOYMENT, CPU, f"{10**19}.{10**17}", f"{10**19}.{10**17 + 1}"),
        (DEPLOYMENT, CPU, f"{10**19}.{10**17}Ki", f"{10**19}.{10**17 + 1}Ki"),
        (DEPLOYMENT, CPU, f"{10**19}.{10**17}e3", f"{10**19}.{10**17 + 1}e3"),
        (DEPLOYMENT, CPU, None, 1),
        (DEPLOYMENT, CPU, {"a": 1}, {"a": 1.0}),
        (DEPLOYMENT, CPU, True, 1),
        (DEPLOYMENT, SURGE, "25%", "25"),
        (DEPLOYMENT, SURGE, "01", 1),
        (DEPLOYMENT, SURGE, "1000m", 1),
        ("Service", "/spec/ports/0/targetPort", "http", 80),
        ("Service", "/spec/ports/0/port", "80", 80),
        (CERTIFICATE, "/spec/duration", "1d", "24h"),
        (
            CERTIFICATE,
            "/spec/duration",
            f"{10**17}.{10**17}h",
            f"{10**17}.{10**17 + 1}h",
        ),
        (CERTIFICATE, "/spec/duration", "1 h", "60m"),
        (CERTIFICATE, "/spec/duration", 60, "60s"),
        (CERTIFICATE, "/spec/duration", f"{'1h' * 99}", f"{'60m' * 99}"),
        ("example.com:Certificate", "/spec/duration", "1h", "60m"),
        ("example.com:App", "/spec/cpu", "1000m", "1"),
        ("example.com:App", "/spec/resources/requests/cpu", "1000m", "1"),
        ("example.com:Deployment", SURGE, "1", 1),
        ("ConfigMap", "/data/cpu", "1000m", "1"),
        ("ConfigMap", f"/data{CPU}", "1000m", "1"),
        (DEPLOYMENT, "/metadata/annotations/cpu", "1000m", "1"),
        (DEPLOYMENT, f"/metadata/annotations{CPU}", "1000m", "1"),
        (DEPLOYMENT, "/spec/template/spec/containers/0/args/0", "1000m", "1"),
        (DEPLOYMENT, "/spec/template/spec/containers/0/env/0/value", "1000m", "1"),
    ],
)
def test_other_values_are_compared_as_they_are(
    kind: str, path: str, old: JSON, new: JSON
) -> None:
    assert counted(kind, path, old, new) == {}


def test_what_comes_or_goes_is_no_other_spelling() -> None:
    gone = PatchOperation("remove", CPU, None, "1000m")
    come = PatchOperation("add", CPU, "1")
    deployment = GroupVersionKind("apps", "v1", "Deployment")
    kept, others = without_same_values([gone, come], deployment)
    assert kept == [gone, come] and others == {}


ELEMENT = re.compile(r"(?i)list\[(.*)\]|dict[(\[]str, (.*)[)\]]")
"""Versions of the official client write lists and maps differently."""


def declarations() -> list[tuple[str, str, str]]:
    """Return the classes of the official client, with what they declare."""
    found = [("V1PodSpec", path, held) for path, held in same_value._POD.items()]
    for kind, members in same_value._MEMBERS.items():
        group, _, name = kind.rpartition(":")
        if "." not in group or group.endswith(".k8s.io"):
            version = "V2" if name == "HorizontalPodAutoscaler" else "V1"
            found += [
                (f"{version}{name}", path, held) for path, held in members.items()
            ]
    return found


def spread(path: str) -> list[str]:
    """Return *path* with each of its alternatives: /(a|b)/c is /a/c and /b/c."""
    found = re.search(r"\(([^)]*)\)", path)
    if found is None:
        return [path]
    before, after = path[: found.start()], path[found.end() :]
    return [
        each for one in found[1].split("|") for each in spread(before + one + after)
    ]


@pytest.mark.parametrize(("name", "pattern", "held"), declarations())
def test_the_types_of_kubernetes_declare_what_is_listed(
    name: str, pattern: str, held: str
) -> None:
    for path in spread(pattern):
        kind = name
        for part in path.split("/")[1:]:
            if part == "*":
                kind = ELEMENT.sub(r"\1\2", kind)
                continue
            model: Any = getattr(client, kind)
            names = {written: ours for ours, written in model.attribute_map.items()}
            kind = model.openapi_types[names[part]]
        assert kind == {"quantities": "str", "numbers as texts": "object"}[held], path


@pytest.mark.parametrize("kinds", same_value._PODS)
def test_the_kinds_with_pods_have_their_spec_there(kinds: str) -> None:
    for kind in kinds.split():
        group, _, name = kind.rpartition(":")
        path = f"{same_value._PODS[kinds]}/overhead/cpu"
        assert declared(group, name, path) == "quantities"
        assert declared("example.com", name, path) == ""
