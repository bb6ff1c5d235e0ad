"""Looks for the failure that is next to a line, while somebody waits for it."""

from __future__ import annotations

import time

from kubectl_spy.core.changes.filtering import Filter
from kubectl_spy.extras.review.finder import Finder
from kubectl_spy.sources.recording.index import Index

_SPAN = 4_096  # lines that are looked at first, on the way back
_STEP = 0.03  # seconds of work at once


class Nearest:
    """Finds failures in *index* after a line (1), or before it (-1), nearest first."""

    def __init__(self, index: Index, by: int) -> None:
        self._index = index
        self._by = by
        self._finder: Finder | None = None
        self._span = _SPAN
        self.is_over = False
        """Whether there is no failure that way."""

    def look(self, line: int) -> int | None:
        """Look on from *line* for a moment. Return the failure, if it is known."""
        back = self._by < 0
        begin = max(0, line - self._span) if back else line + 1
        finder = self._finder
        if finder is None or (back and begin < finder.begin):
            finder = self._finder = Finder(self._index, Filter(failing=True), begin)
        finder.look_among(range(1, len(self._index.subjects)))
        more = not (back and finder.sure >= line)
        if more:
            more = finder.go_on(time.monotonic() + _STEP)
        found = finder.next(line, self._by)
        if back and finder.sure < line:
            return None
        if found is None and back:
            self._span *= 4
            self.is_over = finder.begin == 0
        elif found is None:
            self.is_over = self._index.complete and not more
        elif found > finder.sure:
            return None
        return found
