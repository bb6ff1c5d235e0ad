"""Send spans and log records over OTLP/HTTP.

OpenTelemetry's exporter encodes, sends and honours OTEL_EXPORTER_OTLP_*. But it says
only whether it worked, sleeps where nobody can wake it, and takes a redirect or a login
page for success. So a session of ours below it reads the answer; `exporter` decides
what is sent again.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Mapping, Sequence
from http.client import responses
from typing import Any, NamedTuple
from urllib.parse import urljoin

import requests
from google.protobuf import json_format
from opentelemetry.exporter.otlp.proto.http import Compression

from kubectl_spy.core.times import http_date
from kubectl_spy.errors import UsageError
from kubectl_spy.extras.otel.otel_env import (
    TRACES,
    Signal,
    compression,
    headers,
    timeout,
)
from kubectl_spy.http_messages import LONGEST_MESSAGE, cause, credentials, printed
from kubectl_spy.render.inert import inert

# https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes
_RETRYABLE = (429, 502, 503, 504)
_TOO_LARGE = 413
_LONGEST_ANSWER = 1 << 16
_PAGES = ("text/html", "application/xhtml+xml")


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

    Raises UsageError if OTEL_EXPORTER_OTLP_* is invalid, or names a second user.
    """

    def __init__(self, url: str, environ: Mapping[str, str], signal: Signal) -> None:
        self.url, self.signal = url, signal
        for name in ("opentelemetry", "urllib3"):
            logger = logging.getLogger(name)  # it logs whole URLs and bad headers
            logger.addHandler(logging.NullHandler())
            logger.propagate = False
        sent = headers(environ, signal)
        user = credentials(url)
        if user and "authorization" in sent:
            raise UsageError(
                "the collector's URL has a user, and OTEL_EXPORTER_OTLP_HEADERS an"
                " authorization",
                "leave out one of them",
            )
        exporter, answer = _protocol(signal)
        self._session = _Session(answer)
        # Without any, requests would replace our header by what .netrc says.
        self._session.auth = user or (lambda request: request)
        self._exporter = exporter(
            endpoint=url,
            session=self._session,
            headers=sent,
            timeout=timeout(environ, signal),
            compression=Compression(compression(environ, signal)),
        )

    def send(self, batch: Sequence[Any]) -> Outcome:
        """Send spans or log records in one request, and return its outcome."""
        self._session.outcome = Outcome("they cannot be encoded")
        with contextlib.suppress(Exception):  # the session has noted why
            self._exporter.export(batch)
        return self._session.outcome

    def close(self) -> None:
        self._exporter.shutdown()


def _protocol(signal: Signal) -> tuple[Any, type[Any]]:
    """Return the SDK's exporter of *signal*, and the message that answers it."""
    if signal is TRACES:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (
            OTLPSpanExporter,
        )
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
            ExportTraceServiceResponse,
        )

        return OTLPSpanExporter, ExportTraceServiceResponse
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
        ExportLogsServiceResponse,
    )

    return OTLPLogExporter, ExportLogsServiceResponse


class _NotDelivered(Exception):
    """Ends a request: the exporter retries its own errors only."""


class _Session(requests.Session):
    """A session that notes the outcome of its last request: an *answer*."""

    def __init__(self, answer: type[Any]) -> None:
        super().__init__()
        self.outcome = Outcome()
        self._answer = answer

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> Any:
        kwargs["stream"] = True  # `_accepted` reads a bounded part of the answer
        try:
            response = self._send(request, kwargs)
        except requests.Timeout:
            self.outcome = Outcome("no answer in time", again=True)
        except requests.ConnectionError as error:
            self.outcome = Outcome(cause(error), again=True)
        except Exception as error:  # its text may hold a header
            self.outcome = Outcome(f"{type(error).__name__} before it was sent")
        else:
            with response:
                self.outcome = _outcome(response, self._answer())
            if not self.outcome.reason or self.outcome.refused:
                return response
        raise _NotDelivered

    def get_redirect_target(self, resp: requests.Response) -> None:
        # requests parses it even when it does not follow it; it may be no URL.
        return None

    def merge_environment_settings(
        self, url: Any, proxies: Any, stream: Any, verify: Any, cert: Any
    ) -> Any:
        # Otherwise REQUESTS_CA_BUNDLE replaces OTEL_EXPORTER_OTLP_CERTIFICATE.
        if verify is None and self.verify is not True:
            verify = self.verify
        return super().merge_environment_settings(url, proxies, stream, verify, cert)

    def _send(
        self, request: requests.PreparedRequest, kwargs: dict[str, Any]
    ) -> requests.Response:
        try:
            return super().send(request, **kwargs)
        except requests.Timeout:
            raise
        except requests.ConnectionError:
            # The collector may have closed a connection that was kept open.
            return super().send(request, **kwargs)


def _outcome(response: requests.Response, answer: Any) -> Outcome:
    status = response.status_code
    if 200 <= status < 300:
        return _accepted(response, answer)
    reason = f"{status} {responses.get(status, '')}".rstrip()
    if 300 <= status < 400:
        # Not followed: the headers were given for this host.
        return Outcome(f"{reason}{_redirect(response)}")
    again = status in _RETRYABLE
    after = _retry_after(response) if again else None
    return Outcome(reason, again, after, too_large=status == _TOO_LARGE)


def _accepted(response: requests.Response, answer: Any) -> Outcome:
    """Return the outcome of an answer of success, which may be a partial one.

    It is parsed into the message *answer*.

    https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
    """
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    try:
        body = response.raw.read(_LONGEST_ANSWER, decode_content=True)
    except Exception:  # the status is enough
        return Outcome()
    try:
        if kind == "application/x-protobuf":
            answer.ParseFromString(body)
        elif kind == "application/json" and body:
            json_format.Parse(body, answer, ignore_unknown_fields=True)
        elif kind in _PAGES or body.lstrip()[:1] == b"<":
            raise ValueError
    except Exception:
        what = f"{response.status_code} with {inert(kind[:LONGEST_MESSAGE])}".rstrip()
        return Outcome(
            f"{what}: no collector's answer, perhaps a proxy's or a login page"
        )
    return _partial_outcome(answer.partial_success)


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


def _redirect(response: requests.Response) -> str:
    """Return where *response* redirects to, without credentials."""
    where = response.headers.get("Location", "")
    try:
        whole = printed(urljoin(response.url, where))
    except ValueError:
        return ""
    return f", to {whole[:LONGEST_MESSAGE]}; not followed" if where else ""


def _retry_after(response: requests.Response) -> float | None:
    """Return the seconds of Retry-After, a number or a date.

    https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    text = response.headers.get("Retry-After", "").strip()
    if text.isdecimal() and len(text) < 10:
        return float(text)
    try:
        return max(0.0, http_date(text) - time.time())
    except ValueError:
        return None
