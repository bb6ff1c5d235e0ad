"""`trace` in a pipe: lines, states, once, and from a recording."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.builders import replica, replica_set
from tests.cli.command import PATIENCE, Running, Spy
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.processes import wait_until


def small(serve: Serve, **more: Any) -> ApiServer:
    """Return a server that has a ReplicaSet of two, one of them not ready."""
    server = serve(**more)
    server.put(replica_set(2, 1))
    server.put(replica(0, True))
    server.put(replica(1, False))
    return server


def wait_for(running: Running, text: str) -> None:
    running.wait_until(lambda it: text.encode() in it.stdout)


def wait_until_listed(file: Path, streams: int) -> None:
    """Wait until so many streams of the recording under way were listed."""
    wait_until(lambda: file.exists() and file.read_text().count('"LISTED"') >= streams)


def test_a_pipe_gets_a_line_for_each_transition(spy: Spy, serve: Serve) -> None:
    server = small(serve)
    with spy.running("trace", "rs/web", "--full") as running:
        wait_for(running, "pod/web-01")
        server.put(replica(2, False))
        wait_for(running, "pod/web-02")
        server.delete(replica(2, False))
        wait_for(running, "is gone")
        ended = running.end()
    assert ended.code == 130
    assert "\x1b" not in ended.out
    for line in ended.out.splitlines():
        moment, rest = line[:12], line[12:]
        assert moment.count(":") == 2 and rest.startswith("  ")
    assert ended.err.startswith("watching replicaset.apps/web in namespace default")


def test_once_prints_the_tree_and_ends(spy: Spy, serve: Serve) -> None:
    small(serve)
    ended = spy.run("trace", "rs/web", "--once")
    assert ended.code == 0
    root, *under = ended.out.splitlines()
    assert "replicaset.apps/web" in root
    assert under[-1].startswith(("├─ ", "└─ ", "   ", "│"))
    assert "pod/web-00" in ended.out and "pod/web-01" in ended.out


def test_states_are_json_and_one_line_each(spy: Spy, serve: Serve) -> None:
    server = small(serve)
    with spy.running("trace", "rs/web", "-o", "json") as running:
        running.wait_for_lines(1)
        server.put(replica(1, True))
        running.wait_for_lines(2)
        ended = running.end()
    states = ended.records
    for state in states:
        (root,) = state["objects"]
        assert (root["kind"], root["name"]) == ("ReplicaSet", "web")
        assert [each["name"] for each in root["children"]] == ["web-00", "web-01"]
    assert all(a["objects"] != b["objects"] for a, b in pairwise(states))
    assert [state["time"] for state in states] == sorted(s["time"] for s in states)


def test_a_forbidden_list_degrades_nothing_else(spy: Spy, serve: Serve) -> None:
    server = small(serve)
    server.refuse("/api/v1/namespaces/default/events", 403)
    server.refuse("/api/v1/namespaces/default/persistentvolumeclaims", 403)
    ended = spy.run("trace", "rs/web", "--once")
    assert ended.code == 0
    assert "pod/web-00" in ended.out and "pod/web-01" in ended.out
    assert "error" not in ended.err


def test_a_recording_says_which_right_is_missing(spy: Spy, serve: Serve) -> None:
    small(serve).refuse("/api/v1/namespaces/default/pods", 403)
    file = str(spy.home / "f.spy")
    live = spy.run("trace", "rs/web", "--once", "-o", "json", "--record", file)
    recorded = spy.run("trace", "rs/web", "--once", "-o", "json", "--from", file)
    pods = {
        json.dumps(finding)
        for ended in (live, recorded)
        for finding in json.loads(ended.out.splitlines()[-1])["objects"][0]["findings"]
        if finding["about"] == "pods"
    }
    (same,) = pods
    assert json.loads(same)["args"]["why"] == {
        "code": "ListForbidden",
        "args": {"resource": "pods", "namespace": "default"},
    }
    assert json.loads(same)["remedy"] == "ask for list and watch on pods"


def test_a_root_that_may_not_be_listed_is_an_error(spy: Spy, serve: Serve) -> None:
    server = small(serve)
    server.refuse("/apis/apps/v1/namespaces/default/replicasets", 403)
    ended = spy.run("trace", "rs/web", "--once")
    assert ended.code == 1 and ended.out == ""
    assert len([line for line in ended.err.splitlines() if "error" in line]) == 1


def test_an_absent_root_is_waited_for(spy: Spy, serve: Serve) -> None:
    server = serve()
    with spy.running("trace", "rs/web") as running:
        wait_for(running, "Absent")
        server.put(replica_set(1, 0))
        wait_for(running, "replicaset.apps/web  ")
        running.wait_until(lambda it: it.stdout.count(b"\n") >= 2)
        ended = running.end()
    assert "is gone" not in ended.out


def test_a_trace_ends_when_all_objects_are_gone(spy: Spy, serve: Serve) -> None:
    server = small(serve)
    with spy.running("trace", "rs/web", "--full") as running:
        wait_for(running, "pod/web-01")
        server.delete(replica_set(2, 1))
        server.delete(replica(0, True))
        server.delete(replica(1, False))
        ended = running.ended()
    assert ended.code == 0
    assert ended.err.splitlines()[-1] == "replicaset.apps/web is gone"


def test_recorded_traces_equal_live_ones(spy: Spy, serve: Serve) -> None:
    server = small(serve)
    file = str(spy.home / "web.spy")
    flags = ("trace", "rs/web", "-o", "lines", "--full", "--record", file)
    with spy.running(*flags) as running:
        wait_for(running, "pod/web-01")
        for number in range(2, 5):
            server.put(replica(number, False))
            server.put(replica(number, True))
        server.delete(replica(1, False))
        wait_for(running, "is gone")
        live = running.end()
    replayed = spy.run("trace", "--from", file, "-o", "lines", "--full")
    assert replayed.code == 0, replayed.err
    assert replayed.out == live.out


@pytest.mark.parametrize("flags", [(), ("-o", "json"), ("--once",)])
def test_owned_recordings_can_be_traced(
    spy: Spy, serve: Serve, flags: tuple[str, ...]
) -> None:
    small(serve)
    file = str(spy.home / "web.spy")
    with spy.running("record", "rs/web", "--owned", "-f", file) as running:
        wait_until_listed(Path(file), 5)
        running.end()
    traced = spy.run("trace", "--from", file, *flags)
    assert traced.code == 0, traced.err
    assert "web-00" in traced.out and "web-01" in traced.out
    one = spy.run("trace", "pod/web-01", "--from", file, *flags)
    assert "web-01" in one.out and "web-00" not in one.out


def test_a_trace_says_what_was_not_recorded(spy: Spy, serve: Serve) -> None:
    server = small(serve)
    file = str(spy.home / "web.spy")
    with spy.running("record", "rs/web", "-f", file) as running:
        server.wait_for_watches(1, PATIENCE)
        wait_until(lambda: '"LISTED"' in Path(file).read_text())
        running.end()
    ended = spy.run("trace", file, "--once")
    assert ended.code == 0, ended.err
    assert "replicaset.apps/web" in ended.out
    assert "? unknown: Pod objects were not asked for" in ended.out


def test_a_ready_root_ends_the_trace(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.put(replica_set(1, 1))
    server.put(replica(0, True))
    for flags in ((), ("-o", "json"), ("--once",)):
        ended = spy.run("trace", "rs/web", "--for", "ready", *flags)
        assert ended.code == 0
        assert "web-00" in ended.out
        assert ended.err.splitlines()[-1].startswith("replicaset.apps/web: ready")


def broken(reason: str) -> dict[str, Any]:
    """Return a Pod whose image cannot be had."""
    waiting = {"reason": reason, "message": f'Failed to pull image "app:1": {reason}'}
    wanting = replica(0, False)
    (status,) = wanting["status"]["containerStatuses"]
    status |= {"started": False, "state": {"waiting": waiting}}
    return wanting


@pytest.mark.parametrize(
    ("command", "types"), [("trace", 9), ("events", 5), ("spans", 5)]
)
def test_a_final_failure_ends_the_waiting(
    spy: Spy, serve: Serve, command: str, types: int
) -> None:
    server = serve()
    server.put(replica_set(1, 0))
    file = str(spy.home / "web.spy")
    words = ("rs/web", "--for", "ready")
    with spy.running(command, *words, "--record", file) as running:
        running.wait_for_talk("watching replicaset.apps/web")
        server.wait_for_watches(types, PATIENCE)
        server.put(broken("InvalidImageName"))
        ended = running.ended()
    for each in (ended, spy.run(command, "--from", file, *words)):
        assert each.code == 1
        (error,) = [line for line in each.err.splitlines() if line.startswith("error")]
        assert "pod/web-00" in error and "image" in error


@pytest.mark.parametrize("command", ["trace", "events", "spans"])
def test_a_temporary_failure_ends_only_waiting_for_failed(
    spy: Spy, serve: Serve, command: str
) -> None:
    server = serve()
    server.put(replica_set(1, 0))
    server.put(broken("ErrImagePull"))
    patient = spy.run(command, "rs/web", "--for", "ready", "--timeout", "0")
    assert patient.code == 124
    for flags, code in ((("--for", "ready|failed"), 1), (("--for", "failed"), 0)):
        ended = spy.run(command, "rs/web", *flags)
        assert ended.code == code, ended.err
        assert "pod/web-00" in ended.err.splitlines()[-1]


def test_once_decides_now_whether_it_is_as_awaited(spy: Spy, serve: Serve) -> None:
    small(serve)
    ended = spy.run("trace", "rs/web", "--once", "--for", "ready")
    assert ended.code == 1
    assert "pod/web-01" in ended.out
    assert "not ready: replicaset.apps/web: 1 of 2" in ended.err


@pytest.mark.parametrize("command", ["trace", "status"])
def test_a_zero_timeout_looks_once(spy: Spy, serve: Serve, command: str) -> None:
    server = small(serve)
    ended = spy.run(command, "rs/web", "--for", "ready", "--timeout", "0")
    assert ended.code == 124
    assert "waited for ready: replicaset.apps/web: 1 of 2" in ended.err
    assert command == "status" or "pod/web-01" in ended.out
    server.put(replica_set(2, 2))
    assert spy.run(command, "rs/web", "--for", "ready", "--timeout", "0").code == 0
