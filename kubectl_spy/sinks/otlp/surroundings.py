"""What OpenTelemetry's exporters read and write beside what they are told to.

They pass over what they cannot make sense of, or fail with a traceback: so it is
looked at before, while somebody is there to correct it. What a variable says is never
repeated: any of them may hold a key.
https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
"""

from __future__ import annotations

import logging
import math
import os
import re
from collections.abc import Callable, Mapping

from kubectl_spy.errors import UsageError
from kubectl_spy.render.inert import inert

_LONGEST_TIMEOUT = 60.0
_TIMEOUT = 10.0
_START = "OTEL_EXPORTER_OTLP_"
# https://www.rfc-editor.org/rfc/rfc9110#section-5.1, #section-5.5
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


def silence(*names: str) -> None:
    """Keep what the loggers with *names* have to say from the terminal.

    They log headers that they cannot parse, and addresses with all they hold.
    """
    for name in names:
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False


def disabled(environ: Mapping[str, str]) -> bool:
    """Return whether the environment wants no telemetry to leave this machine."""
    return environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"


def check(environ: Mapping[str, str]) -> None:
    """Look now for what would fail later, or be passed over.

    Raises:
        UsageError: a variable means nothing, or a certificate is not there.
    """
    for name, value in environ.items():
        limits = name.startswith("OTEL_") and name.endswith("_LIMIT")
        # They hold for spans that are recorded, and are read on import all the same.
        if limits and value.strip() and not value.strip().isdecimal():
            raise _refused(name, "is no whole number")
    for item in environ.get("OTEL_RESOURCE_ATTRIBUTES", "").split(","):
        if item.strip() and not item.partition("=")[0].strip() * ("=" in item):
            raise _refused("OTEL_RESOURCE_ATTRIBUTES", "is not name=value,name=value")
    timeout(environ)
    _check_certificates(environ)


def timeout(environ: Mapping[str, str]) -> float:
    """Return for how many seconds an answer is waited for, 60 at most.

    OpenTelemetry for Python takes the variable for seconds, its specification for
    milliseconds: who means these gets the 60.

    Raises:
        UsageError: it is no number of either.
    """
    name, value = _variable("TIMEOUT", environ)
    if not value:
        return _TIMEOUT
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise _refused(name, "is no number of seconds above 0")
    return min(seconds, _LONGEST_TIMEOUT)


def compression(environ: Mapping[str, str], *known: str) -> str:
    """Return how requests are compressed: one of *known*, or "none".

    Raises:
        UsageError: in a way that is not known.
    """
    name, value = _variable("COMPRESSION", environ)
    value = value.lower() or "none"
    if value not in (*known, "none"):
        raise _refused(name, f"is none of {', '.join((*known, 'none'))}")
    return value


def headers(
    environ: Mapping[str, str], parse: Callable[[str], Mapping[str, str]]
) -> dict[str, str]:
    """Return the headers of requests, names in lower case; *parse* is the exporter's.

    Raises:
        UsageError: one of them is no header, or cannot be sent.
    """
    name, value = _variable("HEADERS", environ)
    found: dict[str, str] = {}
    for part in value.split(","):
        header = parse(part)
        if part.strip() and not header:
            raise _refused(name, "is not name=value,name=value, percent-encoded")
        for key, text in header.items():
            if not (_NAME.fullmatch(key) and _VALUE.fullmatch(text)):
                raise _refused(name, "has what no header can have, percent-encoded")
        found.update(header)
    return found


def _check_certificates(environ: Mapping[str, str]) -> None:
    for end in ("CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"):
        name, path = _variable(end, environ)
        if path and not os.access(path, os.R_OK):
            raise UsageError(
                f"{name} names a file that cannot be read: {inert(path)}",
                "correct or unset it",
            )


def _variable(end: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the variable that counts and what it says: that for traces goes first.

    An empty one is as good as none.
    """
    for name in (f"{_START}TRACES_{end}", f"{_START}{end}"):
        if value := environ.get(name, "").strip():
            return name, value
    return f"{_START}{end}", ""


def _refused(name: str, why: str) -> UsageError:
    return UsageError(f"{name} {why}", "correct or unset it")
