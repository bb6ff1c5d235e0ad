"""Recordings as a collector's file exporter writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from opentelemetry.sdk._logs import ReadableLogRecord

from kubectl_spy.extras.otel import lines as otlp

UID = "a7ffc6f8-bf1e-4a17-9d6b-0242ac120002"


def log_records(
    lines: Iterable[bytes], *, longest: int = otlp.LONGEST_BODY
) -> list[ReadableLogRecord]:
    """Return the lines of a recording as the log records that are sent."""
    return list(otlp.log_records(lines, UID, longest=longest))


def requests_in_json(records: Sequence[ReadableLogRecord], size: int) -> list[bytes]:
    """Return *records* as lines of JSON, *size* in each."""
    return list(otlp.json_lines(records, size))


def otlp_file(path: Path, *recordings: Path, size: int = 5) -> str:
    """Write the *recordings* to *path* as log records, the last ones first."""
    records = [
        record
        for each in recordings
        for record in log_records(each.read_bytes().splitlines(keepends=True))
    ]
    path.write_bytes(b"".join(requests_in_json(records[::-1], size)))
    return str(path)
