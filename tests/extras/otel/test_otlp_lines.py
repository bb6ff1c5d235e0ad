"""Lines of a recording as a collector receives them, and what is said when it does not.

The collector is the one of the spans' tests; all else that they show holds here, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceResponse,
)
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from kubectl_spy.errors import UsageError
from kubectl_spy.extras.otel.exporter import Exporter, open_exporter
from kubectl_spy.extras.otel.http_collector import HttpCollector
from kubectl_spy.extras.otel.lines import (
    LONGEST_BODY,
    Line,
    LineEncoding,
    LineSender,
    nanoseconds,
)
from kubectl_spy.extras.otel.otel_env import LOGS, endpoint, timeout
from tests.answering import Answer
from tests.builders import entry, event, pod
from tests.extras.otel.receiver import PROTOBUF, Receiver, attributes, receiving
from tests.processes import PATIENCE, wait_until
from tests.recordings import START, first_list, record, sealed, story

OTLP = "OTEL_EXPORTER_OTLP_"


def line(number: int, size: int = 0) -> Line:
    return Line(
        nanoseconds(START + number),
        "MODIFIED",
        "shop",
        {"kubectl_spy.seq": number},
        "x" * size,
    )


@contextmanager
def exporting(
    url: str, environ: Mapping[str, str] = os.environ
) -> Iterator[tuple[Exporter[Line], list[str]]]:
    """Give an exporter, and what it says."""
    said: list[str] = []
    exporter: Exporter[Line] = open_exporter(
        url, LOGS, lambda: LineEncoding("uid-1"), say=said.append, environ=environ
    )
    try:
        yield exporter, said
    finally:
        exporter.close(0)


def seqs(receiver: Receiver) -> list[object]:
    return [
        attributes(each.attributes)["kubectl_spy.seq"] for _, each in receiver.logs()
    ]


def place_of(log: LogRecord) -> tuple[int, int]:
    values = attributes(log.attributes)
    return int(str(values["kubectl_spy.seq"])), int(
        str(values.get("kubectl_spy.part", 1))
    )


def exported(lines: list[bytes]) -> list[tuple[dict[str, object], Any]]:
    """Return what a collector gets of the *lines* of a recording."""
    with receiving() as receiver, exporting(receiver.url) as (exporter, said):
        sender = LineSender(exporter.send)
        for raw in lines:
            sender.send(START, json.loads(raw), raw)
        assert exporter.close(PATIENCE) == 0
        assert said == []
    assert {each.path for each in receiver.requests} == {"/v1/logs"}
    # A request groups them by their resource.
    logs = receiver.logs()
    return sorted(logs, key=lambda each: place_of(each[1]))


def test_every_line_arrives_with_what_it_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = "k8s.cluster.name=prod,k8s.namespace.name=monitoring,service.name=other"
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", given)
    events = [*story(), *first_list(pod("d", rv="9"), time=START + 70)]
    lines = record(tmp_path / "a.spy", events)
    whole = {each["seq"]: each for each in map(json.loads, lines)}
    assert {each["type"] for each in whole.values()} >= {"ADDED", "MODIFIED", "GAP"}
    received = exported(lines)
    assert [each.body.string_value.encode() + b"\n" for _, each in received] == lines
    cluster = {
        "service.name": "kubectl-spy",
        "k8s.cluster.uid": "uid-1",
        "k8s.cluster.name": "prod",
    }
    for resource, log in received:
        values = attributes(log.attributes)
        members = whole[values["kubectl_spy.seq"]]
        about = members["type"] not in ("HEADER", "STREAM", "END", "LISTED")
        place = {"k8s.namespace.name": "shop"} if about else {}
        assert resource == cluster | place
        assert log.event_name == "kubectl_spy.change"
        level = (13, "WARN") if members["type"] == "GAP" else (9, "INFO")
        assert (log.severity_number, log.severity_text) == level
        time = int(START) * 10**9 + members["seq"] - 1
        assert log.time_unix_nano == log.observed_time_unix_nano == time
        assert values["kubectl_spy.recording"] == whole[1]["recording"]
        assert values["kubectl_spy.epoch"] == "e1"
        assert values["kubectl_spy.type"] == members["type"]
        object_ = {
            "k8s.object.kind": "kind",
            "k8s.object.name": "name",
            "k8s.object.uid": "uid",
            "k8s.object.api_version": "apiVersion",
            "k8s.object.resource_version": "resourceVersion",
            "kubectl_spy.previous": "previous",
        }
        told = {name: members.get(name) if about else None for name in object_.values()}
        assert {name: values.get(ours) for ours, name in object_.items()} == told
        assert "kubectl_spy.part" not in values


def test_the_lines_of_a_list_are_in_order_by_their_times() -> None:
    """A store gives them in pages, by time. All objects of a page have one time."""
    lines = [sealed({"seq": number, "type": "ADDED"}) for number in range(1990, 3100)]
    times = [log.time_unix_nano for _, log in exported(lines)]
    assert times == sorted(set(times))


def test_lone_surrogates_are_escaped_in_attributes(tmp_path: Path) -> None:
    """UTF-8 has none, and the SDK leaves out an attribute that it cannot encode."""
    odd = pod("x\ud800y", rv="1", annotations={})
    managed = [entry("a\ud801b", time="2026-01-01T00:00:02Z")]
    changed = pod("x\ud800y", rv="2", annotations={"t": "1"}, managedFields=managed)
    events = [*first_list(odd), event("MODIFIED", changed)]
    logs = [log for _, log in exported(record(tmp_path / "a.spy", events))]
    values: dict[str, Any] = attributes(logs[-2].attributes)
    assert values["k8s.object.name"] == "x\\ud800y"
    (manager,) = values["kubectl_spy.managers"].values
    assert manager.string_value == "a\\ud801b"


def test_long_lines_are_cut_between_characters() -> None:
    header = {"seq": 1, "type": "HEADER", "recording": "r", "redaction": {"epoch": "e"}}
    raw = sealed({**header, "text": "é😀" * LONGEST_BODY})
    received = exported(
        [json.dumps(json.loads(raw), ensure_ascii=False).encode() + b"\n"]
    )
    assert len(received) == 7
    bodies = [log.body.string_value for _, log in received]
    assert json.loads("".join(bodies)) == json.loads(raw)
    for number, (_, log) in enumerate(received, 1):
        size = len(log.body.string_value.encode())
        assert LONGEST_BODY - 4 < size <= LONGEST_BODY or number == 7
        values = attributes(log.attributes)
        assert (values["kubectl_spy.part"], values["kubectl_spy.parts"]) == (number, 7)


def test_variables_of_logs_have_precedence_and_those_of_traces_do_not_count() -> None:
    environ = {f"{OTLP}ENDPOINT": "http://d/base", f"{OTLP}TRACES_ENDPOINT": "http://e"}
    assert endpoint("", environ, LOGS) == "http://d/base/v1/logs"
    mine = {f"{OTLP}LOGS_ENDPOINT": "http://f/mine", f"{OTLP}LOGS_TIMEOUT": "3"}
    assert endpoint("", environ | mine, LOGS) == "http://f/mine"
    assert endpoint("http://g:4318", environ | mine, LOGS) == "http://g:4318/v1/logs"
    assert timeout(environ | mine, LOGS) == 3
    name = f"{OTLP}LOGS_HEADERS"
    wrong = exporting("http://127.0.0.1:9", {name: "hidden"})
    with pytest.raises(UsageError, match=f"{name} is not name=value"), wrong:
        pass


def test_a_request_that_is_too_large_is_halved() -> None:
    refusals = [Answer(413, {}, b"")] * 4
    with receiving(Answer(delay=0.5), *refusals, Answer()) as receiver:
        with exporting(receiver.url) as (exporter, said):
            exporter.send([line(0)])
            receiver.wait_for(1)
            exporter.send(map(line, range(1, 9)))
            assert exporter.close(PATIENCE) == 1
        sizes = [
            len(each.body.resource_logs[0].scope_logs[0].log_records)
            for each in receiver.requests
        ]
    assert sizes == [1, 8, 4, 2, 1, 1, 2, 4]
    assert said[-1].startswith("1 of 9 lines were not delivered to")


def test_a_partial_success_reports_the_rejected_lines() -> None:
    answer = ExportLogsServiceResponse()
    answer.partial_success.rejected_log_records = 2
    answer.partial_success.error_message = "timestamp too old\x1b[2J"
    partial = Answer(200, PROTOBUF, answer.SerializeToString())
    with receiving(partial) as receiver, exporting(receiver.url) as (exporter, said):
        exporter.send(map(line, range(3)))
        assert exporter.close(PATIENCE) == 2
    assert [each.replace(f"{receiver.url}/v1/logs", "URL") for each in said] == [
        "URL rejected 2 lines: timestamp too old\\u001b[2J",
        "2 of 3 lines were not delivered to URL: 2 refused",
    ]


def test_dropped_lines_are_reported_at_once_and_counted_at_the_end() -> None:
    said: list[str] = []
    with receiving(Answer(503, {}, b""), Answer(delay=1), Answer()) as receiver:
        collector = HttpCollector(f"{receiver.url}/v1/logs", {}, LOGS)
        exporter = Exporter(
            collector, LineEncoding(""), say=said.append, most=10, heaviest=1 << 20
        )
        exporter.send([line(0)])
        receiver.wait_for(2)
        for number in range(1, 101):
            exporter.send([line(number)])
        assert "too many lines wait for URL: the oldest are dropped" in [
            each.replace(exporter.url, "URL") for each in said
        ]
        wait_until(lambda: any("90 lines dropped" in each for each in said))
        assert exporter.close(PATIENCE) == 90
    assert seqs(receiver)[-10:] == list(range(91, 101))
    assert len(said) == 5 and "90 dropped because too many waited" in said[-1]


def test_what_waits_has_a_bounded_size() -> None:
    said: list[str] = []
    collector = HttpCollector("http://127.0.0.1:9/v1/logs", {}, LOGS)
    exporter = Exporter(
        collector, LineEncoding(""), say=said.append, most=10**6, heaviest=1 << 20
    )
    exporter.send(line(number, 10_000) for number in range(1000))
    assert exporter.close(0) == 1000
    assert exporter.outbox.put_in - exporter.outbox.dropped <= 103


def test_a_line_that_is_earlier_than_the_one_before_comes_after_it() -> None:
    """Two watches overtook each other. A clock that was set back is followed."""
    sent: list[Line] = []
    sender = LineSender(sent.extend)
    for number, time in enumerate((0.0, -0.003, -0.002, 0.1, -3600.0)):
        sender.send(START + time, {"seq": number, "type": "MODIFIED"}, b"{}\n")
    first = nanoseconds(START)
    assert [each.when - first for each in sent] == [
        *(0, 1, 2),
        100_000_000,
        -3_600_000_000_000,
    ]
