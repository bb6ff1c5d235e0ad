"""Reads an audit log: JSON Lines as kube-apiserver writes them, maybe gzipped."""

from __future__ import annotations

import gzip
from pathlib import Path

from kubectl_spy.core.changes.audit import AuditLog
from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.errors import SpyError


def read_audit(name: str) -> tuple[AuditLog, int]:
    """Return the audit log in the file *name*, and how many lines cannot be read.

    Raises:
        SpyError: it cannot be read, or is no audit log.
    """
    log, bad, events = AuditLog(), 0, 0
    try:
        with Path(name).open("rb") as raw:
            zipped = raw.peek(2)[:2] == b"\x1f\x8b"
            with gzip.open(raw) if zipped else raw as file:
                for line in file:
                    try:
                        event = loads(line)
                    except UnreadableJSON:
                        event = None
                    if not isinstance(event, dict) or event.get("kind") != "Event":
                        bad += 1
                        continue
                    events += 1
                    log.note(event)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SpyError(f"cannot read {name}: {reason}") from None
    if not events:
        raise SpyError(
            f"{name} is no audit log",
            "give the file that kube-apiserver's --audit-log-path names",
        )
    return log, bad
