"""Send spans and log records over OTLP/HTTP.

OpenTelemetry encodes them. Its exporter does not send them: it says only whether it
worked, sleeps where nobody can wake it, and takes a redirect or a login page for
success. `exporter` decides what is sent again.
"""

from __future__ import annotations

import gzip
import logging
import zlib
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException, InvalidURL, responses
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from google.protobuf import json_format

from kubectl_spy.errors import UsageError
from kubectl_spy.extras.otel.otel_env import (
    TRACES,
    Signal,
    compression,
    headers,
    proxy_to,
    timeout,
    tls,
    trust,
)
from kubectl_spy.http.client import (
    Answer,
    BadStatus,
    ConnectTimedOut,
    HttpClient,
    Request,
    beginning,
    unpacked,
)
from kubectl_spy.http.faults import cause, retry_after
from kubectl_spy.http.urls import (
    LONGEST_MESSAGE,
    basic,
    credentials,
    encoded,
    redirected,
)
from kubectl_spy.render.inert import inert

# https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes
_RETRYABLE = (429, 502, 503, 504)
_TOO_LARGE = 413
_LONGEST_ANSWER = 1 << 16
_PROTOBUF = "application/x-protobuf"
_PAGES = ("text/html", "application/xhtml+xml")
_PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
}


class Outcome(NamedTuple):
    """The outcome of one request."""

    reason: str = ""  # why it failed; inert, and without credentials
    again: bool = False  # whether the same request may succeed later
    after: float | None = None  # seconds before that, if the collector says so
    refused: int = 0  # how many were rejected, if others were accepted
    note: str = ""  # a warning of a collector that accepted all; inert
    too_large: bool = False  # whether a smaller request may succeed


class HttpCollector:
    """The collector at *url*, for *signal*.

    Raises UsageError if OTEL_EXPORTER_OTLP_* or the environment's proxy is invalid, or
    if both the URL and the headers have credentials.
    """

    def __init__(self, url: str, environ: Mapping[str, str], signal: Signal) -> None:
        self.url, self.signal = url, signal
        logger = logging.getLogger("opentelemetry")  # it logs headers that are wrong
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
        given = {"content-type": _PROTOBUF, **headers(environ, signal)}
        if user := credentials(url):
            if "authorization" in given:
                raise UsageError(
                    "the collector's URL has a user, and OTEL_EXPORTER_OTLP_HEADERS an"
                    " authorization",
                    "leave out one of them",
                )
            given["authorization"] = basic(user)
        packing = compression(environ, signal)
        self._pack = _PACKINGS.get(packing, bytes)
        if packing in _PACKINGS:
            given["content-encoding"] = packing
        self._encode, self._answer = _protocol(signal)
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        self._path = encoded((parts.path or "/") + query)
        self._seconds = timeout(environ, signal)
        https = parts.scheme == "https"
        trusted = (trust(environ, signal).pem if https else None) or b""
        self._client = HttpClient(
            parts._replace(path="", query="").geturl(),
            headers=given.items(),
            tls=tls(environ, signal) if https else None,
            proxy=proxy_to(url, environ, trusted),
        )

    def send(self, batch: Sequence[Any]) -> Outcome:
        """Send spans or log records in one request, and return its outcome."""
        try:
            body = self._pack(self._encode(batch).SerializePartialToString())
        except Exception:  # its text may hold what was encoded
            return Outcome("they cannot be encoded")
        request = Request(
            self._path, "*/*", (), self._seconds, self._seconds, body=body
        )
        try:
            return _accepted(self._client.send(request), self._answer())
        except BadStatus as refusal:
            return _refused(self.url, refusal)
        except (TimeoutError, ConnectTimedOut):
            return Outcome("no answer in time", again=True)
        except InvalidURL:
            return Outcome("the URL cannot be sent")
        except (OSError, HTTPException) as error:
            return Outcome(cause(error), again=True)
        except ValueError as error:  # its text may hold a header
            return Outcome(f"{type(error).__name__} before it was sent")

    def close(self) -> None:
        self._client.close()


def _protocol(signal: Signal) -> tuple[Any, type[Any]]:
    """Return what encodes a batch of *signal*, and the message that answers it."""
    if signal is TRACES:
        from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
            ExportTraceServiceResponse,
        )

        return encode_spans, ExportTraceServiceResponse
    from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
        ExportLogsServiceResponse,
    )

    return encode_logs, ExportLogsServiceResponse


def _refused(url: str, refusal: BadStatus) -> Outcome:
    status = refusal.status
    reason = f"{status} {responses.get(status, '')}".rstrip()
    if 300 <= status < 400:
        where = redirected(url, refusal.headers)
        return Outcome(f"{reason}, to {where}; not followed" if where else reason)
    again = status in _RETRYABLE
    after = retry_after(refusal.headers) if again else None
    return Outcome(reason, again, after, too_large=status == _TOO_LARGE)


def _accepted(answer: Answer, message: Any) -> Outcome:
    """Return the outcome of an answer of success, which may be a partial one.

    It is parsed into *message*.

    https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
    """
    kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    try:
        raw = beginning(answer, _LONGEST_ANSWER)
        body = unpacked(raw, answer.headers, _LONGEST_ANSWER)
    except (OSError, HTTPException):  # the status is enough
        return Outcome()
    try:
        if kind == _PROTOBUF:
            message.ParseFromString(body)
        elif kind == "application/json" and body:
            json_format.Parse(body, message, ignore_unknown_fields=True)
        elif kind in _PAGES or body.lstrip()[:1] == b"<":
            raise ValueError
    except Exception:
        what = f"{answer.status} with {inert(kind[:LONGEST_MESSAGE])}".rstrip()
        return Outcome(
            f"{what}: no collector's answer, perhaps a proxy's or a login page"
        )
    return _partial_outcome(message.partial_success)


def _partial_outcome(partial: Any) -> Outcome:
    """Return the outcome that a partial success reports.

    It may reject nothing, and only warn.
    https://opentelemetry.io/docs/specs/otlp/#partial-success-1
    """
    message = inert(partial.error_message[:LONGEST_MESSAGE])
    of_spans = hasattr(partial, "rejected_spans")
    rejected = partial.rejected_spans if of_spans else partial.rejected_log_records
    if rejected <= 0:
        return Outcome(note=message)
    return Outcome(message or "no reason given", refused=rejected)
