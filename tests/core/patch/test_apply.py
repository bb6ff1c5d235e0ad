"""What `applied` makes of a patch is what the jsonpatch package makes of it."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.patch.apply import PatchConflict, applied
from kubectl_spy.core.patch.difference import operations_between
from tests.builders import successive_versions
from tests.json_documents import hostile_json, json_values, kubernetes_objects

pairs = st.tuples(json_values, json_values) | st.tuples(
    kubernetes_objects, kubernetes_objects
)


def steps_between(before: Any, after: Any) -> list[Any]:
    return [step.as_json() for step in operations_between(before, after)]


def shown(operations: Any) -> list[bytes]:
    """Return all of them that anybody shows; of a move that is not the element."""
    return [
        canonical(list(step._replace(old=None) if step.op == "move" else step))
        for step in operations
    ]


@given(pairs)
def test_a_patch_leads_to_the_version_that_it_was_made_for(pair: Any) -> None:
    before, after = pair
    document, _ = applied(before, steps_between(before, after))
    assert canonical(document) == canonical(after)


@given(pairs)
def test_the_operations_come_back_with_the_old_values(pair: Any) -> None:
    """What they say of a version is what the live command said of it."""
    before, after = pair
    live = operations_between(before, after)
    steps = [{**step.as_json(), "label": step.label} for step in live]
    _, read = applied(before, steps)
    assert shown(read) == shown(live)


def test_the_operations_between_recorded_versions_come_back_as_they_were() -> None:
    seen = 0
    for before, after in successive_versions():
        live = operations_between(before, after)
        steps = [{**step.as_json(), "label": step.label} for step in live]
        document, read = applied(before, steps)
        assert canonical(document) == canonical(after)
        assert shown(read) == shown(live)
        seen += len(live)
    assert seen > 1000


@given(pairs)
def test_neither_the_document_nor_the_patch_is_changed(pair: Any) -> None:
    before, after = pair
    steps = steps_between(before, after)
    kept = copy.deepcopy([before, steps])
    document, _ = applied(before, steps)
    applied(document, steps_between(document, before))
    assert canonical([before, steps]) == canonical(kept)


# Paths into what the documents below hold, and past it.
_paths = st.sampled_from(
    [
        "",
        "/a",
        "/b",
        "/a/0",
        "/a/1",
        "/a/-",
        "/a/b",
        "/b/0",
        "/b/a",
        "/a/01",
        "/a~1b",
        "/0",
        "/1",
        "/-",
        "/2",
        "/a/0/a",
        "/b/-/a",
        "/a/+1",
        "/a/1e0",
        "a",
        "/~2",
    ]
)
_small = st.recursive(
    st.sampled_from([None, True, 1, "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "0", "a/b"]), inner, max_size=3)
    ),
    max_leaves=8,
)
_steps = st.lists(
    st.fixed_dictionaries(
        {"op": st.sampled_from(["add", "remove", "replace"]), "path": _paths},
        optional={"value": _small},
    )
    | st.fixed_dictionaries(
        {"op": st.just("move"), "from": _paths.filter(bool), "path": _paths}
    ),
    max_size=4,
)


def by_the_package(document: Any, steps: list[Any]) -> Any:
    """Return the document after *steps*, or None where they do not fit it."""
    try:
        return [jsonpatch.apply_patch(document, steps)]
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
        return None
    except (TypeError, KeyError, ValueError):  # what it makes of odd paths
        return None


@given(_small, _steps)
def test_patches_apply_as_in_jsonpatch(document: Any, steps: list[Any]) -> None:
    try:
        ours, _ = applied(document, steps)
    except PatchConflict:
        return
    theirs = by_the_package(document, steps)
    if theirs is not None:
        assert canonical(ours) == canonical(theirs[0])


@given(_small, _steps)
def test_patches_of_jsonpatch_are_applied(document: Any, steps: list[Any]) -> None:
    theirs = by_the_package(document, steps)
    inside = any(
        step["op"] == "move" and f"{step['path']}/".startswith(f"{step['from']}/")
        for step in steps
    )
    whole = any(step["path"] == "" and step["op"] == "remove" for step in steps)
    # The package takes "01" and "-" for what exists (RFC 6901 does not), and an "x"
    # for a list of one element.
    odd = any(part in str(steps) for part in ("/01", "/+1", "/1e0", "/-"))
    if theirs is None or inside or whole or odd or '"x"' in str(canonical(document)):
        return
    ours, _ = applied(document, steps)
    assert canonical(ours) == canonical(theirs[0])


def nested(depth: int) -> Any:
    """Return lists within lists, which no recursion gets to the end of."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


