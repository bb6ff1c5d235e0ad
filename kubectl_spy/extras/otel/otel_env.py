"""What the OTEL_* variables ask for, checked before anything is watched.

OpenTelemetry's exporters ignore a value that they cannot parse, or fail with a
traceback. Messages never repeat a value: each of them may hold a key.
https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from ssl import SSLContext
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit, urlunsplit

from kubectl_spy.errors import UsageError
from kubectl_spy.http.proxies import Proxy, SocksMissing, proxy_of_environment
from kubectl_spy.http.tls import (
    Trust,
    UnusableAuthority,
    UnusableCertificate,
    tls_context,
    trust_of,
)
from kubectl_spy.render.inert import inert

_PREFIX = "OTEL_EXPORTER_OTLP_"
_LOCAL = "http://localhost:4318"
_LONGEST_TIMEOUT = 60.0
_CERTIFICATES = ("CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY")
_TIMEOUT = 10.0
# https://www.rfc-editor.org/rfc/rfc9110#section-5.1, #section-5.5
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class Signal(NamedTuple):
    """What is sent: https://opentelemetry.io/docs/specs/otel/glossary/#signals."""

    name: str  # in OTEL_EXPORTER_OTLP_*
    path: str
    noun: str  # one of what is sent, for messages


TRACES = Signal("TRACES", "/v1/traces", "span")
LOGS = Signal("LOGS", "/v1/logs", "line")


def disabled(environ: Mapping[str, str]) -> bool:
    """Return whether the environment forbids to send telemetry."""
    return environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"


def check(environ: Mapping[str, str], signal: Signal) -> None:
    """Raise UsageError if a variable that the SDK reads by itself is invalid."""
    name, protocol = _variable("PROTOCOL", environ, signal)
    if protocol not in ("", "http/protobuf"):
        raise UsageError(
            f"{name} is not http/protobuf, the only protocol of kubectl-spy",
            "unset it, and use the collector's port for HTTP, which is usually 4318",
        )
    for name, value in environ.items():
        limits = name.startswith("OTEL_") and name.endswith("_LIMIT")
        # The SDK reads them on import, though our spans do not obey them.
        if limits and value.strip() and not value.strip().isdecimal():
            raise _refused(name, "is no whole number")
    for item in environ.get("OTEL_RESOURCE_ATTRIBUTES", "").split(","):
        if item.strip() and not item.partition("=")[0].strip() * ("=" in item):
            raise _refused("OTEL_RESOURCE_ATTRIBUTES", "is not name=value,name=value")
    timeout(environ, signal)
    if any(_variable(end, environ, signal)[1] for end in _CERTIFICATES):
        tls(environ, signal)


def proxy_to(url: str, environ: Mapping[str, str], authority: bytes) -> Proxy | None:
    """Return the environment's proxy to *url*, if any. Raises UsageError.

    *authority*, in PEM, is trusted for the certificate of the proxy, too.
    """
    try:
        return proxy_of_environment(url, environ, authority=authority)
    except SocksMissing:
        raise UsageError(
            "the proxy is a SOCKS proxy, which needs PySocks", "pip install pysocks"
        ) from None
    except ValueError:
        raise UsageError(
            "the environment's proxy cannot be used", "check HTTPS_PROXY"
        ) from None


def trust(environ: Mapping[str, str], signal: Signal) -> Trust:
    """Return what a collector's certificate is checked against.

    Raises UsageError if it cannot be read.
    """
    name, _ = _variable("CERTIFICATE", environ, signal)
    try:
        return trust_of(environ, name)
    except OSError as error:
        problem = f"names a file that cannot be read: {inert(environ[error.filename])}"
        raise _refused(error.filename, problem) from None


def tls(environ: Mapping[str, str], signal: Signal) -> SSLContext:
    """Return the TLS for a collector, with the certificates that are named.

    Raises UsageError if one of them cannot be used.
    """
    trusted, own = trust(environ, signal), _own_certificate(environ, signal)
    try:
        return tls_context(trust=trusted, certificate=own[0], key=own[1])
    except UnusableAuthority:
        raise _refused(trusted.variable, "names no PEM certificate") from None
    except UnusableCertificate:
        name, _ = _variable("CLIENT_CERTIFICATE", environ, signal)
        problem = "and its key cannot be used: no PEM, no pair, or encrypted"
        raise _refused(name, problem) from None


