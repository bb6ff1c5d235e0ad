"""Notes that are kept beside a recording."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.times import rfc3339, seconds
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.notes import (
    LONGEST,
    MOST,
    Note,
    notes_path,
    read_notes,
    write_notes,
)
from tests.recordings import START

HEADER = {"recording": "0123456789abcdef"}
NOTE = Note(7, START, "v1", "Pod", "shop", "web-0", "it began here")

notes = st.builds(
    Note,
    st.integers(0, 2**53),
    st.floats(0, 2e9).map(lambda time: seconds(rfc3339(time))),
    st.text(max_size=9),
    st.text(max_size=9),
    st.none() | st.text(max_size=9),
    st.text(max_size=9),
    st.text(st.characters(), max_size=LONGEST),
)


@given(listed=st.lists(notes, max_size=5, unique_by=lambda note: note.version))
def test_notes_are_read_as_they_were_written(
    listed: list[Note], tmp_path_factory: pytest.TempPathFactory
) -> None:
    name = str(tmp_path_factory.mktemp("notes") / "web.spy")
    write_notes(name, HEADER, listed)
    assert read_notes(name, HEADER) == sorted(listed, key=lambda note: note.version)


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    name = str(tmp_path / "web.spy")
    assert read_notes(name, HEADER) == []
    write_notes(name, HEADER, [NOTE])
    path = notes_path(name)
    assert path == tmp_path / "web.spy.notes.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_notes_of_another_recording_are_refused(tmp_path: Path) -> None:
    name = str(tmp_path / "web.spy")
    write_notes(name, {"recording": "another"}, [NOTE])
    with pytest.raises(SpyError, match="belongs to another recording"):
        read_notes(name, HEADER)


def _with(**members: object) -> str:
    note = {
        "seq": 1,
        "time": rfc3339(START),
        "apiVersion": "v1",
        "kind": "Pod",
        "namespace": None,
        "name": "a",
        "text": "",
    }
    found = {"format": "kubectl-spy-notes", "version": "1", "notes": [note | members]}
    return json.dumps(found)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "cannot use"),
        ("[]", "has no notes"),
        ('{"format":"kubectl-spy-notes","version":"2"}', "a newer kubectl spy"),
        ('{"format":"kubectl-spy-notes","version":"1","notes":{}}', "no list"),
        (_with(seq="1"), "about no version"),
        (_with(time="noon"), "noon"),
        (_with(time=None), "about no version"),
        (_with(namespace=3), "about no version"),
        (_with(text="x" * (LONGEST + 1)), "too long"),
        (
            json.dumps(
                {
                    "format": "kubectl-spy-notes",
                    "version": "1",
                    "notes": [{}] * (MOST + 1),
                }
            ),
            "too many",
        ),
        (" " * (4 << 20) + "{}", "longer than 4 MiB"),
        ("[" * 100_000, "cannot use"),
    ],
)
def test_a_file_that_holds_no_notes_is_left_alone(
    tmp_path: Path, content: str, why: str
) -> None:
    name = str(tmp_path / "web.spy")
    (tmp_path / "web.spy.notes.json").write_text(content)
    with pytest.raises(SpyError, match=why) as refused:
        read_notes(name, HEADER)
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(os.name != "posix", reason="fifos and links are POSIX's")
def test_a_pipe_or_a_link_in_its_place_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "one.spy.notes.json")
    (tmp_path / "two.spy.notes.json").symlink_to("/dev/zero")
    for name in ("one.spy", "two.spy"):
        with pytest.raises(SpyError, match=r"is no file|cannot read"):
            read_notes(str(tmp_path / name), HEADER)


def test_a_pipe_keeps_no_notes() -> None:
    assert notes_path("-") is None
    with pytest.raises(SpyError, match="not kept"):
        write_notes("-", HEADER, [NOTE])
