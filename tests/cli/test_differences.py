"""`diff FILE POINT POINT`: everything that differs between two points."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.objects import Selection
from tests.builders import PODS, event, node, obj, pod, resource
from tests.cli.command import Spy
from tests.recordings import (
    START,
    continue_with,
    first_list,
    go_on,
    record,
)

NODES = Selection(resource=resource("Node", namespaced=False))
LEASES = Selection(resource=resource("Lease", "coordination.k8s.io"))
CONFIG = Selection(resource=resource("ConfigMap", short_names=("cm",)))
EVERYWHERE = Selection(resource=PODS)


def beating(at: str, ready: str = "True") -> list[dict[str, str]]:
    return [{"type": "Ready", "status": ready, "lastHeartbeatTime": at}]


@pytest.fixture
def all_types(tmp_path: Path) -> str:
    """Nodes n1 and n2 and a Lease beat, n2 fails, and a ConfigMap changes."""
    names = ("n1", "n2")
    lease = obj("Lease", "n1", "shop", spec={"renewTime": "1"})
    lease["apiVersion"] = "coordination.k8s.io/v1"
    nodes = [node(name, status={"conditions": beating("1")}) for name in names]
    before = [
        (NODES, nodes),
        (LEASES, [lease]),
        (CONFIG, [obj("ConfigMap", data={"a": "1"})]),
    ]
    events = [
        each
        for selection, objects in before
        for each in first_list(*objects, time=START, selection=selection)
    ]

    def later(of: Selection, document: dict[str, Any], **members: Any) -> None:
        metadata = {**document["metadata"], "resourceVersion": "2"}
        changed = {**document, **members, "metadata": metadata}
        events.append(event("MODIFIED", changed, time=START + 60, selection=of))

    later(NODES, nodes[0], status={"conditions": beating("2")})
    later(NODES, nodes[1], status={"conditions": beating("2", "Unknown")})
    later(LEASES, lease, spec={"renewTime": "2"})
    later(CONFIG, before[2][1][0], data={"a": "2"})
    path = tmp_path / "all.spy"
    record(path, events, selections=[each for each, _ in before])
    return str(path)


def test_objects_that_differ_come_by_type_and_name(spy: Spy, file: str) -> None:
    ended = spy.run("diff", file, "first", "last")
    assert ended.out == (
        "pod/a  15:04:05.000 rv:1 → 15:05:05.000 rv:8\n"
        '  replace  /status/phase  "Pending" → "Failed"\n'
        "pod/b  15:04:05.000 rv:2 → 15:04:10.000 rv:7\n"
        '  replace  /metadata/uid  "uid-b" → "uid-b2"\n'
        "pod/c  new\n"
    )
    assert ended.err == "0 objects alike, 2 that differ, 1 new\n"
    assert ended.code == 0


@pytest.mark.parametrize(
    ("points", "out", "err"),
    [
        (("15:04:05", "15:04:06"), ["pod/a"], "1 object alike, 1 that differ\n"),
        (("seq:7", "seq:8"), ["pod/b"], "2 objects alike, 1 that differ\n"),
        (
            ("15:04:08", "15:04:09"),
            ["pod/b"],
            "2 objects alike, 0 that differ, 1 gone\n",
        ),
        (
            ("rv:3", "rv:5"),
            ["pod/b", "pod/c"],
            "1 object alike, 1 that differ, 1 new\n",
        ),
        (("seq:8", "seq:7"), ["pod/b"], "2 objects alike, 1 that differ\n"),
        (("15:06", "last"), [], "3 objects alike, 0 that differ\n"),
    ],
)
def test_any_two_points_are_compared(
    spy: Spy, file: str, points: tuple[str, str], out: list[str], err: str
) -> None:
    ended = spy.run("diff", file, *points, "--exit-code")
    heads = [line.split()[0] for line in ended.out.splitlines() if line[0] != " "]
    assert (heads, ended.code) == (out, 1 if out else 0)
    notes = ended.err.splitlines(keepends=True)
    assert notes[-1] == err
    assert all(line.startswith("note: ") for line in notes[:-1])


def test_what_is_asked_for_narrows_what_is_compared(spy: Spy, all_types: str) -> None:
    points = ("first", "last")
    by_type = spy.run("diff", all_types, "cm,leases", *points)
    assert [line.split()[0] for line in by_type.out.splitlines()] == [
        "configmap/web",
        "replace",
        "lease.coordination.k8s.io/n1",
        "replace",
    ]
    in_namespace = spy.run("diff", all_types, "-n", "shop", *points, "--full")
    assert "node/" not in in_namespace.out
    assert in_namespace.err == "0 objects alike, 2 that differ\n"
    by_name = spy.run(
        "diff", all_types, "nodes", "--field-selector", "metadata.name=n2", *points
    )
    assert by_name.out.startswith("node/n2  15:04:05.000 rv:1 → ")
    assert by_name.err == ""
    none = spy.run("diff", all_types, "nodes", "-l", "no=one", *points)
    assert none.err == "error: neither point holds nodes with these labels or fields\n"
    assert none.code == 1


def test_heartbeats_and_leases_are_counted(spy: Spy, all_types: str) -> None:
    ended = spy.run("diff", all_types, "first", "last")
    heads = [line.split()[0] for line in ended.out.splitlines() if line[0] != " "]
    assert heads == ["configmap/web", "node/n2"]
    assert ended.err == (
        "0 objects alike, 2 not shown (Leases, EndpointSlices and heartbeats: --full), "
        "2 that differ\n"
    )
    full = spy.run("diff", all_types, "first", "last", "--full")
    assert "/status/conditions/0/lastHeartbeatTime" in full.out
    assert full.err == "0 objects alike, 4 that differ\n"


@pytest.mark.parametrize("output", ["jsonpatch", "yaml", "wide"])
def test_formats_of_one_object_are_refused_for_several(
    spy: Spy, file: str, output: str
) -> None:
    ended = spy.run("diff", file, "first", "last", "-o", output)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "error: -o wide, jsonpatch and yaml are for one object, and there are 3; "
        "name one, as in deploy/web\n"
    )


def test_a_version_that_nobody_recorded_is_no_point(spy: Spy, file: str) -> None:
    ended = spy.run("diff", file, "first", "rv:99")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error: no object had rv:99 in")


def test_namespaces_are_printed_where_several_are_shown(
    spy: Spy, tmp_path: Path
) -> None:
    blue, green = pod("a", rv="1"), pod("a", rv="2", uid="g", phase="Failed")
    green["metadata"]["namespace"] = "green"
    path = tmp_path / "two.spy"
    events = first_list(blue, green, time=START, selection=EVERYWHERE)
    left = event("DELETED", green, time=START + 1, selection=EVERYWHERE)
    record(path, [*events, left], selections=[EVERYWHERE])
    ended = spy.run("diff", str(path), "first", "last")
    assert ended.out == "pod/a -n green  gone\n"
    compared = spy.run("diff", str(path), "first", "first", "-n", "shop=green")
    assert compared.out.splitlines()[1:] == [
        '  replace  /status/phase  "Pending" → "Failed"'
    ]


def test_what_a_gap_hides_is_said_once(spy: Spy, tmp_path: Path) -> None:
    pods = [pod(name, rv=name) for name in "abc"]
    again = [
        event("LISTING", time=START + 20.0, since=START + 5.0, lost=True),
        event("LISTED", pods[0], time=START + 20.0),
        event("LISTED", pod("b", rv="7", phase="Failed"), time=START + 20.0),
        event("SYNCED", time=START + 25.0),
    ]
    path = tmp_path / "gap.spy"
    record(path, [*first_list(*pods, time=START), *again])
    ended = spy.run("diff", str(path), "15:04:15", "last")
    warned, counted = ended.err.splitlines()
    assert warned == (
        "warning: pods may have changed before 15:04:15: nothing is known from "
        "2026-11-21 15:04:10.000 to 15:04:25.000"
    )
    assert counted == "1 object alike, 1 that differ, 1 gone"
    assert "warning" not in spy.run("diff", str(path), "15:04:06", "last").err


def test_what_a_later_run_does_not_list_is_gone(spy: Spy, tmp_path: Path) -> None:
    now = round(time.time())
    path = tmp_path / "runs.spy"
    pods = [pod(name, rv=name) for name in "abc"]
    record(path, first_list(*pods, time=now - 100.0))
    continue_with(path, first_list(*pods[:2], time=now + 9000.0))
    ended = spy.run("diff", str(path), "first", "last")
    assert ended.out == "pod/c  gone\n"
    between = spy.run("diff", str(path), "first", "first+50s")
    assert between.out == ""
    assert "warning: objects may have changed before first+50s: nothing" in between.err


def test_what_a_recorder_resumed_is_still_there(spy: Spy, tmp_path: Path) -> None:
    now = round(time.time())
    path = tmp_path / "resumed.spy"
    pods = [pod(name, rv=name) for name in "abc"]
    record(path, first_list(*pods, time=now - 100.0))
    changed = pod("a", rv="9", phase="Failed")
    go_on(
        path,
        [
            event("LISTING", time=now + 9.0, since=now - 90.0, version="5"),
            *(event("LISTED", each, time=now + 9.0) for each in pods),
            event("SYNCED", time=now + 9.0),
            event("MODIFIED", changed, time=now + 9.5),
        ],
    )
    ended = spy.run("diff", str(path), "first", "last")
    assert ended.err == "2 objects alike, 1 that differ\n"


def test_one_object_alone_is_compared_as_if_it_was_named(
    spy: Spy, tmp_path: Path
) -> None:
    path = str(tmp_path / "one.spy")
    changed = event("MODIFIED", pod("a", rv="2", phase="Failed"), time=START + 1)
    record(Path(path), [*first_list(pod("a", rv="1"), time=START), changed])
    named, alone = (
        spy.run("diff", path, *target, "first", "last", "-o", output)
        for target in (("pod/a",), ())
        for output in ("jsonpatch",)
    )
    assert json.loads(alone.out) == json.loads(named.out) != []
    assert spy.run("diff", path, "first", "last").err == ""
