"""`blame`, and `diff -o wide`: who wrote each field of an object last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.builders import event, pod
from tests.cli.command import PATIENCE, Spy
from tests.cli.screen import on_a_terminal
from tests.extras.serve.api_server.server import Serve
from tests.recordings import START, first_list, record


def written(obj: dict[str, Any], *writes: tuple[str, str, Any]) -> dict[str, Any]:
    """Return *obj* with the managedFields of *writes*: manager, time and fields."""
    obj["metadata"]["managedFields"] = [
        {"manager": manager, "operation": "Update", "time": time, "fieldsV1": fields}
        for manager, time, fields in writes
    ]
    return obj


NODE: Any = ("scheduler", "2026-11-21T15:04:00Z", {"f:spec": {"f:nodeName": {}}})


def phase(time: str) -> tuple[str, str, Any]:
    return "kubelet", time, {"f:status": {"f:phase": {}}}


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A recording of a Pod that its kubelet runs, and another one that goes."""
    path = tmp_path / "pods.spy"
    running = pod("a", rv="3", phase="Running")
    failed = pod("a", rv="5", phase="Failed", labels={"why": "oom"})
    events = [
        *first_list(written(pod("a", rv="1"), NODE), pod("b", rv="2"), time=START),
        event(
            "MODIFIED",
            written(running, NODE, phase("2026-11-21T15:04:06Z")),
            time=START + 1,
        ),
        event("DELETED", pod("b", rv="4"), time=START + 2),
        event(
            "MODIFIED",
            written(failed, NODE, phase("2026-11-21T15:04:08Z")),
            time=START + 3.5,
        ),
    ]
    record(path, events)
    return str(path)


def test_a_recorded_field_has_its_writer_its_time_and_the_value_before(
    spy: Spy, file: str
) -> None:
    ended = spy.run("blame", file, "pod/a", "--ignore", "/metadata/uid")
    assert ended.code == 0, ended.err
    assert ended.out == (
        "apiVersion: v1\n"
        "kind: Pod\n"
        "metadata:\n"
        "  name: a\n"
        "  namespace: shop\n"
        "  labels:\n"
        "    why: oom  # kubelet 15:04:08.500\n"
        "spec:\n"
        "  nodeName: node1\n"
        "status:\n"
        '  phase: Failed  # kubelet 15:04:08.500, was "Running"\n'
    )
    earlier = spy.run("blame", file, "pod/a", "--only", "/status", "--at", "first+2s")
    assert earlier.out.splitlines()[-1] == (
        '  phase: Running  # kubelet 15:04:06.000, was "Pending"'
    )
    same = spy.run("blame", "pod/a", "--from", file, "--only", "/status")
    assert same.out == spy.run("blame", file, "pod/a", "--only", "/status").out


def test_as_json_each_field_is_a_member(spy: Spy, file: str) -> None:
    ended = spy.run("blame", file, "pod/a", "--only", "/status", "-o", "json")
    assert json.loads(ended.out) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "namespace": "shop",
        "name": "a",
        "fields": [
            {
                "path": "/status/phase",
                "value": "Failed",
                "managers": ["kubelet"],
                "time": "2026-11-21T15:04:08.500000Z",
                "resourceVersion": "5",
                "before": "Running",
            }
        ],
    }


def test_a_live_field_has_the_owner_that_wrote_last(spy: Spy, serve: Serve) -> None:
    server = serve(namespace="shop")
    shared: Any = ("helm", "2026-11-20T10:00:00Z", {"f:status": {"f:phase": {}}})
    server.put(written(pod("a"), NODE, shared, phase("2026-11-21T15:04:06Z")))
    ended = spy.run("blame", "pod/a", "--only", "/spec", "--only", "/status")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[-4:] == [
        "spec:",
        "  nodeName: node1  # scheduler 15:04:00",
        "status:",
        "  phase: Pending  # kubelet? 15:04:06",
    ]
    absent = spy.run("blame", "pod/none")
    assert absent.code == 1
    assert "pod/none" in absent.err


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("pod/b",), "error: pod/b is gone since 2026-11-21 15:04:07.000; choose a"),
        (("pod/z",), "error: pod/z is not in "),
        (("pod/a", "--at", "rv:77"), "error: no version 77 was recorded"),
    ],
)
def test_what_is_not_there_is_one_clear_line(
    spy: Spy, file: str, words: tuple[str, ...], error: str
) -> None:
    ended = spy.run("blame", file, *words)
    assert ended.code == 1
    assert ended.err.splitlines()[-1].startswith(error)


def test_several_objects_must_be_chosen(spy: Spy, tmp_path: Path) -> None:
    pods = [pod(name, rv=name, labels={"app": "web"}) for name in "abc"]
    path = str(tmp_path / "all.spy")
    record(Path(path), first_list(*pods, time=START))
    ended = spy.run("blame", path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines()[-1] == (
        "error: blame is about one object, and there are 3; for example: kubectl spy "
        f"blame {path} pod/c -n shop"
    )
    assert spy.run("blame", path, "-l", "app=web").out.count("kind: Pod") == 3
    assert spy.run("blame", path, "pods").out.count("kind: Pod") == 3
    assert len(spy.run("blame", path, "-o", "json").out.splitlines()) == 3


def test_blame_of_a_cluster_says_what_to_type(spy: Spy, serve: Serve) -> None:
    serve()
    ended = spy.run("blame")
    assert (ended.code, ended.out) == (2, "")
    said = "error: no target given; there is no object in this namespace\n"
    assert ended.err.endswith(said)


def test_a_difference_names_times_versions_and_who_did_it(spy: Spy, file: str) -> None:
    ended = spy.run("diff", file, "pod/a", "first", "last", "-o", "wide")
    assert ended.out == (
        "pod/a  15:04:05.000 rv:1 → 15:04:08.500 rv:5\n"
        '  add      /metadata/labels  {"why":"oom"}  by kubelet at 15:04:08.500\n'
        '  replace  /status/phase  "Pending" → "Failed"  by kubelet at 15:04:08.500\n'
    )
    back = spy.run("diff", file, "pod/a", "rv:5", "rv:1")
    assert back.err == "note: rv:5 is later than rv:1: this goes back in time\n"
    assert spy.run("diff", file, "pod/a", "last", "last").out == ""


def test_what_is_printed_is_yaml_also_on_a_narrow_terminal(
    spy: Spy, tmp_path: Path
) -> None:
    file = tmp_path / "long.spy"
    first, second = pod("a", rv="1"), pod("a", rv="2")
    first["spec"] = {"text": "x\n" * 3, "list": [{"name": "c", "args": []}]}
    second["spec"] = {"text": "y\n" * 3, "list": [{"name": "c", "args": ["-v", "'"]}]}
    events = [
        *first_list(first, time=START),
        event("MODIFIED", second, time=START + 1),
    ]
    record(file, events)
    words = ("blame", str(file), "pod/a", "--only", "/spec")
    whole = spy.run(*words).out
    assert yaml.safe_load(whole)["spec"] == second["spec"]
    with on_a_terminal(spy, *words, columns=50) as (screen, process):
        assert process.wait(PATIENCE) == 0
        screen.wait_for_end()
        lines = [line for line in screen.all if not line.startswith("replaying")]
    assert yaml.safe_load("\n".join(lines[lines.index("spec:") :])) == {
        "spec": second["spec"]
    }
