"""Checks that all Secrets of a recording are masked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.changes.lines import HEADERS, BadLine
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.segments import RawLine, lines_of

_TYPE = 128  # bytes of a line within which its type stands


def check_masked(recording: str, name: str) -> None:
    """Raise SpyError unless each run of *recording* masked Secrets.

    Messages call it *name*. If lines are lost, the header of a run may be among them.
    So the line after lost lines must be a header.
    """
    headers = last = 0
    for line in lines_of(recording):
        if line.reason:
            continue
        header = _header(line, name)
        if header is None:
            if line.number > last + 1 + line.skipped and headers:
                raise _refused(
                    f"{name} has no line {line.number - 1}, and what follows may hold "
                    "Secrets"
                )
        elif not is_masked(header):
            raise _refused(
                f"{name} was recorded with --show-secrets: it may hold Secrets"
            )
        else:
            headers += 1
        last = line.number
    if not headers:
        raise _refused(f"{name} has no header that says how it was recorded")


def _refused(message: str) -> SpyError:
    remedy = "the tools read only recordings with masked Secrets"
    return SpyError(message, remedy, code="unmasked")


def is_masked(header: Mapping[str, Any]) -> bool:
    """Return whether the run that *header* begins masks Secrets."""
    redaction = header.get("redaction")
    return isinstance(redaction, dict) and redaction.get("secrets") == "masked"


def _header(line: RawLine, name: str) -> dict[str, Any] | None:
    """Return the header that *line* is, or None. Raises SpyError if it is damaged."""
    if not any(each.encode() in line.raw for each in HEADERS):
        return None
    try:
        header = decode(line.raw)
    except BadLine:
        start = line.raw[:_TYPE]
        if any(f'"type":"{each}"'.encode() in start for each in HEADERS):
            raise _refused(
                f"{name} has a damaged header: it may hold Secrets"
            ) from None
        return None
    return header if header["type"] in HEADERS else None
