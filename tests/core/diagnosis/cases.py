"""Diagnoses as rows: objects, and the codes and arguments that are found about them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from kubectl_spy.cli.views.codes import arguments
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding
from kubectl_spy.core.fact import Fact
from kubectl_spy.findings import code_of
from tests.tracing import diagnosis
from tools.findings.__main__ import ANY

Row = tuple[Any, ...]
"""The object to diagnose, others, what is not seen, and what is found, as strings:

| string | what it says |
|---|---|
| `container/app: ExitedWith exit=3` | a finding; `said` writes code and arguments |
| `container/app: waiting CrashLoop` | one whose verdict is not the usual one |
| `container/app -> kubectl logs …` | the remedy of that finding; `nothing` is none |
| `pods ~ NodeNotReady node=a` | a part of that finding; ` … ` leaves some out |
| `no container` | no finding is about that |
| `no others` | no other finding is there |
| `= 2 of 3 ready` | the summary |
| `> ordinal 0; ordinal 1` | the roles of what stands below it |
| `Running failing` | phase and verdict |
"""
Rules = Mapping[str, Row]
"""Rows by the rule that they show."""


class Unseen(NamedTuple):
    """Why kinds are not seen."""

    reasons: dict[str, str]


def unseen(**reasons: str) -> Unseen:
    """Return why kinds are not seen: `Pod="may not list pods"`."""
    return Unseen(reasons)


def rows(rules: Rules) -> pytest.MarkDecorator:
    """Return the mark that runs a test for each row of *rules*, named by its rule."""
    return pytest.mark.parametrize(
        "row", [pytest.param(row, id=rule) for rule, row in rules.items()]
    )


def diagnosed(row: Row) -> Diagnosis:
    """Return the diagnosis of the first object of a row beside the others."""
    reasons = [each.reasons for each in row if isinstance(each, Unseen)]
    objects = [each for each in row if isinstance(each, dict)]
    return diagnosis(*objects, unseen=reasons[0] if reasons else None)


def check(row: Row) -> Diagnosis:
    """Diagnose the first object of a row, and compare with what the row says."""
    told = diagnosed(row)
    for of in (it for each in told.findings for it in each.fact.all()):
        assert of.args.keys() <= {*arguments(code_of(of.code)), *ANY}, of
    found = [line(each) for each in told.findings]
    remedies = [f"{each.about} -> {each.remedy or 'nothing'}" for each in told.findings]
    expected = [each for each in row if isinstance(each, str)]
    assert expected
    known: set[str] = set()
    for each in expected:
        if each.startswith("= "):
            assert told.summary == each[2:]
        elif each.startswith("> "):
            roles = "; ".join(it.role for it in told.children or () if it.role)
            assert roles == each[2:]
        elif " -> " in each:
            assert each in remedies, remedies
        elif " ~ " in each or ": " in each:
            those = [it for it in found if _says(it, each)]
            assert those, found
            known |= {*those}
        elif each == "no others":
            assert known == {*found}
        elif each.startswith("no "):
            assert not any(about.startswith(each[3:]) for about in found), found
        else:
            assert f"{told.phase} {told.verdict.value}" == each
    return told


def _says(found: str, expected: str) -> bool:
    """Return whether a finding is as expected, or has that part."""
    about, tilde, part = expected.partition(" ~ ")
    if not tilde:
        return found == expected
    pattern = re.escape(part).replace(r"\ …\ ", ".*")
    return bool(
        re.match(rf"{re.escape(about)}: (.*[ (=\[])?{pattern}(?![^ )\],])", found)
    )


def line(of: Finding) -> str:
    """Return a finding as `container/app: ExitedWith exit=3`."""
    usual = of.verdict is code_of(of.code).verdict
    return f"{of.about}: {'' if usual else f'{of.verdict.value} '}{said(of.fact)}"


def said(of: Fact) -> str:
    """Return a fact as `CODE NAME=VALUE FLAG`, those within it in parentheses."""
    args = (
        name if each is True else f"{name}={_value(each)}"
        for name, each in sorted(of.args.items())
    )
    return " ".join((of.code, *args))


def _value(of: object) -> str:
    if isinstance(of, Fact):
        return f"({said(of)})"
    return f"[{', '.join(map(_value, of))}]" if isinstance(of, tuple) else str(of)
