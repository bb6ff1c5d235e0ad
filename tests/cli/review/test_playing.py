"""`review`: the keys of a recorder, and the next change by the same manager."""

from __future__ import annotations

from pathlib import Path

from kubectl_spy.core.changes.recording_format import decode
from tests.cli.review.reviewing import Review, reviewed
from tests.processes import PATIENCE


async def until(review: Review, text: str) -> None:
    """Wait until the last line has *text*."""
    for _ in range(int(PATIENCE / 0.05)):
        if text in review.status:
            return
        await review.pilot.pause(0.05)
    raise AssertionError(review.status)


def test_it_begins_paused_and_plays_to_the_end(rollout: Path) -> None:
    async def play(review: Review) -> None:
        begun = review.clock
        await review.pilot.pause(0.2)
        assert (review.clock, review.head.count("▶")) == (begun, 0)
        await review.press(*[">"] * 12)
        assert "4096× (space plays)" in review.status
        await review.press(">", "space")
        await until(review, "this is the end")
        assert review.clock == review.app.session.index.times[-1] > begun
        assert "▶" not in review.head
        await review.press("space")
        assert "nothing to play" in review.status

    reviewed(rollout, play)


def test_pause_and_speed_are_said(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.press("space")
        assert "▶ 1×" in review.head
        await review.press(">", ">", "<")
        assert "▶ 2×" in review.head
        await review.press("space")
        assert "paused" in review.status and "▶" not in review.head

    reviewed(rollout, play)


def test_it_plays_on_from_where_a_key_moved_the_clock(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.press("end", "space", "]", "]", "]")
        moved = review.clock
        await review.pilot.pause(0.2)
        assert review.clock >= moved

    reviewed(rollout, play)


def test_the_next_change_by_the_same_manager(rollout: Path) -> None:
    async def play(review: Review) -> None:
        def manager() -> list[str]:
            session = review.app.session
            assert session.version is not None
            found: list[str] = decode(session.index.raw(session.version))["managers"]
            return found

        await review.type("pod/")
        await review.press("]")
        first, begun = manager(), review.clock
        assert first
        seen = 0
        while "no more" not in review.status:
            await review.press("b")
            assert not set(first).isdisjoint(manager())
            seen += 1
        assert seen > 2
        while "no more" not in review.status or review.clock > begun:
            await review.press("B")
        assert not set(first).isdisjoint(manager())

    reviewed(rollout, play)
