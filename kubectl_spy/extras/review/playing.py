"""Plays the lines of an index in order, and yields their items."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from kubectl_spy.core.changes.lines import HEADERS, BadLine
from kubectl_spy.core.changes.playback import Playback
from kubectl_spy.core.changes.record import Aside, Item
from kubectl_spy.core.objects import Selection
from kubectl_spy.sources.recording.index import DAMAGED, Index


class Playing:
    """Plays the lines of *index* from its beginning."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._playback = Playback(keys=index.recording.keys)

    def items(self, line: int) -> Iterator[Item | Aside]:
        """Yield what the next *line* says; nothing if it is damaged.

        A caller may pause: the same iterator goes on where it stopped.
        """
        if self._index.type(line) == DAMAGED:
            self._playback.lost()
            return
        with suppress(BadLine):  # the playback has noted it
            yield from self._playback.observe(self._index.line(line))


def declared_first(index: Index) -> list[Selection]:
    """Return the selections that are declared before anything else is said."""
    found: list[Selection] = []
    declared = dict(zip(index.declarations, index.declared, strict=True))
    for line in range(len(index)):
        if line in declared:
            found.append(declared[line].selection)
        elif index.type(line) not in (*HEADERS, DAMAGED):
            break
    return found
