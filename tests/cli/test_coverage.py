"""What was lost of one type is said, whatever comes back of another."""

from __future__ import annotations

import json
from pathlib import Path

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Refused
from kubectl_spy.core.times import rfc3339
from tests.builders import (
    ALL_PODS,
    CONFIG_MAPS,
    event,
    manifest,
    pod,
    replica,
    service,
)
from tests.cli.changing import config_map
from tests.cli.command import PATIENCE, Spy, wait_for_file
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.recordings import (
    START,
    continue_with,
    first_list,
    items_of,
    record,
    recorder_to,
    resealed,
    story,
)

SPACE = "/api/v1/namespaces/default"
MAPS, SERVICES = f"{SPACE}/configmaps", f"{SPACE}/services"


def torn(spy: Spy, serve: Serve, file: Path) -> ApiServer:
    """Record two types whose watches break, of which only services come back."""
    server = serve()
    server.put(config_map(0))
    server.put(manifest("Service", "web", "default"))
    with spy.running("record", "cm,svc", "-n", "default", "-f", str(file)) as running:
        server.wait_for_watches(2, PATIENCE)
        server.refuse(MAPS, 503)
        server.refuse(SERVICES, 503, times=2)
        server.tear_watches()
        wait_for_file(file, b'"state":"lost"')
        server.put(config_map(1))
        wait_for_file(file, b'"state":"back"')
        assert running.end().code == 0
    return server


def test_one_type_that_is_watched_again_hides_no_other(
    spy: Spy, serve: Serve, tmp_path: Path
) -> None:
    file = tmp_path / "torn.spy"
    torn(spy, serve, file)
    lines = [json.loads(each) for each in file.read_text().splitlines()]
    states = [
        (each["stream"], each["state"]) for each in lines if each["type"] == "RECONNECT"
    ]
    maps, services = (
        next(each["stream"] for each in lines if each.get("resource") == name)
        for name in ("configmaps", "services")
    )
    assert [state for stream, state in states if stream == maps][-1] == "lost"
    assert [state for stream, state in states if stream == services][-1] == "back"
    for command in ("summary", "ls"):
        head = spy.run(command, str(file)).out
        assert "configmaps not watched after" in head and "services" not in head
        (hole,) = spy.printed(command, str(file))[0]["unknown"]
        assert (hole["why"], hole["types"]) == ("lost", ["configmaps"])


def test_a_watch_that_lost_its_history_is_watched_again(
    spy: Spy, serve: Serve, tmp_path: Path
) -> None:
    """What it missed is a GAP; what comes after that is seen."""
    file, server = tmp_path / "gap.spy", serve()
    server.put(config_map(0))
    with spy.running("record", "cm", "-f", str(file)) as running:
        server.wait_for_watches(1, PATIENCE)
        server.refuse(MAPS, 503)
        server.tear_watches()
        wait_for_file(file, b'"state":"lost"')
        server.put(config_map(1))
        server.compact()
        server.admit(MAPS)
        wait_for_file(file, b'"state":"back"')
        server.put(config_map(2))
        wait_for_file(file, b'"type":"MODIFIED"')
        assert running.end().code == 0
    for command in ("summary", "ls"):
        head = spy.run(command, str(file)).out
        assert "gap" in head and "not watched" not in head
        assert spy.printed(command, str(file))[0]["unknown"] == []


def test_nothing_is_judged_by_what_was_not_read(spy: Spy, serve: Serve) -> None:
    """Of a custom resource, only the Pods that belong to it are read."""
    server = serve()
    ready = {"type": "Ready", "status": "True", "reason": "Done", "message": ""}
    status = {"conditions": [ready], "phase": "Completed"}
    widget = manifest("Widget", "nightly", "default", version="example.com/v1")
    server.put({**widget, "status": status})
    server.put(service("web", "default"))
    for number in range(3):
        pod = replica(number, True)
        pod["metadata"] |= {"namespace": "default", "labels": {"app": "web"}}
        server.put(pod)
    assert "nothing fails" in spy.run("trace", "--once").out
    ended = spy.run("summary", "widget/nightly")
    head, state, *rest = ended.out.splitlines()
    assert head.startswith("widget/nightly in namespace default: ")
    assert state == "✓ widget.example.com/nightly  Completed"
    assert "service" not in ended.out and "no failure was found" in ended.out, rest
    (told,) = spy.printed("summary", "widget/nightly")
    (target,) = told["targets"]
    assert (target["name"], target["verdict"]) == ("nightly", "ok")


