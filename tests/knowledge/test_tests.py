"""Every word of a test, on objects that pass and that do not."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.counting import bytecodes
from kubectl_spy.knowledge.expressions import Budget, TooMuch
from kubectl_spy.knowledge.problem import BadEntry
from kubectl_spy.knowledge.tests import tests_of as parsed

FAILED, ERROR, RUNNING = ({"phase": word} for word in ("Failed", "Error", "Running"))


def passes(tests: dict[str, Any], status: Any, **more: Any) -> bool:
    obj = {"status": status, **more}
    budget = Budget()
    return all(test.passes(obj, budget) for test in parsed(tests, ()))


@pytest.mark.parametrize(
    ("test", "good", "bad"),
    [
        ("Failed", [FAILED], [ERROR, {}, None, [], "Failed", {"phase": ["Failed"]}]),
        (["Failed", "Error"], [FAILED, ERROR], [RUNNING, {}]),
        ({"not": "Running"}, [FAILED, ERROR], [RUNNING, {}, {"phase": None}]),
        ({"not": ["Running", "Error"]}, [FAILED], [RUNNING, ERROR, {}]),
        ({"present": True}, [FAILED, {"phase": 0}], [{}, {"phase": ""}, {"phase": []}]),
        ({"present": False}, [{}, {"phase": ""}, {"phase": {}}], [FAILED]),
        ({"starts": "Fail"}, [FAILED], [ERROR, {}, {"phase": "aFailed"}]),
        ({"starts": ["Fail", "Err"]}, [FAILED, ERROR], [RUNNING]),
        ({"ends": "ing"}, [RUNNING], [FAILED, {}]),
        ({"ends": "ed", "starts": "Fail"}, [FAILED], [{"phase": "Failing"}, RUNNING]),
        ({"not": {"starts": "Fail"}}, [ERROR], [FAILED, {}]),
        (3, [{"phase": 3}, {"phase": "3"}], [{"phase": 4}]),
        (True, [{"phase": True}, {"phase": "true"}], [{"phase": False}, {}]),
    ],
)
def test_a_value_is_compared(test: Any, good: list[Any], bad: list[Any]) -> None:
    tests = {"status.phase": test}
    assert [each for each in good if not passes(tests, each)] == []
    assert [each for each in bad if passes(tests, each)] == []


@pytest.mark.parametrize(
    ("word", "ready", "wanted", "said"),
    [
        ("below", 1, 2, True),
        ("below", 2, 2, False),
        ("above", 3, 2, True),
        ("above", 2, 2, False),
        ("equals", 2, 2, True),
        ("equals", "2", 2, True),
        ("equals", 2, 3, False),
        ("below", 1, None, False),
        ("below", None, 2, True),
        ("equals", None, None, False),
        ("below", "1", 2, False),
        ("below", False, 2, False),
        ("above", 10**400, 2, True),
        ("below", [1], 2, False),
    ],
)
def test_two_values_are_compared(
    word: str, ready: Any, wanted: Any, said: bool
) -> None:
    spec = {"replicas": wanted}
    by_path = {"status.ready": {word: "spec.replicas"}}
    assert passes(by_path, {"ready": ready}, spec=spec) is said
    if wanted is not None:
        assert passes({"status.ready": {word: wanted}}, {"ready": ready}) is said


def test_any_part_or_every_part_is_asked() -> None:
    nodes = {"a": {"phase": "Ready"}, "b": {"phase": "Lost"}}
    for parts in (nodes, list(nodes.values())):
        status = {"nodes": parts}
        assert passes({"status.nodes[].phase": "Lost"}, status)
        assert not passes({"status.nodes[].phase": {"every": "Ready"}}, status)
        assert passes({"status.nodes[].phase": {"every": ["Ready", "Lost"]}}, status)
    assert not passes({"status.nodes[].phase": {"every": "Ready"}}, {"nodes": []})


def test_a_key_with_dots_stands_in_brackets() -> None:
    metadata = {"annotations": {"example.org/state": "bad"}}
    tests = {"metadata.annotations[example.org/state]": "bad"}
    assert passes(tests, {}, metadata=metadata)


@pytest.mark.parametrize(
    ("wanted", "good"),
    [
        (False, True),
        ("False", True),
        (True, False),
        (["False", "Unknown"], True),
        ({"status": False, "reason": "Denied"}, True),
        ({"status": False, "reason": ["Expired", "Denied"]}, True),
        ({"status": False, "reason": "Expired"}, False),
        ({"reason": {"starts": "Den"}}, True),
        ({"message": {"present": True}}, False),
        ({"severity": {"present": False}}, True),
        ({"status": {"not": True}}, True),
    ],
)
def test_a_condition_is_asked(wanted: Any, good: bool) -> None:
    held = [{"type": "Ready", "status": "False", "reason": "Denied", "message": ""}]
    assert passes({"conditions": {"Ready": wanted}}, {"conditions": held}) is good
    parts = {"parents": [{"conditions": []}, {"conditions": held}]}
    assert passes({"status.parents[].conditions": {"Ready": wanted}}, parts) is good
    older = {"v1beta2": {"conditions": held}}
    assert passes({"conditions": {"Ready": wanted}}, older) is good


def test_all_tests_of_a_rule_must_pass_and_none_always_pass() -> None:
    assert passes({}, {})
    both = {"status.phase": "Failed", "status.code": 1}
    assert passes(both, {"phase": "Failed", "code": 1})
    assert not passes(both, {"phase": "Failed"})


def test_an_expression_is_true_or_nothing() -> None:
    pytest.importorskip("celpy")
    more = {"expression": "status.a > status.b"}
    assert passes(more, {"a": 2, "b": 1})
    others: list[Any] = [{"a": 1, "b": 2}, {"a": 2}, {}, None, [], {"a": "x", "b": 1}]
    assert [each for each in others if passes(more, each)] == []
    only = {"expression": "status.a"}
    assert passes(only, {"a": True})
    for value in ("True", "true", 1, [True], False, None):
        assert not passes(only, {"a": value})


def test_a_bad_pattern_in_an_object_is_not_written_anywhere(
    capfd: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("celpy")
    like = {"expression": "status.a.matches(status.b)"}
    assert passes(like, {"a": "web-1", "b": "^web-[0-9]+$"})
    assert not passes(like, {"a": "db-1", "b": "^web-[0-9]+$"})
    assert passes({"expression": "matches(status.a, 'b+')"}, {"a": "abb"})
    for pattern in ("(\x1b[2J", "[", "a{9999999}", "(?=a)", "\ud800"):
        assert not passes(like, {"a": "a", "b": pattern})
    assert capfd.readouterr() == ("", "")


def costs_too_much(source: str, status: Any, budget: Budget | None = None) -> bool:
    (test,) = parsed({"expression": source}, ())
    try:
        test.passes({"status": status, "spec": {"n": 1}}, budget or Budget())
    except TooMuch:
        return True
    return False


def test_an_object_that_would_cost_much_is_not_judged_by_an_expression() -> None:
    """Of a large object nothing is computed."""
    pytest.importorskip("celpy")
    pairs = "status.a.exists(x, status.a.exists(y, x == y))"
    assert passes({"expression": pairs}, {"a": [1, 2, 3]})
    assert costs_too_much(pairs, {"a": [1] * 200})
    assert costs_too_much(pairs, {"a": [{"b": [1] * 1000}] * 1000})
    large = {"a": list(range(1_000_000))}
    assert bytecodes(lambda: costs_too_much(pairs, large)) < 10_000
    deep: Any = []
    for _ in range(500):
        deep = [deep]
    assert costs_too_much(pairs, {"a": deep})


DIGITS = str(list(range(10)))


@pytest.mark.parametrize(
    "source",
    [
        f"{DIGITS}.all(a, {DIGITS}.all(b, {DIGITS}.all(c, {DIGITS}.all(d, d < 10))))",
        f"{DIGITS}.map(a, {DIGITS}.map(b, {DIGITS}.map(c, {DIGITS}))).size() == 10",
        "['ab']" + 40 * ".map(s, s + s)" + ".size() == 1",
        "[[1]]" + 40 * ".map(x, [x, x])" + " == [[1]]",
        "string([[1]]" + 40 * ".map(x, [x, x])" + ") == ''",
        f"{DIGITS}.all(a, {DIGITS}.all(b, status.many == status.same))",
        f"{DIGITS}.all(a, {DIGITS}.all(b, !(0 in status.many)))",
    ],
)
def test_an_expression_that_would_cost_much_is_given_up(source: str) -> None:
    pytest.importorskip("celpy")
    many = list(range(1, 9_000))
    assert costs_too_much(source, {"many": many, "same": many})


def test_all_expressions_of_an_object_share_what_they_may_cost() -> None:
    pytest.importorskip("celpy")
    source = f"{DIGITS}.all(a, {DIGITS}.all(b, a < 10))"
    budget = Budget()
    rounds = [costs_too_much(source, {}, budget) for _ in range(30)]
    assert not any(rounds[:9]) and rounds[-1]


def test_a_common_expression_may_look_at_a_thousand_conditions() -> None:
    pytest.importorskip("celpy")
    source = "status.conditions.exists(c, c.type == 'Jammed' && c.status == 'True')"
    held = [{"type": f"T{number}", "status": "True"} for number in range(1_000)]
    assert not costs_too_much(source, {"conditions": held})


def test_a_text_of_an_object_is_no_format() -> None:
    """In Python `%` formats: this would be a text of a gigabyte."""
    pytest.importorskip("celpy")
    tests = {"expression": "size(status.a % 1) > 0"}
    assert not passes(tests, {"a": "%1000000000d"})
    assert passes({"expression": "status.a % 2 == 1"}, {"a": 3})


@pytest.mark.parametrize(
    "source", ["status.a +", "((", "", "a" * 5_000, "'", "[" * 3_000]
)
def test_what_is_no_expression_is_refused(source: str) -> None:
    pytest.importorskip("celpy")
    with pytest.raises(BadEntry):
        parsed({"expression": source}, ())
