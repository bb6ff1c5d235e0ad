"""Turn lines of a recording into OpenTelemetry log records: docs/otlp.md.

The body is the line, word for word: its `seq` and its checksum prove after any
transport that it is whole, and that none is missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from google.protobuf.json_format import MessageToDict
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from kubectl_spy import __version__
from kubectl_spy.cli.run.reading import check_damages, opened, progress
from kubectl_spy.core.changes.line_reading import decode, members_of
from kubectl_spy.core.changes.lines import BadLine, ObjectLine
from kubectl_spy.core.fields import text
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import seconds
from kubectl_spy.extras.otel.otlp_lines import (
    EPOCH,
    EVENT,
    PART,
    PARTS,
    RECORDING,
    SEQ,
    TYPE,
)
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording

# Values as OTLP has them, and the scope of all that we send.

SCOPE = InstrumentationScope("kubectl-spy", __version__)


def otlp_value(value: JSON) -> bool | int | float | str:
    """Return *value* as an OTLP value; its integers have 64 bits."""
    match value:
        case bool() | float():
            return value
        case int():
            return value if -(1 << 63) <= value < 1 << 63 else str(value)
        case str():
            return utf8(value)
        case _:
            return utf8(dumps(value).decode())


_LATEST = 1 << 63  # of 64 bits, with some room


def utf8(text: str) -> str:
    """Return *text* with lone surrogates escaped: UTF-8 has none."""
    return text.encode("utf-8", "backslashreplace").decode()


def nanoseconds(time: float) -> int:
    """Return *time* to the microsecond, the precision of such a float.

    OTLP has 64 bits for it: later times than 2262 are cut.
    """
    return min(round(time * 1_000_000) * 1000, _LATEST)


LONGEST_BODY = 200_000  # bytes; stores usually take 256 KB
_SECOND = 1_000_000_000  # nanoseconds
_BARE = 600  # bytes of a log record without its body, about
_NAMESPACES = 256
_NAMESPACE = "k8s.namespace.name"
# https://opentelemetry.io/docs/specs/semconv/registry/attributes/k8s/
_CLUSTER = "k8s.cluster.uid"
_ABOUT_RECORDING = ("HEADER", "RESUME", "STREAM", "KEYS", "RECONNECT", "END")
_MEMBERS = {
    "kind": "k8s.object.kind",
    "name": "k8s.object.name",
    "uid": "k8s.object.uid",
    "apiVersion": "k8s.object.api_version",
    "resourceVersion": "k8s.object.resource_version",
    "previous": "kubectl_spy.previous",
    "managers": "kubectl_spy.managers",
}
"""The attributes that lines about objects have, by the member of the line."""


class Line(NamedTuple):
    """A line of a recording, or a part of a long one."""

    when: int  # nanoseconds since the epoch
    type: str
    namespace: str
    attributes: dict[str, JSON]
    body: str

    @property
    def completed(self) -> int:
        """The number of the last line that is complete after this part."""
        part, parts = map(self.attributes.get, (PART, PARTS))
        return int(self.attributes[SEQ]) - (part != parts)


class LineSender:
    """Calls *put* with each line that a recorder writes, in parts if it is long.

    Each line is later than the one before, so that stores give them in order: by a
    nanosecond if the watches that they come from overtook each other.
    """

    def __init__(
        self, put: Callable[[Iterable[Line]], None], *, longest: int = LONGEST_BODY
    ) -> None:
        self._put = put
        self._longest = longest
        self._run: dict[str, JSON] = {}
        self._when = 0

    def send(self, time: float, members: dict[str, JSON], sealed: bytes) -> None:
        """Put *sealed*, the line of *members* with its newline."""
        kind = members["type"]
        when, before = nanoseconds(time), self._when
        # If the clock was set back by more than a second, follow it.
        self._when = before + 1 if when <= before < when + _SECOND else when
        if "recording" in members:
            self._run = {
                RECORDING: utf8(text(members, "recording")),
                EPOCH: utf8(text(members, "redaction", "epoch")),
            }
        attributes = {**self._run, SEQ: members["seq"], TYPE: utf8(kind)}
        namespace = ""
        if kind not in _ABOUT_RECORDING:
            namespace = utf8(str(members.get("namespace") or ""))
            about = _MEMBERS.items()
            attributes |= {
                ours: _attribute(members[name])
                for name, ours in about
                if name in members
            }
        parts = list(_parts(sealed[:-1], self._longest))
        many = len(parts) > 1
        self._put(
            Line(
                self._when,
                kind,
                namespace,
                attributes | ({PART: number, PARTS: len(parts)} if many else {}),
                body,
            )
            for number, body in enumerate(parts, 1)
        )


def _attribute(value: JSON) -> JSON:
    if isinstance(value, list):
        return [utf8(str(each)) for each in value]
    return otlp_value(value)


def _parts(line: bytes, longest: int) -> Iterator[str]:
    """Yield *line* in parts of whole characters, of at most *longest* bytes."""
    start = 0
    while len(line) - start > longest:
        end = start + longest
        while line[end] & 0xC0 == 0x80:  # inside a character of UTF-8
            end -= 1
        yield line[start:end].decode()
        start = end
    yield line[start:].decode()


class LineEncoding:
    """Makes the SDK's log records, each with the resource of its namespace.

    Stores make an index of the resource: Loki has a stream for each. So nothing else of
    an object is in it. OTEL_RESOURCE_ATTRIBUTES, such as k8s.cluster.name, are.
    """

    def __init__(self, cluster_uid: str) -> None:
        # Resource.create would add an id of this process: one more stream each run.
        given = OTELResourceDetector().detect().attributes
        base = {**given, SERVICE_NAME: "kubectl-spy"}
        base.pop(_NAMESPACE, None)  # that of the recorder's own Pod
        if cluster_uid:
            base[_CLUSTER] = cluster_uid

        @lru_cache(_NAMESPACES)
        def resource(namespace: str) -> Resource:
            return Resource({**base, _NAMESPACE: namespace} if namespace else base)

        self._resource = resource

    def weight(self, line: Line) -> int:
        """Return about how many bytes *line* takes, in memory or in a request."""
        return _BARE + len(line.body)

    def encode(self, line: Line, until: float) -> ReadableLogRecord:
        """Return *line* as a log record."""
        severity = SeverityNumber.INFO
        if line.type in ("GAP", "REFUSED"):
            severity = SeverityNumber.WARN
        record = LogRecord(
            timestamp=line.when,
            observed_timestamp=line.when,
            severity_text=severity.name,
            severity_number=severity,
            body=line.body,
            attributes=line.attributes,
            event_name=EVENT,
        )
        return ReadableLogRecord(record, self._resource(line.namespace), SCOPE)


# Print a recording as log records, as a collector's file exporter writes them: a
# request a line, in JSON.
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
