"""A part of a recording: `--at`, `--since` and `--until` of every command."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.command import PATIENCE, Spy
from tests.cli.conftest import STREAMS
from tests.cli.screen import on_a_terminal
from tests.recordings import record, story


def moments(file: Path) -> list[tuple[int, str]]:
    """Return number and time of the last record of each moment of a recording."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    listed = max(each["seq"] for each in lines if each["type"] == "LISTED")
    changes = [each for each in lines if "uid" in each and each["seq"] > listed]
    last = {each["time"]: each["seq"] for each in changes}
    return [(seq, time) for time, seq in last.items()]


@pytest.mark.parametrize("stream", STREAMS)
def test_the_tree_at_a_point_is_that_of_a_recording_that_ends_there(
    spy: Spy, directory: Path, stream: str
) -> None:
    file = directory / f"{stream}.spy"
    lines = file.read_text().splitlines(keepends=True)
    whole = moments(file)
    for seq, time in whole[:: max(len(whole) // 6, 1)]:
        part = spy.home / f"{seq}.spy"
        part.write_text("".join(lines[:seq]))
        known = spy.printed("trace", "--from", str(part), "--once")
        for point in (f"seq:{seq}", time):
            assert spy.printed("trace", "--from", str(file), "--at", point) == known


def test_the_tree_before_the_first_change_is_that_of_the_first_lists(
    spy: Spy, directory: Path
) -> None:
    file = str(directory / "deploy-rollout.spy")
    (first,) = spy.printed("trace", "--from", file, "--at", "first")
    (early,) = spy.printed("trace", "--from", file, "--at", "2026-11-21T09:00:00Z")
    (last,) = spy.printed("trace", "--from", file, "--at", "last")
    assert first == early != last


def test_ages_are_those_of_the_point(spy: Spy, directory: Path) -> None:
    file = str(directory / "pod-crashloop.spy")
    ages = [
        spy.run("trace", "--from", file, "--at", point, "--logs=false").out
        for point in ("last-10s", "last-5s")
    ]
    assert ages[0] != ages[1]


@pytest.mark.parametrize("stream", STREAMS)
def test_lines_of_a_trace_in_a_window_are_the_same_as_in_the_whole(
    spy: Spy, directory: Path, stream: str
) -> None:
    file = str(directory / f"{stream}.spy")
    words = ("trace", "--from", file, "--full", "-o", "lines")
    whole = spy.run(*words).out.split("\n\n")[0].splitlines()
    half = [line for line in whole[len(whole) // 2 :] if line[:12] > whole[0][:12]]
    since = half[0].split()[0]
    later = [line for line in whole if line[:12] >= since]
    ended = spy.run(*words, "--since", since)
    assert ended.out.split("\n\n")[0].splitlines() == later
    assert f", from {since}" in ended.err


@pytest.mark.parametrize("stream", STREAMS)
def test_events_and_spans_of_a_window_are_those_that_reach_into_it(
    spy: Spy, directory: Path, stream: str
) -> None:
    file = directory / f"{stream}.spy"
    at = [time for _, time in moments(file)]
    since = at[len(at) // 2]
    window = ("--from", str(file), "--since", since)
    spans = spy.printed("spans", "--from", str(file))
    recent = [each for each in spans if each.get("end", since) >= since]
    assert spy.printed("spans", *window) == recent
    events = spy.printed("events", "--from", str(file))
    recent = [each for each in events if each["time"] >= since]
    assert spy.printed("events", *window) == recent


@pytest.mark.parametrize("command", ["status", "changes"])
def test_changes_of_a_window_are_those_of_the_whole_between_its_times(
    spy: Spy, file: str, command: str
) -> None:
    whole = spy.printed(command, "--from", file)
    part = spy.printed(command, "--from", file, "--since", "+1s", "--until", "last-50s")
    expected = [
        each
        for each in whole
        if "2026-11-21T15:04:06" <= each["time"] < "2026-11-21T15:04:15"
    ]
    without = [[{**each, "seq": 0} for each in records] for records in (part, expected)]
    assert without[0] == without[1]
    assert part[0]["seq"] == 1


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ("trace", "--from", "F", "--at", "last", "--until", "last-1s"),
            "--at is one",
        ),
        (("trace", "--from", "F", "--at", "rv:99"), "no version 99 was recorded"),
        (("trace", "--from", "F", "--at", "noon"), '"noon" is no point'),
        (
            ("status", "--from", "F", "--since", "+1s", "--for", "ready"),
            "--for needs to know what was before --since",
        ),
        (
            ("changes", "--from", "F", "--since", "last-1s", "--until", "+1s"),
            "last-1s is after +1s",
        ),
        (("diff", "F", "pod/a", "-1s", "+1s"), "last-1s is after +1s"),
    ],
)
def test_what_cannot_be_a_window_is_one_clear_line(
    spy: Spy, directory: Path, words: tuple[str, ...], error: str
) -> None:
    file = str(directory / "pod-crashloop.spy")
    ended = spy.run(*(file if each == "F" else each for each in words))
    assert ended.code in (1, 2)
    assert ended.err.splitlines()[-1].startswith(
        f"error: {error}".replace("F ", f"{file} ")
    )


def test_a_window_beside_the_recording_is_reported(spy: Spy, file: str) -> None:
    before = spy.run("changes", "--from", file, "--until", "09:00:00", "--full")
    assert "note: 09:00:00 is before the beginning" in before.err
    assert "warning: nothing was recorded then" in before.err
    early = spy.run("changes", "--from", file, "--since", "09:00:00")
    assert "note: 09:00:00 is before the beginning" in early.err
    assert early.out == spy.run("changes", "--from", file).out


@pytest.mark.parametrize("version", ["rv:5", "rv:8"])
def test_a_point_may_be_a_version_of_another_object(
    spy: Spy, file: str, version: str
) -> None:
    ended = spy.run("blame", "--from", file, "pod/a", "--at", version)
    phase = "Running" if version == "rv:5" else "Failed"
    assert ended.code == 0 and f"phase: {phase}" in ended.out


def test_a_difference_takes_points_before_the_end(spy: Spy, file: str) -> None:
    ended = spy.run("diff", file, "pod/a", "+1s", "-0s", "-o", "jsonpatch")
    (step,) = json.loads(ended.out)
    assert (step["path"], step["value"]) == ("/status/phase", "Failed")


def test_a_long_read_shows_how_far_it_is_until_something_is_printed(
    spy: Spy, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe.spy"
    lines = record(tmp_path / "pods.spy", story())
    os.mkfifo(pipe)
    with on_a_terminal(spy, "ls", str(pipe), columns=250) as (screen, process):
        with pipe.open("wb", buffering=0) as file:
            file.write(b"".join(lines[:-2]))
            screen.wait_for_text("at 2026-11-21 15:04:")
            assert screen.lines[-1].startswith(f"reading {pipe}: ")
            file.write(b"".join(lines[-2:]))
        screen.wait_for_text("CHANGES")
        assert process.wait(PATIENCE) == 0
        screen.wait_for_end()
        assert "reading" not in "\n".join(screen.lines)
