"""One request to a collector, and what came of it.

OpenTelemetry's exporter encodes and sends, and honours OTEL_EXPORTER_OTLP_* (headers,
certificates). It tells no more than whether it worked, waits where nobody can end it,
and takes a redirect or a login page for success; so a session of ours below it sees
the answer, and what to try again is decided in one place, `exporter`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from http.client import responses
from typing import Any
from urllib.parse import urljoin

import requests
from google.protobuf import json_format
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.util.re import parse_env_headers

from kubectl_spy.errors import UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.otlp.endpoint import credentials, printed
from kubectl_spy.sinks.otlp.outcome import LONGEST_MESSAGE, Outcome, told
from kubectl_spy.sinks.otlp.surroundings import (
    compression,
    headers,
    silence,
    timeout,
)

# https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes
_AGAIN = (429, 502, 503, 504)
_LONGEST_ANSWER = 1 << 16
_PAGES = ("text/html", "application/xhtml+xml")


class HttpCollector:
    """The collector at *url*, whoever answers there.

    Raises:
        UsageError: what OTEL_EXPORTER_OTLP_* says means nothing, or has another user.
    """

    def __init__(self, url: str, environ: Mapping[str, str]) -> None:
        silence("opentelemetry", "urllib3")
        sent = headers(environ, lambda text: parse_env_headers(text, liberal=True))
        user = credentials(url)
        if user and "authorization" in sent:
            raise UsageError(
                "the collector's URL has a user, and OTEL_EXPORTER_OTLP_HEADERS an"
                " authorization",
                "leave out one of them",
            )
        self._session = _Watched()
        # Or .netrc would win over a header that was given.
        self._session.auth = user or _unchanged
        self._exporter = OTLPSpanExporter(
            endpoint=url,
            session=self._session,
            headers=sent,
            timeout=timeout(environ),
            compression=Compression(compression(environ, "gzip", "deflate")),
        )

    def send(self, spans: Sequence[ReadableSpan]) -> Outcome:
        """Send *spans* in one request, and return what came of it."""
        self._session.outcome = Outcome("they cannot be encoded")
        # Whatever goes wrong is in the outcome, and no spans are worth a watch.
        with contextlib.suppress(Exception):
            self._exporter.export(spans)
        return self._session.outcome

    def close(self) -> None:
        """Let go of the connection."""
        self._exporter.shutdown()


def _unchanged(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


class _NotDelivered(Exception):
    """Ends a request for good: the exporter tries only its own errors again."""


class _Watched(requests.Session):
    """A session that notes what came of its last request."""

    outcome = Outcome()

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> Any:
        kwargs["stream"] = True  # an answer is read no further than it is of use
        try:
            response = self._send(request, kwargs)
        except requests.Timeout:
            self.outcome = Outcome("no answer in time", again=True)
        except requests.ConnectionError as error:
            self.outcome = Outcome(_cause(error), again=True)
        except Exception as error:  # its text may hold a header
            self.outcome = Outcome(f"{type(error).__name__} before it was sent")
        else:
            with response:
                self.outcome = _judge(response)
            if not self.outcome.reason or self.outcome.refused:
                return response
        raise _NotDelivered

    def get_redirect_target(self, resp: requests.Response) -> None:
        # It is looked at even where it is not followed, and may be no URL at all.
        return None

    def merge_environment_settings(
        self, url: Any, proxies: Any, stream: Any, verify: Any, cert: Any
    ) -> Any:
        # Or REQUESTS_CA_BUNDLE would win over OTEL_EXPORTER_OTLP_CERTIFICATE.
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
            # A connection kept open may have been closed meanwhile by the other side.
            return super().send(request, **kwargs)


def _judge(response: requests.Response) -> Outcome:
    status = response.status_code
    if 200 <= status < 300:
        return _taken(response)
    reason = f"{status} {responses.get(status, '')}".rstrip()
    if 300 <= status < 400:
        # Not followed: the headers are for whom they were given for.
        return Outcome(f"{reason}{_elsewhere(response)}")
    again = status in _AGAIN
    return Outcome(reason, again, _seconds(response) if again else None)


def _taken(response: requests.Response) -> Outcome:
    """Return what an answer of success says: of all, of some, or that it is none.

    https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
    """
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    try:
        body = response.raw.read(_LONGEST_ANSWER, decode_content=True)
    except Exception:  # it said 2xx: what it says besides is not needed
        return Outcome()
    answer = ExportTraceServiceResponse()
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
    return told(answer.partial_success)


def _elsewhere(response: requests.Response) -> str:
    """Return where *response* leads to, without what may be a key in it."""
    where = response.headers.get("Location", "")
    try:
        whole = printed(urljoin(response.url, where))
    except ValueError:
        return ""
    return f", to {whole[:LONGEST_MESSAGE]}; not followed" if where else ""


def _seconds(response: requests.Response) -> float | None:
    """Return the seconds of Retry-After, a number or a date.

    https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    text = response.headers.get("Retry-After", "").strip()
    if text.isdecimal() and len(text) < 10:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:  # -0000 stands for UTC of an unknown place
        moment = moment.replace(tzinfo=timezone.utc)
    return max(0.0, (moment - datetime.now(timezone.utc)).total_seconds())


def _cause(error: BaseException) -> str:
    """Return what the system said; the text of *error* itself holds the whole URL."""
    seen: list[BaseException] = []
    waiting: list[object] = [error]
    while waiting:
        one = waiting.pop(0)
        if not isinstance(one, BaseException) or one in seen:
            continue
        seen.append(one)
        if message := getattr(one, "verify_message", ""):
            return f"its certificate is not trusted: {inert(str(message))}"
        if (
            isinstance(one, OSError)
            and not isinstance(one, requests.RequestException)
            and one.strerror
        ):
            return inert(one.strerror[:LONGEST_MESSAGE]).lower()
        waiting += [*one.args, getattr(one, "reason", None)]
        waiting += [one.__cause__, one.__context__]
    return "the connection broke off"
