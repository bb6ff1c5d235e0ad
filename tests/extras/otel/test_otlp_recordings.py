"""Recordings sent to a collector with `record --otlp`, and read back from its file."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceResponse,
)

from kubectl_spy.extras.otel.lines import json_line
from tests.answering import Answer, unanswered
from tests.builders import manifest
from tests.cli.changing import config_map
from tests.cli.command import PATIENCE, Ended, Spy
from tests.extras.otel.otlp_logs import otlp_file
from tests.extras.otel.receiver import PROTOBUF, Receiver, receiving
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.processes import wait_until
from tests.recordings import record, story


def lines(receiver: Receiver) -> list[str]:
    """Return the lines that came in, sorted: a request groups them by namespace."""
    held = [log.body.string_value + "\n" for _, log in receiver.logs()]
    return sorted(held, key=lambda raw: int(json.loads(raw)["seq"]))


def bodies(receiver: Receiver) -> bytes:
    return "".join(lines(receiver)).encode()


def kinds(receiver: Receiver) -> list[str]:
    return [json.loads(each)["type"] for each in lines(receiver)]


def recorded(
    spy: Spy, server: ApiServer, receiver: Receiver, *flags: str, talk: str = ""
) -> Ended:
    """Record ConfigMaps to *receiver* while they change; end it with Ctrl-C."""
    server.put(config_map(0))
    with spy.running("record", "cm", "--otlp", receiver.url, *flags) as running:
        server.wait_for_watches(1, PATIENCE)
        for number in (1, 2, 3):
            server.put(config_map(number))
        wait_until(lambda: kinds(receiver).count("MODIFIED") >= 3)
        running.wait_for_talk(talk)
        ended = running.end()
    server.drop_watches()
    return ended


def test_a_collector_gets_every_line_of_the_file(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "web.spy"
    with receiving() as receiver:
        ended = recorded(spy, server, receiver, "-f", str(file))
        words = ("record", "cm", "-f", str(file), "--append", "--otlp", receiver.url)
        with spy.running(*words) as running:
            wait_until(lambda: kinds(receiver).count("LISTED") == 2)
            again = running.end()
    assert (ended.code, again.code) == (0, 0), ended.err
    url = f"{receiver.url}/v1/logs"
    assert f"recording to {file} and to {url}\n" in ended.err
    assert bodies(receiver) == file.read_bytes()
    assert kinds(receiver).count("RESUME") == 1


def test_without_a_file_the_collector_gets_a_whole_recording(
    spy: Spy, serve: Serve
) -> None:
    server, path = serve(), spy.home / "otlp.jsonl"
    with receiving() as receiver:
        ended = recorded(spy, server, receiver)
    assert (ended.code, ended.out) == (0, ""), ended.err
    url = f"{receiver.url}/v1/logs"
    assert f"recording to {url}\n" in ended.err
    assert f"recorded to {url}: 1 object at the end, 3 changes, " in ended.err
    path.write_bytes(b"".join(json_line(each.body) for each in receiver.requests))
    shown = spy.run("show", str(path), "cm/web", "-o", "json")
    assert json.loads(shown.out)["data"] == {"number": "3"}
    verified = spy.run("ls", "--verify", str(path))
    assert verified.code == 0 and "every one as it was written\n" in verified.out
    assert list(spy.home.glob("*.spy*")) == []


def test_the_cluster_is_named_by_the_uid_of_kube_system(spy: Spy, serve: Serve) -> None:
    server = serve()
    put = server.put(manifest("Namespace", "kube-system", None))
    given = {"OTEL_RESOURCE_ATTRIBUTES": "k8s.cluster.name=prod"}
    with receiving() as receiver:
        words = ("record", "cm", "--otlp", receiver.url)
        with spy.running(*words, environ=given) as running:
            wait_until(receiver.logs)
            running.end()
    for resource, _ in receiver.logs():
        assert resource["k8s.cluster.uid"] == put["metadata"]["uid"]
        assert resource["k8s.cluster.name"] == "prod"


def test_whole_objects_are_sent_again_after_a_time(spy: Spy, serve: Serve) -> None:
    server, path = serve(), spy.home / "otlp.jsonl"
    server.put(config_map(0))
    with receiving() as receiver:
        flags = ("--otlp", receiver.url, "--snapshots", "1s")
        with spy.running("record", "cm", *flags) as running:
            server.wait_for_watches(1, PATIENCE)
            server.put(config_map(1))
            wait_until(lambda: kinds(receiver).count("SNAPSHOT") == 2)
            server.put(config_map(2))
            running.end()
        sent = kinds(receiver)
        again = sent.index("HEADER", 1)
        assert sent[again : again + 4] == ["HEADER", "STREAM", "SNAPSHOT", "LISTED"]
        requests = [each.body for each in receiver.requests]
        packed = b"".join(map(json_line, requests))
    path.write_bytes(packed)
    assert spy.run("ls", "--verify", str(path)).code == 0
    first = json.loads(packed.splitlines()[0])
    assert first["resourceLogs"][0]["scopeLogs"][0]["scope"]["name"] == "kubectl-spy"


def test_an_absent_collector_loses_nothing_in_silence(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "web.spy"
    with (
        unanswered() as port,
        spy.running(
            *("record", "cm", "-f", str(file)),
            *("--otlp", f"http://127.0.0.1:{port}/?token=hidden"),
        ) as running,
    ):
        server.wait_for_watches(1, PATIENCE)
        running.wait_for_talk("cannot deliver lines")
        server.put(config_map(1))
        wait_until(lambda: b'"ADDED"' in file.read_bytes())
        ended = running.end()
    assert (ended.code, "hidden" in ended.err) == (1, False)
    count = len(file.read_bytes().splitlines())
    where = f"http://127.0.0.1:{port}/v1/logs"
    last = f"{count} of {count} lines were not delivered to {where}: "
    assert ended.err.splitlines()[-1].startswith(last)
    assert spy.run("ls", "--verify", str(file)).code == 0


def test_a_second_interrupt_ends_the_wait_for_a_collector(
    spy: Spy, serve: Serve
) -> None:
    server = serve()
    with (
        receiving(Answer(delay=60)) as receiver,
        spy.running("record", "cm", "--otlp", receiver.url) as running,
    ):
        server.wait_for_watches(1, PATIENCE)
        receiver.wait_for(1)
        running.process.send_signal(signal.SIGINT)
        running.wait_for_talk("recorded to")
        ended = running.end()
    assert ended.code == 130 and ended.took < 4
    assert "lines were not delivered to" in ended.err.splitlines()[-1]


def test_a_collector_that_refuses_gets_all_that_it_takes(
    spy: Spy, serve: Serve
) -> None:
    server, path = serve(), spy.home / "otlp.jsonl"
    for number in range(9):
        server.put(config_map(number, f"web-{number}"))
    rejected = ExportLogsServiceResponse()
    rejected.partial_success.rejected_log_records = 1
    rejected.partial_success.error_message = "too old"
    answers = (
        Answer(429, {"Retry-After": "1"}, b""),
        Answer(413, {}, b""),
        Answer(200, PROTOBUF, rejected.SerializeToString()),
        Answer(),
    )
    with receiving(*answers) as receiver:
        ended = recorded(spy, server, receiver, talk="rejected 1 line")
    url = f"{receiver.url}/v1/logs"
    assert ended.code == 1
    said = [each.replace(url, "URL") for each in ended.err.splitlines()]
    assert "URL answers again" in said and "URL rejected 1 line: too old" in said
    waits = "they are kept, and sent when it answers"
    assert f"cannot deliver lines to URL: 429 Too Many Requests; {waits}" in said
    assert said[-1].endswith("lines were not delivered to URL: 1 refused")
    first, second, *_ = receiver.requests
    assert second.when - first.when > 0.95
    taken = receiver.requests[2:]  # the first half of what was too large, and so on
    path.write_bytes(b"".join(json_line(each.body) for each in taken))
    assert spy.run("ls", "--verify", str(path)).code == 0


def test_secrets_are_masked_before_they_are_sent(spy: Spy, serve: Serve) -> None:
    server = serve()
    secret = {**config_map(1, "db"), "kind": "Secret", "data": {"key": "aGlkZGVu"}}
    server.put(secret)
    with receiving() as receiver:
        flags = ("--otlp", receiver.url, "--stop-on", "create", "--after", "0s")
        ended = spy.run("record", "secrets", *flags)
    assert ended.code == 0, ended.err
    sent = bodies(receiver)
    assert b"*** " in sent and b"aGlkZGVu" not in sent


def test_a_recording_that_is_still_written_is_not_resumed(
    spy: Spy, serve: Serve
) -> None:
    server, state = serve(), spy.home / "state"
    with receiving() as receiver:
        words = ("record", "cm", "--otlp", receiver.url, "--resume", str(state))
        with spy.running(*words):
            server.wait_for_watches(1, PATIENCE)
            ended = spy.run(*words)
    assert ended.code == 1
    assert f"{state} is being recorded to by another process" in ended.err


def test_a_recording_of_another_cluster_is_not_resumed(spy: Spy, serve: Serve) -> None:
    state = spy.home / "state"
    record(state, story())
    serve()
    with receiving() as receiver:
        ended = spy.run(
            *("record", "cm", "--otlp", receiver.url, "--resume", str(state))
        )
    assert ended.code == 2 and "was recorded from another cluster" in ended.err
    assert receiver.requests == []


COMMANDS = (
    "show {} deployments/nginx --at first+2s",
    "diff {} deployments/nginx first last",
    "ls {} -o json",
    "blame --from {} deployments/nginx",
    "changes --from {} deployments --since last-1s -o json",
    "trace --from {} deployments/nginx --at last-1s",
    "show {} deployments/nope",
    "show {} deployments/nginx --at rv:1",
)


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_says_the_same_of_the_file_and_of_the_log_records(
    spy: Spy, directory: Path, words: str
) -> None:
    file = directory / "deploy-rollout.spy"
    logs = directory / "otlp.jsonl"
    if not logs.exists():
        otlp_file(logs, file)
    expected, found = (spy.run(*words.format(each).split()) for each in (file, logs))
    assert found.code == expected.code
    for one, other in ((found.out, expected.out), (found.err, expected.err)):
        assert one.replace(str(logs), "FILE") == other.replace(str(file), "FILE")
    assert expected.out or expected.code


def test_two_recordings_in_one_file_are_told_apart(spy: Spy, directory: Path) -> None:
    both = [directory / f"{name}.spy" for name in ("deploy-rollout", "workloads")]
    logs = otlp_file(spy.home / "both.jsonl", *both)
    first, second = (
        json.loads(each.read_bytes().splitlines()[0])["recording"] for each in both
    )
    ended = spy.run("ls", logs)
    assert ended.code == 1 and f"{logs} holds 2 recordings: " in ended.err
    assert f"; name {logs}#{second}\n" in ended.err
    for file, name in zip(both, (first, second), strict=True):
        found = spy.run("ls", "--verify", f"{logs}#{name}")
        assert (found.code, found.err) == (0, "")
        assert (
            found.out.partition(": ")[2]
            == (spy.run("ls", "--verify", str(file)).out.partition(": ")[2])
        )
    names = [f"{logs}#{name[:6]}" for name in (first, second)]
    expected = spy.run("diff", *map(str, both), "--exit-code")
    found = spy.run("diff", *names, "--exit-code")
    assert found.code == expected.code == 1
    said = found.out
    for name, file in zip(names, both, strict=True):
        said = said.replace(Path(name).name, file.name)
    assert said == expected.out
    held = json.loads(spy.run("ls", names[0], "-o", "json").out)
    assert held["segments"] == 1
    blamed = spy.run("blame", names[0], "deployments/nginx", "--only", "/spec/replicas")
    assert blamed.code == 0 and "replicas: " in blamed.out
    trace = spy.run("trace", "--from", f"{logs}#{first[:8]}", "deployments/nginx")
    assert trace.code == 0 and "deployment.apps/nginx" in trace.out
