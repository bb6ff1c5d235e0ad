"""Counts changes in the background."""

from __future__ import annotations

from kubectl_spy.cli.review.finder import Finder
from kubectl_spy.core.changes.filtering import Filter
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.summary.counts import Counts
from kubectl_spy.sources.recording.index import Index


class Tally:
    """Counts the changes that *chosen* leaves."""

    plays = True

    def __init__(self, index: Index, chosen: Filter) -> None:
        self._index = index
        self._chosen = chosen
        self.counts = Counts()
        self.keeps_line = chosen.keeps_line
        self.may_keep = chosen.may_keep
        self.finder = Finder(index, self)

    @property
    def is_complete(self) -> bool:
        """Whether every change was looked at."""
        return self._index.complete and self.finder.progress is None

    def keeps(self, record: ChangeRecord, headline: str) -> bool:
        """Count a change. Return False: nothing is looked for."""
        if self._chosen.keeps(record, headline):
            self.counts.note(record)
        return False
