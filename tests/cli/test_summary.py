"""`summary`: what failed, who changed what, and which change likely did it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Watched
from tests.builders import ALL_PODS, conditions, event, pod, resource, workload
from tests.cli.command import Spy
from tests.cli.screen import on_a_terminal
from tests.extras.serve.api_server.server import Serve
from tests.recordings import (
    START,
    first_list,
    items_of,
    record,
    recorder_to,
    story,
)

INCIDENTS = Path(__file__).parents[1] / "core" / "summary" / "incidents"


def said(spy: Spy, *words: str) -> dict[str, Any]:
    ended = spy.run("summary", *words, "-o", "json")
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


def failed(summary: dict[str, Any]) -> list[tuple[str, bool, list[Any]]]:
    """Return what failed, whether it lasts, and what likely did it."""
    return [
        (each["name"], "until" not in each, [by["what"] for by in each["by"]])
        for each in summary["failures"]
    ]


@pytest.mark.parametrize(
    ("stream", "failures"),
    [
        ("deploy-rollout", []),
        ("pod-bad-image", [("nginx", False, [["created"]])]),
        ("workloads", [("failing", True, [["created"]])]),
        (
            "pod-bad-volume",
            [
                ("nosched", True, [["created"]]),
                ("novol", False, [["created"]]),
                ("multi", True, [["created"]]),
            ],
        ),
    ],
)
def test_what_failed_in_the_recorded_streams(
    spy: Spy, directory: Path, stream: str, failures: list[Any]
) -> None:
    assert failed(said(spy, str(directory / f"{stream}.spy"))) == failures


def test_it_fits_on_a_screen_with_the_answer_first(spy: Spy, directory: Path) -> None:
    file = str(directory / "workloads.spy")
    with on_a_terminal(spy, "summary", file, columns=80) as (screen, _):
        screen.wait_for_end()
    lines = screen.lines
    titles = ["Fails at the end", "Changed", "Busiest"]
    assert [each for each in lines if each in titles] == titles
    busiest = lines[lines.index("Busiest") + 1 :]
    assert [each.split("(")[0] for each in busiest if each] == [
        "  statefulset.apps/db "
    ]
    start = lines.index("Fails at the end")
    assert lines[start + 1 : start + 6] == [
        "  15:04:08  job.batch/failing  2 Pods Error: exited with 7 (Error); no "
        "restart",
        "            (restartPolicy Never)",
        " " * 12 + "most likely by: created, 1.7s before, by kubectl-client-side-apply",
        "",
        "Changed",
    ]
    assert "2 objects" not in lines[0]


def test_a_target_leaves_out_what_other_objects_did(spy: Spy, directory: Path) -> None:
    file = str(directory / "workloads.spy")
    found = said(spy, file, "job/failing")
    assert failed(found) == [("failing", True, [["created"]])]
    assert {each["name"] for each in found["edits"]} == {"failing"}
    assert failed(said(spy, file, "statefulsets/db")) == []


@pytest.mark.parametrize(
    ("flags", "code", "error"),
    [
        ("-l a=b", 0, "note: what was asked for is not in FILE; see what it holds"),
        ("deploy/wbe", 1, "error: deploy/wbe is not in FILE; did you mean deploy"),
        (
            "deploy/web -n default --until first+1s",
            1,
            "error: deploy/web in namespace default is not in FILE up to there; there "
            "is no namespace default",
        ),
    ],
)
def test_what_is_not_recorded_is_not_said_to_be_well(
    spy: Spy, flags: str, code: int, error: str
) -> None:
    file = str(INCIDENTS / "cascade.spy.gz")
    ended = spy.run("summary", file, *flags.split())
    assert ended.code == code
    assert ended.out.count("\n") == 1
    assert "0 objects, 0 changes" in ended.out
    assert ended.err.startswith(error.replace("FILE", file))


def test_what_never_came_is_not_said_to_be_well(spy: Spy, serve: Serve) -> None:
    serve("pod-boot")
    ended = spy.run("summary", "pod/nosuch")
    assert (ended.code, ended.out) == (1, "")


def test_a_namespace_leaves_out_objects_without_one(spy: Spy) -> None:
    file = str(INCIDENTS / "priority-deleted.spy.gz")
    (space,) = {each.get("namespace") for each in said(spy, file)["failures"]}
    everything = {each["kind"] for each in said(spy, file)["edits"]}
    found = said(spy, file, "-n", space)
    assert "PriorityClass" in everything
    assert {each["kind"] for each in found["edits"]} == everything - {"PriorityClass"}
    (failure,) = found["failures"]
    assert [each["kind"] for each in failure["by"]] == ["PriorityClass"]
    named = said(spy, file, "priorityclasses", "-n", space)
    assert {each["kind"] for each in named["edits"]} == {"PriorityClass"}


@pytest.mark.parametrize("part", ["--since 10:00", "--until 09:00"])
def test_a_part_outside_the_recording_tells_nothing(spy: Spy, part: str) -> None:
    file = str(INCIDENTS / "cascade.spy.gz")
    words = ("summary", file, *part.split())
    ended = spy.run(*words, environ={"TZ": "UTC"})
    assert (ended.code, ended.out) == (0, "")
    ended = spy.run(*words, "-o", "json", environ={"TZ": "UTC"})
    found = json.loads(ended.out)
    assert (found["from"], found["judged"], found["failures"]) == (None, False, [])
    assert "warning: nothing was recorded then: " in ended.err


def test_events_alone_do_not_tell_what_failed(spy: Spy) -> None:
    file = str(INCIDENTS / "cascade.spy.gz")
    lines = spy.run("summary", file, "events").out.splitlines()
    assert lines[1].startswith("cannot tell whether something failed: no Pod")
    assert not said(spy, file, "events")["judged"]
    assert said(spy, file)["judged"]


def test_a_usual_incident_fits_on_a_screen(spy: Spy) -> None:
    file = str(INCIDENTS / "cascade.spy.gz")
    with on_a_terminal(spy, "summary", file, columns=80) as (screen, _):
        screen.wait_for_end()
    assert len("\n".join(screen.lines).rstrip().splitlines()) < 24


def test_changes_before_a_part_still_count_as_causes(spy: Spy, directory: Path) -> None:
    file = str(directory / "workloads.spy")
    found = said(spy, file, "--since", "first+20s")
    assert failed(found) == [("failing", True, [["created"]])]
    assert [each["what"] for each in found["edits"]] == [
        ["image busybox:1.36 → busybox:latest"]
    ]
    assert failed(said(spy, file, "--until", "first+3s")) == []


@pytest.mark.parametrize(
    ("flags", "edits"),
    [
        (("--by", "kubectl-set"), ["db"]),
        (("--grep", "busybox:latest"), ["db"]),
        (("--only", "/status"), []),
    ],
)
def test_changes_are_narrowed(
    spy: Spy, directory: Path, flags: tuple[str, ...], edits: list[str]
) -> None:
    found = said(spy, str(directory / "workloads.spy"), *flags)
    names = [each["name"] for each in found["edits"] if each["type"] == "MODIFIED"]
    assert names == edits


def test_a_cluster_is_watched_until_the_timeout(spy: Spy, serve: Serve) -> None:
    serve("pod-crashloop", namespace="pod-crashloop")
    failed = "exited with 3 (Error)"
    ended = spy.run_in_time("summary", "pod/crasher", done=lambda it: failed in it.out)
    assert ended.code == 124 and failed in ended.out


def test_a_gap_may_hide_the_change(spy: Spy, tmp_path: Path) -> None:
    file = tmp_path / "gap.spy"
    events = [
        *first_list(pod("a", rv="1", phase="Running"), time=START),
        event("LISTING", time=START + 60, since=START + 1, lost=True),
        event("LISTED", pod("a", rv="9", phase="Running"), time=START + 60),
        event("SYNCED", time=START + 60),
        event("MODIFIED", pod("a", rv="10", phase="Failed"), time=START + 70),
    ]
    record(file, events)
    printed = spy.run("summary", str(file), environ={"TZ": "UTC"}).out
    assert "\nGaps\n  15:04:06  to 15:05:05  pod\n" in printed
    (failure,) = said(spy, str(file))["failures"]
    assert (failure["by"], failure["why"]) == (
        [],
        "a gap in the data before it may hide the change",
    )


def test_what_goes_back_and_forth_is_told_once(spy: Spy, tmp_path: Path) -> None:
    file = tmp_path / "fight.spy"
    events = list(
        first_list(pod("a", rv="1", phase="Succeeded", labels={"v": "0"}), time=START)
    )
    for number in range(1, 8):
        labels = {"v": str(number % 2)}
        new = pod("a", rv=str(number + 1), phase="Succeeded", labels=labels)
        events.append(event("MODIFIED", new, time=START + 10 * number))
    record(file, events)
    lines = spy.run("summary", str(file)).out.splitlines()
    assert lines[1:5] == [
        "no failure was found; no Events were recorded, so what only they tell is "
        "not seen",
        "",
        "Goes back and forth",
        "  pod/a  /metadata/labels/v  0 ⇄ 1  3 times in 1m00s, every 20s",
    ]


def test_one_field_that_is_written_again_and_again_is_one_line(
    spy: Spy, tmp_path: Path
) -> None:
    file = tmp_path / "noise.spy"
    events = list(first_list(pod("a", rv="1", labels={"v": "0"}), time=START))
    for number in range(1, 8):
        new = pod("a", rv=str(number + 1), labels={"v": str(number)})
        events.append(event("MODIFIED", new, time=START + 10 * number))
    record(file, events)
    lines = spy.run("summary", str(file)).out.splitlines()
    assert "▸ 15:04:15  pod/a  label v 0 → 7, 7 times" in lines


@pytest.mark.parametrize("states", [(False,), (False, True), (False, True, False)])
def test_a_watch_that_broke_and_did_not_return_is_no_whole_one(
    spy: Spy, tmp_path: Path, states: tuple[bool, ...]
) -> None:
    file, history = tmp_path / "lost.spy", History()
    recorder = recorder_to(file, history)
    for item in items_of(history, story()):
        recorder.observe(item)
    for number, back in enumerate(states):
        at = history.time - 3 + number
        recorder.observe(Watched(ALL_PODS, back, "as it is", at))
    recorder.end("terminated")
    head = spy.run("summary", str(file)).out.splitlines()[0]
    lost = f"pods not watched after 2026-11-21 15:05:0{1 + len(states)}"
    assert ("no gaps" in head, lost in head) == (states[-1], not states[-1])
    unknown = said(spy, str(file))["unknown"]
    assert [each["why"] for each in unknown] == ["lost"] * (not states[-1])
    assert (lost in spy.run("ls", str(file)).out) is not states[-1]


def test_what_holds_no_objects_says_so(spy: Spy, tmp_path: Path) -> None:
    file = tmp_path / "header.spy"
    recorder_to(file, History()).end("done")
    nothing = f"{file}: it holds no objects; not known: pods not listed\n"
    assert spy.run("summary", str(file)).out == nothing
    assert said(spy, str(file))["failures"] == []


def test_what_is_lost_may_have_failed(spy: Spy, tmp_path: Path) -> None:
    file = tmp_path / "hole.spy"
    lines = record(file, story()[:-1])
    file.write_bytes(b"".join(lines[:-3] + lines[-2:]))
    assert "no failure was found in what is left" in spy.run("summary", str(file)).out


def test_failures_have_their_namespace_though_all_changes_are_left_out(
    spy: Spy, tmp_path: Path
) -> None:
    file = tmp_path / "spaces.spy"
    failed = [
        pod("a", namespace=space, rv=rv, uid=space, phase="Failed")
        for space, rv in (("blue", "1"), ("red", "2"))
    ]
    record(file, first_list(*failed, time=START))
    lines = spy.run("summary", str(file), "--by", "nobody").out.splitlines()
    assert [each.split("  ")[2] for each in lines if "pod/a" in each] == [
        "pod/a (blue)",
        "pod/a (red)",
    ]


def test_what_was_well_and_is_no_more_is_said_by_all(spy: Spy, tmp_path: Path) -> None:
    file = str(tmp_path / "unwell.spy")
    widgets = ALL_PODS._replace(resource=resource("Widget", "example.com"))

    def widget(version: str, ready: str, **more: str) -> dict[str, Any]:
        made = workload("Widget", conditions=conditions(Ready=ready))
        made["metadata"] |= {"resourceVersion": version, "namespace": "shop"}
        return {**made, "apiVersion": "example.com/v1", **more}

    later = [widget("2", "False Reconciling"), widget("3", "False Reconciling", x="1")]
    record(
        Path(file),
        [
            *first_list(widget("1", "True"), time=START, selection=widgets),
            event("MODIFIED", later[0], time=START + 5, selection=widgets),
            event("MODIFIED", later[1], time=START + 300, selection=widgets),
        ],
        selections=(widgets,),
    )
    printed = spy.run("summary", file).out
    assert "; 1 is not well\n" in printed
    assert "Not well\n  15:04:10  widget.example.com/web  InProgress\n" in printed
    (found,) = spy.printed("summary", file)[0]["notWell"]
    assert (found["name"], found["from"]) == ("web", "2026-11-21T15:04:10.000000Z")
    traced = spy.run("trace", file, "--once").out
    assert "widget.example.com/web  InProgress" in traced
    assert traced.endswith("nothing fails; 1 is not well\n")
    page = spy.run("export", file, "-o", "html", "-f", "-").out
    assert "; 1 is not well" in page and "<h2>Not well</h2>" in page
