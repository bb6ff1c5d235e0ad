"""The same as `collector`, for those whose collector speaks gRPC only.

Needs the extra `grpc`, as grpcio is compiled. Its exporter tells why something failed
in its log alone; that is where it is read.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from grpc import Compression, StatusCode
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.util.re import parse_env_headers

from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.otlp.outcome import Outcome, told
from kubectl_spy.sinks.otlp.surroundings import (
    compression,
    headers,
    silence,
    timeout,
)

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
        UsageError: what OTEL_EXPORTER_OTLP_* says means nothing.
    """

    def __init__(self, url: str, environ: Mapping[str, str]) -> None:
        silence("opentelemetry")
        self._codes = _Codes()
        packed = compression(environ, "gzip") == "gzip"
        sent = headers(environ, lambda text: parse_env_headers(text, liberal=True))
        seconds = timeout(environ)
        try:
            self._exporter = _Exporter(
                endpoint=url,
                headers=sent,
                timeout=seconds,
                compression=Compression.Gzip if packed else Compression.NoCompression,
                # What to try again is decided in `exporter`; none would be its own.
                retryable_error_codes=[StatusCode.OK],
            )
        except Exception as error:  # its text may hold what a variable says
            raise UsageError(
                "gRPC cannot be spoken as OTEL_EXPORTER_OTLP_* and"
                f" OTEL_PYTHON_EXPORTER_* say ({type(error).__name__})",
                "correct or unset them",
            ) from None
        _LOGGER.filters.insert(0, self._codes)  # the one there drops what repeats

    def send(self, spans: Sequence[ReadableSpan]) -> Outcome:
        """Send *spans* in one request, and return what came of it."""
        self._codes.last = None
        self._exporter.answer = None
        result = SpanExportResult.FAILURE
        with contextlib.suppress(Exception):
            result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            answer = self._exporter.answer
            return Outcome() if answer is None else told(answer.partial_success)
        code = self._codes.last
        if code is None:
            return Outcome("they cannot be sent")
        return Outcome(code.name, again=code in _AGAIN)

    def close(self) -> None:
        """Let go of the connection."""
        self._exporter.shutdown()
        _LOGGER.removeFilter(self._codes)


class _Exporter(OTLPSpanExporter):
    """One that keeps the last answer, which says whether all spans were taken."""

    answer: Any = None

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
