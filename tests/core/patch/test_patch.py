from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import deepdiff
import jsonpatch
import pytest
from hypothesis import given

from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.patch.difference import operations_between
from tests.builders import successive_versions
from tests.examples import examples
from tests.json_documents import json_values, kubernetes_objects

PAIRS = sorted((Path(__file__).parents[2] / "diff_pairs").glob("*.json.gz"))


def size(patch: jsonpatch.JsonPatch) -> int:
    return len(json.dumps(patch.patch, separators=(",", ":")))


def round_trips(before: Any, after: Any) -> jsonpatch.JsonPatch:
    """Apply the patch with the jsonpatch package and compare under JSON equality."""
    steps = operations_between(before, after)
    patch = jsonpatch.JsonPatch([step.as_json() for step in steps])
    assert canonical(jsonpatch.apply_patch(before, patch)) == canonical(after)
    return patch


def steps(before: Any, after: Any) -> list[tuple[str, ...]]:
    return [
        (step.op, step.source, step.path) if step.source else (step.op, step.path)
        for step in operations_between(before, after)
    ]


@given(json_values, json_values)
@examples(200)
def test_applying_the_patch_gives_the_later_document(before: Any, after: Any) -> None:
    round_trips(before, after)


@given(kubernetes_objects, kubernetes_objects)
@examples(200)
def test_patches_apply_to_objects_of_kubernetes(before: Any, after: Any) -> None:
    round_trips(before, after)


@given(kubernetes_objects)
def test_equal_documents_give_no_operation(document: Any) -> None:
    assert operations_between(document, json.loads(json.dumps(document))) == []


@given(kubernetes_objects, kubernetes_objects)
def test_only_four_operations_and_list_moves_occur(before: Any, after: Any) -> None:
    for step in operations_between(before, after):
        assert step.op in {"add", "remove", "replace", "move"}
        if step.op == "move":
            source, _, index = step.source.rpartition("/")
            target, _, to = step.path.rpartition("/")
            assert source == target and index.isdigit() and to.isdigit()


@given(json_values, json_values)
def test_differences_agree_with_deepdiff(before: Any, after: Any) -> None:
    """deepdiff takes 1 and 1.0 for equal inside lists, so both are made text."""

    def tagged(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: tagged(member) for key, member in value.items()}
        if isinstance(value, list):
            return [tagged(element) for element in value]
        return f"{type(value).__name__} {value!r}"

    differs = bool(deepdiff.DeepDiff(tagged(before), tagged(after)))
    assert differs == bool(operations_between(before, after))


def test_every_recorded_version_is_reached_by_its_patch() -> None:
    ours = theirs = pairs = 0
    for before, after in successive_versions():
        ours += size(round_trips(before, after))
        theirs += size(jsonpatch.make_patch(before, after))
        pairs += 1
    assert pairs > 400
    assert ours <= theirs


def test_patches_of_the_pairs_are_no_larger_than_the_librarys() -> None:
    ours = theirs = 0
    assert PAIRS
    for path in PAIRS:
        pair = json.loads(gzip.decompress(path.read_bytes()))
        ours += size(round_trips(pair["src"], pair["dst"]))
        theirs += size(jsonpatch.make_patch(pair["src"], pair["dst"]))
    assert ours <= theirs


@pytest.mark.parametrize(
    ("before", "after"),
    [(True, 1), (1, 1.0), (0, False), (None, False), ("1", 1), ({}, []), ("", None)],
)
def test_types_count(before: Any, after: Any) -> None:
    assert steps({"x": [before]}, {"x": [after]}) == [("replace", "/x/0")]


