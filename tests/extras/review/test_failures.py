"""`review`: failures on the time bar, and the keys that go to them."""

from __future__ import annotations

import random
from contextlib import closing
from math import inf
from pathlib import Path

import pytest

from benchmarks.recorded import recorded_churn
from kubectl_spy.core.changes.contents import part_of
from kubectl_spy.core.changes.filtering import parse_filter
from kubectl_spy.extras.review.session import Kept, Session
from kubectl_spy.sources.recording.index import Index
from tests.builders import event, pod
from tests.extras.review.reviewing import Review, reviewed, settle
from tests.recordings import START, first_list, record


def _failing(file: Path, words: str = "") -> list[int]:
    """Return the lines that the filter is:failing leaves."""
    with closing(Index(str(file))) as index:
        session = Session(index)
        typed = f"{words} is:failing"
        session.keep_filter(Kept(typed, parse_filter(typed)))
        while session.grow(inf):
            pass
        return sorted(
            line for each in session.objects for line in session.versions(each)
        )


@pytest.fixture(scope="module")
def churn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pods that crash again and again."""
    file = tmp_path_factory.mktemp("failures") / "churn.spy"
    recorded_churn(file, 20, 3_000)
    return file


@pytest.mark.parametrize("filtered", ["", "!event", "deployment/"])
def test_x_goes_to_what_is_failing_leaves(rollout: Path, filtered: str) -> None:
    failing = _failing(rollout, filtered)
    assert failing

    async def play(review: Review) -> None:
        session = review.app.session
        if filtered:
            await review.type(filtered)
        await settle(review)
        session.clock = 0
        for line in failing:
            await review.press("x")
            assert (session.clock, session.version) == (line, line)
        await review.press("x")
        assert "no more failures" in review.status
        for line in reversed(failing[:-1]):
            await review.press("X")
            assert session.clock == line
        await review.press("X")
        assert "no more failures" in review.status
        assert ("in what is shown" in review.status) is bool(filtered)

    reviewed(rollout, play)


def test_failures_are_on_the_time_bar(rollout: Path) -> None:
    failing = _failing(rollout)

    async def play(review: Review) -> None:
        await settle(review)
        await review.press("home")
        times = review.app.session.index.times
        there = {part_of(times[each], times[0], times[-1], 80) for each in failing}
        drawn = {at for at, sign in enumerate(review.bar) if sign == "✗"}
        marked = {at for at, sign in enumerate(review.bar) if sign in "▲✗"}
        assert drawn <= there <= marked and drawn

    reviewed(rollout, play)


def test_a_recording_without_failures_has_none(tmp_path: Path) -> None:
    file = tmp_path / "well.spy"
    ran = pod("a", rv="2", phase="Running")
    record(file, [*first_list(pod("a")), event("MODIFIED", ran, time=START + 1)])

    async def play(review: Review) -> None:
        await settle(review)
        assert "✗" not in review.bar
        await review.press("x")
        assert "no more failures" in review.status

    reviewed(file, play)


def test_the_first_failure_is_known_before_the_last(churn: Path) -> None:
    with closing(Index(str(churn))) as index:
        index.grow(inf)
        session = Session(index)
        while (first := next(session.failures_from(1))) is None:
            session.grow(0)
        assert session.failures.progress is not None
        assert first == _failing(churn)[0]


@pytest.mark.parametrize("by", [1, -1])
def test_the_nearest_failure_is_looked_for_first(churn: Path, by: int) -> None:
    failing, chance = _failing(churn), random.Random(by)
    with closing(Index(str(churn))) as index:
        index.grow(inf)
        ends = 0, len(index) - 1
        for clock in (*ends, *chance.sample(range(len(index)), 12)):
            session = Session(index)
            while not session.version:
                session.grow(0)
            session.clock = clock
            before = session.failures.sure
            there = [each for each in failing if (each - clock) * by > 0][::by]
            lines = session.failures_from(by)
            for expected in there[:3]:
                while (found := next(lines)) is None:
                    pass
                assert found == expected
            if len(there) <= 3:
                assert all(found is None for found in lines)  # and it ends
            assert session.failures.sure == before  # it waits for nothing else


def test_x_waits_until_it_is_known_where_to_go(churn: Path) -> None:
    last = _failing(churn)[-1]

    async def play(review: Review) -> None:
        session = review.app.session
        session.clock = len(session.index) - 1
        await review.press("X")
        while session.clock != last:
            assert "looking for failures" in review.status
            await review.pilot.pause(0.05)
        assert session.version == last

    reviewed(churn, play)
