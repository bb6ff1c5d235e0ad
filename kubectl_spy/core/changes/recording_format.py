"""The lines of a recording: their members and their checksums.

A recording is JSON Lines. The last member of a line is a CRC of the bytes before it.
docs/recording-format.md specifies the format.
"""

from __future__ import annotations

import re
import zlib
from contextlib import suppress
from typing import Any, NamedTuple, cast

from kubectl_spy.core.changes.line_members import BadLine as BadLine
from kubectl_spy.core.changes.line_members import are_texts, check_members, is_text
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.jsontext import LEVELS, UnreadableJSON, is_deeper, loads
from kubectl_spy.core.objects import JSON, GroupVersionKind, Resource, Selection
from kubectl_spy.core.patch.list_keys import Key
from kubectl_spy.core.times import rfc3339

FORMAT = "kubectl-spy"
VERSION = (1, 5)  # major, minor; readers accept a newer minor version, no newer major

LONGEST = 64 * 1024 * 1024  # bytes of a line; objects have at most some 3 MiB

FORBIDDEN = "Forbidden"  # the `reason` of REFUSED if a right is missing
CHANGES = frozenset(each.value for each in ChangeType)  # line types of change records

HEAD = re.compile(
    rb'\{"seq":([0-9]{1,18}),"time":"([^"]{26}Z)","type":"([A-Z]+)",'
    rb'"apiVersion":"([^"\\]+)","kind":"([^"\\]+)",(?:"namespace":"([^"\\]+)",)?'
    rb'"name":"([^"\\]+)","uid":"([^"\\]*)","resourceVersion":"([^"\\]*)"'
)
"""The beginning of a line about an object, as it is written. Other lines are parsed,
and so are most damaged lines and names with escapes."""

BETWEEN = re.compile(
    rb'(,"initial":true)?(?:,"inferred":true)?(?:,"listed":true)?'
    rb'(?:,"written":"[^"\\]*")?(?:,"previous":"([^"\\]*)")?'
)
"""What follows the HEAD of a change, up to its `managers`."""

_STREAM = re.compile(
    rb'"stream":([0-9]{1,18})'
    rb'(?:,"edited":\{"time":"[^"\\]*","manager":"(?:[^"\\]|\\.)*"\})?'
    rb',"crc32":"[0-9a-f]{8}"\}\n$'
)
_STREAM_LENGTHS = (48, 300)  # without `edited`, and with it

_SEAL = b',"crc32":"%08x"}\n'
_SEAL_LENGTH = len(_SEAL % 0)


class Origin(NamedTuple):
    """The members of a HEADER: where a recording comes from."""

    tool: str
    server: str  # the API server's version, or ""
    context: str
    cluster: str  # a hash of the cluster's URL and certificate authority
    command: str  # how `replay` shows it: status or changes
    only: tuple[str, ...]
    ignore: tuple[str, ...]
    watch_only: bool
    targets: tuple[str, ...]
    owned: bool  # whether it also holds what the targets own
    secrets: str  # masked or shown
    epoch: str  # The name of the masking key. Tags of two epochs do not compare.
    redacted: tuple[str, ...] = ()  # the rules of --redact

    def as_json(self) -> dict[str, JSON]:
        """Return the members of a HEADER or RESUME."""
        return {
            "format": FORMAT,
            "version": ".".join(map(str, VERSION)),
            "tool": self.tool,
            "server": self.server,
            "context": self.context,
            "cluster": self.cluster,
            "command": self.command,
            "only": list(self.only),
            "ignore": list(self.ignore),
            "watchOnly": self.watch_only,
            "targets": list(self.targets),
            "owned": self.owned,
            "redaction": {
                "secrets": self.secrets,
                "epoch": self.epoch,
                **({"fields": list(self.redacted)} if self.redacted else {}),
            },
        }


def seal(text: bytes) -> bytes:
    """Return the JSON object in *text* as a line with a checksum and newline.

    >>> seal(b'{"seq":1}')[:-1]
    b'{"seq":1,"crc32":"8c63767c"}'
    """
    body = text[:-1]
    return body + _SEAL % zlib.crc32(body)


def is_sealed(raw: bytes) -> bool:
    """Return whether the checksum of *raw*, a line with its newline, is right."""
    return raw[-_SEAL_LENGTH:] == _SEAL % zlib.crc32(raw[:-_SEAL_LENGTH])


