"""A collector: an HTTP server that decodes what OTLP exporters send."""

from __future__ import annotations

import gzip
import os
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from typing import Any, NamedTuple

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

from kubectl_spy.extras.spans.model.span import Span
from kubectl_spy.extras.spans.view import open_span_exporter
from tests.answering import Answer, Asked, answering
from tests.processes import PATIENCE, wait_until
from tests.spans import START

PROTOBUF = {"Content-Type": "application/x-protobuf"}
UNTIL = START + 12
"""When spans end that are not over."""
_PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
}


class Received(NamedTuple):
    """A request, decoded."""

    path: str
    headers: Message
    body: Any  # an ExportTraceServiceRequest, or an ExportLogsServiceRequest
    when: float


class Receiver:
    """What came in; *answers* are given in turn, the last one for ever."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers) or [Answer()]
        self.requests: list[Received] = []
        self.url = ""

    def next_answer(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def spans(self) -> list[tuple[str, WireSpan]]:
        """Return all spans that came in, each with its service."""
        return [
            (str(attributes(resource.resource.attributes)["service.name"]), span)
            for request in self.requests
            for resource in request.body.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def logs(self) -> list[tuple[dict[str, object], LogRecord]]:
        """Return all log records that came in, each with its resource."""
        return [
            (attributes(resource.resource.attributes), record)
            for request in self.requests
            for resource in request.body.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    def names(self) -> list[str]:
        return [span.name for _, span in self.spans()]

    def wait_for(self, requests: int) -> None:
        wait_until(lambda: len(self.requests) >= requests, lambda: self.requests)


def attributes(pairs: Iterable[KeyValue]) -> dict[str, object]:
    """Return OTLP's attributes with the values that they have."""
    values = {}
    for pair in pairs:
        values[pair.key] = getattr(pair.value, pair.value.WhichOneof("value") or "")
    return values


def delivered(
    url: str,
    *spans: Span,
    environ: Mapping[str, str] = os.environ,
    within: float = PATIENCE,
) -> tuple[int, list[str]]:
    """Send *spans* to *url*; return how many are lost, and what is said."""
    lines: list[str] = []
    exporter = open_span_exporter(url, say=lines.append, environ=environ)
    exporter.send(spans, until=UNTIL)
    return exporter.close(within), lines


@contextmanager
def receiving(
    *answers: Answer, port: int = 0, tls: ssl.SSLContext | None = None
) -> Iterator[Receiver]:
    """Run a collector on loopback."""
    receiver = Receiver(*answers)

    def answer(asked: Asked) -> Answer:
        packing = asked.headers.get("Content-Encoding")
        logs = asked.path.endswith("/v1/logs")
        kind = ExportLogsServiceRequest if logs else ExportTraceServiceRequest
        raw = _PACKINGS[packing](asked.body) if packing else asked.body
        body, given = kind.FromString(raw), receiver.next_answer()
        receiver.requests.append(
            Received(asked.path, asked.headers, body, time.monotonic())
        )
        return (
            given if given.headers or given.body else given._replace(headers=PROTOBUF)
        )

    with answering(answer, port, tls) as receiver.url:
        yield receiver
