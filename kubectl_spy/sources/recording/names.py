"""The names in a recording."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from time import process_time

from kubectl_spy.core.changes.line_reading import line_of
from kubectl_spy.core.changes.lines import BadLine, KeysLine, StreamLine
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.objects import Resource, Selection
from kubectl_spy.core.patch.list_keys import Key
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import is_fetched, is_read_once, lines_of
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


# Finds the keys of lists that a recording holds, wherever they are in it.

_NEEDED = re.compile(rb'\{"seq":[0-9]+,"time":"[^"]*","type":"(?:STREAM|KEYS)"')


def keys_in(name: str) -> Iterator[tuple[Selection, str, Key]]:
    """Yield a selection, the pattern of a list in its objects, and what names elements.

    Nothing comes of a pipe, which can be read only once, or of Loki, which is asked for
    a part. Damaged lines are left out. Raises SpyError if it cannot be read.
    """
    if is_fetched(name) or is_read_once(name):
        return
    streams: dict[int, Selection] = {}
    for place in lines_of(name):
        if not _NEEDED.match(place.raw):
            continue
        try:
            line = line_of(place.raw)
        except BadLine:
            continue
        if isinstance(line, StreamLine):
            streams[line.stream] = line.selection
        elif isinstance(line, KeysLine) and (held := streams.get(line.stream)):
            yield held, line.path, line.key
