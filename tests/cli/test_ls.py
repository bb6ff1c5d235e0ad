"""`ls`, and what narrows the changes of a recording: -l, --by, --grep."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.builders import event, pod
from tests.cli.command import Spy
from tests.cli.conftest import STREAMS
from tests.recordings import START, first_list, record, story


@pytest.fixture
def labelled(tmp_path: Path) -> str:
    """A recording of two Pods, one of which has the label app=web for a while."""
    file = tmp_path / "labelled.spy"
    web = {"app": "web"}
    events = [
        *first_list(pod("a", rv="1"), pod("b", rv="2"), time=START),
        event("MODIFIED", pod("a", rv="3", labels=web), time=START + 1),
        event(
            "MODIFIED", pod("a", rv="4", phase="Running", labels=web), time=START + 2
        ),
        event("MODIFIED", pod("b", rv="5", phase="Running"), time=START + 3),
        event("MODIFIED", pod("a", rv="6"), time=START + 4),
        event("MODIFIED", pod("a", rv="7", phase="Failed"), time=START + 5),
    ]
    record(file, events)
    return str(file)


def counted(file: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return what the lines of *file* say of each object."""
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for line in map(json.loads, file.read_text().splitlines()):
        if "uid" not in line:
            continue
        key = line["kind"], line.get("namespace", ""), line["name"]
        row = rows.setdefault(key, {"changes": 0, "managers": Counter()})
        row.setdefault("first", line["time"])
        row["last"], row["gone"] = line["time"], line["type"] in ("DELETED", "LEFT")
        if not line.get("initial"):
            row["changes"] += 1
            row["managers"].update(line.get("managers", ()))
    return rows


@pytest.mark.parametrize("stream", STREAMS)
def test_the_counts_are_those_of_the_lines(
    spy: Spy, directory: Path, stream: str
) -> None:
    file = directory / f"{stream}.spy"
    (found,) = spy.printed("ls", str(file))
    rows = {
        (each["kind"], each.get("namespace", ""), each["name"]): {
            name: each[name]
            for name in ("changes", "managers", "first", "last", "gone")
        }
        for each in found["objects"]
    }
    assert rows == counted(file)
    assert found["bytes"] == len(file.read_bytes())


@pytest.mark.parametrize(
    ("sort", "key"),
    [
        ("changes", lambda row: -row["changes"]),
        ("time", lambda row: [-ord(each) for each in row["last"]]),
        ("name", lambda row: (row["kind"], row.get("namespace"), row["name"])),
    ],
)
def test_rows_are_sorted_as_asked(
    spy: Spy, directory: Path, sort: str, key: Any
) -> None:
    file = str(directory / "deploy-rollout.spy")
    (found,) = spy.printed("ls", file, "pods", "--sort", sort)
    assert found["objects"] == sorted(found["objects"], key=key)


def test_the_table_is_for_people(spy: Spy) -> None:
    record(spy.home / "pods.spy", story())
    ended = spy.run("ls", str(spy.home / "pods.spy"))
    assert ended.out.replace(str(spy.home), "") == (
        "/pods.spy: 2026-11-21 15:04:05.000Z to 15:05:05.000 (1m00s), 3.4 KB, "
        "context demo\n"
        "3 objects, 6 changes, no lines missing\n"
        "\n"
        "CHANGES  FIRST         LAST          OBJECT  BY\n"
        "      3  15:04:05.000  15:04:10.000  pod/b   2 objects of this name\n"
        "      2  15:04:05.000  15:05:05.000  pod/a\n"
        "      1  15:04:07.500  15:04:07.500  pod/c\n"
    )
    assert ended.err == ""


def test_events_are_counted_in_one_line_unless_asked_for(
    spy: Spy, directory: Path
) -> None:
    file = str(directory / "pod-crashloop.spy")
    folded = spy.run("ls", file).out
    assert re.search(r"^\+ \d+ Events: kubectl spy events ", folded, re.MULTILINE)
    assert "event/" not in folded
    assert "event/" in spy.run("ls", file, "events").out


