"""Print a recording as log records: `export -o otlp-json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.sdk._logs import ReadableLogRecord

from kubectl_spy.cli.run.reading import check_damages, opened, progress
from kubectl_spy.core.changes.line_reading import decode, members_of
from kubectl_spy.core.changes.lines import BadLine, ObjectLine
from kubectl_spy.core.times import seconds
from kubectl_spy.extras.otel.lines import LONGEST_BODY, Line, LineEncoding, LineSender
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording

# Writes log records as a collector's file exporter does: a request a line, in JSON.
#
# https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/

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


def print_otlp_json(name: str, terminal: Terminal) -> None:
    """Print the recording *name* as log records, as a collector's file exporter does.

    Raises SpyError if it cannot be read, or is damaged.
    """
    recording = opened(name, terminal)
    terminal.write_utf8()
    with progress(recording, terminal):
        for line in json_lines(log_records(_undamaged(recording))):
            terminal.write(inert(line.decode().removesuffix("\n")) + "\n")
    check_damages(recording, terminal)


def _undamaged(recording: Recording) -> Iterator[bytes]:
    for place, line in recording.places():
        try:
            if isinstance(line, ObjectLine):
                members_of(line)
        except BadLine as error:
            recording.note_damage(place, str(error))
            continue
        if line is not None:
            yield place.raw
