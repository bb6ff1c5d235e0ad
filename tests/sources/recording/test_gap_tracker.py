"""What may have changed unseen is said, and nothing else is."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.changes.points import Moment
from kubectl_spy.core.objects import WatchEvent
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.object_filter import ObjectFilter
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.states import state_at
from kubectl_spy.sources.resolution.target import parse_targets
from tests.builders import event, pod
from tests.cli.command import Spy
from tests.recordings import (
    START,
    continue_with,
    first_list,
    go_on,
    killed,
    record,
    resealed,
)

NOW = round(time.time())
LATER = NOW + 10_000.0  # after the RESUME, which has the time of the test
A, B = pod("a", rv="1"), pod("b", rv="2")


def at(file: Path, moment: float) -> str:
    """Return the phase of Pod a, and what is not certain."""
    wanted = ObjectFilter(parse_targets(["pod/a"], namespace="shop"), "shop")
    try:
        with closing(Index(str(file))) as index:
            state = state_at(index, wanted, Moment(moment))
    except SpyError as error:
        return str(error)
    assert isinstance(state.document, dict)
    times = [round(each - NOW) if each else "" for each in state.unknown or ()]
    return f"{state.document['status']} {times or ''}".strip()


@pytest.fixture
def twice(tmp_path: Path) -> Path:
    """Two runs. Nobody recorded in between; the second one lists Pod a after b."""
    file = tmp_path / "a.spy"
    changed = pod("b", rv="3", phase="Running")
    record(
        file,
        [
            *first_list(A, B, time=NOW - 100.0),
            event("MODIFIED", changed, time=NOW - 90.0),
        ],
    )
    later = pod("a", rv="9", phase="Failed")
    continue_with(
        file,
        [
            event("LISTING", time=LATER),
            event("LISTED", changed, time=LATER),
            event("LISTED", later, time=LATER + 10),
            event("SYNCED", time=LATER + 20),
            event("MODIFIED", pod("b", rv="10", phase="10"), time=LATER + 30),
        ],
    )
    return file


PENDING, FAILED = "{'phase': 'Pending'}", "{'phase': 'Failed'}"


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (-95, PENDING),
        (-50, f"{PENDING} [-90, 0]"),
        (10_005, f"{PENDING} [-90, 10010]"),
        (10_015, FAILED),
    ],
)
def test_a_time_that_nobody_recorded_is_in_doubt(
    twice: Path, moment: int, expected: str
) -> None:
    said = at(twice, NOW + moment)
    begun = next(each for each in Recording(str(twice)) if each.time > NOW - 80).time
    assert (
        said.replace(f" {round(begun - NOW)}]", " 0]").replace(
            f"[{round(begun - NOW)},", "[0,"
        )
        == expected
    )


def test_what_a_later_run_does_not_list_was_deleted(tmp_path: Path) -> None:
    file = tmp_path / "a.spy"
    record(file, first_list(A, B, time=NOW - 100.0))
    continue_with(file, [*first_list(B, time=LATER)])
    assert at(file, LATER + 100).startswith("pod/a was deleted at a time from ")
    assert at(file, NOW - 50).startswith(f"{PENDING} [-100, ")


def test_lines_lost_since_its_last_one_are_in_doubt(tmp_path: Path) -> None:
    file = tmp_path / "a.spy"
    steps = [
        event("MODIFIED", pod("b", rv=f"{n}", phase=f"{n}"), time=NOW + 10.0 + n)
        for n in range(3, 9)
    ]
    lines = record(file, [*first_list(A, B, time=NOW), *steps])
    assert at(file, NOW + 18) == PENDING
    file.write_bytes(b"".join(lines[:6] + lines[8:]))
    assert at(file, NOW + 12.5) == PENDING
    assert at(file, NOW + 13.5) == at(file, NOW + 18) == f"{PENDING} [13, 16]"


def test_a_version_after_lost_lines_is_certain(tmp_path: Path) -> None:
    file = tmp_path / "a.spy"
    steps = [
        *(
            event("MODIFIED", pod("b", rv=f"{n}", phase=f"{n}"), time=NOW + float(n))
            for n in (3, 4)
        ),
        event("MODIFIED", pod("a", rv="5", phase="Failed"), time=NOW + 5.0),
        event("MODIFIED", pod("b", rv="6", phase="6"), time=NOW + 6.0),
    ]
    lines = record(file, [*first_list(A, B, time=NOW), *steps])
    file.write_bytes(b"".join(lines[:5] + lines[6:]))
    assert at(file, NOW + 5.5) == FAILED


def test_a_list_after_lost_history_leaves_doubt_where_it_differs(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a.spy"
    again = [
        event("MODIFIED", pod("b", rv="3", phase="3"), time=NOW + 5.0),
        event("LISTING", time=NOW + 20.0, since=NOW + 5.0, lost=True),
        event("LISTED", pod("b", rv="7", phase="Failed"), time=NOW + 20.0),
        event("LISTED", pod("a", rv="8", phase="Failed"), time=NOW + 25.0),
        event("SYNCED", time=NOW + 25.0),
    ]
    record(file, [*first_list(A, B, time=NOW), *again])
    assert at(file, NOW + 10) == f"{PENDING} [5, 20]"
    assert at(file, NOW + 22) == f"{PENDING} [5, 25]"
    assert at(file, NOW + 26) == FAILED
    same = event("LISTED", A, time=NOW + 25.0)
    file.unlink()
    record(file, [*first_list(A, B, time=NOW), *again[:3], same, again[4]])
    assert at(file, NOW + 22) == PENDING


def test_lines_that_a_killed_recorder_never_sent_are_in_doubt(tmp_path: Path) -> None:
    file = tmp_path / "a.spy"
    record(file, first_list(A, B, time=NOW - 100.0))
    continue_with(file, first_list(A, B, time=LATER))
    lines = killed(file.read_bytes().splitlines(keepends=True), after=9)
    file.write_bytes(b"".join(lines))
    assert at(file, NOW - 100).startswith(f"{PENDING} [-100, ")
    assert at(file, LATER + 1) == PENDING


def test_show_says_what_is_not_certain(twice: Path, tmp_path: Path) -> None:
    spy = Spy(tmp_path)
    ended = spy.run("show", str(twice), "pod/a", "--at", "first+50s")
    assert ended.code == 0
    assert (
        "warning: pod/a may have changed before that point: nothing is known from 20"
        in ended.err
    )
    assert spy.run("show", str(twice), "pod/a", "--at", "first+5s").err == ""


@pytest.mark.parametrize(("after", "sure"), [(1.0, False), (9.0, True)])
def test_a_change_soon_after_the_list_may_have_been_during_it(
    tmp_path: Path, after: float, sure: bool
) -> None:
    file = tmp_path / "a.spy"
    step = event("MODIFIED", pod("a", rv="5", phase="Failed"), time=NOW + after)
    end = event("MODIFIED", pod("b", rv="9", phase="Failed"), time=NOW + 20.0)
    record(file, [*first_list(A, B, time=NOW), step, end])
    doubt = "" if sure else f" [0, {after:.0f}]"
    assert at(file, NOW + 0.5) == f"{PENDING}{doubt}"
    assert at(file, NOW + 15) == FAILED


def test_what_came_during_the_list_is_said_only_if_no_version_came_since(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a.spy"
    steps = [
        event("MODIFIED", pod("a", rv=f"{n}", phase=f"{n}"), time=START + n)
        for n in range(3, 7)
    ]
    record(file, [*first_list(A, B, time=START + 1), *steps])
    spy = Spy(tmp_path)
    spy.environ["TZ"] = "Asia/Tokyo"  # nine hours ahead
    ended = spy.run("show", str(file), "pod/a", "--at", "15:04:07Z")
    assert ended.err == (
        "warning: pod/a may have changed before that point: its watch caught up after "
        "2026-11-22 00:04:08.000\n"
    )
    for point in ("15:04:08.5Z", "15:04:10.5Z"):
        assert spy.run("show", str(file), "pod/a", "--at", point).err == ""
    between = spy.run("diff", str(file), "pod/a", "15:04:08.5Z", "15:04:10.5Z")
    assert between.err == "" and "phase" in between.out


def test_a_run_that_caught_up_before_the_next_one_is_certain(twice: Path) -> None:
    continue_with(twice, [*first_list(A, B, time=LATER + 100)])
    assert at(twice, NOW - 98) == PENDING


def test_a_run_that_was_killed_in_its_list_leaves_doubt(tmp_path: Path) -> None:
    file = tmp_path / "a.spy"
    record(file, first_list(A, B, time=NOW - 100.0))
    continue_with(file, first_list(A, B, time=LATER))
    lines = killed(file.read_bytes().splitlines(keepends=True), after=8)
    file.write_bytes(b"".join([*lines[:3], *lines[5:]]))
    assert at(file, NOW - 99).startswith(f"{PENDING} [-100, ")


def resumed(*late: WatchEvent, ended: bool = True, first: Any = A) -> list[WatchEvent]:
    """Return the events of a run that goes on from the version of 80 s ago."""
    return [
        event("LISTING", time=LATER, since=NOW - 80.0, version="2"),
        event("LISTED", first, time=LATER),
        event("LISTED", B, time=LATER),
        *late,
        *([event("SYNCED", time=LATER + 20)] if ended else []),
    ]


def a(rv: str, seconds: float) -> WatchEvent:
    return event("MODIFIED", pod("a", rv=rv, phase="Failed"), time=LATER + seconds)


@pytest.fixture
def before(tmp_path: Path) -> Path:
    file = tmp_path / "a.spy"
    record(file, first_list(A, B, time=NOW - 100.0))
    return file


IN_BETWEEN = NOW - 50


def test_an_object_that_did_not_change_between_two_runs_is_certain(
    before: Path,
) -> None:
    changed = event("MODIFIED", pod("b", rv="3", phase="3"), time=LATER + 10)
    go_on(before, resumed(changed))
    for moment in (IN_BETWEEN, LATER + 5, LATER + 15, LATER + 21):
        assert at(before, moment) == PENDING


def test_an_object_that_changed_between_two_runs_is_in_doubt(before: Path) -> None:
    go_on(before, resumed(a("3", 10)))
    for moment in (IN_BETWEEN, LATER + 5):
        assert at(before, moment) == f"{PENDING} [-80, 10010]"
    assert at(before, LATER + 15) == FAILED


def test_a_change_after_the_run_has_caught_up_leaves_no_doubt(before: Path) -> None:
    caught_up = event("SYNCED", time=LATER + 1)
    go_on(before, resumed(caught_up, a("3", 10), ended=False))
    assert at(before, IN_BETWEEN) == at(before, LATER + 2) == PENDING


def test_a_change_soon_after_the_run_has_caught_up_may_have_been_earlier(
    before: Path,
) -> None:
    caught_up = event("SYNCED", time=LATER + 1)
    go_on(before, resumed(caught_up, a("3", 2), ended=False))
    assert at(before, IN_BETWEEN) == f"{PENDING} [-80, 10002]"


def test_a_version_that_was_written_again_leaves_no_doubt(tmp_path: Path) -> None:
    file = tmp_path / "a.spy"
    sent = [
        event("MODIFIED", pod("a", rv=rv, phase=rv), time=NOW - 70.0) for rv in "34"
    ]
    record(file, [*first_list(A, B, time=NOW - 100.0), *sent])
    again = [each._replace(time=LATER + 1) for each in sent]
    go_on(file, resumed(*again))
    assert at(file, IN_BETWEEN) == "{'phase': '4'}"
    file.unlink()
    record(file, [*first_list(A, B, time=NOW - 100.0), *sent])
    go_on(file, resumed(*again, a("5", 10)))
    assert at(file, IN_BETWEEN) == "{'phase': '4'} [-80, 10010]"


def test_a_run_that_did_not_catch_up_leaves_doubt(before: Path) -> None:
    go_on(before, resumed(ended=False))
    assert at(before, IN_BETWEEN) == at(before, LATER + 5) == f"{PENDING} [-80, '']"
    go_on(before, resumed())
    assert at(before, IN_BETWEEN) == at(before, LATER + 5) == PENDING


def test_a_change_before_a_run_that_did_not_catch_up_is_in_doubt(before: Path) -> None:
    go_on(before, resumed(a("3", 10), ended=False))
    go_on(before, [each._replace(time=each.time + 50) for each in resumed(a("3", 10))])
    assert at(before, IN_BETWEEN) == at(before, LATER + 5)
    assert at(before, LATER + 5) == f"{PENDING} [-80, 10060]"
    assert at(before, LATER + 15) == at(before, LATER + 80) == FAILED


def test_a_run_that_cannot_go_on_leaves_doubt(before: Path) -> None:
    begun = event("LISTING", time=LATER, since=NOW - 80.0, version="2")
    lost = event("LISTING", time=LATER + 1, since=NOW - 80.0, lost=True)
    go_on(before, [begun, lost, *first_list(A, B, time=LATER + 1)[1:]])
    assert at(before, IN_BETWEEN) == f"{PENDING} [-80, 10001]"


def test_damage_after_the_point_is_harmless(tmp_path: Path) -> None:
    file = tmp_path / "a.spy"
    steps = [
        event("MODIFIED", pod("b", rv=f"{n}", phase=f"{n}"), time=NOW + 60.0 * n)
        for n in range(3, 9)
    ]
    last = event("MODIFIED", pod("a", rv="9", phase="Failed"), time=NOW + 700.0)
    lines = record(file, [*first_list(A, B, time=NOW), *steps, last])
    lines[9] = lines[9].replace(b'"phase"', b'"phasf"').replace(b"/phase", b"/phasf")
    file.write_bytes(b"".join(lines))
    spy = Spy(tmp_path)
    for point in ("seq:6", f"{rfc3339(NOW + 200)}"):
        ended = spy.run("show", str(file), "pod/a", "--at", point)
        assert (ended.code, ended.err) == (0, "")
    assert spy.run("show", str(file), "pod/a").code == 1


@pytest.mark.parametrize("damage", ["unfit", "sum", "head", "order"])
def test_damage_in_an_earlier_run_is_harmless(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "a.spy"
    lines = record(file, [*first_list(A, time=NOW), a("3", -9_999), a("4", -9_998)])
    continue_with(file, first_list(pod("a", rv="9"), time=LATER))
    rest = file.read_bytes().splitlines(keepends=True)[len(lines) :]
    match damage:
        case "unfit":
            lines[4] = resealed(lines[4], previous="7")
        case "sum":
            lines[4] = lines[4].replace(b"Failed", b"Fajled")
        case "head":
            lines[4] = lines[4].replace(b'"kind"', b'"kjnd"', 1)
        case "order":
            lines[3], lines[4] = lines[4], lines[3]
    file.write_bytes(b"".join([*lines, *rest]))
    ended = Spy(tmp_path).run("show", str(file), "pod/a")
    assert (ended.code, ended.err) == (0, "")


def test_objects_without_uid_are_read_by_name(tmp_path: Path) -> None:
    file = tmp_path / "a.spy"
    one, other = pod("a", rv="1", uid=""), pod("b", rv="2", uid="")
    changed = pod("b", rv="3", uid="", phase="Failed")
    events = [*first_list(other, one, time=NOW), event("MODIFIED", changed, time=NOW)]
    record(file, events)
    ended = Spy(tmp_path).run("show", str(file), "pod/a")
    assert (ended.code, ended.err) == (0, "")
