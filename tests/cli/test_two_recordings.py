"""`diff FILE1 FILE2`: how the last states of two recordings differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import ALL_PODS, event, pod
from tests.cli.command import Spy
from tests.recordings import ORIGIN, START, first_list, record


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
    assert ended.out == (
        "pod/a  15:04:05.000 rv:1 → 15:05:06.000 rv:5\n"
        '  replace  /status/phase  "Pending" → "Failed"\n'
        "pod/b  only in one.spy\n"
        "pod/c  only in two.spy\n"
    )
    assert ended.err == (
        "1 object alike, 1 that differ, 1 only in one.spy, 1 only in two.spy\n"
    )
    assert ended.code == 0
    by_meaning = spy.run("diff", one, two, "pod/a", "-o", "semantic", "--exit-code")
    assert by_meaning.code == 1
    assert by_meaning.out.splitlines() == ended.out.splitlines()[:2]


def test_objects_that_match_in_either_recording_are_compared(
    spy: Spy, files: tuple[str, str]
) -> None:
    ended = spy.run("diff", *files, "--field-selector", "status.phase=Failed")
    assert [line.split()[0] for line in ended.out.splitlines()] == ["pod/a", "replace"]
    assert ended.err == "0 objects alike, 1 that differ\n"


def test_equal_recordings_differ_in_nothing(spy: Spy, files: tuple[str, str]) -> None:
    ended = spy.run("diff", files[1], files[1], "--exit-code")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == "3 objects alike, 0 that differ\n"


def test_one_object_of_two_recordings_is_a_patch(
    spy: Spy, files: tuple[str, str]
) -> None:
    ended = spy.run("diff", *files, "pod/a", "-o", "jsonpatch")
    step = {"op": "replace", "path": "/status/phase", "value": "Failed"}
    assert json.loads(ended.out) == [step]
    wide = spy.run("diff", *files, "pod/a", "-o", "wide")
    assert wide.out.splitlines()[1].endswith('"Pending" → "Failed"  at 15:05:06.000')


def test_what_always_differs_between_two_clusters_is_no_difference(
    spy: Spy, files: tuple[str, str], tmp_path: Path
) -> None:
    away = tmp_path / "away.spy"
    origin = ORIGIN._replace(cluster="fedcba9876543210")
    pods = [pod("a", rv="7", uid="other"), pod("b", phase="Failed", uid="b")]
    record(away, first_list(*pods, time=START), origin=origin)
    ended = spy.run("diff", files[0], str(away), "pods")
    assert [line.split()[0] for line in ended.out.splitlines()] == [
        *("pod/b", "replace"),
        "pod/d",
    ]
    assert "/status/phase" in ended.out and "uid" not in ended.out


def test_a_namespace_may_have_another_name_in_the_second_recording(
    spy: Spy, files: tuple[str, str], tmp_path: Path
) -> None:
    renamed = tmp_path / "renamed.spy"
    pods = [pod(name, rv=str(n)) for n, name in enumerate("abe", 1)]
    for each in pods:
        each["metadata"] |= {"namespace": "shop-2", "uid": each["metadata"]["name"]}
    pods[0]["status"]["phase"] = "Failed"
    everywhere = ALL_PODS._replace(namespace=None)
    events = first_list(*pods, time=START, selection=everywhere)
    record(renamed, events, selections=[everywhere])
    both = (files[0], str(renamed))
    ended = spy.run("diff", *both, "-n", "shop=shop-2")
    assert ended.out == (
        "pod/a  15:04:05.000 rv:1 → 15:04:05.000 rv:1\n"
        '  replace  /status/phase  "Pending" → "Failed"\n'
        "pod/d  only in one.spy\n"
        "pod/e  only in renamed.spy\n"
    )
    apart = spy.run("diff", *both)
    assert "0 objects alike, 0 that differ, 3 only in" in apart.err
    assert "pod/a -n shop  only in" in apart.out
    assert "pod/a -n shop-2  only in" in apart.out


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("deploy",), 1, "error: neither recording holds deploy"),
        (
            ("-o", "jsonpatch"),
            2,
            "error: -o wide, jsonpatch and yaml are for one object",
        ),
        (
            ("-n", "a=b=c"),
            2,
            "error: -n a=b=c is no pair of namespaces; write -n BEFORE",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_clear_line(
    spy: Spy, files: tuple[str, str], words: tuple[str, ...], code: int, error: str
) -> None:
    ended = spy.run("diff", *files, *words)
    assert ended.code == code
    assert ended.err.startswith(error)
    assert len(ended.err.splitlines()) == 1
