"""Codes and arguments of what makes Pods, which programs alert on."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.answer.failure import in_kind
from kubectl_spy.core.diagnosis.finding import fact


@pytest.mark.parametrize(
    ("code", "count", "args"),
    [
        ("PodsCreating", "updated", {"desired": 5, "old": True, "soon": True}),
        ("PodsCreating", "updated", {"desired": 5, "deleting": True}),
        ("PodsInCrashLoop", "loops", {"pods": 5, "again": True}),
        ("BudgetAtLimit", "healthy", {"expected": 5, "desired": 5}),
        ("OldPodsLeft", "old", {"desired": 5, "room": True}),
        ("PodsTooMany", "pods", {}),
        ("NodesToUpdate", "nodes", {"surge": 1}),
    ],
)
def test_a_count_makes_no_other_failure(
    code: str, count: str, args: dict[str, Any]
) -> None:
    """`2 of 5 Pods` are as `3 of 5 Pods`: such a change is no news."""
    one, other = (fact(code, **args, **{count: many}) for many in (2, 3))
    assert in_kind(one, "web") == in_kind(other, "web")
