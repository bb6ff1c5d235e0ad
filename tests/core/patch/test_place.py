"""Places that are found again in other versions of an object."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.place import Place, place_of

A = {"name": "a", "image": "a:1"}
B = {"name": "b", "image": "b:1"}


def _pod(*containers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"spec": {"containers": list(containers), **more}}


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        (_pod(A, B), _pod(B, A), False),
        (_pod(A, B), _pod({**B, "image": "b:2"}, A), True),
        (_pod(A, B), _pod(B), False),
        (_pod(A, B), _pod(A), True),
        (_pod(A), _pod(B, A), True),
        (_pod(A), _pod(A), False),
        (_pod(A, B), _pod({**A, "image": "a:2"}, B), False),
        (_pod(A, B), None, True),
    ],
)
def test_an_element_is_found_by_its_key(one: Any, other: Any, differs: bool) -> None:
    place = Place(_pod(A, B), "/spec/containers/1/image")
    assert place.differs(one, other) is differs


def test_a_list_without_keys_is_one_place() -> None:
    """An element at an index may have been at another one before."""
    before, after = {"args": ["-v", "-x"]}, {"args": ["-q", "-v", "-x"]}
    place = Place(before, "/args/0")
    assert place.pointer_in(after) == "/args"
    assert place.differs(before, after)
    assert not place.differs(after, {"args": ["-q", "-v", "-x"]})


def test_json_tells_numbers_from_truth() -> None:
    place = Place({"a": 1}, "/a")
    assert place.differs({"a": 1}, {"a": True})
    assert not place.differs({"a": {"x": 1, "y": 2}}, {"a": {"y": 2, "x": 1}})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_pod(A, B), _pod({**B, "image": "b:2"})),
        (_pod({**B, "image": "b:2"}), _pod(A, B)),
        (_pod(A, B), _pod({**B, "image": "b:2"}, {"name": "c"}, A)),
    ],
)
def test_an_operation_is_about_an_element_as_it_is_applied(
    before: Any, after: Any
) -> None:
    """Its index is that between the operations before it and those behind it."""
    patch = tuple(operations_between(before, after))
    for number, step in enumerate(patch):
        place = place_of(before, patch, number)
        assert step.op == "move" or place.differs(before, after)
        if step.path.endswith("image"):
            assert step.label == "name=b"
            assert place.differs(before, _pod(A, {**B, "image": "b:3"}))
            assert not place.differs(_pod(B), _pod({**A, "image": "a:3"}, B))
