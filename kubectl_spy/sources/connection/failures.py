"""Turns the exceptions of `HttpClient` into errors that say what to do.

The text of an HTTPException or a ValueError is not shown: http.client quotes headers.
"""

from __future__ import annotations

import http.client
import socket
import ssl

from kubectl_spy.core.wording import one_line
from kubectl_spy.errors import ConnectionFailed, SpyError
from kubectl_spy.http.client import BadStatus, ConnectTimedOut
from kubectl_spy.http.faults import chain
from kubectl_spy.http.proxies import ProxyFailed
from kubectl_spy.sources.connection.certificates import is_only_strict
from kubectl_spy.sources.connection.refusals import RequestContext, host_of, refusal


def explain(error: BaseException, at: RequestContext) -> SpyError:
    """Return the SpyError for *error*, which a `Sender` or its answer raised."""
    if isinstance(error, SpyError):
        return error
    if isinstance(error, BadStatus):
        return refusal(error.status, error.headers, error.body, at)
    causes = list(chain(error))
    if any(isinstance(cause, ProxyFailed) for cause in causes):
        return ConnectionFailed(
            f"the proxy {host_of(at.proxy)} does not let us through to {at.host}",
            "check proxy-url in the kubeconfig, HTTPS_PROXY and NO_PROXY",
        )
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return _distrusted(cause, at)
    for cause in causes:
        if isinstance(cause, ssl.SSLError):
            return _tls_failed(cause, at)
    return _unreachable(causes, at)


def fails_strictness(error: BaseException) -> bool:
    """Return whether a certificate failed only the strict checks."""
    return any(
        isinstance(cause, ssl.SSLCertVerificationError) and is_only_strict(cause)
        for cause in chain(error)
    )


def _distrusted(
    error: ssl.SSLCertVerificationError, at: RequestContext
) -> ConnectionFailed:
    code = getattr(error, "verify_code", 0)
    said = one_line(str(getattr(error, "verify_message", "")))
    if code in (62, 64):  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
        return ConnectionFailed(
            f"the certificate of {at.host} is for another name ({said.rstrip('.')})",
            "check the server URL, or set tls-server-name in the kubeconfig",
        )
    if code in (9, 10):  # X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED
        return ConnectionFailed(
            f"the certificate of {at.host} is not valid today ({said})",
            "check the clock here and renew the certificate there",
        )
    return ConnectionFailed(
        f"the certificate of {at.host} is not trusted ({said})",
        "check certificate-authority in the kubeconfig",
    )


def _tls_failed(error: ssl.SSLError, at: RequestContext) -> ConnectionFailed:
    reason = str(error.reason or "")
    if reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"):
        return ConnectionFailed(
            f"{at.host} does not speak TLS",
            f"use http:// in the server URL {at.server}, or check its port",
        )
    if "ALERT" in reason and ("CERTIFICATE" in reason or "UNKNOWN_CA" in reason):
        if not at.expired:
            return ConnectionFailed(
                f"{at.host} does not accept the {at.identity.origin}",
                at.identity.remedy,
            )
        return _hung_up(at)
    if not reason or reason == "UNEXPECTED_EOF_WHILE_READING":
        return _hung_up(at)
    return ConnectionFailed(
        f"no TLS connection to {at.host}: {one_line(reason.lower().replace('_', ' '))}",
        "check the server URL and what is in front of it",
    )


def _hung_up(at: RequestContext) -> ConnectionFailed:
    """Explain a connection that ended without an answer.

    With TLS 1.3 the alert about a client certificate may be lost, because the server
    closes the connection while the request is sent.
    """
    if at.expired:
        return ConnectionFailed(
            f"the {at.identity.origin} expired on {at.expired}", at.identity.remedy
        )
    context = f' (context "{at.context}")' if at.context else ""
    remedy = "check the server URL (https:// or http://?) and what is in front of it"
    if at.identity.certificate:
        remedy += f"; or it does not accept the {at.identity.origin}"
    return ConnectionFailed(
        f"{at.host} closed the connection without an answer{context}", remedy
    )


def _unreachable(causes: list[BaseException], at: RequestContext) -> ConnectionFailed:
    def some(*types: type[BaseException]) -> bool:
        return any(isinstance(cause, types) for cause in causes)

    context = f' (context "{at.context}")' if at.context else ""
    if some(socket.gaierror):
        return ConnectionFailed(
            f"no address for {at.host}{context}", "check the server URL and the DNS"
        )
    if some(ConnectionRefusedError):
        return ConnectionFailed(
            f"{at.host} refused the connection{context}",
            "is the API server running, and is this the right --context?",
        )
    if some(ConnectTimedOut):
        return ConnectionFailed(
            f"{at.host} did not answer within {at.seconds:g} s{context}",
            "check the network, a VPN, and --context",
        )
    if some(TimeoutError):
        return ConnectionFailed(
            f"{at.host} took the request but did not answer in time{context}",
            "try again, or see --request-timeout",
        )
    system = next((c for c in causes if isinstance(c, OSError) and c.strerror), None)
    if some(ConnectionError, http.client.HTTPException):
        return _hung_up(at)
    if isinstance(system, OSError):
        return ConnectionFailed(
            f"no connection to {at.host}: {system.strerror}{context}",
            "check the network and --context",
        )
    return ConnectionFailed(
        f"no connection to {at.host} ({type(causes[0]).__name__}){context}",
        "check the server URL and the proxy",
    )
