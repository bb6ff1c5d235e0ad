"""Completes names of recordings, and the names in a recording."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from time import process_time

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.objects import Resource
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.resolution.discovery import Catalogue

_MARK = b'"format":"kubectl-spy"'
_HEAD = 512
"""A recording says so in these first bytes."""
_FILES = 500
_SECONDS = 0.5
"""The time for reading a recording. Names after that point are not offered."""


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


class InRecording:
    """The names at the beginning of a recording, in *namespace* if that is not None."""

    def __init__(self, file: str, namespace: str | None) -> None:
        self._file = file
        self._namespace = namespace

    def catalogue(self) -> Catalogue:
        """Return the types of its objects."""
        return Catalogue(tuple(dict.fromkeys(each for each, _, _ in self._objects)))

    def names(self, resource: Resource) -> Sequence[str]:
        """Return the names of a type's objects."""
        return [
            name
            for each, namespace, name in self._objects
            if each == resource and self._namespace in (namespace, None)
        ]

    def namespaces(self) -> Sequence[str]:
        """Return the namespaces of its objects."""
        return sorted({namespace for _, namespace, _ in self._objects if namespace})

    @cached_property
    def _objects(self) -> list[tuple[Resource, str | None, str]]:
        return sorted(set(self._read()), key=_order)

    def _read(self) -> Iterator[tuple[Resource, str | None, str]]:
        end = process_time() + _SECONDS
        try:
            for item in Recording(self._file):
                if isinstance(item, ChangeRecord) and item.name:
                    yield item.selection.resource, item.namespace, item.name
                if process_time() > end:
                    return
        except SpyError:
            return


def _order(found: tuple[Resource, str | None, str]) -> tuple[str, str, str]:
    resource, namespace, name = found
    return resource.plural, namespace or "", name
