"""Turns an answer with an error status into an error that says what to do.

A server's text is cut to one line here. Where it is printed it is made inert.
"""

from __future__ import annotations

import json
from datetime import datetime, timezone
from email.message import Message
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from kubectl_spy.core.wording import one_line
from kubectl_spy.errors import Forbidden, RequestRefused, Unauthenticated
from kubectl_spy.http.client import is_packed
from kubectl_spy.http.faults import retry_after
from kubectl_spy.http.urls import redirected
from kubectl_spy.sources.connection.certificates import certificate_expiry
from kubectl_spy.sources.connection.identity import Identity


class RequestContext(NamedTuple):
    """What a message says about the request that failed."""

    server: str
    context: str
    identity: Identity
    proxy: str = ""
    right: str = "this request"  # the right to ask for after a 403
    seconds: float = 5.0  # the connect timeout

    @property
    def host(self) -> str:
        """The server's host and port."""
        return host_of(self.server)

    @property
    def expired(self) -> str:
        """When the client certificate expired, or ""."""
        expiry = certificate_expiry(self.identity.certificate)
        if expiry is None or expiry > datetime.now(tz=timezone.utc):
            return ""
        return f"{expiry:%Y-%m-%d %H:%M} UTC"


def host_of(url: str) -> str:
    """Return the host and port of *url*, which may hold a password."""
    try:
        return one_line(urlsplit(url).netloc.rpartition("@")[2]) or "the server"
    except ValueError:
        return "the server"


def refusal(
    status: int,
    headers: Message[str, str],
    body: bytes,
    at: RequestContext,
) -> RequestRefused:
    """Return the error for an answer with an HTTP *status* other than 2xx."""
    text = "" if is_packed(headers) else body.decode("utf-8", "replace")
    answer = _status_object(text)
    reason = answer.get("reason")
    reason = reason if isinstance(reason, str) else ""
    wait = _seconds_to_wait(headers, answer)
    said = answer.get("message")
    message = one_line(said) if isinstance(said, str) and said else ""
    kind = headers.get("Content-Type", "")
    if not message:
        if "html" in kind or text.lstrip()[:1] == "<":
            message = f"{at.host} answered {status} with a web page"
        else:
            message = one_line(text) or f"{at.host} answered {status}"
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
    headers: Message[str, str],
    text: str,
    answer: dict[str, Any],
    at: RequestContext,
) -> str:
    if status == 400 and "HTTP request to an HTTPS server" in text:
        return f"use https:// in the server URL {at.server}"
    if 300 <= status < 400:
        where = redirected(at.server, headers) or "elsewhere"
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
    at: RequestContext, reason: str, wait: float | None
) -> Unauthenticated:
    if at.expired:
        what = f"the {at.identity.origin} expired on {at.expired}"
    elif at.identity.origin == "no credentials":
        what = f"{at.host} wants credentials and the kubeconfig has none"
    else:
        what = f"{at.host} does not accept the {at.identity.origin}"
    return Unauthenticated(
        f"{what} (401)", at.identity.remedy, status=401, reason=reason, retry_after=wait
    )


def _status_object(text: str) -> dict[str, Any]:
    """Return the Status (or Status-like) object in an error's body, or nothing."""
    if text[:1] != "{":
        return {}
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _seconds_to_wait(
    headers: Message[str, str], answer: dict[str, Any]
) -> float | None:
    """Return the seconds to wait, of Retry-After or of the Status."""
    if headers.get("Retry-After"):
        return retry_after(headers)
    details = answer.get("details")
    seconds = details.get("retryAfterSeconds") if isinstance(details, dict) else None
    if isinstance(seconds, (int, float)) and not isinstance(seconds, bool):
        return float(seconds) if 0 < seconds < 1e9 else None
    return None
