"""Values that are too long for the line of their pointer."""

from __future__ import annotations

import pytest

from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.render.columns import width
from kubectl_spy.render.operations import OperationLines
from kubectl_spy.render.palette import PLAIN


def lines(op: str, value: object, old: object = None, columns: int = 80) -> list[str]:
    step = PatchOperation(op, "/data/key", value, old)
    return OperationLines(PLAIN, columns=lambda: columns).lines([step])


@pytest.mark.parametrize("op", ["add", "remove"])
def test_a_huge_string_is_shortened_with_its_length(op: str) -> None:
    (line,) = lines(op, "x" * 500_000, "x" * 500_000)
    assert line.endswith('xxx…" (500,000 characters)') and len(line) <= 80
    assert len(lines(op, "x" * 2_000, "x" * 2_000)) > 20


def test_a_huge_string_of_few_words_is_shown_where_it_changed() -> None:
    (line,) = lines("replace", "x" * 9_000 + " now", "x" * 9_000 + " then")
    assert "now" in line and "then" in line and len(line) <= 80


@pytest.mark.parametrize("start", ["", "kind: text\nlist:\n"])
def test_many_changes_in_a_text_are_counted(start: str) -> None:
    old, new = (
        start + "".join(f"- name: {n}-{word}\n" for n in range(400))
        for word in ("old", "new")
    )
    shown = lines("replace", new, old)
    assert len(shown) == 62
    assert shown[-1].strip().endswith(" more lines; -o yaml shows all")
    assert shown[-1].startswith("    ")


def test_many_changed_lines_are_counted_below_them() -> None:
    old, new = ("".join(f"{word} {n} [\n" for n in range(100)) for word in "ab")
    assert lines("replace", new, old)[-1].startswith("             … ")


def test_wide_words_fit_the_terminal() -> None:
    assert max(map(width, lines("add", "\u955c\u50cf" * 200, columns=60))) <= 60


def test_words_that_change_together_have_one_mark() -> None:
    old = "the scale target of the autoscaler cannot be read from the server again"
    new = f'{old}: deployments.apps "web" not found'
    shown = lines("replace", new, old, columns=150)
    assert shown[1].strip() == f'{old}{{+: deployments.apps "web" not found+}}'
    shown = lines("replace", new, old, columns=60)
    assert max(map(width, shown[1:])) <= 60
    assert " ".join(line.strip() for line in shown[1:]).count("{+") == 1


def test_one_member_is_singular() -> None:
    (line,) = lines("remove", None, {"key": "x" * 300})
    assert line.endswith("{… 1 member}")
    (line,) = lines("remove", None, ["x" * 300, "y"])
    assert line.endswith("[… 2 elements]")


def test_an_operation_that_is_too_wide_is_broken_between_words() -> None:
    long = "/status/containerStatuses/0/state/waiting/reason"
    steps = [
        PatchOperation("replace", long, "b", "a"),
        PatchOperation("replace", "/status/x", "True", "False", label="type=Ready"),
    ]
    shown = OperationLines(PLAIN, columns=lambda: 80).lines(steps)
    assert max(map(len, shown)) <= 80
    assert shown[1:] == [
        f'  replace  {"/status/x":<{len(long)}}  "False"',
        '             → "True"  type=Ready',
    ]


@pytest.mark.parametrize("columns", [60, 80])
def test_two_long_texts_have_a_mark_each(columns: int) -> None:
    old, new = "a" * 100, "b" * 100
    _, *shown = lines("replace", new, old, columns=columns)
    marks = [line[13:15] for line in shown]
    assert marks[0] == "- " and marks.count("- ") == marks.count("+ ") == 1
    assert set(marks) == {"- ", "+ ", "  "} and max(map(len, shown)) <= columns


def test_two_reasons_of_a_condition_are_one_line_with_an_arrow() -> None:
    step = PatchOperation(
        "replace",
        "/status/conditions/1/reason",
        "NewReplicaSetCreated",
        "NewReplicaSetAvailable",
        label="type=Progressing",
    )
    _, line = OperationLines(PLAIN, columns=lambda: 80).lines([step])
    assert line.strip() == "NewReplicaSetAvailable → NewReplicaSetCreated"
