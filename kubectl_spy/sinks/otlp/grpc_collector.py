"""The same as `collector`, for those whose collector speaks gRPC only.

Needs the extra `grpc`, as grpcio is compiled. Its exporter tells why something failed
in its log alone; that is where it is read.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence

from grpc import StatusCode
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult

from kubectl_spy.sinks.otlp.outcome import Outcome
from kubectl_spy.sinks.otlp.surroundings import check_certificates, silence

_LOGGER = logging.getLogger("opentelemetry.exporter.otlp.proto.grpc.exporter")
# https://opentelemetry.io/docs/specs/otlp/#failures
_AGAIN = frozenset(
    {
        StatusCode.CANCELLED,
        StatusCode.DEADLINE_EXCEEDED,
        StatusCode.ABORTED,
        StatusCode.OUT_OF_RANGE,
        StatusCode.UNAVAILABLE,
        StatusCode.DATA_LOSS,
    }
)


class GrpcCollector:
    """The collector at *url*, whose path means nothing.

    Raises:
        UsageError: a certificate that OTEL_EXPORTER_OTLP_* names is not there.
    """

    def __init__(self, url: str) -> None:
        silence("opentelemetry")
        check_certificates()
        self._codes = _Codes()
        # What to try again is decided in `exporter`; no codes at all would be its own.
        self._exporter = OTLPSpanExporter(
            endpoint=url, retryable_error_codes=[StatusCode.OK]
        )
        _LOGGER.filters.insert(0, self._codes)  # the one there drops what repeats

    def send(self, spans: Sequence[ReadableSpan]) -> Outcome:
        """Send *spans* in one request, and return what came of it."""
        self._codes.last = None
        result = SpanExportResult.FAILURE
        with contextlib.suppress(Exception):
            result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            return Outcome()
        code = self._codes.last
        if code is None:
            return Outcome("they cannot be sent")
        return Outcome(code.name, again=code in _AGAIN)

    def close(self) -> None:
        """Let go of the connection."""
        self._exporter.shutdown()
        _LOGGER.removeFilter(self._codes)


class _Codes(logging.Filter):
    """Notes the last status code that was logged."""

    last: StatusCode | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        for value in record.args or ():
            if isinstance(value, StatusCode):
                self.last = value
        return True
