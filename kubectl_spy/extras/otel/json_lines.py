"""Writes log records as a collector's file exporter does: a request a line, in JSON.

https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.sdk._logs import ReadableLogRecord

from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.times import seconds
from kubectl_spy.extras.otel.lines import LONGEST_BODY, Line, LineEncoding, LineSender

_TOGETHER = 100  # log records in a line


def log_records(
    lines: Iterable[bytes], cluster_uid: str = "", *, longest: int = LONGEST_BODY
) -> Iterator[ReadableLogRecord]:
    """Yield the log records that `record --otlp` sends for the *lines* of a recording.

    Raises ValueError for a line that is damaged.
    """
    sent: list[Line] = []
    sender = LineSender(sent.extend, longest=longest)
    encoding = LineEncoding(cluster_uid)
    for raw in lines:
        members = decode(raw)
        sender.send(seconds(members["time"]), members, raw)
        for each in sent:
            yield encoding.encode(each, 0.0)
        sent.clear()


def json_lines(
    records: Iterable[ReadableLogRecord], together: int = _TOGETHER
) -> Iterator[bytes]:
    """Yield *records* as lines, each an ExportLogsServiceRequest of some *together*."""
    left = iter(records)
    while batch := list(islice(left, together)):
        yield json_line(encode_logs(batch))


def json_line(request: Any) -> bytes:
    """Return an ExportLogsServiceRequest as a line of JSON."""
    document = MessageToDict(request, use_integers_for_enums=True)
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"
