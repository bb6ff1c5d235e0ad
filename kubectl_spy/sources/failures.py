"""Turn what the libraries raise into one line that says what to do.

Texts of exceptions are not passed on: `DynamicApiError` prints headers and a traceback,
http.client quotes an unusable Authorization header. What a server wrote is cut to one
line here, and made inert where it is printed.
"""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from kubectl_spy.errors import (
    ConnectionFailed,
    Forbidden,
    RequestRefused,
    SpyError,
    Unauthenticated,
)
from kubectl_spy.sources.identity import Identity
from kubectl_spy.sources.tls import certificate_expiry, is_only_strict

_TEXT_LIMIT = 300


class Circumstances(NamedTuple):
    """What a message needs to know about the request that failed."""

    server: str
    context: str
    identity: Identity
    proxy: str = ""
    right: str = "this request"
    """What to ask for when forbidden."""
    seconds: float = 5.0
    """The connect timeout."""


def one_line(text: str) -> str:
    """Return foreign *text* as one line of bounded length, not yet inert."""
    line = " ".join(text[: 4 * _TEXT_LIMIT].split())
    return line if len(line) <= _TEXT_LIMIT else f"{line[: _TEXT_LIMIT - 1]}…"


def explain(error: BaseException, at: Circumstances) -> SpyError:
    """Return the SpyError that *error*, raised by kubernetes or urllib3, amounts to."""
    if isinstance(error, SpyError):
        return error
    status = getattr(error, "status", None)
    if isinstance(status, int) and status:
        headers = getattr(error, "headers", None) or {}
        return refusal(status, headers, getattr(error, "body", None), at)
    chain = list(_chain(error))
    for cause in chain:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return _distrusted(cause, at)
    for cause in chain:
        if isinstance(cause, ssl.SSLError):
            return _tls_failed(cause, at)
    return _unreachable(chain, at)


def fails_strictness(error: BaseException) -> bool:
    """Whether a certificate failed the strict checks, and nothing else is known."""
    return any(
        isinstance(cause, ssl.SSLCertVerificationError) and is_only_strict(cause)
        for cause in _chain(error)
    )


