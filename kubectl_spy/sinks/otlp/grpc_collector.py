"""Send spans over OTLP/gRPC.

Needs the extra `grpc`: grpcio is compiled. Its exporter reports why a request failed
in its log only, so the status code is read there.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from grpc import Compression, StatusCode
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult

from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.otlp.collector import Outcome, partial_outcome, silence
from kubectl_spy.sinks.otlp.otel_env import compression, headers, timeout

_LOGGER = logging.getLogger("opentelemetry.exporter.otlp.proto.grpc.exporter")
# https://opentelemetry.io/docs/specs/otlp/#failures
_RETRYABLE = frozenset(
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
    """The collector at *url*, whose path is ignored.

    Raises:
        UsageError: OTEL_EXPORTER_OTLP_* is invalid.
    """

    def __init__(self, url: str, environ: Mapping[str, str]) -> None:
        silence("opentelemetry")
        self._codes = _Codes()
        packed = compression(environ, "gzip") == "gzip"
        sent, seconds = headers(environ), timeout(environ)
        try:
            self._exporter = _Exporter(
                endpoint=url,
                headers=sent,
                timeout=seconds,
                compression=Compression.Gzip if packed else Compression.NoCompression,
                # `exporter` decides what is sent again; [] would be their default.
                retryable_error_codes=[StatusCode.OK],
            )
        except Exception as error:  # its text may hold a variable's value
            raise UsageError(
                "gRPC cannot use OTEL_EXPORTER_OTLP_* and OTEL_PYTHON_EXPORTER_* as"
                f" they are ({type(error).__name__})",
                "correct or unset them",
            ) from None
        _LOGGER.filters.insert(0, self._codes)  # before the one that drops repetitions

    def send(self, spans: Sequence[ReadableSpan]) -> Outcome:
        """Send *spans* in one request, and return its outcome."""
        self._codes.last = None
        self._exporter.answer = ExportTraceServiceResponse()
        result = SpanExportResult.FAILURE
        with contextlib.suppress(Exception):
            result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            return partial_outcome(self._exporter.answer.partial_success)
        code = self._codes.last
        if code is None:
            return Outcome("they cannot be sent")
        return Outcome(code.name, again=code in _RETRYABLE)

    def close(self) -> None:
        """Close the connection."""
        self._exporter.shutdown()
        _LOGGER.removeFilter(self._codes)


class _Exporter(OTLPSpanExporter):
    """Keeps the last answer, which says whether all spans were accepted."""

    answer = ExportTraceServiceResponse()

    def _initialize_channel_and_stub(self) -> None:
        initialize: Any = super()._initialize_channel_and_stub
        initialize()
        client: Any = self._client
        export = client.Export

        def keeping(**request: Any) -> Any:
            self.answer = export(**request)
            return self.answer

        client.Export = keeping


class _Codes(logging.Filter):
    """Notes the last status code that was logged."""

    last: StatusCode | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        for value in record.args or ():
            if isinstance(value, StatusCode):
                self.last = value
        return True
