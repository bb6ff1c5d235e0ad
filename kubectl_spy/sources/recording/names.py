"""The names in a recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from time import process_time

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.objects import Resource
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.resolution.discovery import Catalogue

_SECONDS = 0.5  # seconds for reading a recording; later names are not offered


class RecordedNames:
    """The names at the beginning of a recording."""

    def __init__(self, file: str) -> None:
        self._file = file

    def catalogue(self) -> Catalogue:
        return Catalogue(tuple(dict.fromkeys(each for each, _, _ in self._objects)))

    def names(self, resource: Resource, namespace: str | None) -> Sequence[str]:
        return [
            name
            for each, place, name in self._objects
            if each == resource and namespace in (place, None)
        ]

    def namespaces(self) -> Sequence[str]:
        return sorted({namespace for _, namespace, _ in self._objects if namespace})

    @cached_property
    def _objects(self) -> list[tuple[Resource, str | None, str]]:
        found = set(self._read())
        return sorted(found, key=lambda each: (each[0].plural, each[1] or "", each[2]))

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
