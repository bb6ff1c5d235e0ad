"""Where spans are sent, and how that is said without giving a credential away."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from kubectl_spy.errors import UsageError
from kubectl_spy.render.inert import inert

_PATH = "/v1/traces"
_LOCAL = "http://localhost:4318"
_LOCAL_GRPC = "http://localhost:4317"


def endpoint(url: str, environ: Mapping[str, str]) -> str:
    """Return the URL to post spans to.

    *url* is what the user named: a collector, whose path for traces is added, or a
    whole URL with a path. With "" the environment says it, as the specification has
    it: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT as it is, or else the path for traces
    below OTEL_EXPORTER_OTLP_ENDPOINT, or else the collector on this machine. gRPC has
    no paths.
    https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp

    Raises:
        UsageError: it is no URL of HTTP, or no protocol of ours.
    """
    grpc = speaks_grpc(environ)
    whole = _endpoint(url, environ, grpc=grpc)
    if grpc and credentials(whole):
        raise UsageError(
            "gRPC takes no user and password in the URL",
            "put an authorization header into OTEL_EXPORTER_OTLP_HEADERS",
        )
    return whole


def _endpoint(url: str, environ: Mapping[str, str], *, grpc: bool) -> str:
    if url:
        parts = _split(url, "--otlp")
        if not grpc and parts.path in ("", "/"):
            parts = parts._replace(path=_PATH)
        return urlunsplit(parts)
    name = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    if environ.get(name):
        return urlunsplit(_split(environ[name], name))
    name = "OTEL_EXPORTER_OTLP_ENDPOINT"
    if grpc:
        return urlunsplit(_split(environ.get(name) or _LOCAL_GRPC, name))
    parts = _split(environ.get(name) or _LOCAL, name)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + _PATH))


def printed(url: str) -> str:
    """Return *url* as it may be shown: user, password, query and fragment may be keys.

    >>> printed("https://me:secret@collector.example.com:4318/v1/traces?key=secret")
    'https://collector.example.com:4318/v1/traces'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return inert(urlunsplit((parts.scheme, host, parts.path, "", "")))


def credentials(url: str) -> tuple[str, str] | None:
    """Return the user and the password in *url*, if there is either.

    >>> credentials("https://me:p%40ss@collector.example.com")
    ('me', 'p@ss')
    """
    parts = urlsplit(url)
    if parts.username is None and parts.password is None:
        return None
    return unquote(parts.username or ""), unquote(parts.password or "")


def _split(url: str, source: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # of a port that is no number, or an open bracket
        valid = False
    if not valid:  # without the text: what is wrong in it may be its password
        raise UsageError(
            f"what {source} names is no URL of HTTP", f"as in {_LOCAL}, or https://…"
        )
    return parts


def speaks_grpc(environ: Mapping[str, str]) -> bool:
    """Return whether the environment asks for gRPC instead of HTTP.

    Raises:
        UsageError: it asks for neither, nor for nothing.
    """
    for name in ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        if protocol := environ.get(name, "").strip():
            if protocol not in ("grpc", "http/protobuf"):
                raise UsageError(
                    f"{name} is neither http/protobuf nor grpc", "unset or correct it"
                )
            return protocol == "grpc"
    return False
