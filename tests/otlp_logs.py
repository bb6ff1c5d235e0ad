"""Recordings as a collector's file exporter writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
)
from opentelemetry.sdk._logs import ReadableLogRecord

from kubectl_spy.core.changes.recording_format import decode
from kubectl_spy.core.times import seconds
from kubectl_spy.sinks.otlp.lines import LONGEST_BODY, Line, LineEncoding, LineSender

UID = "a7ffc6f8-bf1e-4a17-9d6b-0242ac120002"


def log_records(
    lines: Iterable[bytes], *, longest: int = LONGEST_BODY
) -> list[ReadableLogRecord]:
    """Return the lines of a recording as the log records that are sent."""
    sent: list[Line] = []
    sender = LineSender(sent.extend, longest=longest)
    for raw in lines:
        members = decode(raw)
        sender.send(seconds(members["time"]), members, raw)
    encoding = LineEncoding(UID)
    return [encoding.encode(each, 0.0) for each in sent]


def requests_in_json(records: Sequence[ReadableLogRecord], size: int) -> list[bytes]:
    """Return *records* as lines of JSON, *size* in each, by way of protobuf."""
    left = iter(records)
    requests = []
    while batch := list(islice(left, size)):
        raw = encode_logs(batch).SerializeToString()
        requests.append(json_line(ExportLogsServiceRequest.FromString(raw)))
    return requests


def json_line(request: Any) -> bytes:
    """Return an ExportLogsServiceRequest as the file exporter writes it."""
    document = MessageToDict(request, use_integers_for_enums=True)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + (
        b"\n"
    )


def otlp_file(path: Path, *recordings: Path, size: int = 5) -> str:
    """Write the *recordings* to *path* as log records, the last ones first."""
    records = [
        record
        for each in recordings
        for record in log_records(each.read_bytes().splitlines(keepends=True))
    ]
    path.write_bytes(b"".join(requests_in_json(records[::-1], size)))
    return str(path)
