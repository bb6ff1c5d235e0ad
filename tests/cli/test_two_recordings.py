"""`diff FILE1 FILE2`: how the last states of two recordings differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import event, pod
from tests.cli.command import Spy
from tests.recordings import START, first_list, record


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Two recordings: Pod a fails in the second, b is gone, c is new, d is alike."""
    one, two = tmp_path / "one.spy", tmp_path / "two.spy"
    pods = [pod(name, rv=str(n)) for n, name in enumerate("abd", 1)]
    record(one, first_list(*pods, time=START))
    later = [
        *first_list(*pods, time=START + 60),
        event("MODIFIED", pod("a", rv="5", phase="Failed"), time=START + 61),
        event("DELETED", pod("b", rv="6"), time=START + 62),
        event("ADDED", pod("c", rv="7"), time=START + 63),
    ]
    record(two, later)
    return str(one), str(two)


def test_each_object_that_differs_is_printed(
    spy: Spy, files: tuple[str, str], tmp_path: Path
) -> None:
    one, two = files
    ended = spy.run("diff", one, two)
    assert ended.out.replace(f"{tmp_path}/", "") == (
        "pod/a  15:04:05.000 rv:1 → 15:05:06.000 rv:5\n"
        '  replace  /status/phase  "Pending" → "Failed"\n'
        "only in one.spy: pod/b -n shop\n"
        "only in two.spy: pod/c -n shop\n"
    )
    assert ended.err == "1 object alike, 1 that differ, 2 in one only\n"
    assert ended.code == 0
    by_meaning = spy.run("diff", one, two, "pod/a", "-o", "semantic", "--exit-code")
    assert by_meaning.code == 1
    assert by_meaning.out.splitlines() == ended.out.splitlines()[:2]


def test_objects_that_match_in_either_recording_are_compared(
    spy: Spy, files: tuple[str, str]
) -> None:
    ended = spy.run("diff", *files, "--field-selector", "status.phase=Failed")
    assert [line.split()[0] for line in ended.out.splitlines()] == ["pod/a", "replace"]
    assert ended.err == "0 objects alike, 1 that differ, 0 in one only\n"


def test_equal_recordings_differ_in_nothing(spy: Spy, files: tuple[str, str]) -> None:
    ended = spy.run("diff", files[1], files[1], "--exit-code")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == "3 objects alike, 0 that differ, 0 in one only\n"


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("deploy",), 1, "error: neither recording holds deploy"),
        (("-o", "jsonpatch"), 2, "error: two recordings are compared as text"),
    ],
)
def test_what_cannot_be_compared_is_one_clear_line(
    spy: Spy, files: tuple[str, str], words: tuple[str, ...], code: int, error: str
) -> None:
    ended = spy.run("diff", *files, *words)
    assert ended.code == code
    assert ended.err.startswith(error)
    assert len(ended.err.splitlines()) == 1