def _own_certificate(
    environ: Mapping[str, str], signal: Signal
) -> tuple[bytes | None, bytes | None]:
    """Return the certificate and the key to show to a collector, in PEM."""
    found: list[bytes | None] = []
    for end in ("CLIENT_CERTIFICATE", "CLIENT_KEY"):
        name, path = _variable(end, environ, signal)
        try:
            found.append(Path(path).read_bytes() if path else None)
        except OSError:
            problem = f"names a file that cannot be read: {inert(path)}"
            raise _refused(name, problem) from None
    if found[1] is not None and found[0] is None:
        raise _refused(name, "names a key without a certificate")
    return found[0], found[1]


def endpoint(url: str, environ: Mapping[str, str], signal: Signal) -> str:
    """Return the URL to post *signal* to.

    *url* is a collector, whose path for the signal is added, or a URL with a path. ""
    asks the environment: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or _LOGS_ENDPOINT as it is,
    else the path below OTEL_EXPORTER_OTLP_ENDPOINT, else a collector on this machine.
    https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp

    Raises UsageError if it is no HTTP URL.
    """
    name, named = ("--otlp", url) if url else _variable("ENDPOINT", environ, signal)
    parts = _split(named or _LOCAL, name)
    if url and parts.path in ("", "/"):
        parts = parts._replace(path=signal.path)
    elif not url and name == f"{_PREFIX}ENDPOINT":
        parts = parts._replace(path=parts.path.rstrip("/") + signal.path)
    return urlunsplit(parts)


def timeout(environ: Mapping[str, str], signal: Signal) -> float:
    """Return the seconds to wait for an answer, at most 60.

    The variable is in seconds for OpenTelemetry's Python exporters, and in milliseconds
    in the specification. A value in milliseconds becomes 60 seconds. Raises UsageError
    if it is no positive number.
    """
    name, value = _variable("TIMEOUT", environ, signal)
    if not value:
        return _TIMEOUT
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise _refused(name, "is no number of seconds above 0")
    return min(seconds, _LONGEST_TIMEOUT)


def compression(environ: Mapping[str, str], signal: Signal) -> str:
    """Return "gzip", "deflate" or "none", or raise UsageError."""
    name, value = _variable("COMPRESSION", environ, signal)
    value = value.lower() or "none"
    if value not in ("gzip", "deflate", "none"):
        raise _refused(name, "is none of gzip, deflate, none")
    return value


def headers(environ: Mapping[str, str], signal: Signal) -> dict[str, str]:
    """Return the headers, with names in lower case, or raise UsageError."""
    from opentelemetry.util.re import parse_env_headers

    name, value = _variable("HEADERS", environ, signal)
    found: dict[str, str] = {}
    for part in value.split(","):
        header = parse_env_headers(part, liberal=True)
        if part.strip() and not header:
            raise _refused(name, "is not name=value,name=value, percent-encoded")
        for key, text in header.items():
            if not (_HEADER_NAME.fullmatch(key) and _HEADER_VALUE.fullmatch(text)):
                raise _refused(name, "has a character that no header can have")
        found.update(header)
    return found


def _variable(end: str, environ: Mapping[str, str], signal: Signal) -> tuple[str, str]:
    """Return the name and the value of a variable; that of *signal* has precedence.

    An empty value counts as unset.
    """
    for name in (f"{_PREFIX}{signal.name}_{end}", f"{_PREFIX}{end}"):
        if value := environ.get(name, "").strip():
            return name, value
    return f"{_PREFIX}{end}", ""


def _split(url: str, source: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # the port is no number, or a bracket is open
        valid = False
    if not valid:  # not repeated: the mistake may be in its password
        raise UsageError(f"{source} names no HTTP URL", f"use {_LOCAL}, or https://…")
    return parts


def _refused(name: str, why: str) -> UsageError:
    return UsageError(f"{name} {why}", "correct or unset it")
