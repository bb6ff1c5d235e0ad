"""What differs between two versions, with the lines around it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from kubectl_spy.render.around import Row, near, rows_between, side_by_side, unified
from kubectl_spy.render.columns import width
from kubectl_spy.render.outline import outline
from kubectl_spy.render.palette import PLAIN, Palette, coloured
from kubectl_spy.render.wrapping import plain
from tests.json_documents import json_values

BEFORE: dict[str, Any] = {
    "metadata": {"name": "web"},
    "spec": {"replicas": 3, "args": ["-v"], "image": "web:1"},
    "status": {"message": "3 of 5 Pods are ready", "phase": "Running"},
}
AFTER: dict[str, Any] = {
    "metadata": {"name": "web"},
    "spec": {"args": ["-v", "-x"], "image": "web:1", "replicas": 3},
    "status": {"message": "4 of 5 Pods are ready", "phase": "Running"},
}


@given(json_values, json_values)
def test_both_versions_are_whole(before: Any, after: Any) -> None:
    rows = rows_between(before, after)
    for side, document in ((0, before), (1, after)):
        lines = [row[side] for row in rows if row[side] is not None]
        alike = json.loads(json.dumps(document, sort_keys=True))
        assert lines == ([] if document is None else outline(alike))


@given(json_values)
def test_the_order_of_members_is_no_difference(document: Any) -> None:
    rows = rows_between(document, _reversed(document))
    assert not [each for each in rows if each.differs]


def test_a_member_between_others_in_another_order_is_the_only_difference() -> None:
    before = {"unavailableReplicas": 2, "updatedReplicas": 1, "replicas": 5}
    after = {"replicas": 5, "updatedReplicas": 1, "readyReplicas": 4}
    assert unified(rows_between(before, after), 3, PLAIN, 60) == [
        "+ readyReplicas: 4",
        "  replicas: 5",
        "- unavailableReplicas: 2",
        "  updatedReplicas: 1",
    ]


def _reversed(value: Any) -> Any:
    """Return *value* with the members of its maps in the reverse order."""
    if isinstance(value, dict):
        return {name: _reversed(value[name]) for name in reversed(value)}
    return [*map(_reversed, value)] if isinstance(value, list) else value


@given(json_values, json_values)
def test_context_only_leaves_out_what_is_alike(before: Any, after: Any) -> None:
    rows = rows_between(before, after)
    for context in (1, 3):
        shown = [*near(rows, context)]
        kept = [each for each in shown if not isinstance(each, int)]
        assert [each for each in kept if each.differs] == [
            each for each in rows if each.differs
        ]
        left = sum(each for each in shown if isinstance(each, int))
        assert len(kept) + left == len(rows)


@pytest.mark.parametrize("show", [unified, side_by_side])
@pytest.mark.parametrize("palette", [PLAIN, coloured()])
@given(before=json_values, after=json_values)
def test_lines_fit(
    show: Callable[..., list[str]], palette: Palette, before: Any, after: Any
) -> None:
    for line in show(rows_between(before, after), 3, palette, 60):
        assert width(plain(line)) <= 60


def test_words_that_differ_are_marked() -> None:
    assert unified(rows_between(BEFORE, AFTER), 1, PLAIN, 60) == [
        "  … 4 lines",
        '    - "-v"',
        '+   - "-x"',
        "    image: web:1",
        "  … 1 line",
        "  status:",
        '~   message: "[-3-]{+4+} of 5 Pods are ready"',
        "    phase: Running",
    ]


def test_before_is_left_of_after() -> None:
    before = '-   message: "[-3-] of 5 Pods are ready"'
    after = '+   message: "{+4+} of 5 Pods are ready"'
    assert side_by_side(rows_between(BEFORE, AFTER), 0, PLAIN, 99) == [
        "  … 5 lines",
        f'{"":48} │ +   - "-x"',
        "  … 3 lines",
        f"{before:48} │ {after}",
        "  … 1 line",
    ]


def test_a_long_line_shows_where_it_differs() -> None:
    old, new = ({"note": "x" * 900 + each + "y" * 900} for each in "12")
    shown = "".join(unified(rows_between(old, new), 3, PLAIN, 200))
    assert "x1y" in shown and "x2y" in shown and len(shown) < 300


def test_one_change_of_a_very_long_object_is_one() -> None:
    before = {"data": {f"k{n}": "x" for n in range(9000)}}
    after = {"data": before["data"] | {"k4500": "z"}}
    rows = rows_between(before, after)
    assert len(rows) == 9001
    assert [each for each in rows if each.differs] == [Row("  k4500: x", "  k4500: z")]


def test_lines_of_one_member_stand_beside_each_other() -> None:
    rows = rows_between({"b": 1, "c": 1}, {"a": 2, "b": 2})
    assert rows == [Row(None, "a: 2"), Row("b: 1", "b: 2"), Row("c: 1", None)]
