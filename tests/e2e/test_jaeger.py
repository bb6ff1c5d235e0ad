"""A rollout, exported to a real Jaeger and read back through its API.

It is the executable of Jaeger's all-in-one, version 1, that KUBECTL_SPY_JAEGER names,
or what scripts/jaeger has built.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from kubectl_spy.extras.spans.view import open_span_exporter
from tests.e2e.built import find_built
from tests.e2e.conftest import absent
from tests.e2e.controlplane import free_ports
from tests.processes import PATIENCE, start, wait_until
from tests.spans import LINK, ROLLOUT, TRACE


def find_jaeger() -> str:
    """Return an executable, or fail or skip where there is none."""
    found = find_built("jaeger", "github.com/jaegertracing/jaeger", "all-in-one")
    return found or absent("Jaeger", remedy="run scripts/jaeger")


@pytest.fixture
def jaeger() -> Iterator[tuple[str, str]]:
    """Give the URLs of a Jaeger's collector and of its API."""
    names = (
        "admin.http.host-port",
        "collector.grpc-server.host-port",
        "collector.http-server.host-port",
        "collector.otlp.grpc.host-port",
        "http-server.host-port",
        "processor.jaeger-binary.server-host-port",
        "processor.jaeger-compact.server-host-port",
        "processor.zipkin-compact.server-host-port",
        "query.grpc-server.host-port",
        "collector.otlp.http.host-port",
        "query.http-server.host-port",
    )
    ports = free_ports(len(names))
    options = [
        f"--{name}=127.0.0.1:{port}" for name, port in zip(names, ports, strict=True)
    ]
    server = start(
        [find_jaeger(), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield (f"http://127.0.0.1:{ports[-2]}", f"http://127.0.0.1:{ports[-1]}")
    finally:
        server.kill()  # what it holds is in memory, and it takes long to end well
        server.wait()


def read_back(api: str, spans: int) -> list[dict[str, Any]]:
    """Return the trace once it holds *spans* spans."""
    trace: dict[str, Any] = {}

    def whole() -> bool:
        try:
            with urlopen(f"{api}/api/traces/{TRACE}", timeout=PATIENCE) as answer:
                (found,) = json.load(answer)["data"]
        except URLError:
            return False
        trace.update(found)
        return len(found["spans"]) == spans

    wait_until(whole, lambda: trace)
    for span in trace["spans"]:
        span["service"] = trace["processes"][span["processID"]]["serviceName"]
    read: list[dict[str, Any]] = trace["spans"]
    return read


def test_jaeger_shows_what_was_exported(jaeger: tuple[str, str]) -> None:
    collector, api = jaeger
    exporter = open_span_exporter(collector, say=print, environ={})
    until = ROLLOUT[0].start + 12
    exporter.send(ROLLOUT, until=until)
    assert exporter.close(PATIENCE) == 0  # it is still starting: tried again
    found = {span["spanID"]: span for span in read_back(api, len(ROLLOUT))}
    for sent in ROLLOUT:
        span = found[sent.span_id]
        tags = {tag["key"]: tag["value"] for tag in span["tags"]}
        references = [
            (reference["refType"], reference["traceID"], reference["spanID"])
            for reference in span["references"]
        ]
        assert span["operationName"] == sent.name
        assert span["service"] == sent.service
        assert span["startTime"] == round(sent.start * 1_000_000)
        end = until if sent.end is None else sent.end
        assert span["duration"] == round(end * 1_000_000) - span["startTime"]
        for name, value in sent.attributes:
            assert tags[name] == value
        assert tags.get("otel.status_description", "") == sent.error
        assert tags.get("error", False) == bool(sent.error)
        expected = []
        if sent.parent_id:
            expected.append(("CHILD_OF", TRACE, sent.parent_id))
        if sent.links:
            expected.append(("FOLLOWS_FROM", LINK[3:35], LINK[36:52]))
        assert references == expected
