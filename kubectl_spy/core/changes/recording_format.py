"""How the lines of a recording are written: their members and their checksums.

A recording is JSON Lines. The last member of a line is a CRC of the bytes before it.
docs/recording-format.md specifies the format.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.core.times import rfc3339

FORMAT = "kubectl-spy"
VERSION = (1, 6)  # major, minor; readers accept a newer minor version, no newer major

LONGEST = 64 * 1024 * 1024  # bytes of a line; objects have at most some 3 MiB

FORBIDDEN = "Forbidden"  # the `reason` of REFUSED if a right is missing

_SEAL = b',"crc32":"%08x"}\n'
SEAL_LENGTH = len(_SEAL % 0)  # bytes of the last member and the newline


class Origin(NamedTuple):
    """The members of a HEADER: where a recording comes from."""

    tool: str
    server: str  # the API server's version, or ""
    context: str
    cluster: str  # a hash of the cluster's URL and certificate authority
    command: str  # that recorded it
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
    return raw[-SEAL_LENGTH:] == _SEAL % zlib.crc32(raw[:-SEAL_LENGTH])


def change_line(record: ChangeRecord, stream: int) -> dict[str, JSON]:
    """Return the line of a change, with the `seq` of the record.

    Operations also have the label that names list elements. Readers ignore members that
    RFC 6902 does not define (section 4).
    """
    line = record.as_json()
    line["stream"] = stream
    if record.edited is not None:
        when, manager, _ = record.edited
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
    if not selection.asked:
        line["owned"] = True
    if selection.filtered:
        line["filtered"] = True
    return line
