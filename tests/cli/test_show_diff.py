"""`show` and `diff`: what an object was at any point, and what lies between two."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.builders import event, pod
from tests.cli.command import Ended, Spy
from tests.recordings import ORIGIN, START, continue_with, first_list, record

SEEN_LATER = (
    "error: {} was seen first at 2026-11-21T15:04{}, and nothing is known of it "
    "before; use the point first, or a later one\n"
)


def phase(ended: Ended) -> str:
    assert ended.code == 0, ended.err
    return str(yaml.safe_load(ended.out)["status"]["phase"])


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ("first", "Pending"),
        ("last", "Failed"),
        ("seq:6", "Running"),
        ("rv:3", "Running"),
        ("2026-11-21T15:04:05.999999Z", "Pending"),
        ("2026-11-21T16:04:06+01:00", "Running"),
        ("15:05:04.999", "Running"),
        ("15:05:05", "Failed"),
    ],
)
def test_objects_are_shown_at_a_time(
    spy: Spy, file: str, point: str, expected: str
) -> None:
    assert phase(spy.run("show", file, "pod/a", "--at", point)) == expected
    as_json = spy.run("show", file, "po", "a", "--at", point, "-o", "json")
    assert json.loads(as_json.out)["status"]["phase"] == expected


def test_a_part_of_an_object_is_shown(spy: Spy, file: str) -> None:
    shown = spy.run("show", file, "pod/a", "--only", "/status/phase")
    assert shown.out == "status:\n  phase: Failed\n"
    whole = spy.run("show", file, "pod/a", "--ignore", "/status/phase").out
    assert "kind: Pod" in whole and "Failed" not in whole
    nothing = spy.run("show", file, "pod/a", "--only", "/nope", "--only", "/no")
    assert nothing.code == 1
    assert nothing.err.endswith("error: pod/a has nothing at /nope, /no\n")


@pytest.mark.parametrize("time", ["09:00:00", "15:04:04.5", "2026-11-21T09:00:00Z"])
def test_a_time_before_the_recording_means_its_start(
    spy: Spy, file: str, time: str
) -> None:
    extent = "file.spy is from 2026-11-21 15:04:05Z to 2026-11-21 15:05:05"
    shown = spy.run("show", file, "pod/a", "--at", time)
    assert phase(shown) == "Pending"
    assert f"note: {time} is before the beginning: " in shown.err
    assert extent in shown.err
    absent = spy.run("show", file, "pod/c", "--at", time)  # it was added later
    assert (absent.code, absent.out) == (1, "")
    assert SEEN_LATER.format("pod/c", ":07.500000Z") in absent.err
    compared = spy.run("diff", file, "pod/a", time, "15:04:06")
    assert '"Pending" → "Running"' in compared.out
    assert spy.run("diff", file, "pod/a", time, time).out == ""
    last = spy.run("show", file, "pod/a", "--at", "15:07:00")
    assert "note: 15:07:00 is after the end: " in last.err


def test_a_line_number_past_the_end_means_the_end(spy: Spy, file: str) -> None:
    last = json.loads(Path(file).read_bytes().splitlines()[-1])["seq"]
    note = f"note: seq:{last + 1} is after the end: {file} ends with seq:{last}\n"
    beyond = spy.run("show", file, "pod/a", "--at", f"seq:{last + 1}")
    assert (phase(beyond), beyond.err) == ("Failed", note)
    compared = spy.run("diff", file, "pod/a", "first", f"seq:{last + 1}")
    assert (compared.code, compared.err) == (0, note)
    assert spy.run("show", file, "pod/a", "--at", f"seq:{last}").err == ""


def test_appended_objects_are_absent_at_the_start(spy: Spy) -> None:
    path = spy.home / "file.spy"
    record(path, first_list(pod("a", rv="1"), time=START))
    events = first_list(pod("a", rv="1"), pod("b", rv="2"), time=START + 60)
    continue_with(path, events, origin=ORIGIN._replace(epoch="e2"))
    assert spy.run("show", str(path), "pod/a", "--at", "09:00:00").code == 0
    assert spy.run("show", str(path), "pod/b", "--at", "first").code == 0
    absent = spy.run("show", str(path), "pod/b", "--at", "09:00:00")
    assert (absent.code, absent.out) == (1, "")
    assert "pod/b was seen first at 2026-11-21T15:05:05.0" in absent.err


def test_times_in_the_wrong_order_are_refused(spy: Spy, file: str) -> None:
    for times in (
        ("15:05:05", "15:04:06"),
        ("15:04:06", "09:00:00"),
        ("2026-11-21T15:05:05Z", "2026-11-21T15:04:06Z"),
    ):
        for command in (
            ["diff", file, "pod/a", *times],
            ["changes", file, "--since", times[0], "--until", times[1]],
        ):
            ended = spy.run(*command)
            assert (ended.code, ended.out) == (2, ""), ended.err
            assert f"error: {times[0]} is after {times[1]} (they are" in ended.err
            assert len(ended.err.splitlines()) == 1
    assert spy.run("diff", file, "pod/a", "seq:999", "seq:4").code == 0


def test_times_in_standard_input_need_a_date(spy: Spy, file: str) -> None:
    for time, code in (("15:04:06", 2), ("2026-11-21T15:04:06Z", 0)):
        with Path(file).open("rb") as given:
            ended = spy.run("show", "-", "pod/a", "--at", time, stdin=given.fileno())
        assert ended.code == code
        assert ("or give the date, as in 2026-" in ended.err) == bool(code)


def test_an_object_of_a_pipe_is_unknown_before_it_appears(spy: Spy, file: str) -> None:
    for name, why in (
        ("pod/c", "pod/c was not seen up to that point; choose a later one, or first"),
        ("pod/zzz", "pod/zzz was not seen up to that point; choose a later one"),
    ):
        with Path(file).open("rb") as given:
            ended = spy.run("show", "-", name, "--at", "seq:4", stdin=given.fileno())
        assert ended.code == 1
        assert why in ended.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--at", "last"], 1, "holds several objects, pod/a and pod/b among them"),
        (
            ["pod/b", "--at", "15:04:09"],
            1,
            "pod/b was deleted at 2026-11-21 15:04:09.0",
        ),
        (["pod/c", "--at", "15:04:05"], 1, SEEN_LATER.format("pod/c", ":07.500000Z")),
        (["pod/c", "--at", "seq:4"], 1, SEEN_LATER.format("pod/c", ":07.500000Z")),
        (["pod/a", "--at", "rv:99"], 1, "file.spy -o json\n"),
        (["pod/a", "--at", "noon"], 2, '"noon" is no point of a recording'),
        (["deploy/a"], 1, 'nothing of "deploy" was recorded; there is pods'),
        (["pod/zzz"], 1, "file.spy holds no pod/zzz; there is a, b, c\n"),
        (["pod/zzz", "--at", "15:04:05"], 1, "file.spy holds no pod/zzz; there"),
        (["pod/zzz", "--at", "rv:4"], 1, "file.spy holds no pod/zzz; there"),
        (["pod/a", "-n", "other"], 1, "holds no object in namespace other; there"),
    ],
)
def test_impossible_points_are_errors(
    spy: Spy, file: str, arguments: list[str], code: int, message: str
) -> None:
    ended = spy.run("show", file, *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert message in ended.err
    assert len(ended.err.splitlines()) == 1


def test_the_last_object_of_a_name_is_shown(spy: Spy, file: str) -> None:
    for point, uid in (("rv:5", "uid-b"), ("rv:7", "uid-b2"), ("last", "uid-b2")):
        shown = spy.run("show", file, "pod/b", "--at", point)
        assert yaml.safe_load(shown.out)["metadata"]["uid"] == uid
    patch = spy.run("diff", file, "pod/b", "first", "last", "-o", "jsonpatch")
    assert "/metadata/uid" in patch.out


def test_one_name_in_two_namespaces_must_be_chosen(spy: Spy) -> None:
    other = pod("a", rv="2", uid="other")
    other["metadata"]["namespace"] = "other"
    record(spy.home / "f", first_list(pod("a", rv="1"), other, time=START))
    path = str(spy.home / "f")
    ended = spy.run("show", path, "pod/a")
    assert ended.code == 1
    said = "holds pod/a in several namespaces, shop and other among them; choose with"
    assert said in ended.err
    for namespace, uid in (("shop", "uid-a"), ("other", "other")):
        shown = spy.run("show", path, "pod/a", "-n", namespace)
        assert yaml.safe_load(shown.out)["metadata"]["uid"] == uid


def test_a_difference_can_be_an_exit_code(spy: Spy, file: str) -> None:
    points = ("pod/a", "first", "last")
    text = spy.run("diff", file, *points)
    assert (text.code, text.err) == (0, "")
    assert text.out == (
        "pod/a  15:04:05.000 rv:1 → 15:05:05.000 rv:8\n"
        '  replace  /status/phase  "Pending" → "Failed"\n'
    )
    assert spy.run("diff", file, *points, "--exit-code").code == 1
    assert spy.run("diff", file, "pod/a", "last", "last", "--exit-code").code == 0
    assert (
        spy.run("diff", file, *points, "--exit-code", "--ignore", "/status").code == 0
    )
    lost = spy.run("diff", "none.spy", *points, "--exit-code")
    assert lost.code == 2 and "cannot read none.spy" in lost.err
    back = spy.run("diff", file, "pod/a", "last", "first", "-o", "yaml")
    assert yaml.safe_load(back.out)[0]["value"] == "Pending"
    for words in (["first"], ["pod/a", "first", "noon"]):
        assert spy.run("diff", file, *words).code == 2
    assert spy.run("diff", "-", "first", "last").code == 2


def test_semantic_differences_ignore_order(spy: Spy) -> None:
    args = [["-a", "-b", "1"], ["1", "-b", "-a"], ["-b", "-a", "2"]]
    events = [event("SYNCED", time=START)]
    for number, each in enumerate(args, 1):
        spec = {"containers": [{"name": "web", "args": each}]}
        changed = {**pod(rv=str(number)), "spec": spec}
        events.append(event("MODIFIED", changed, time=START + number))
    record(spy.home / "f", events)
    path = str(spy.home / "f")
    flags = ("-o", "semantic", "--exit-code")
    same = spy.run("diff", path, "rv:1", "rv:2", *flags)
    assert (same.code, same.out) == (0, "")
    other = spy.run("diff", path, "rv:1", "rv:3", *flags)
    assert other.code == 1
    assert '"1"' in other.out and '"2"' in other.out and "-a" not in other.out
    assert spy.run("diff", path, "rv:1", "rv:2", "--exit-code").code == 1
