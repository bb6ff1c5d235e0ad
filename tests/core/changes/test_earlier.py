"""A write that something else tells of: its line in a recording."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.earlier import EarlierWrite, earlier_of
from kubectl_spy.core.changes.line_reading import check_members
from kubectl_spy.core.changes.lines import BadLine
from kubectl_spy.core.changes.projection import Excerpt, Projection
from kubectl_spy.core.jsontext import dumps, loads
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import seconds
from tests.builders import resource
from tests.examples import examples
from tests.json_documents import json_values

SELECTION = Selection(resource("Deployment", "apps"), "shop")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=5)
POINTERS = st.lists(TEXTS, max_size=2).map(lambda tokens: pointer.join((*tokens,)))
STEPS = st.builds(
    lambda path, value, old: PatchOperation("replace", path, value, old),
    POINTERS,
    json_values,
    json_values,
)


@given(
    st.tuples(*[st.integers(0, 10**9)] * 2),
    st.lists(TEXTS, max_size=2),
    st.lists(STEPS, max_size=2),
    st.lists(POINTERS, max_size=2),
    st.booleans(),
)
@examples(100)
def test_what_is_written_is_what_is_read(
    times: tuple[int, int],
    managers: list[str],
    patch: list[PatchOperation],
    fields: list[str],
    approximate: bool,
) -> None:
    first, last = sorted(map(float, times))
    write = EarlierWrite(
        *(SELECTION, "shop", "web", "uid", first, last, "Event", "Event x"),
        *(tuple(managers), tuple(patch), tuple(fields), approximate),
    )
    line: Any = loads(dumps({"seq": 1, **write.as_json(), "stream": 0}))
    check_members(line)
    assert earlier_of(line, seconds(line["time"]), SELECTION) == write


@pytest.mark.parametrize(
    "step", [5, {}, {"op": "add"}, {"path": "/"}, {"op": "test", "path": "/"}]
)
def test_a_patch_that_is_none_is_refused(step: Any) -> None:
    with pytest.raises(ValueError, match="its patch is none"):
        earlier_of({"name": "web", "origin": "x", "patch": [step]}, 0.0, SELECTION)


@pytest.mark.parametrize("path", ["x", "/a~2"])
def test_a_pointer_that_is_none_is_refused(path: str) -> None:
    for member in ({"fields": [path]}, {"patch": [{"op": "add", "path": path}]}):
        with pytest.raises(ValueError, match="the pointer"):
            earlier_of({"name": "web", "origin": "x", **member}, 0.0, SELECTION)


@pytest.mark.parametrize("member", ["name", "origin", "stream", "kind"])
def test_a_line_without_what_is_needed_is_damaged(member: str) -> None:
    write = EarlierWrite(SELECTION, None, "web", "", 1.0, 1.0, "Event", "")
    line = {"seq": 1, **write.as_json(), "stream": 0}
    line.pop(member)
    with pytest.raises(BadLine, match=f"it has no {member}"):
        check_members(line)


@pytest.mark.parametrize(
    ("path", "only", "ignore"),
    [
        ("/spec/template/x", True, True),
        ("/spec/*", True, True),
        ("/spec/template/x/y", True, False),  # it may hold that, and more
        ("/spec/*/y", False, False),
    ],
)
def test_an_excerpt_chooses_among_what_it_changed(
    path: str, only: bool, ignore: bool
) -> None:
    steps = (PatchOperation("replace", "/spec/template/x", 2, 1),)
    write = EarlierWrite(
        *(SELECTION, "shop", "web", "", 1.0, 1.0, "Event", ""), (), steps
    )
    paths = (pointer.parse(path),)
    chosen = Projection(Excerpt(only=paths)).earlier(write)
    left = Projection(Excerpt(ignore=paths)).earlier(write)
    assert (chosen, left) == (write if only else None, None if ignore else write)
