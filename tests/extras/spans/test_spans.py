"""`spans`: what each change led to, drawn or as JSON, live and from a recording."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

from tests.builders import replica, replica_set
from tests.cli.command import PATIENCE, Spy, wait_for_file
from tests.cli.test_events import reported
from tests.extras.serve.api_server.server import ApiServer, Serve

BOUND = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True"}]}


def begun(serve: Serve) -> ApiServer:
    """Return a server with a ReplicaSet that is as it should be, and its Pod."""
    server = serve()
    server.put(replica_set(1, 1))
    server.put(replica(0, True))
    return server


def scaled(server: ApiServer) -> None:
    """Scale it to two Pods, of which the second one gets ready."""
    wanted = replica_set(2, 1)
    wanted["metadata"]["generation"] = 2
    wanted["status"]["observedGeneration"] = 2
    server.put(wanted)
    server.put({**replica(1, False), "status": BOUND})
    told = {"kind": "Pod", "namespace": "default", "name": "web-01", "uid": "uid-1"}
    failed = reported("Unhealthy", 9, type="Warning", involvedObject=told)
    server.put(failed)
    server.put(replica(1, True))
    wanted["status"]["readyReplicas"] = wanted["status"]["availableReplicas"] = 2
    server.put(wanted)


def test_in_a_pipe_the_bars_are_drawn_at_the_end(spy: Spy, serve: Serve) -> None:
    server = begun(serve)
    with spy.running("spans", "rs/web") as running:
        running.wait_for_talk("watching replicaset.apps/web")
        server.wait_for_watches(5, PATIENCE)
        scaled(server)
        server.put(reported("Last", 40, "uid-1", "Pod"))
        with spy.running("events", "rs/web", "-o", "json") as events:
            events.wait_until(lambda it: b'"Last"' in it.stdout)
        assert running.stdout == b""
        ended = running.end()
    assert ended.code == 130
    names = [line.split()[:2] for line in ended.out.splitlines()]
    assert "ReplicaSet.scale web" in ended.out
    assert "  replicas 1 → 2" in ended.out
    assert ["Pod", "web-01"] in names
    assert any(name[0] == "Pod.ContainerCreating" for name in names)
    assert "✗ Pod.Unhealthy: it is Unhealthy" in ended.out
    assert "\x1b" not in ended.out


def test_json_has_a_line_for_each_span_and_unfinished_ones_last(
    spy: Spy, serve: Serve
) -> None:
    server = begun(serve)
    with spy.running("spans", "rs/web", "-o", "json") as running:
        server.wait_for_watches(5, PATIENCE)
        scaled(server)
        running.wait_until(lambda it: b"Pod.ContainerCreating" in it.stdout)
        server.put({**replica(2, False), "status": {"phase": "Pending"}})
        server.put({**replica(2, False), "status": BOUND})
        running.wait_until(lambda it: b"Pod.Pending" in it.stdout)
        ended = running.end()
    assert ended.code == 130
    spans = ended.records
    by_id = {span["spanId"]: span for span in spans}
    assert len(by_id) == len(spans)
    (creating,) = [
        span
        for span in by_id.values()
        if span["name"] == "Pod.ContainerCreating" and "end" in span
    ]
    (open_one,) = [
        span
        for span in by_id.values()
        if span["name"] == "Pod.ContainerCreating" and "end" not in span
    ]
    above = by_id[creating["parentId"]]
    assert above["name"] == "Pod"
    assert above["attributes"]["k8s.pod.name"] == "web-01"
    root = by_id[above["parentId"]]
    assert root["name"] == "ReplicaSet.scale"
    assert root["attributes"]["k8s.change.what"] == "replicas 1 → 2"
    assert creating["service"] == "kubelet"
    assert open_one["attributes"]["k8s.pod.name"] == "web-02"
    (warned,) = [span for span in by_id.values() if span["name"] == "Pod.Unhealthy"]
    assert warned["error"] == "it is Unhealthy"


@pytest.mark.parametrize("flags", [(), ("-o", "json")])
def test_once_prints_spans_so_far(
    spy: Spy, serve: Serve, flags: tuple[str, ...]
) -> None:
    begun(serve)
    ended = spy.run("spans", "rs/web", "--once", *flags)
    assert ended.code == 0, ended.err
    assert "ReplicaSet.create" in ended.out


def test_spans_end_with_the_awaited_condition(spy: Spy, serve: Serve) -> None:
    begun(serve)
    ended = spy.run("spans", "rs/web", "--for", "ready")
    assert ended.code == 0, ended.err
    assert "ReplicaSet.create" in ended.out


def test_recordings_give_the_same_spans(spy: Spy, serve: Serve) -> None:
    server = begun(serve)
    file = str(spy.home / "web.spy")
    with spy.running("spans", "rs/web", "-o", "json", "--record", file) as running:
        server.wait_for_watches(5, PATIENCE)
        scaled(server)
        running.wait_until(lambda it: b"Pod.ContainerCreating" in it.stdout)
        live = running.end()
    replayed = spy.run("spans", "--from", file, "-o", "json")
    assert replayed.code == 0, replayed.err
    final = {span["spanId"]: span for span in live.records}
    assert {span["spanId"]: span for span in replayed.records} == final
    drawn = spy.run("spans", "--from", file)
    assert drawn.code == 0 and "ReplicaSet.scale web" in drawn.out
    assert drawn.out.endswith(" folded: --full shows all\n")
    full = spy.run("spans", "--from", file, "--full").out
    assert "replicas 1" not in full and "folded" not in full
    assert full.count("Pod.") > drawn.out.count("Pod.")
    one = spy.run("spans", "pod/web-01", "--from", file)
    assert "Pod.create web-01" in one.out and "ReplicaSet" not in one.out


def test_on_a_terminal_the_bars_grow_and_stay(spy: Spy, serve: Serve) -> None:
    screens = pytest.importorskip("tests.cli.screen", reason="terminals are POSIX's")
    server = begun(serve)
    with screens.on_a_terminal(spy, "spans", "rs/web") as (screen, process):
        screen.wait_for_text("ReplicaSet.create web")
        server.wait_for_watches(5, PATIENCE)
        scaled(server)
        screen.wait_for_text("ReplicaSet.scale web")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        screen.wait_for(lambda it: it.raw.endswith(b"\x1b[?25h"))
    shown = [line for line in screen.all if "ReplicaSet.scale web" in line]
    assert len(shown) == 1 and "█" in shown[0]


def test_lost_history_repeats_no_span(spy: Spy, serve: Serve) -> None:
    server = begun(serve)
    file = spy.home / "web.spy"
    command = ("spans", "rs/web", "-o", "json", "--record", str(file))
    with spy.running(*command) as running:
        server.wait_for_watches(5, PATIENCE)
        scaled(server)
        running.wait_until(lambda it: b"Pod.ContainerCreating" in it.stdout)
        server.refuse("/api/v1/namespaces/default/pods", 503)
        server.drop_watches()
        running.wait_for_talk("trying again")
        missed = replica(3, True)
        missed["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
        server.put(missed)
        server.put(replica(2, False))
        server.compact()
        server.admit()
        wait_for_file(file, b'"name":"web-03"')
        server.put(replica(2, True))
        running.wait_until(lambda it: b'"web-02"' in it.stdout)
        live = running.end()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    (found,) = [each for each in lines if each.get("name") == "web-03"]
    assert (found["type"], found.get("listed")) == ("ADDED", True)
    spans = live.records
    assert len({(each["traceId"], each["spanId"]) for each in spans}) == len(spans)
    assert all(each["start"] > "2026-01-02" for each in spans)
    replayed = spy.run("spans", "--from", str(file), "-o", "json")
    assert sorted(replayed.records, key=str) == sorted(spans, key=str)


def test_left_out_spans_are_counted(spy: Spy, serve: Serve) -> None:
    server = begun(serve)
    file = str(spy.home / "web.spy")
    with spy.running("spans", "rs/web", "--record", file) as running:
        server.wait_for_watches(5, PATIENCE)
        for number in range(100, 1103):
            server.put(replica(number, True))
            server.delete(replica(number, True))
        server.put(replica(99, True))
        wait_for_file(Path(file), b'"name":"web-99"')
        server.put(replica(98, True))
        wait_for_file(Path(file), b'"name":"web-98"')  # all before that is shown
        live = running.end()
    note = "note: 3 deleted objects left out"
    assert note in live.err
    assert len(re.findall(r"Pod web-\d{3}", live.out)) == 1000
    replayed = spy.run("spans", "--from", file)
    assert "left out" not in replayed.err
    assert len(re.findall(r"Pod web-\d{3}", replayed.out)) == 1003


def test_on_a_terminal_ctrl_c_leaves_the_last_frame_and_no_more(
    spy: Spy, serve: Serve
) -> None:
    screens = pytest.importorskip("tests.cli.screen", reason="terminals are POSIX's")
    server = serve()
    server.put(replica_set(30, 0))
    reason = "cannot resolve " + "the registry's host " * 6 + "at all"
    for number in range(30):
        broken = replica(number, False)
        waiting = {"reason": "CreateContainerConfigError", "message": reason}
        broken["status"]["containerStatuses"][0]["state"] = {"waiting": waiting}
        server.put(broken)
    with screens.on_a_terminal(spy, "spans", "rs/web", columns=80, rows=24) as (
        screen,
        process,
    ):
        screen.wait_for_text("at all")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        screen.wait_for(lambda it: it.raw.endswith(b"\x1b[?25h"))
    left = screen.all
    (begun,) = (n for n, line in enumerate(left) if "ReplicaSet.create web" in line)
    assert len(left) - begun < 24
    assert reason in " ".join(" ".join(left).split())