def refusal(
    status: int, headers: Mapping[str, str], body: bytes | str | None, at: Circumstances
) -> RequestRefused:
    """Return the error for an answer with an HTTP *status* other than 2xx."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body or ""
    answer = _status_object(text)
    reason = answer.get("reason")
    reason = reason if isinstance(reason, str) else ""
    wait = _retry_after(headers, answer)
    said = answer.get("message")
    message = one_line(said) if isinstance(said, str) and said else ""
    kind = headers.get("Content-Type") or headers.get("content-type") or ""
    if not message:
        if "html" in kind or text.lstrip()[:1] == "<":
            message = f"{_host(at)} answered {status} with a web page"
        else:
            message = one_line(text) or f"{_host(at)} answered {status}"
    if status == 401:
        return _unknown_user(at, reason, wait)
    if status == 403:
        who = "" if at.identity.origin != "no credentials" else " (no credentials sent)"
        return Forbidden(
            f"{message}{who}",
            f"ask for {at.right}, or check --context",
            status=status,
            reason=reason,
            retry_after=wait,
        )
    return RequestRefused(
        message,
        _remedy(status, reason, headers, text, answer, at),
        status=status,
        reason=reason,
        retry_after=wait,
    )


def _remedy(
    status: int,
    reason: str,
    headers: Mapping[str, str],
    text: str,
    answer: dict[str, Any],
    at: Circumstances,
) -> str:
    if status == 400 and "HTTP request to an HTTPS server" in text:
        return f"use https:// in the server URL {at.server}"
    if 300 <= status < 400:
        where = one_line(
            headers.get("Location") or headers.get("location") or "elsewhere"
        )
        return f"redirects are not followed (to {where}); check --server"
    if status == 404 and not answer:
        return f"nothing is served there; check the server URL {at.server}"
    if status == 404:
        return "check the name, the namespace and --context"
    if status == 410 or reason == "Expired":
        return "list again"
    if status == 429:
        return "the server is busy; try again later"
    if status >= 500:
        return (
            "try again; if it stays, look at the API server or what is in front of it"
        )
    return "check the request"


def _unknown_user(
    at: Circumstances, reason: str, wait: float | None
) -> Unauthenticated:
    expiry = certificate_expiry(at.identity.certificate)
    if expiry is not None and expiry <= datetime.now(tz=timezone.utc):
        what = f"the {at.identity.origin} expired on {expiry:%Y-%m-%d %H:%M} UTC"
    elif at.identity.origin == "no credentials":
        what = f"{_host(at)} wants credentials and the kubeconfig has none"
    else:
        what = f"{_host(at)} does not accept the {at.identity.origin}"
    return Unauthenticated(
        f"{what} (401)", at.identity.remedy, status=401, reason=reason, retry_after=wait
    )


def _distrusted(
    error: ssl.SSLCertVerificationError, at: Circumstances
) -> ConnectionFailed:
    code = getattr(error, "verify_code", 0)
    said = one_line(str(getattr(error, "verify_message", "")))
    if code in (62, 64):  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
        return ConnectionFailed(
            f"the certificate of {_host(at)} is for another name ({said.rstrip('.')})",
            "check the server URL, or set tls-server-name in the kubeconfig",
        )
    if code in (9, 10):  # X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED
        return ConnectionFailed(
            f"the certificate of {_host(at)} is not valid today ({said})",
            "check the clock here and renew the certificate there",
        )
    return ConnectionFailed(
        f"the certificate of {_host(at)} is not trusted ({said})",
        "check certificate-authority in the kubeconfig",
    )


def _tls_failed(error: ssl.SSLError, at: Circumstances) -> ConnectionFailed:
    reason = str(error.reason or "")
    if reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"):
        return ConnectionFailed(
            f"{_host(at)} does not speak TLS",
            f"use http:// in the server URL {at.server}, or check its port",
        )
    if "ALERT" in reason and ("CERTIFICATE" in reason or "UNKNOWN_CA" in reason):
        expiry = certificate_expiry(at.identity.certificate)
        if expiry is not None and expiry <= datetime.now(tz=timezone.utc):
            return ConnectionFailed(
                f"the {at.identity.origin} expired on {expiry:%Y-%m-%d %H:%M} UTC",
                at.identity.remedy,
            )
        return ConnectionFailed(
            f"{_host(at)} does not accept the {at.identity.origin}", at.identity.remedy
        )
    shown = one_line(reason.lower().replace("_", " ")) or "handshake failed"
    return ConnectionFailed(
        f"no TLS connection to {_host(at)}: {shown}",
        "check the server URL and what is in front of it",
    )


def _unreachable(chain: list[BaseException], at: Circumstances) -> ConnectionFailed:
    from urllib3 import exceptions as urllib3

    def some(*types: type[BaseException]) -> BaseException | None:
        return next((cause for cause in chain if isinstance(cause, types)), None)

    context = f' (context "{at.context}")' if at.context else ""
    if some(urllib3.ProxyError, urllib3.ProxySchemeUnknown):
        return ConnectionFailed(
            f"the proxy {_host_of(at.proxy)} does not let us through to {_host(at)}",
            "check proxy-url in the kubeconfig, HTTPS_PROXY and NO_PROXY",
        )
    if some(urllib3.NameResolutionError, socket.gaierror):
        if at.proxy:
            return ConnectionFailed(
                f"no address for {_host(at)}, or for the proxy {_host_of(at.proxy)}",
                "check proxy-url in the kubeconfig, HTTPS_PROXY and the DNS",
            )
        return ConnectionFailed(
            f"no address for {_host(at)}{context}", "check the server URL and the DNS"
        )
    if some(ConnectionRefusedError):
        return ConnectionFailed(
            f"{_host(at)} refused the connection{context}",
            "is the API server running, and is this the right --context?",
        )
    # NewConnectionError is a ConnectTimeoutError by inheritance alone.
    timed_out = some(urllib3.ConnectTimeoutError)
    if timed_out and not isinstance(timed_out, urllib3.NewConnectionError):
        return ConnectionFailed(
            f"{_host(at)} did not answer within {at.seconds:g} s{context}",
            "check the network, a VPN, and --context",
        )
    if some(urllib3.ReadTimeoutError, TimeoutError):
        return ConnectionFailed(
            f"{_host(at)} took the request but did not answer in time{context}",
            "try again, or see --request-timeout",
        )
    system = next((c for c in chain if isinstance(c, OSError) and c.strerror), None)
    if some(ConnectionError, urllib3.ProtocolError):
        return ConnectionFailed(
            f"{_host(at)} closed the connection without an answer{context}",
            "check the server URL (https:// or http://?) and what is in front of it",
        )
    if isinstance(system, OSError):
        return ConnectionFailed(
            f"no connection to {_host(at)}: {system.strerror}{context}",
            "check the network and --context",
        )
    return ConnectionFailed(
        f"no connection to {_host(at)} ({type(chain[0]).__name__}){context}",
        "check the server URL and the proxy",
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield *error* and everything it was raised from or wraps, once each."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        cause = waiting.pop(0)
        if not isinstance(cause, BaseException) or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting += [
            *cause.args,
            getattr(cause, "reason", None),
            cause.__cause__,
            cause.__context__,
        ]


def _status_object(text: str) -> dict[str, Any]:
    """Return the Status (or Status-like) object in an error's body, or nothing."""
    if text[:1] != "{":
        return {}
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _retry_after(headers: Mapping[str, str], answer: dict[str, Any]) -> float | None:
    """Return the seconds to wait: Retry-After (RFC 9110 10.2.3) or the Status's."""
    header = headers.get("Retry-After") or headers.get("retry-after")
    if header and header.strip().isdecimal():
        return float(header.strip()[:9])
    if header:
        try:
            when = parsedate_to_datetime(header)
        except ValueError:
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=timezone.utc)
        return max(0.0, (when - datetime.now(tz=timezone.utc)).total_seconds())
    details = answer.get("details")
    seconds = details.get("retryAfterSeconds") if isinstance(details, dict) else None
    if isinstance(seconds, (int, float)) and not isinstance(seconds, bool):
        return float(seconds) if 0 < seconds < 1e9 else None
    return None


def _host(at: Circumstances) -> str:
    return _host_of(at.server)


def _host_of(url: str) -> str:
    """Return host and port only: a proxy URL may hold a password."""
    try:
        return one_line(urlsplit(url).netloc.rpartition("@")[2]) or "the server"
    except ValueError:
        return "the server"
