"""Collectors that speak gRPC: the same spans, the same patience."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from kubectl_spy.errors import UsageError
from tests import processes
from tests.sinks.receiver import attributes, delivered
from tests.spans import ROLLOUT

grpc = pytest.importorskip("grpc")

from opentelemetry.proto.collector.trace.v1 import (  # noqa: E402
    trace_service_pb2,
    trace_service_pb2_grpc,
)

ENVIRON = {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}


class Service(trace_service_pb2_grpc.TraceServiceServicer):
    """Answers with *codes* in turn, then well."""

    def __init__(self, codes: list[Any]) -> None:
        self.codes = codes
        self.requests: list[tuple[dict[str, str], Any]] = []
        self.answer = trace_service_pb2.ExportTraceServiceResponse()

    def Export(self, request: Any, context: Any) -> Any:
        self.requests.append((dict(context.invocation_metadata()), request))
        if self.codes:
            context.abort(self.codes.pop(0), "a secret")
        return self.answer


@contextmanager
def serving(*codes: Any) -> Iterator[tuple[str, Service]]:
    server = grpc.server(ThreadPoolExecutor(2))
    service = Service(list(codes))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"http://127.0.0.1:{port}", service
    finally:
        server.stop(0).wait()


def export(url: str) -> tuple[int, list[str]]:
    return delivered(url, *ROLLOUT, environ={**os.environ, **ENVIRON})


def test_spans_and_headers_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=a")
    with serving() as (url, service):
        assert export(url) == (0, [])
    ((metadata, request),) = service.requests
    assert metadata["x-team"] == "a"
    received = {
        span.span_id.hex(): attributes(resource.resource.attributes)["service.name"]
        for resource in request.resource_spans
        for span in resource.scope_spans[0].spans
    }
    assert received == {sent.span_id: sent.service for sent in ROLLOUT}


def test_retryable_status_codes_are_tried_again() -> None:
    with serving(grpc.StatusCode.UNAVAILABLE) as (url, service):
        lost, lines = export(url)
        assert lost == 0 and len(service.requests) == 2
    assert "UNAVAILABLE" in lines[0] and lines[1].endswith("answers again")


def test_other_status_codes_are_not_tried_again() -> None:
    with serving(grpc.StatusCode.PERMISSION_DENIED) as (url, service):
        lost, lines = export(url)
        assert lost == 4 and len(service.requests) == 1
    assert lines[0].endswith("refuses spans: PERMISSION_DENIED")
    assert "secret" not in "".join(lines)


def test_a_partial_success_reports_the_rejected_spans() -> None:
    with serving(grpc.StatusCode.UNAVAILABLE) as (url, service):
        service.answer.partial_success.rejected_spans = 1
        service.answer.partial_success.error_message = "too old"
        lost, lines = export(url)
    assert lost == 1 and f"{url} rejected 1 span: too old" in lines


@pytest.mark.parametrize("packing", ["gzip", "none"])
def test_compression_of_the_environment_is_used(
    monkeypatch: pytest.MonkeyPatch, packing: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", packing)
    with serving() as (url, service):
        assert export(url) == (0, [])
    assert len(service.requests) == 1


def test_a_value_that_the_exporter_cannot_use_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", " ")
    with pytest.raises(UsageError, match="gRPC cannot use"):
        export("http://127.0.0.1:9")


def test_without_the_extra_it_says_what_to_install() -> None:
    code = (
        "import sys\n"
        "sys.modules['grpc'] = None\n"
        "from kubectl_spy.sinks.otlp.exporter import open_exporter\n"
        "try:\n"
        f"    open_exporter('http://c', say=print, environ={ENVIRON!r})\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    ran = processes.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("UsageError ") and "kubectl-spy[grpc]" in ran.stdout
