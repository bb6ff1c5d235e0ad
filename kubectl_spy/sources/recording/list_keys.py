"""Finds the keys of lists that a recording holds, wherever they are in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_spy.core.changes.line_reading import line_of
from kubectl_spy.core.changes.lines import BadLine, KeysLine, StreamLine
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.patch.list_keys import Key
from kubectl_spy.sources.recording.segments import is_fetched, is_read_once, lines_of

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
