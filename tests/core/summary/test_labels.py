"""The labels of the recorded incidents, and the judge of summaries."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.summary.judge import judge

INCIDENTS = sorted(Path(__file__).with_name("incidents").glob("*.json"))
BY = {"kind": "ConfigMap", "name": "m", "resourceVersion": "7", "type": "MODIFIED"}
FAILS = {"kind": "Deployment", "name": "web"}


def check_label(file: Path) -> None:
    """Assert that the recording beside *file* holds what the label names."""
    label = json.loads(file.read_text())
    lines = gzip.decompress(file.with_suffix(".spy.gz").read_bytes()).splitlines()
    changes = [json.loads(line) for line in lines if b'"resourceVersion"' in line]
    for failure in label["failures"]:
        assert any(_is_about(each, failure) for each in changes), failure
        if (by := failure["by"]) is None:
            continue
        found = [
            each
            for each in changes
            if _is_about(each, by)
            and (each["type"] == by["type"] or _is_marked(each))
            and not each.get("initial")
        ]
        if by["type"] != "DELETED":  # which has another resourceVersion
            versions = [each["resourceVersion"] for each in found]
            assert versions.count(by["resourceVersion"]) == 1, failure
        assert found, failure
    for flap in label["flaps"]:
        times = [
            operation
            for each in changes
            if _is_about(each, flap)
            for operation in each.get("patch", [])
            if operation["path"] == flap["pointer"]
        ]
        assert len(times) >= 4, flap


def _is_marked(change: dict[str, Any]) -> bool:
    """Return whether a deletion began that waits for finalizers."""
    paths = [operation["path"] for operation in change.get("patch", [])]
    return "/metadata/deletionTimestamp" in paths


def _is_about(change: dict[str, Any], named: dict[str, Any]) -> bool:
    return all(change.get(key) == named[key] for key in ("kind", "name"))


@pytest.mark.parametrize("file", INCIDENTS, ids=lambda file: str(file.stem))
def test_a_recording_holds_what_its_label_names(file: Path) -> None:
    check_label(file)


def test_there_are_incidents_with_a_cause_without_one_and_without_a_failure() -> None:
    labels = [json.loads(each.read_text()) for each in INCIDENTS]
    causes = [each["by"] for label in labels for each in label["failures"]]
    assert sum(cause is not None for cause in causes) >= 64
    assert sum(cause is None for cause in causes) >= 12
    assert sum(not label["failures"] for label in labels) >= 6
    assert sum(bool(label["flaps"]) for label in labels) >= 5


def of(**by: object) -> dict[str, Any]:
    """Return a failure that is said to come of a write."""
    written = {key: value for key, value in BY.items() if key != "type"}
    return {**FAILS, "by": [{**written, "certain": False, **by}]}


@pytest.mark.parametrize(
    ("by", "reported", "verdict"),
    [
        (BY, [of()], "right"),
        (BY, [of(resourceVersion="8")], "wrong"),
        (BY, [of(name="n", certain=True)], "wrong and certain"),
        (BY, [{**FAILS, "by": []}], "wrong"),
        (BY, [{**FAILS, "by": []}, of()], "right"),
        (BY, [of(), of(kind="Secret")], "wrong"),
        (BY, [], "not reported"),
        ({**BY, "type": "DELETED"}, [of(resourceVersion="8")], "right"),
        (None, [{**FAILS, "by": []}], "null told as null"),
        (None, [of()], "wrong"),
        (None, [of(certain=True)], "wrong and certain"),
    ],
)
def test_the_judge_compares_the_first_cause_of_each_failure(
    by: object, reported: list[object], verdict: str
) -> None:
    label = {"failures": [{**FAILS, "by": by}]}
    assert [each.is_ for each in judge(label, {"failures": reported})] == [verdict]


def test_where_nothing_fails_only_a_failure_that_lasts_is_wrong() -> None:
    label: dict[str, Any] = {"failures": []}
    over = {**FAILS, "until": "2026-01-01T00:00:00Z"}
    assert [each.is_ for each in judge(label, {"failures": [over]})] == [
        "nothing fails"
    ]
    assert [each.is_ for each in judge(label, {"failures": [FAILS]})] == ["false alarm"]