@given(hostile_json("op", "path", "value", "from", "add", "move", "replace", "/a"))
def test_an_invalid_patch_is_a_conflict(patch: Any) -> None:
    document = {"a": [1, {"b": "c"}]}
    with suppress(PatchConflict):
        applied(document, patch)
    assert document == {"a": [1, {"b": "c"}]}


@pytest.mark.parametrize(
    ("document", "step"),
    [
        ({"a": 1}, {"op": "remove", "path": "/b"}),
        ({"a": 1}, {"op": "replace", "path": "/b", "value": 2}),
        ({"a": 1}, {"op": "add", "path": "/b/c", "value": 2}),
        ({"a": 1}, {"op": "add", "path": "/a/c", "value": 2}),
        ({"a": "text"}, {"op": "replace", "path": "/a/0", "value": 2}),
        ([1], {"op": "add", "path": "/2", "value": 2}),
        ([1], {"op": "replace", "path": "/-1", "value": 2}),
        ([1], {"op": "replace", "path": "/00", "value": 2}),
        ([1], {"op": "replace", "path": "/-", "value": 2}),
        ([1], {"op": "remove", "path": "/²"}),
        ([1], {"op": "remove", "path": ""}),
        ({"a": 1}, {"op": "move", "from": "/b", "path": "/c"}),
        ({"a": 1}, {"op": "test", "path": "/a", "value": 1}),
        ({"a": 1}, {"op": "copy", "from": "/a", "path": "/b"}),
        ({"a": 1}, {"op": "add", "path": "/b"}),
        ({"a": 1}, {"path": "/b", "value": 1}),
        ({"a": 1}, {"op": "add", "path": "b", "value": 1}),
        ({"a": 1}, {"op": "add", "path": "/~2", "value": 1}),
        ({"a": 1}, {"op": "add", "path": 7, "value": 1}),
        ({"a": 1}, {"op": "add", "path": None, "value": 1}),
        ({"a": 1}, {"op": "add", "path": [], "value": 1}),
        ({"a": 1}, {"op": "replace", "path": 0, "value": 1}),
        ([1], {"op": "remove", "path": f"/{10**19}"}),
        ([1], {"op": "move", "from": f"/{10**30}", "path": "/0"}),
        ({"a": 1}, {"op": nested(5_000), "path": "/a"}),
        ({"a": 1}, {"op": "remove", "path": "/a", "label": nested(5_000)}),
        ({"a": 1}, "add"),
        ({"a": 1}, None),
    ],
)
def test_a_step_that_does_not_fit_is_a_conflict(document: Any, step: Any) -> None:
    with pytest.raises(PatchConflict):
        applied(document, [step])


def test_a_container_that_comes_back_is_not_taken_for_the_one_before() -> None:
    document = {"a": {"l": [1]}, "ab": {"l": [2]}}
    there = {"l": [3]}
    steps = [
        {"op": "add", "path": "/a/l/0", "value": 0},
        {"op": "replace", "path": "/ab/l/0", "value": 9},
        {"op": "replace", "path": "/a", "value": there},
        {"op": "replace", "path": "/a/l/0", "value": 4},
        {"op": "replace", "path": "/ab/l/0", "value": 8},
    ]
    after, operations = applied(document, steps)
    assert after == {"a": {"l": [4]}, "ab": {"l": [8]}}
    assert [each.old for each in operations] == [None, 2, {"l": [0, 1]}, 3, 9]
    assert (document, there) == ({"a": {"l": [1]}, "ab": {"l": [2]}}, {"l": [3]})


def test_an_old_value_stays_what_it_was_whatever_the_patch_does_next() -> None:
    document = {"l": [{"x": 1}, {"x": 2}]}
    steps = [
        {"op": "replace", "path": "/l/0/x", "value": 7},
        {"op": "move", "from": "/l/0", "path": "/l/1"},
        {"op": "replace", "path": "/l/1/x", "value": 8},
    ]
    after, (_, moved, _) = applied(document, steps)
    assert after == {"l": [{"x": 2}, {"x": 8}]}
    assert moved.old == {"x": 7}
