"""Tests of the conditions of an object's parts."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.readiness.entries import by_entry
from kubectl_spy.knowledge.form import kind_of

ENTRY = kind_of(
    {
        "health": [
            {"failed": {"status.disks[].conditions": {"Ready": False}}},
            {"current": {"status.disks[].conditions": {"Ready": True}}},
        ]
    }
)


def said(*conditions: dict[str, Any]) -> str:
    disks = {str(place): {"conditions": [it]} for place, it in enumerate(conditions)}
    obj = {"metadata": {"generation": 2}, "status": {"disks": disks}}
    found = by_entry(obj, ENTRY)
    return f"{found.state.value}: {found.message}" if found else ""


def test_one_bad_part_of_several_is_found_and_named() -> None:
    good = {"type": "Ready", "status": "True"}
    bad = {"type": "Ready", "status": "False", "reason": "Full", "message": "100 %"}
    assert said(good, bad) == "failed: disks: Ready is False (Full: 100 %)"
    assert said(good) == "current: disks: Ready is True"


def test_a_condition_of_a_part_about_an_earlier_spec_does_not_count() -> None:
    assert said({"type": "Ready", "status": "False", "observedGeneration": 1}) == ""
    assert said({"type": "Other", "status": "False"}) == ""
