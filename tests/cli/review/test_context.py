"""What is around a change, in one column or side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_spy.cli.review.change_pane import ChangePane
from tests.cli.review.reviewing import Review, reviewed


async def _image(review: Review) -> None:
    """Go to the change of the image."""
    await review.type("deployment/ /spec/template/spec/containers/*/image")
    while review.app.session.progress:
        await review.pilot.pause()
    await review.press("enter", "end")


def test_braces_show_more_and_fewer_lines(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await _image(review)
        change, lengths = review.change, []
        assert "replace  /spec/template/spec/containers/0/image" in change
        for _ in range(4):
            await review.press("right_curly_bracket")
            lengths.append(len(review.change.splitlines()))
            assert "image: nginx:1.[-13-]{+12+}-alpine" in review.change
        assert lengths[0] < lengths[1] < lengths[2] == lengths[3]
        assert "apiVersion: apps/v1" in review.change
        assert "…" not in review.change.replace("… (", "")
        await review.press("left_curly_bracket", "left_curly_bracket")
        assert "      containers:" in review.change and " lines" in review.change
        await review.press("left_curly_bracket", "left_curly_bracket")
        assert review.change == change

    reviewed(rollout, play, size=(160, 50))


def test_what_differs_is_on_the_screen(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await _image(review)
        await review.press(*["right_curly_bracket"] * 3)
        pane = review.app.query_one(ChangePane)
        top = pane.scroll_offset.y
        shown = pane.shown[top : top + pane.size.height]
        assert any(line[:2] in ("~ ", "- ", "+ ") for line in shown)

    reviewed(rollout, play)


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_before_and_after_stand_side_by_side(
    rollout: Path, size: tuple[int, int]
) -> None:
    async def play(review: Review) -> None:
        await _image(review)
        await review.press("vertical_line")
        narrow = size[0] == 80
        assert ("too narrow" in review.status) is narrow
        assert ("│" in review.change) is not narrow
        if narrow:  # it does not switch
            assert "… 1 more: generations" in review.change
            await review.press("enter", "vertical_line")
        await review.pilot.pause()
        (line,) = (each for each in review.change.splitlines() if "[-13-]" in each)
        left, right = line.split("│")
        assert "1.[-13-]-alpine" in left and "1.{+12+}-alpine" in right
        await review.press("vertical_line")
        assert "│" not in review.change and "{+12+}" in review.change

    reviewed(rollout, play, size=size)


def test_marked_versions_are_compared_so_too(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("deployment/nginx")
        await review.press("enter", "home", "m", "end", "right_curly_bracket")
        assert review.change.startswith("- ")
        assert "replicas: [-3-]{+5+}" in review.change
        assert "image: nginx:1.[-13-]{+12+}-alpine" in review.change

    reviewed(rollout, play, size=(160, 50))


def test_a_new_object_has_nothing_before_it(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("deployment/nginx")
        await review.press("enter", "home", "right_curly_bracket")
        assert "ADDED" in review.change and "apiVersion: apps/v1" in review.change

    reviewed(rollout, play)