@pytest.mark.parametrize("command", ["changes", "changes --from"])
def test_changes_are_chosen_by_manager_and_by_text(
    spy: Spy, directory: Path, command: str
) -> None:
    file = str(directory / "deploy-rollout.spy")
    words = [command.split()[0], file]
    words[1:] = [*command.split()[1:], file]
    whole = spy.printed(*words)
    by = spy.printed(*words, "--by", "kubelet", "--by", "kube-scheduler")
    wanted = {"kubelet", "kube-scheduler"}
    expected = [each for each in whole if wanted & set(each.get("managers", ()))]
    assert [{**each, "seq": 0} for each in by] == [
        {**each, "seq": 0} for each in expected
    ]
    assert 0 < len(by) < len(whole)
    found = spy.printed(*words, "--grep", "ready.*Replicas|/readyReplicas$")
    for each in found:
        text = json.dumps(each.get("object", each.get("patch")))
        assert re.search("ready.*Replicas|/readyReplicas", text)
    assert 0 < len(found) < len(whole)


def test_ls_counts_the_changes_that_are_chosen(spy: Spy, directory: Path) -> None:
    file = str(directory / "deploy-rollout.spy")
    flags = ("--by", "kubelet", "--only", "/status/phase")
    (found,) = spy.printed("ls", file, "pods", *flags)
    records = spy.printed("changes", file, "pods", *flags)
    changes = Counter(each["name"] for each in records if not each.get("initial"))
    assert {each["name"]: each["changes"] for each in found["objects"]} == changes


def test_labels_are_those_of_the_time(spy: Spy, labelled: str) -> None:
    """The change that takes the label away is shown, and none after it."""
    shown = spy.printed("changes", labelled, "-l", "app in (web)")
    assert [each["previous"] for each in shown] == ["1", "3", "4"]
    assert [each["resourceVersion"] for each in shown] == ["3", "4", "6"]
    others = spy.printed("changes", labelled, "-l", "app!=web")
    assert [each["resourceVersion"] for each in others] == [
        "1",
        "2",
        "3",
        "5",
        "6",
        "7",
    ]
    failed = spy.printed(
        "changes", "--from", labelled, "--field-selector", "status.phase=Failed"
    )
    assert [each["resourceVersion"] for each in failed] == ["7"]


def test_show_and_diff_find_the_object_that_has_the_labels(
    spy: Spy, labelled: str
) -> None:
    web = ("-l", "app=web")
    shown = spy.run("show", labelled, *web, "--at", "rv:4", "--only", "/metadata/name")
    assert shown.out == "metadata:\n  name: a\n"
    assert spy.run("show", labelled, *web, "--at", "+3s").out.count("phase: Running")
    after = spy.run("show", labelled, *web)
    assert (after.code, after.out) == (1, "")
    assert "error: no object matches the selectors at that point" in after.err
    patch = spy.run("diff", labelled, "seq:6", "seq:7", *web, "-o", "jsonpatch").out
    assert [step["path"] for step in json.loads(patch)] == ["/status/phase"]
    pods = spy.run("show", labelled, "pods", "--field-selector", "status.phase!=x")
    assert "several objects, pod/b and pod/a among them" in pods.err


def test_a_trace_shows_the_roots_that_have_the_labels(
    spy: Spy, directory: Path
) -> None:
    words = ("trace", "--from", str(directory / "deploy-rollout.spy"), "--once")
    (whole,) = spy.printed(*words)
    (some,) = spy.printed(*words, "-l", "app=nginx,!never")
    assert some["objects"] == [
        each
        for each in whole["objects"]
        if each["kind"] in ("Deployment", "ReplicaSet", "Pod")
    ]
    ended = spy.run(*words, "-l", "app=none")
    assert (ended.code, ended.out) == (1, "")


@pytest.mark.parametrize(
    ("flags", "error"),
    [
        (("-l", "a=(("), "unable to parse requirement: found 'a=(('"),
        (("--field-selector", "x"), "invalid selector: 'x'; can't understand 'x'"),
        (("--grep", "(("), '--grep "((" is no regular expression: missing )'),
        (("nodes",), 'nothing of "nodes" was recorded; there is pods'),
        (("pod/z",), "pod/z is not in "),
    ],
)
def test_what_cannot_be_chosen_is_one_clear_line(
    spy: Spy, labelled: str, flags: tuple[str, ...], error: str
) -> None:
    ended = spy.run("ls", labelled, *flags)
    assert ended.code in (1, 2)
    (line,) = ended.err.splitlines()
    assert line.startswith(f"error: {error}")


def test_patches_that_apply_in_order_cannot_be_chosen_from(
    spy: Spy, labelled: str
) -> None:
    ended = spy.run("changes", labelled, "pod/a", "-o", "jsonpatch", "--by", "kubelet")
    assert ended.code == 2
    assert "leave out --by and --grep" in ended.err