def test_a_type_that_a_later_run_leaves_out_is_not_watched_any_more(
    spy: Spy, serve: Serve, tmp_path: Path
) -> None:
    server, file = serve(), str(tmp_path / "two.spy")
    server.put(config_map(0))
    server.put(service("web", "default"))
    for types in ("cm,svc", "cm"):
        with spy.running("record", types, "-f", file, "--append") as running:
            server.wait_for_watches(len(types.split(",")), PATIENCE)
            assert running.end().code == 0
    (hole,) = spy.printed("ls", file)[0]["unknown"]
    assert (hole["why"], hole["types"]) == ("lost", ["services"])


def test_a_list_that_comes_after_a_refusal_is_known(tmp_path: Path, spy: Spy) -> None:
    file, history = tmp_path / "late.spy", History()
    recorder = recorder_to(file, history)
    recorder.observe(Refused(ALL_PODS, "no", START, True))
    for item in items_of(history, story()):
        recorder.observe(item)
    recorder.end("done")
    assert spy.printed("summary", str(file))[0]["unknown"] == []


def test_a_recording_without_a_change_is_judged_at_its_end(
    spy: Spy, tmp_path: Path
) -> None:
    """The kubelet is silent for longer than it should be when the recording ends."""
    waiting, file = pod("a", creationTimestamp=rfc3339(START)), tmp_path / "quiet.spy"
    waiting["spec"]["nodeName"] = "node1"
    lines = record(file, first_list(waiting, time=START))
    last = resealed(lines[-1], time=rfc3339(START + 3600))
    file.write_bytes(b"".join([*lines[:-1], last]))
    failures = spy.printed("summary", str(file))[0]["failures"]
    assert [each["name"] for each in failures] == ["a"]


def test_an_object_whose_type_was_refused_is_not_said_to_be_absent(
    spy: Spy, tmp_path: Path
) -> None:
    file, maps = tmp_path / "less.spy", ALL_PODS._replace(resource=CONFIG_MAPS)
    refused = event("REFUSED", time=START, selection=maps)
    refused = refused._replace(reason="may not list configmaps", forbidden=True)
    record(file, [*story(), refused], selections=(ALL_PODS, maps))
    for command in ("trace", "summary", "ls", "events", "show", "diff", "changes"):
        ended = spy.run(command, str(file), "configmap/x", "-n", "shop")
        assert ended.code == 1, command
        assert ended.err.rstrip().endswith(": may not list configmaps"), command


def test_what_a_later_run_could_not_list_is_not_said_to_be_deleted(
    spy: Spy, tmp_path: Path
) -> None:
    file, maps = tmp_path / "later.spy", ALL_PODS._replace(resource=CONFIG_MAPS)
    kept = {**config_map(0), "metadata": {**config_map(0)["metadata"], "uid": "u"}}
    kept["metadata"] |= {"namespace": "shop", "resourceVersion": "50"}
    seen = first_list(kept, time=START, selection=maps)
    record(file, [*seen, *story()], selections=(ALL_PODS, maps))
    refused = event("REFUSED", time=START + 100, selection=maps)
    refused = refused._replace(reason="may not list configmaps", forbidden=True)
    later = [*first_list(pod("a", rv="20"), time=START + 100), refused]
    continue_with(file, later, selections=(ALL_PODS, maps))
    ended = spy.run("show", str(file), "configmap/web", "-n", "shop")
    assert ended.code == 0 and "number:" in ended.out
    assert "configmap/web may have changed before that point" in ended.err
