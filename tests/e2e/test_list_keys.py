"""Elements keep their identity in lists of each type that a definition may declare.

Live, replayed and by `diff`, byte for byte the same.
"""

from __future__ import annotations

import copy
import json
import uuid
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from tests.e2e.cluster import IN_TIME, Cluster, Record, watching
from tests.e2e.objects import widget, widget_definition

A, B, C = (
    {"address": address, "zone": zone, "weight": 5, "name": name}
    for address, zone, name in (("1", "a", "x"), ("1", "b", "y"), ("2", "a", "z"))
)
ONE, TWO, THREE = ({"match": f"/{n}", "to": f"s{n}", "weight": n} for n in (1, 2, 3))


def changed(element: Record, **members: Any) -> Record:
    return {**element, **members}


EDITS: list[tuple[str, Any, Any, list[tuple[str, str]]]] = [
    ("map", [A, B], [C, A, B], [("add", "/0")]),
    (
        "map",
        [A, B],
        [changed(A, weight=9), C, B],
        [("add", "/1"), ("replace", "/0/weight")],
    ),
    ("map", [A, B], [changed(A, name="n"), B], [("replace", "/0/name")]),
    ("map", [A, B], [changed(A, zone="c"), B], [("remove", "/0"), ("add", "/0")]),
    (
        "map",
        [A, B, C],
        [B, C, changed(A, weight=1)],
        [("move", "/2"), ("replace", "/2/weight")],
    ),
    ("set", ["a", "b"], ["b", "c"], [("remove", "/0"), ("add", "/1")]),
    (
        "atomic",
        [ONE, TWO],
        [THREE, ONE, changed(TWO, weight=7)],
        [("add", "/0"), ("replace", "/2/weight")],
    ),
    (
        "plain",
        [ONE, TWO],
        [changed(TWO, weight=7)],
        [("remove", "/0"), ("replace", "/0/weight")],
    ),
]
"""The list, its elements before and after, and what happened."""


def definition(group: str) -> Record:
    """Return the definition of Widgets with a list of each type, also in a map."""
    texts = {"type": "string"}
    number = {"type": "integer"}
    address = {
        "type": "object",
        "required": ["address", "zone"],
        "properties": {
            **dict.fromkeys(("address", "zone", "name"), texts),
            "weight": number,
        },
    }
    rule = {
        "type": "object",
        "properties": {"match": texts, "to": texts, "weight": number},
    }
    lists = {
        "map": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["address", "zone"],
            "items": address,
        },
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": texts},
        "atomic": {"type": "array", "x-kubernetes-list-type": "atomic", "items": rule},
        "plain": {"type": "array", "items": rule},
    }
    groups = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["id"],
        "items": {
            "type": "object",
            "required": ["id"],
            "properties": {"id": texts, **lists},
        },
    }
    found = widget_definition(group)
    (version,) = found["spec"]["versions"]
    version["schema"]["openAPIV3Schema"]["properties"]["spec"] = {
        "type": "object",
        "properties": {**lists, "groups": groups},
    }
    return found


def edits() -> list[tuple[Record, Record, str, list[tuple[str, str]]]]:
    """Return specs before and after, where the list is, and what happened in it."""
    found = []
    for name, before, after, happened in EDITS:
        found.append(({name: before}, {name: after}, f"/spec/{name}", happened))
        within, later = (
            {"groups": [{"id": "g", name: each}]} for each in (before, after)
        )
        found.append((within, later, f"/spec/groups/0/{name}", happened))
    return found


def patches(printed: bytes) -> list[Record]:
    records = [json.loads(line) for line in printed.splitlines()]
    return [each for each in records if each.get("patch")]


@pytest.mark.parametrize("only", [(), ("--only", "/spec")], ids=["whole", "only"])
def test_live_replay_and_diff_say_what_happened(
    cluster: Cluster, namespace: str, tmp_path: Path, only: tuple[str, ...]
) -> None:
    group = f"e2e-{uuid.uuid4().hex[:6]}.example.com"
    cluster.apply(definition(group))
    crd = f"crd/widgets.{group}"
    cluster.kubectl("wait", "--for=condition=established", crd, IN_TIME)
    file = str(tmp_path / "it.spy")
    words = [f"widgets.{group}", "-n", namespace, *only]
    spy = cluster.spy()

    def put(spec: Record) -> str:
        one = copy.deepcopy(widget("web", namespace, group, **spec))
        text = cluster.kubectl("replace", "-f", "-", "-o", "json", stdin=one)
        return str(json.loads(text)["metadata"]["resourceVersion"])

    versions = []
    try:
        cluster.apply(widget("web", namespace, group))
        with watching(spy, "changes", *words, "--record", file) as watch:
            for before, after, _, _ in edits():
                versions.append((put(before), put(after)))
            last = versions[-1][1]
            watch.wait_for(lambda seen: seen[-1].get("resourceVersion") == last)
            live = watch.running.end().stdout
    finally:
        cluster.kubectl("delete", crd, "--wait=false")
    replayed = spy.run("changes", "--from", file, *words, "-o", "json")
    assert replayed.stdout == live
    by_version = {each["resourceVersion"]: each["patch"] for each in patches(live)}
    assert len(by_version) == 2 * len(versions)
    document: Record
    for (before, after, path, happened), (one, other) in zip(
        edits(), versions, strict=True
    ):
        patch = by_version[other]
        told = [
            (step["op"], step["path"].removeprefix(path))
            for step in patch
            if step["path"].startswith("/spec")
        ]
        assert told == happened, path
        document = jsonpatch.apply_patch(
            {"metadata": {"generation": 0}, "spec": before}, patch
        )
        assert document["spec"] == after
        differs = spy.run(
            *("diff", file, f"widgets.{group}/web", f"rv:{one}", f"rv:{other}"),
            *(*only, "-o", "jsonpatch"),
        )
        assert json.loads(differs.stdout) == patch
