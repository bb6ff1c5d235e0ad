"""Paths as kubectl writes them, and what they lead to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.waiting.jsonpath import parse_path, printed, translate
from tests.examples import examples
from tests.json_documents import hostile_json

POD = {
    "metadata": {"labels": {"app.kubernetes.io/name": "web", "it's": "odd", 'a"b': 1}},
    "spec": {"containers": [{"name": "a", "ports": [80]}, {"name": "b", "ports": []}]},
    "status": {
        "phase": "Running",
        "empty": [],
        "nothing": None,
        "conditions": [
            {"type": "Initialized", "status": "True"},
            {"type": "Ready", "status": "False", "since.when": 3},
        ],
    },
}

FOUND = [
    ("{.status.phase}", ["Running"]),
    (".status.phase", ["Running"]),
    ("status.phase", ["Running"]),
    ("{status.phase}", ["Running"]),
    ("{$.status.phase}", ["Running"]),
    ("{ .status.phase }", ["Running"]),
    ("{.status['phase']}", ["Running"]),
    ('{.status["phase"]}', ["Running"]),
    ("{['status'].phase}", ["Running"]),
    (r"{.metadata.labels.app\.kubernetes\.io/name}", ["web"]),
    (r"{.metadata.labels['app\.kubernetes\.io/name']}", ["web"]),
    ("{.metadata.labels['app.kubernetes.io/name']}", ["web"]),
    (r"{.metadata.labels['it\'s']}", ["odd"]),
    (r'{.metadata.labels["a\"b"]}', [1]),
    ('{.status.conditions[?(@.type=="Ready")].status}', ["False"]),
    ("{.status.conditions[?(@.type == 'Ready')].status}", ["False"]),
    ('{.status.conditions[?(@.type!="Ready")].type}', ["Initialized"]),
    (r"{.status.conditions[?(@.since\.when>=3)].type}", ["Ready"]),
    (r"{.status.conditions[?(@.since\.when)].type}", ["Ready"]),
    ('{.status.conditions[?(@.type=="None")].status}', []),
    ("{.status.conditions[0].type}", ["Initialized"]),
    ("{.status.conditions[-1].type}", ["Ready"]),
    ("{.status.conditions[-1:].type}", ["Ready"]),
    ("{.status.conditions[*].type}", ["Initialized", "Ready"]),
    ("{.status.conditions[0,1].type}", ["Initialized", "Ready"]),
    ("{.spec.containers[?(@.name=='a')].ports[0]}", [80]),
    ("{..since\\.when}", [3]),
    ("{.status.conditions.*.type}", ["Initialized", "Ready"]),
    ("{.status['phase', 'empty']}", ["Running", []]),
    ("{.status.nothing}", [None]),
    ("{.status.absent}", []),
    ("{.status.absent[0].name}", []),
    ("{.status.conditions[9].type}", []),
    ("{.status.phase.deeper}", []),
    ("{.status.empty[?(@.a=='b')]}", []),
]


@pytest.mark.parametrize(("expression", "values"), FOUND)
def test_a_path_leads_where_kubectl_s_does(expression: str, values: list[Any]) -> None:
    assert parse_path(expression).find(POD) == values


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "",
            "{}",
            "{",
            "}",
            "{.a}{.b}",
            "{.a[}",
            "{.a]}",
            "{.a[?(@.b=='c']}",
            "{.a.}",
        ),
        *("{range .a[*]}{.b}{end}", "{.a b}", "{.a['b}", "{.a[x]}", "{.a[?(b==c)]}"),
        *("{.a[?(@.b=~'c')]}", "{.a[0,]}", "{..}", "{$}", "{.a[?(@.b==1)}", "{.a\\}"),
        *("{.a[0 1]}", "{.a[?(@.b==@.c]d)]}", "{.a[?(@x)]}", "{.a['b'.c]}"),
        *("{.a[99999999999999999999]}", "[?(" * 3000),
    ],
)
def test_an_invalid_jsonpath_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"is no path; \{.status.phase\}"):
        parse_path(expression)


def test_several_values_are_too_many() -> None:
    with pytest.raises(ValueError, match="leads to 2 values"):
        parse_path("{.status.conditions[*].type}").value(POD)


def test_a_document_that_is_too_deep_is_not_searched() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = {"a": deep}
    with pytest.raises(ValueError, match="cannot be looked for"):
        parse_path("{..b}").value(deep)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *[("Running", "Running"), (3, "3"), (True, "true"), (False, "false")],
        *[(1.0, "1"), (1.5, "1.5"), (1e20, "100000000000000000000"), (None, "<nil>")],
    ],
)
def test_values_are_compared_as_go_prints_them(value: Any, text: str) -> None:
    assert printed(value) == text


@given(st.text(alphabet="{}.[]()?@'\"\\*,:=!<>a1- $", max_size=25), hostile_json("a"))
@examples(300)
def test_any_text_is_a_path_or_none(expression: str, document: Any) -> None:
    try:
        path = parse_path(expression)
    except ValueError:
        return
    assert translate(expression).startswith("$")
    assert isinstance(path.find(document), list)


@pytest.mark.parametrize("document", ["[", "{}", '{"a": 1}', 3, None, [1]])
def test_a_scalar_matches_no_path(document: Any) -> None:
    assert parse_path("{.a}").find(document) == []
