"""Completes names of recordings."""

from __future__ import annotations

import gzip
import os
from itertools import islice
from pathlib import Path

_MARK = b'"format":"kubectl-spy"'
_HEAD = 512  # a recording says so in these first bytes
_FILES = 500


def recordings_at(typed: str) -> list[str]:
    """Return the recordings and the directories whose path begins with *typed*."""
    directory, slash, beginning = typed.rpartition("/")
    folder = Path(os.path.expanduser(f"{directory}{slash}") or ".")  # noqa: PTH111
    try:
        entries = sorted(islice(os.scandir(folder), _FILES), key=lambda each: each.name)
    except OSError:
        return []
    found = list[str]()
    recorded = False
    for entry in entries:
        hidden = entry.name.startswith(".") and not beginning.startswith(".")
        if hidden or not entry.name.startswith(beginning):
            continue
        path = f"{directory}{slash}{entry.name}"
        if entry.is_dir():
            found.append(f"{path}/")
        elif entry.is_file() and _is_recording(Path(entry.path)):
            found.append(path)
            recorded = True
    return found if recorded else []


def _is_recording(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
        if head.startswith(b"\x1f\x8b"):
            with gzip.open(path) as unpacked:
                head = unpacked.read(_HEAD)
    except (OSError, EOFError):
        return False
    return _MARK in head
