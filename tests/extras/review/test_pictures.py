"""What review looks like: pictures to look at when they change."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kubectl_spy.render.palette import coloured
from tests.extras.review.reviewing import Review, reviewed, settle

pytestmark = pytest.mark.usefixtures("utc")

_IDS = re.compile(r"terminal-[0-9]+-")
_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_DEPLOYMENT = ["slash", *"deployment/nginx", "enter", "enter", "home"]
VIEWS = {
    "first": [],
    "change": [*_DEPLOYMENT, "n", "n", "tab", "down"],
    "keys": ["question_mark"],
}


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
@pytest.mark.parametrize("view", VIEWS)
def test_it_looks_as_it_did(
    rollout: Path, golden: Callable[[str, str], None], view: str, size: tuple[int, int]
) -> None:
    async def play(review: Review) -> None:
        await settle(review)
        await review.press(*VIEWS[view])
        await settle(review)
        drawn = review.app.export_screenshot(title="kubectl spy review")
        svg = _IDS.sub("t-", _FONTS.sub("", drawn))
        golden(f"review-{view}-{size[0]}x{size[1]}.svg", svg)

    reviewed(rollout, play, size=size, palette=coloured())
