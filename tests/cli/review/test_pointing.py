"""The next and previous change of the pointer with the cursor."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.cli.review.change_pane import ChangePane
from tests.builders import event, pod
from tests.cli.review.reviewing import Review, reviewed
from tests.recordings import START, first_list, record


def _ready(document: Any) -> Any:
    return document["status"].get("readyReplicas")


async def _point_at(review: Review, end: str) -> None:
    """Put the cursor on the operation whose pointer ends with *end*."""
    pane = review.app.query_one(ChangePane)
    review.app.focus_on("#change")
    for number, step in enumerate(pane.operations):
        if step.path.endswith(end):
            await review.press(*["j"] * number)
            assert pane.operation == step
            return
    raise AssertionError([step.path for step in pane.operations])


def test_it_goes_to_every_change_of_a_field(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("deployment/nginx")
        session, pages = review.app.session, review.app.pages
        values = dict[int, Any]()
        for line in session.versions(session.subject):
            version = pages.version(line)
            assert version is not None
            values[line] = _ready(version.record.document)
        lines = [*values]
        changes = [
            line for before, line in pairwise(lines) if values[before] != values[line]
        ]
        assert len(changes) > 5
        await review.press("f", "enter", "home")
        while session.clock < changes[0]:
            await review.press("n")
        await _point_at(review, "/status/readyReplicas")
        for line in changes[1:]:
            await review.press("full_stop")
            assert session.clock == line
            assert review.trail == "status › readyReplicas"
        await review.press("full_stop")
        assert "no more changes of status › readyReplicas" in review.status
        assert session.clock == changes[-1]
        for line in changes[-2::-1]:
            await review.press("comma")
            assert session.clock == line

    reviewed(rollout, play)


def _conditions(rv: int, *conditions: tuple[str, str]) -> dict[str, Any]:
    made = pod("a", rv=str(rv))
    made["status"] = {
        "conditions": [{"type": kind, "status": value} for kind, value in conditions]
    }
    return made


def test_what_is_folded_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "folded.spy"
    versions = [_conditions(rv, ("A", "True"), ("B", "True")) for rv in (2, 3)]
    versions[1]["status"]["conditions"][1]["lastTransitionTime"] = "now"
    versions[1]["status"]["phase"] = "Running"
    changes = [
        event("MODIFIED", each, time=START + number)
        for number, each in enumerate(versions, 1)
    ]
    first = _conditions(1, ("A", "True"))
    record(file, [*first_list(first, time=START), *changes])

    async def play(review: Review) -> None:
        await review.press("n")
        await _point_at(review, "/status/conditions/1")
        await review.press("n")
        assert "lastTransitionTime" not in review.change
        await review.press("p", "full_stop")
        assert "lastTransitionTime" in review.change and review.app.full
        assert review.trail == "status › conditions[type=B] › lastTransitionTime"

    reviewed(file, play, size=(160, 50))


@pytest.fixture
def moving(tmp_path: Path) -> Path:
    """A Pod with a condition that moves to another index."""
    versions = [
        _conditions(1, ("A", "False"), ("B", "False")),
        _conditions(2, ("A", "False"), ("B", "True")),
        _conditions(3, ("B", "True"), ("A", "False")),
        _conditions(4, ("B", "False"), ("A", "False")),
        _conditions(5, ("B", "False"), ("A", "True")),
        _conditions(6, ("A", "True")),
        _conditions(7, ("A", "True"), ("B", "True")),
    ]
    file = tmp_path / "moving.spy"
    changes = [
        event("MODIFIED", each, time=START + number)
        for number, each in enumerate(versions[1:], 1)
    ]
    record(file, [*first_list(versions[0], time=START), *changes])
    return file


def test_an_element_is_followed_by_its_key(moving: Path) -> None:
    async def play(review: Review) -> None:
        session = review.app.session
        await review.press("n")
        await _point_at(review, "/status/conditions/1/status")
        seen = []
        for key in ("full_stop", "full_stop", "full_stop", "full_stop", "comma"):
            await review.press(key)
            operation = review.app.query_one(ChangePane).operation
            assert operation is not None
            second = round(session.index.times[session.clock] - START)
            seen.append((second, operation.op, operation.path))
            assert "conditions[type=B]" in review.trail
        assert seen == [
            (3, "replace", "/status/conditions/0/status"),
            (5, "remove", "/status/conditions/0"),
            (6, "add", "/status/conditions/1"),
            (6, "add", "/status/conditions/1"),
            (5, "remove", "/status/conditions/0"),
        ]

    reviewed(moving, play)


def test_without_an_operation_it_says_so(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.press("d", "full_stop")
        assert "no operation is shown" in review.status

    reviewed(rollout, play)
