"""Asks Loki over HTTP, and says in one line why it does not answer.

https://grafana.com/docs/loki/latest/reference/loki-http-api/
"""

from __future__ import annotations

import netrc
import os
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from http.client import HTTPException, InvalidURL
from ssl import SSLCertVerificationError
from urllib.parse import urlsplit, urlunsplit

from kubectl_spy.core.fields import text
from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.extras.otel.otel_env import proxy_to
from kubectl_spy.http.client import (
    BadStatus,
    ConnectTimedOut,
    HttpClient,
    Request,
    unpacked,
)
from kubectl_spy.http.faults import cause, retry_after
from kubectl_spy.http.proxies import ProxyFailed
from kubectl_spy.http.tls import SYSTEM, UnusableAuthority, tls_context, trust_of
from kubectl_spy.http.urls import (
    LONGEST_MESSAGE,
    basic,
    credentials,
    printed,
    redirected,
)
from kubectl_spy.render.inert import inert
from kubectl_spy.sources.recording.naming import LOKI
from kubectl_spy.terms import called

_PAUSES = (0.5, 1.0, 2.0)  # seconds before a request is sent again
_LONGEST_PAUSE = 10.0  # that a Retry-After may ask for
_CONNECT = 10.0  # seconds
_MOST_BYTES = 64 << 20  # of an answer
_RETRYABLE = (429, 500, 502, 503, 504)
_TOO_LARGE = ("larger than max", "max entries limit", "too large", "too many bytes")
"""What Loki says of an answer that would be too large."""
_REMEDIES = {
    401: "set LOKI_USERNAME and LOKI_PASSWORD, or LOKI_BEARER_TOKEN",
    403: "these credentials may not read it; check them, and LOKI_ORG_ID",
    404: "check the URL, and its path before /loki/api/v1",
    429: "try again later, or read less",
}


class TooLarge(SpyError):
    """The answer is too large for Loki or for us, or does not come in time."""


class TooLate(TooLarge):
    """The answer does not come in time. Perhaps it is too large."""


class _Again(Exception):
    """The request may succeed *after* some seconds; else it failed with *error*."""

    def __init__(self, error: SpyError, after: float = 0.0) -> None:
        super().__init__()
        self.error, self.after = error, after


