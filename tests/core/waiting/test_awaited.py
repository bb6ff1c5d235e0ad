"""What `--for` takes, and when an object is so."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.waiting.awaited import (
    PathIs,
    Stage,
    StatusConditionIs,
    can_fail,
    parse_awaited,
    parse_step,
    phrase,
)

SAID = {
    "redy": "did you mean ready?",
    "deleted": "did you mean delete?",
    "Created": "did you mean create?",
    "fail": "did you mean failed?",
    "conditions=Ready": "did you mean condition=Ready?",
    "jsonpth={.a}=b": "did you mean jsonpath={.a}=b?",
    "Available=True": "did you mean condition=Available=True?",
    "Ready=True": "did you mean condition=Ready=True?",
    "Available": "did you mean condition=Available?",
    "{.status.phase}=Running": "did you mean jsonpath={.status.phase}=Running?",
    "jsonpath": "did you mean jsonpath={.status.phase}=Running?",
    "condition": "create, delete, ready, failed, condition=NAME and jsonpath=PATH=",
    "": "create, delete, ready, failed, condition=NAME and jsonpath=PATH=VALUE are",
    "condition=": "lacks a name",
    "condition==True": "lacks a name",
    "condition=Ready=": "lacks a value",
    "jsonpath=": "needs a path",
    "jsonpath==x": "needs a path",
    "jsonpath={.a}=": "has no value behind",
    "jsonpath={.a}=b=c": "has more than one",
    "jsonpath={.a": "is no path",
}


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("ready", Stage.READY),
        ("failed", Stage.FAILED),
        ("create", Stage.CREATE),
        ("delete", Stage.DELETE),
        ("DELETE", Stage.DELETE),
    ],
)
def test_a_word_stands_for_itself(text: str, condition: Stage) -> None:
    assert parse_awaited(text) is condition


def test_the_default_value_of_a_condition_is_true() -> None:
    assert parse_awaited("condition=Ready") == StatusConditionIs("Ready", "true")
    assert parse_awaited("condition=Ready=False") == StatusConditionIs("Ready", "False")


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("jsonpath={.status.phase}=Running", "{.status.phase}", "Running"),
        ("jsonpath=.status.phase=Running", ".status.phase", "Running"),
        ("jsonpath={.status.phase}='Running'", "{.status.phase}", "Running"),
        ("jsonpath={.status.loadBalancer}", "{.status.loadBalancer}", None),
        ('jsonpath={.a[?(@.b=="c")].d}=e', '{.a[?(@.b=="c")].d}', "e"),
        ('jsonpath={.a[?(@.b=="c")].d}', '{.a[?(@.b=="c")].d}', None),
        ("jsonpath={.a}=b==c", "{.a}", "b==c"),
    ],
)
def test_paths_end_at_one_equals_sign(text: str, path: str, value: str | None) -> None:
    condition = parse_awaited(text)
    assert isinstance(condition, PathIs)
    assert (condition.path.text, condition.value) == (path, value)


@pytest.mark.parametrize(
    "text", ["ready", "condition=Ready", "condition=Ready=Unknown", "jsonpath={.a}=b"]
)
def test_a_condition_is_called_what_was_typed(text: str) -> None:
    assert phrase(parse_awaited(text)) == text


@pytest.mark.parametrize(("text", "said"), SAID.items())
def test_impossible_conditions_get_suggestions(text: str, said: str) -> None:
    with pytest.raises(ValueError) as error:
        parse_awaited(text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ready", ["ready"]),
        ("ready|failed", ["ready", "failed"]),
        (" ready | failed ", ["ready", "failed"]),
        ("ready|ready", ["ready"]),
        ("condition=A=False|delete", ["condition=A=False", "delete"]),
        ("jsonpath={.a}=b|failed", ["jsonpath={.a}=b", "failed"]),
        ("jsonpath={.a}|jsonpath=.b", ["jsonpath={.a}", "jsonpath=.b"]),
        ('jsonpath={.a}="b|c"', ['jsonpath={.a}="b|c"']),
        ("jsonpath={.a}='b|c'|ready", ['jsonpath={.a}="b|c"', "ready"]),
        ('jsonpath={.a}="it\'s|one"', ['jsonpath={.a}="it\'s|one"']),
        ("jsonpath={.a}=it's|ready", ["jsonpath={.a}=it's", "ready"]),
        ("jsonpath={.a}=b(c|ready", ["jsonpath={.a}=b(c", "ready"]),
        ("jsonpath={.a['b|c']}=d", ["jsonpath={.a['b|c']}=d"]),
        ("jsonpath=.a['b|c']|ready", ["jsonpath=.a['b|c']", "ready"]),
        (
            'jsonpath={.a[?(@.b=="c|d]")].e}=f|failed',
            ['jsonpath={.a[?(@.b=="c|d]")].e}=f', "failed"],
        ),
        (
            'jsonpath={.a[?(@.b=="c|d")].e}|ready',
            ['jsonpath={.a[?(@.b=="c|d")].e}', "ready"],
        ),
    ],
)
def test_a_bar_separates_alternatives(text: str, parts: list[str]) -> None:
    assert list(map(phrase, parse_step(text))) == parts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ready|", 'lacks a condition beside "|", as in ready|failed'),
        ("|", 'lacks a condition beside "|"'),
        ("ready||failed", 'lacks a condition beside "|"'),
        ("ready|faild", '"faild" is nothing to wait for; did you mean failed?'),
        ("jsonpath={.a}=b|c", 'a "|" in a value needs quotes: jsonpath={.a}="b|c"'),
        ("condition=|ready", "lacks a name"),
    ],
)
def test_errors_in_alternatives_have_a_remedy(text: str, said: str) -> None:
    with pytest.raises(ValueError) as error:
        parse_step(text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("steps", "can"),
    [
        ("", False),
        ("create", False),
        ("create delete", False),
        ("create ready", True),
        ("ready|delete", True),
        ("failed", True),
        ("condition=Complete", True),
        ("delete jsonpath={.a}=b", True),
    ],
)
def test_failures_do_not_stop_create_or_delete(steps: str, can: bool) -> None:
    assert can_fail(map(parse_step, steps.split())) is can


def condition(status: str = "True", **more: Any) -> dict[str, Any]:
    return {"type": "Ready", "status": status, **more}


def obj(
    *conditions: Any, generation: int | None = None, **status: Any
) -> dict[str, Any]:
    metadata = {} if generation is None else {"generation": generation}
    return {"metadata": metadata, "status": {"conditions": [*conditions], **status}}


@pytest.mark.parametrize(
    ("text", "document", "met"),
    [
        ("condition=Ready", obj(condition()), True),
        ("condition=ready=TRUE", obj(condition()), True),
        ("condition=Ready", obj(condition("False")), False),
        ("condition=Ready=false", obj(condition("False")), True),
        ("condition=Ready=Unknown", obj(condition("Unknown")), True),
        ("condition=Ready", obj(), False),
        ("condition=Ready", {}, False),
        ("condition=Ready", obj("odd", 3, None, condition()), True),
        (
            "condition=Ready",
            obj(condition(), generation=2, observedGeneration=1),
            False,
        ),
        ("condition=Ready", obj(condition(), generation=2, observedGeneration=2), True),
        ("condition=Ready", obj(condition(), generation=2), True),
        ("condition=Ready", obj(condition(observedGeneration=1), generation=2), False),
        # Its own word counts before that of the whole status.
        (
            "condition=Ready",
            obj(condition(observedGeneration=2), generation=2, observedGeneration=1),
            True,
        ),
        ("jsonpath={.status.phase}=Running", obj(phase="Running"), True),
        ("jsonpath={.status.phase}= Running ", obj(phase="Running"), True),
        ("jsonpath={.status.phase}=running", obj(phase="Running"), False),
        ("jsonpath={.status.replicas}=3", obj(replicas=3), True),
        ("jsonpath={.status.ok}=true", obj(ok=True), True),
        ("jsonpath={.status.phase}=Running", {}, False),
        ("jsonpath={.status.addresses}", obj(addresses=[]), True),
        ("jsonpath={.status.addresses}", obj(), False),
        ("jsonpath={.status.conditions[?(@.type=='Ready')].status}=True", obj(), False),
        (
            "jsonpath={.status.conditions[?(@.type=='Ready')].status}=True",
            obj(condition()),
            True,
        ),
    ],
)
def test_conditions_hold_as_in_kubectl(
    text: str, document: dict[str, Any], met: bool
) -> None:
    awaited = parse_awaited(text)
    assert isinstance(awaited, (StatusConditionIs, PathIs))
    assert awaited.status(document)[0] is met


def test_an_object_or_a_list_cannot_be_compared() -> None:
    awaited = parse_awaited("jsonpath={.status.conditions}=3")
    assert isinstance(awaited, PathIs)
    with pytest.raises(ValueError, match=r"\.conditions} is an object or a list"):
        awaited.status(obj())
