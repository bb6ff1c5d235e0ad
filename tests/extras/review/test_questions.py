"""The questions in questions.md: each is answered by the keys that stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from kubectl_spy.extras.review.panes import Lines
from tests.extras.review.reviewing import Review, reviewed, settle
from tests.recordings import record_stream

pytestmark = pytest.mark.usefixtures("utc")

PAGE = Path(__file__).with_name("questions.md")
_MOST = 14  # keys
_NAMES = {"↓": "down", "↑": "up", "Enter": "enter", "Esc": "escape", "Tab": "tab"}


class Question(NamedTuple):
    """A row of the table."""

    text: str
    recording: str
    keys: list[str]
    answer: str


def questions() -> list[Question]:
    rows = re.findall(
        r"^\| (.+\?) \| `([\w-]+)` \| ((?:`[^`]+` ?)+) \| (.+) \|$",
        PAGE.read_text(),
        re.MULTILINE,
    )
    return [
        Question(text, recording, re.findall("`([^`]+)`", keys), answer)
        for text, recording, keys, answer in rows
    ]


def _on_the_screen(review: Review) -> str:
    """Return what is visible of the change, in one line."""
    pane = review.app.query_one("#change", Lines)
    lines = [pane.render_line(y).text for y in range(pane.size.height)]
    return " ".join(" ".join(lines).split())


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("questions")


def test_there_are_ten() -> None:
    assert len({each.text for each in questions()}) == 10


@pytest.mark.parametrize("question", questions(), ids=lambda it: it.text)
def test_the_keys_lead_to_the_answer(directory: Path, question: Question) -> None:
    file = directory / f"{question.recording}.spy"
    if not file.exists():
        record_stream(question.recording, file)

    async def play(review: Review) -> None:
        pressed = 0
        await settle(review)
        for each in question.keys:
            assert question.answer not in _on_the_screen(review)
            keys = [_NAMES[each]] if each in _NAMES else [*each]
            pressed += len(keys)
            await review.press(*keys)
            await settle(review)
        assert question.answer in _on_the_screen(review)
        assert pressed <= _MOST

    reviewed(file, play)