class LokiClient:
    """The Loki at *url*: loki+https://…, with a path before /loki/api/v1 or none.

    Credentials are those of the URL, of LOKI_* in *environ* as for logcli, or of the
    netrc. They are never printed, and sent to no other host. Raises UsageError if the
    URL is none.
    """

    def __init__(self, url: str, environ: Mapping[str, str]) -> None:
        address = url.removeprefix(LOKI)
        try:
            parts = urlsplit(address)
            http = parts.scheme in ("http", "https") and parts.hostname
            valid = http and parts.port != 0 and not parts.query
        except ValueError:  # the port is no number, or a bracket is open
            valid = False
        if not valid:
            raise UsageError(
                "that names no Loki", "use loki+https://HOST[:PORT][/PATH]"
            )
        self.name = called(LOKI + printed(address).rstrip("/"))
        """The URL without credentials, unless the reader has a name for it."""
        host = parts.netloc.rpartition("@")[2]
        self._base = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        self.received = 0  # bytes
        headers = {}
        user = credentials(address)
        if user is None and environ.get("LOKI_USERNAME"):
            user = environ["LOKI_USERNAME"], environ.get("LOKI_PASSWORD", "")
        token = environ.get("LOKI_BEARER_TOKEN")
        if user is None and token:
            headers["Authorization"] = f"Bearer {token}"
        elif user := user or _of_netrc(parts.hostname or "", environ):
            headers["Authorization"] = basic(user)
        if tenant := environ.get("LOKI_ORG_ID"):
            headers["X-Scope-OrgID"] = tenant
        trusted, proxy = SYSTEM, None
        try:
            if parts.scheme == "https":  # a proxy of plain HTTP sees the credentials
                trusted = trust_of(environ)
                pem = trusted.pem or b""
                proxy = proxy_to(self._base, environ, pem)
            tls = tls_context(trust=trusted) if parts.scheme == "https" else None
        except (OSError, UnusableAuthority) as error:
            name = trusted.variable or getattr(error, "filename", "")
            raise UsageError(
                f"{name} names no PEM certificate", "correct or unset it"
            ) from None
        self._client = HttpClient(
            self._base, headers=headers.items(), tls=tls, proxy=proxy
        )

    def get(self, path: str, timeout: float, **parameters: object) -> JSON:
        """Return the `data` of the answer, in JSON.

        Raises TooLarge if a smaller answer may come; SpyError with the reason.
        """
        for pause in (*_PAUSES, None):
            try:
                return self._get(path, timeout, parameters)
            except _Again as again:
                if pause is None:
                    raise again.error from None
                time.sleep(min(max(pause, again.after), _LONGEST_PAUSE))
        raise AssertionError

    def _get(self, path: str, timeout: float, parameters: dict[str, object]) -> JSON:
        given = tuple((name, str(value)) for name, value in parameters.items())
        path = f"/loki/api/v1/{path}"
        request = Request(
            path, "application/json", given, _CONNECT, timeout, coding="gzip"
        )
        try:
            raw = self._read(request, time.monotonic() + timeout)
        except BadStatus as refusal:
            raise self._refused(refusal) from None
        except ProxyFailed as error:
            what = f"cannot reach {self.name}: {cause(error)}"
            raise SpyError(what, "check HTTPS_PROXY and NO_PROXY") from None
        except ConnectTimedOut:
            what = f"cannot reach {self.name}: no connection in {_CONNECT:.0f} s"
            raise SpyError(what, "check the URL and the network") from None
        except TimeoutError:
            raise TooLate(
                f"{self.name} gave no answer in {timeout:.0f} s",
                "read less, or try again later",
            ) from None
        except SSLCertVerificationError as error:
            raise SpyError(
                f"cannot reach {self.name}: {cause(error)}",
                "name the authority that it is to be trusted by with SSL_CERT_FILE",
            ) from None
        except (ValueError, InvalidURL) as error:  # its text may hold a header
            raise SpyError(
                f"cannot ask {self.name}: {type(error).__name__}",
                "check LOKI_* and the URL",
            ) from None
        except (OSError, HTTPException) as error:
            what = f"cannot reach {self.name}: {cause(error)}"
            raise _Again(SpyError(what, "check the URL")) from None
        try:
            answer = loads(raw)
        except UnreadableJSON:
            answer = None
        if text(answer, "status") == "success" and isinstance(answer, dict):
            return answer.get("data")
        raise self._error(200, "no JSON of Loki")

    def _read(self, request: Request, until: float) -> bytes:
        """Return the body of the answer. Raises TooLarge, and as `HttpClient.send`."""
        answer = self._client.send(request)
        raw = bytearray()
        with closing(answer):
            while len(raw) <= _MOST_BYTES and (chunk := answer.read1(1 << 16)):
                raw += chunk
                self.received += len(chunk)
                if time.monotonic() > until:
                    raise TimeoutError
        body = bytes(raw)
        if len(raw) <= _MOST_BYTES:
            body = unpacked(body, answer.headers, _MOST_BYTES)
        if len(body) > _MOST_BYTES:
            raise TooLarge(f"{self.name} answers with too much")
        return body

    def _refused(self, refusal: BadStatus) -> SpyError | _Again:
        body = refusal.body
        with suppress(ConnectionError):
            body = unpacked(body, refusal.headers, LONGEST_MESSAGE)
        said = inert(body[:LONGEST_MESSAGE].decode(errors="replace").strip())
        if 300 <= refusal.status < 400:
            where = redirected(self._base, refusal.headers)
            return SpyError(
                f"{self.name} redirects" + (f" to {where}" if where else ""),
                "name the place that it leads to; credentials are not sent there",
            )
        error = self._error(refusal.status, said)
        if refusal.status in _RETRYABLE and not isinstance(error, TooLarge):
            return _Again(error, retry_after(refusal.headers) or 0.0)
        return error

    def _error(self, status: int, said: str) -> SpyError:
        what = f"{self.name} answers {status}" + (f": {said}" if said else "")
        if any(each in said for each in _TOO_LARGE):
            return TooLarge(what, "read less")
        if "no org id" in said:
            return SpyError(f"{self.name} wants a tenant", "set LOKI_ORG_ID")
        return SpyError(what, _REMEDIES.get(status, "is this a Loki? check the URL"))


def _of_netrc(host: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Return user and password for *host* of the netrc, or None."""
    names = [environ["NETRC"]] if environ.get("NETRC") else ["~/.netrc", "~/_netrc"]
    for path in map(os.path.expanduser, names):
        with suppress(OSError, ValueError, netrc.NetrcParseError):
            found = netrc.netrc(path).authenticators(host)
            return (found[0], found[2] or "") if found else None
    return None
