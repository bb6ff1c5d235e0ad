"""Lines of a recording as OpenTelemetry log records: docs/otlp.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON

EVENT = "kubectl_spy.change"  # the name of the event
RECORDING = "kubectl_spy.recording"
EPOCH = "kubectl_spy.epoch"
SEQ = "kubectl_spy.seq"
TYPE = "kubectl_spy.type"
PART = "kubectl_spy.part"  # from 1; only where a line is cut
PARTS = "kubectl_spy.parts"

_READ = [RECORDING, SEQ, PART, PARTS]  # a list: a key may be anything
_NAME = re.compile("[0-9a-f]{1,64}")  # of a recording
_MOST_PARTS = 1000  # of a line: more than LONGEST bytes have
_LAST_SEQ = 1 << 62


class Part(NamedTuple):
    """A line of a recording without its newline, or a part of it."""

    recording: str
    seq: int
    number: int  # from 1
    total: int
    body: str


def parts_in(request: JSON) -> Iterator[Part]:
    """Yield the lines in an ExportLogsServiceRequest in JSON. Ignore other log records.

    https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
    """
    for resource in mappings(request, "resourceLogs"):
        for scope in mappings(resource, "scopeLogs"):
            for record in mappings(scope, "logRecords"):
                values = {}
                for pair in mappings(record, "attributes"):
                    if (key := pair.get("key")) in _READ:
                        held = mapping(pair, "value")
                        values[key] = held.get("stringValue", held.get("intValue"))
                found = part(values.get, text(record, "body", "stringValue"))
                if found is not None:
                    yield found


def part(attribute: Callable[[str], JSON], body: str) -> Part | None:
    """Return a line, or a part of it, from its attributes; None if they are invalid.

    An integer may be a string.
    """
    recording, seq = attribute(RECORDING), _integer(attribute(SEQ), 0)
    number, total = (_integer(attribute(each), 1) for each in (PART, PARTS))
    if not (
        isinstance(recording, str)
        and _NAME.fullmatch(recording)
        and 0 < seq < _LAST_SEQ
    ):
        return None
    valid = 0 < number <= total <= _MOST_PARTS
    return Part(recording, seq, number, total, body) if valid else None


def _integer(held: JSON, default: int) -> int:
    """Return an intValue: in JSON, integers of 64 bits are strings."""
    if held is None:
        return default
    if isinstance(held, str) and held.isdecimal() and len(held) < 20:
        return int(held)
    return held if type(held) is int else 0
