"""first_screen.md says how many lines a person reads until the answer; here they count.

The recordings are those of `kubectl spy demo`, with the times of the real cluster.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.command import Spy
from tests.recordings import record_stream

PAGE = Path(__file__).with_name("first_screen.md")
_FILES: dict[str, str] = {}


class Row(NamedTuple):
    """A row of the page's table."""

    recording: str
    command: str
    cause: str
    """A part of the line that answers."""
    line: str
    """Its number among the lines of standard output."""
    lines: int
    full: int


def rows() -> list[Row]:
    pattern = (
        r"^\| `([\w-]+)` \| `(.+?)` \| (?:`(.+?)`)? \| (\d*) \| (\d+) \| (\d+) \|$"
    )
    found = re.findall(pattern, PAGE.read_text(), re.MULTILINE)
    return [
        Row(recording, command, cause, line, int(lines), int(full))
        for recording, command, cause, line, lines, full in found
    ]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recordings")


def lines_of(spy: Spy, directory: Path, row: Row, *flags: str) -> list[str]:
    file = directory / f"{row.recording}.spy"
    if not file.exists():
        record_stream(row.recording, file)
    words = row.command.split()
    ended = spy.run(*words, "-n", row.recording, "--from", str(file), *flags)
    assert ended.code in (0, 1), ended.err
    return ended.out.splitlines()


@pytest.mark.parametrize("row", rows(), ids=lambda it: f"{it.recording} {it.command}")
def test_the_table_counts_what_is_printed(spy: Spy, directory: Path, row: Row) -> None:
    lines = lines_of(spy, directory, row)
    places = [n for n, line in enumerate(lines, 1) if row.cause and row.cause in line]
    full = len(lines_of(spy, directory, row, "--full"))
    assert (str(min(places, default="")), len(lines), full) == row[3:]


def test_the_table_is_as_short_as_it_promises() -> None:
    by_command = {(row.recording, row.command): row for row in rows()}
    rollout = by_command["deploy-rollout", "status deployment/nginx"]
    assert 2 * rollout.lines <= rollout.full == 181
    assert by_command["deploy-rollout", "trace deployment/nginx"].lines <= 25
    answered = [row for row in rows() if row.cause]
    assert len(answered) > 5 and all(int(row.line) <= 10 for row in answered)