READY, OTHER = ({"type": each, "status": "True"} for each in ("Ready", "Available"))
A, B, C = ({"type": each, "status": "False"} for each in "ABC")
POINTS = [{"addresses": [f"10.0.0.{n}"], "ready": True} for n in range(50)]
IPS = [{"type": "InternalIP", "address": each} for each in "12"]
STEPS: dict[str, Any] = {
    "null is not absent": ({"x": None}, {}, ["remove /x"]),
    "null may be added": ({}, {"x": None}, ["add /x"]),
    "an inserted condition is one operation": (
        {"conditions": [READY]},
        {"conditions": [OTHER, READY]},
        ["add /conditions/0"],
    ),
    "a condition that moved and changed is a move and a change": (
        {"conditions": [A, B, C]},
        {"conditions": [B, C, A | {"status": "True"}]},
        ["move /conditions/0 /conditions/2", "replace /conditions/2/status"],
    ),
    "a removed endpoint is one operation": (
        {"endpoints": POINTS},
        {"endpoints": POINTS[:20] + POINTS[21:]},
        ["remove /endpoints/20"],
    ),
    "a changed argument is replaced where it stands": (
        {"args": ["--v=1", "--x", "--y"]},
        {"args": ["--v=2", "--x", "--y", "--z"]},
        ["add /args/3", "replace /args/0"],
    ),
    "repeated keys fall back to content": (
        {"addresses": IPS},
        {"addresses": IPS[1:]},
        ["remove /addresses/0"],
    ),
    "a label and an annotation with one value have nothing in common": (
        {"labels": {"canary": "true"}, "annotations": {}},
        {"labels": {}, "annotations": {"scrape": "true"}},
        ["remove /labels/canary", "add /annotations/scrape"],
    ),
}


@pytest.mark.parametrize(("before", "after", "told"), STEPS.values(), ids=STEPS)
def test_a_patch_says_what_happened(before: Any, after: Any, told: list[str]) -> None:
    assert [" ".join(each) for each in steps(before, after)] == told


def test_operations_carry_the_names_of_list_elements() -> None:
    def pod(value: str) -> Any:
        env = [{"name": "LEVEL", "value": value}]
        return {"containers": [{"name": "app", "env": env}]}

    (step,) = operations_between(pod("info"), pod("debug"))
    assert (step.path, step.label) == (
        "/containers/0/env/0/value",
        "name=app name=LEVEL",
    )
    assert (step.old, step.value) == ("info", "debug")


def deep(levels: int, leaf: Any) -> Any:
    document = leaf
    for level in range(levels):
        document = {"d": document, "same": 0} if level % 2 else [document]
    return document


def test_a_thousand_levels_are_one_operation() -> None:
    (step,) = operations_between(deep(1000, 1), deep(1000, 2))
    assert (step.op, step.value) == ("replace", 2)
    assert step.path.count("/") == 1000


def test_a_large_object_in_a_thousand_lists_is_compared() -> None:
    before = {f"k{n}": n for n in range(2_000)}
    (step,) = operations_between(deep(900, before), deep(900, {**before, "k5": -1}))
    assert (step.op, step.old, step.value) == ("replace", 5, -1)


def test_large_strings_and_long_lists_are_compared() -> None:
    text = "x" * 200_000
    before: Any = {"data": {"a": text}, "list": list(range(10_000))}
    after: Any = {"data": {"a": text + "y"}, "list": [*range(1, 10_000), 0]}
    assert [path for *_, path in steps(before, after)] == ["/data/a", "/list/9999"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (list(range(50_000)), list(range(50_000))[::-1]),
        ([0] * 5_000 + [1] * 5_000, [1] * 5_000 + [0] * 5_000),
        (
            [{"name": str(n)} for n in range(10_000)],
            [{"name": str(n)} for n in range(9_999, 0, -1)],
        ),
        ([[n % 7] for n in range(10_000)], [[n % 5] for n in range(10_000)]),
    ],
    ids=["reversed", "blocks swapped", "named, reversed", "periods"],
)
def test_hostile_lists_come_to_an_end(before: Any, after: Any) -> None:
    result = before
    operations = operations_between(before, after)
    result = list(before)
    for step in operations:  # as RFC 6902 §4 says, on one list
        index = int(step.path.split("/")[1])
        if step.op == "remove":
            del result[index]
        elif step.op == "move":
            result.insert(index, result.pop(int(step.source.split("/")[1])))
        elif step.op == "add":
            result.insert(index, step.value)
        elif step.path.count("/") == 1:
            result[index] = step.value
        else:
            result[index] = [step.value]
    assert result == after
