"""Bookmarks with notes, and the postmortem that they make."""

from __future__ import annotations

import json
import shlex
import shutil
import stat
from pathlib import Path

import pytest

from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.times import rfc3339, seconds
from kubectl_spy.sources.recording.notes import read_notes
from tests.cli.command import Spy
from tests.extras.review.reviewing import Review, reviewed
from tests.recordings import resealed

HOSTILE = "\x1b[2J\x1b]0;pwned\x07<script>`x` [a](b)\u202e"


@pytest.fixture
def file(rollout: Path, tmp_path: Path) -> Path:
    """A rollout, beside which notes may be kept."""
    return Path(shutil.copy(rollout, tmp_path / "it's a rollout.spy"))


async def _bookmark(review: Review, *notes: str) -> None:
    """Set bookmarks at versions of the Deployment, one after another."""
    await review.type("deployment/nginx")
    await review.press("enter", "home")
    for note in notes:
        await review.press("n", "a", *note, "enter")


def test_a_bookmark_is_there_again_in_the_next_review(file: Path) -> None:
    async def set_them(review: Review) -> None:
        await _bookmark(review, "one", "two")
        assert "bookmark set" in review.status
        assert review.change.startswith("◆ two")

    async def find_them(review: Review) -> None:
        assert "2 bookmarks" in review.status
        assert review.bar.count("◆") == 1  # both are at one place of the bar
        await review.press("apostrophe")
        assert review.change.startswith("◆ one") and "1 of 2" in review.status
        await review.press("apostrophe")
        assert review.change.startswith("◆ two") and "2 of 2" in review.status
        await review.press("apostrophe")
        assert review.change.startswith("◆ one")

    reviewed(file, set_them)
    kept = file.with_name(f"{file.name}.notes.json")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    reviewed(file, find_them)


def test_a_note_is_changed_and_without_one_the_bookmark_goes(file: Path) -> None:
    async def play(review: Review) -> None:
        await _bookmark(review, "on")
        await review.press("a", "end", "e", "enter")
        assert review.change.startswith("◆ one")
        await review.press("a", "x", "escape")
        assert review.change.startswith("◆ one")
        await review.press("a", "ctrl+u", "enter")
        assert "removed" in review.status and "◆" not in review.change + review.bar
        await review.press("apostrophe")
        assert "no bookmarks yet" in review.status

    reviewed(file, play)


def test_a_bookmark_that_the_filter_hides_says_so(file: Path) -> None:
    async def play(review: Review) -> None:
        await _bookmark(review, "one")
        await review.press("escape", "escape")
        await review.type("pod/")
        await review.press("apostrophe")
        assert "hidden" in review.status

    reviewed(file, play)


def test_notes_of_another_recording_are_left_as_they_are(file: Path) -> None:
    beside = file.with_name(f"{file.name}.notes.json")

    async def play(review: Review) -> None:
        assert "cannot use" in review.status
        await _bookmark(review, "one")
        assert "for this review only" in review.status

    beside.write_text("mine")
    reviewed(file, play)
    assert beside.read_text() == "mine"


def test_notes_of_versions_that_are_gone_are_kept(file: Path) -> None:
    async def set_one(review: Review) -> None:
        await _bookmark(review, "one")

    async def set_another(review: Review) -> None:
        assert "1 note fits no version" in review.status
        await review.press("n", "a", *"two", "enter")

    reviewed(file, set_one)
    lines = file.read_bytes().splitlines(keepends=True)
    header = decode(lines[0])
    (one,) = read_notes(str(file), header)
    begin = b'{"seq":%d,' % one.seq
    file.write_bytes(b"".join(raw for raw in lines if not raw.startswith(begin)))
    reviewed(file, set_another)
    notes = read_notes(str(file), header)
    assert one in notes and {note.text for note in notes} == {"one", "two"}


def test_a_place_that_cannot_be_written_is_told(file: Path) -> None:
    async def play(review: Review) -> None:
        beside = file.with_name(f"{file.name}.notes.json")
        beside.mkdir()
        await _bookmark(review, "one")
        assert "is a directory" in review.status
        assert review.change.startswith("◆ one")

    reviewed(file, play)


def test_the_postmortem_shows_what_the_commands_show(file: Path, spy: Spy) -> None:
    async def play(review: Review) -> None:
        await review.press("w")
        assert "no bookmarks" in review.status
        await _bookmark(review, "it began here", "and went on")
        await review.press("w", "w")
        assert "wrote" in review.status

    reviewed(file, play)
    one, other = sorted(file.parent.glob("*.md"))
    assert stat.S_IMODE(one.stat().st_mode) == 0o600
    text = other.read_text()
    assert text == one.read_text()
    _, first, second = text.split("\n## ")
    assert "it began here" in first and "and went on" in second
    for section in (first, second):
        *excerpt, command = section.splitlines()
        ended = spy.run(*shlex.split(command)[2:])
        assert ended.code in (0, 1), ended.err
        shown = [line for line in excerpt if " /status/" in line]
        assert shown and {*shown} <= {f"    {each}" for each in ended.out.splitlines()}


def test_the_postmortem_has_the_times_of_the_recording(file: Path, spy: Spy) -> None:
    """From its first line to its last one, as `ls` says: not those of the changes."""
    lines = file.read_bytes().splitlines(keepends=True)
    end = rfc3339(seconds(decode(lines[-1])["time"]) + 60)
    file.write_bytes(b"".join([*lines[:-1], resealed(lines[-1], time=end)]))

    async def play(review: Review) -> None:
        await _bookmark(review, "it began here")

    reviewed(file, play)
    (day, at, _, until, *_) = spy.run("ls", str(file)).out.partition(": ")[2].split()
    (said,) = (
        each
        for each in spy.run("export", str(file), "-o", "markdown").out.splitlines()
        if each.startswith("Recorded ")
    )
    assert said.startswith(f"Recorded {day} {at} to {day} {until} (")


def test_hostile_notes_stay_inert(file: Path) -> None:
    async def play(review: Review) -> None:
        review.app.session.clock = len(review.app.session.index) - 1
        line = review.app.session.version
        assert line is not None
        review.app.session.bookmarks.note(line, HOSTILE)
        review.app.redraw()
        assert "pwned" in review.change
        assert not {"\x1b", "\x07", "\u202e"} & {*review.change}
        await review.press("w")

    reviewed(file, play)
    (written,) = file.parent.glob("*.md")
    text = written.read_text()
    assert "\\<script\\>\\`x\\` \\[a\\]" in text
    assert not {"\x1b", "\x07", "\u202e"} & {*text}


def test_export_prints_the_same_postmortem(file: Path, spy: Spy) -> None:
    async def play(review: Review) -> None:
        await _bookmark(review, "it began here")
        await review.press("w")

    none = spy.run("export", str(file), "-o", "markdown")
    assert none.code == 1 and "has no bookmarks; set some" in none.err
    assert spy.run("export", str(file)).code == 2
    reviewed(file, play)
    (written,) = file.parent.glob("*.md")
    ended = spy.run("export", str(file), "-o", "markdown")
    assert (ended.code, ended.err, ended.out) == (0, "", written.read_text())
    said = json.loads(spy.run("summary", str(file), "-o", "json").out)
    assert ended.out.count("\n- ") == len(said["failures"])
