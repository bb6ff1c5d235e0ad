"""`review` of a recording begins with what failed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.builders import event, pod
from tests.extras.review.reviewing import Review, reviewed, settle
from tests.recordings import START, first_list, record

INCIDENTS = Path(__file__).parents[2] / "core/summary/incidents"
HOW = "Any move shows the change"


@pytest.mark.parametrize(
    ("incident", "said"),
    [
        ("pvc-deleted", "by: persistentvolumeclaim/data deleted, 11s before"),
        ("fight-night", "/spec/replicas  2 ⇄ 0"),
        ("well-rollout", "no failure was found"),
    ],
)
def test_the_first_page_is_the_answer_until_a_move(incident: str, said: str) -> None:
    async def play(review: Review) -> None:
        await settle(review)
        assert said in review.change and HOW in review.change
        await review.press("n")
        assert HOW not in review.change
        await review.type("deployment/")
        await review.press("escape")
        assert HOW not in review.change  # that dropped the filter
        await review.press("escape")
        assert said in review.change
        await review.press("t")
        assert HOW not in review.change

    reviewed(INCIDENTS / f"{incident}.spy.gz", play, size=(160, 40))


def test_a_long_recording_is_read_while_the_answer_is_awaited(tmp_path: Path) -> None:
    versions = (
        pod("a", rv=str(each), phase=("Pending", "Running")[each % 2])
        for each in range(3, 15_000)  # more than are indexed before the first look
    )
    changes = (event("MODIFIED", each, time=START) for each in versions)
    record(tmp_path / "long.spy", [*first_list(pod("a"), time=START), *changes])

    async def play(review: Review) -> None:
        await settle(review)
        assert "no failure was found" in review.change

    reviewed(tmp_path / "long.spy", play)


def test_the_command_that_says_the_same_is_copied(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await settle(review)
        await review.press("y")
        assert shlex.split(review.app.clipboard)[-2:] == ["summary", str(rollout)]

    reviewed(rollout, play)