def decode(raw: bytes) -> dict[str, JSON]:
    """Return the members of *raw*, a line with its newline, without the checksum.

    Raises BadLine if the checksum is wrong or missing, or it is not a line.
    """
    if not is_sealed(raw):
        raise BadLine("its checksum does not match")
    try:
        line = loads(raw[:-_SEAL_LENGTH] + b"}")
    except UnreadableJSON as error:
        raise BadLine(str(error)) from None
    check_members(line)
    # Values of a patch are looked at when it is applied.
    may_be_deep = "patch" not in line and raw.count(b"{") + raw.count(b"[") > LEVELS
    if may_be_deep and is_deeper(line, LEVELS):
        raise BadLine("it is nested too deeply")
    return cast("dict[str, JSON]", line)


def begins_run(kind: str, seq: int) -> bool:
    """Return whether such a line is the first one of a recorder."""
    return kind == "RESUME" or (kind == "HEADER" and seq == 1)


def stream_number(line: dict[str, Any]) -> int:
    """Return the number of the stream that *line* names, or -1."""
    number = line.get("stream")
    return number if type(number) is int else -1


def stream_of(raw: bytes) -> int | None:
    """Return the stream of *raw*, a line about an object, mostly without parsing it."""
    for length in _STREAM_LENGTHS:
        if found := _STREAM.search(raw, max(0, len(raw) - length)):
            return int(found[1])
    with suppress(BadLine):
        number = stream_number(decode(raw))
        return None if number < 0 else number
    return None


def managers_of(raw: bytes) -> list[str]:
    """Return who made the change in a line, as far as it says."""
    try:
        named = decode(raw).get("managers")
    except BadLine:
        return []
    return list(map(str, named)) if isinstance(named, list) else []


def change_line(record: ChangeRecord, stream: int) -> dict[str, JSON]:
    """Return the line of a change, with the `seq` of the record.

    Operations also have the label that names list elements. Readers ignore members that
    RFC 6902 does not define (section 4).
    """
    line = record.as_json()
    line["stream"] = stream
    if record.edited is not None:
        when, manager = record.edited
        line["edited"] = {"time": rfc3339(when), "manager": manager}
    if "patch" in line:
        line["patch"] = [
            {**step.as_json(), "label": step.label} if step.label else step.as_json()
            for step in record.patch
        ]
    return line


def stream_line(stream: int, selection: Selection) -> dict[str, JSON]:
    """Return the members of a STREAM line. An absent member is no restriction."""
    resource = selection.resource
    line: dict[str, JSON] = {
        "stream": stream,
        "apiVersion": resource.gvk.api_version,
        "kind": resource.gvk.kind,
        "resource": resource.plural,
        "singular": resource.singular,
        "shortNames": list(resource.short_names),
        "categories": list(resource.categories),
        "namespaced": resource.namespaced,
        "status": resource.has_status,
    }
    optional = {
        "namespace": selection.namespace,
        "name": selection.name,
        "labelSelector": selection.label_selector,
        "fieldSelector": selection.field_selector,
    }
    line |= {name: value for name, value in optional.items() if value is not None}
    return line if selection.asked else {**line, "owned": True}


def gap_line(
    stream: int, selection: Selection, since: str, until: float
) -> dict[str, JSON]:
    """Return the members of a GAP of a whole stream."""
    gvk, namespace = selection.resource.gvk, selection.namespace
    return {
        "apiVersion": gvk.api_version,
        "kind": gvk.kind,
        **({"namespace": namespace} if namespace else {}),
        "since": since,
        "until": rfc3339(until),
        "stream": stream,
    }


def keys_line(stream: int, pattern: str, key: Key) -> dict[str, JSON]:
    """Return the members of a KEYS line: what names the elements of a list."""
    return {"stream": stream, "path": pattern, "members": list(key)}


def key_in(line: dict[str, Any]) -> tuple[str, Key]:
    """Return the list that a KEYS line is about, and its key, or raise BadLine."""
    path: JSON = line.get("path")
    members: JSON = line.get("members")
    if not (is_text(path) and members and are_texts(members)):
        raise BadLine("it names no key of a list")
    return path, tuple(members)


def selection_of(line: dict[str, Any]) -> Selection:
    """Return the selection that a STREAM line describes, or raise BadLine."""
    try:
        group, _, version = line["apiVersion"].rpartition("/")
        return Selection(
            resource=Resource(
                gvk=GroupVersionKind(group, version, str(line["kind"])),
                plural=str(line["resource"]),
                singular=str(line.get("singular", "")),
                namespaced=bool(line["namespaced"]),
                short_names=tuple(map(str, line.get("shortNames", ()))),
                categories=tuple(map(str, line.get("categories", ()))),
                has_status=bool(line.get("status", True)),
            ),
            namespace=_text(line.get("namespace")),
            name=_text(line.get("name")),
            label_selector=_text(line.get("labelSelector")),
            field_selector=_text(line.get("fieldSelector")),
            asked=line.get("owned") is not True,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise BadLine(f"it describes no stream ({error})") from None


def _text(value: JSON) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} is no text")
    return value
