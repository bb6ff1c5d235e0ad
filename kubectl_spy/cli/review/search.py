"""A search for a text in the pointers and values of changes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence

from kubectl_spy.cli.review.finder import Finder
from kubectl_spy.core.changes.narrowing import Narrowing
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.wording import many
from kubectl_spy.render.inert import inert
from kubectl_spy.sources.recording.index import Index


class _Mentioned:
    """Versions in which a text changed, or new objects that hold it: as `--grep`."""

    plays = True

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        self._narrowing = Narrowing(pattern=pattern)
        # A line has the text as it is, or escaped in a string.
        escaped = dumps(text)[1:-1]
        parts = {re.escape(escaped), re.escape(text.encode("utf-8", "replace"))}
        ignored = re.IGNORECASE if pattern.flags & re.IGNORECASE else 0
        self._quick = re.compile(b"|".join(sorted(parts)), ignored)
        self._ascii = text.isascii()

    def keeps_line(self, raw: bytes) -> bool:
        """Return True: the line does not have the value before."""
        return True

    def may_keep(self) -> Callable[[bytes], bool]:
        """Return whether a line holds the text."""
        if not self._ascii:  # its lower case may have other bytes
            return lambda raw: True
        search = self._quick.search
        return lambda raw: search(raw) is not None

    def keeps(self, record: ChangeRecord, headline: str) -> bool:
        """Return whether a change mentions the text."""
        return self._narrowing.keeps(record)


class Search:
    """Looks for *text*. Lower case also matches upper case."""

    def __init__(self, index: Index, text: str) -> None:
        self.text = text
        ignored = re.IGNORECASE if text == text.lower() else 0
        self.pattern = re.compile(re.escape(text), ignored)
        """The text, also in what is shown."""
        self._index = index
        self.finder = Finder(index, _Mentioned(text, self.pattern))

    @property
    def is_complete(self) -> bool:
        """Whether every version was looked at."""
        return self._index.complete and self.finder.progress is None

    @property
    def count(self) -> int:
        """How many versions were found."""
        return self.finder.count()

    def place(self, line: int, *, at: bool) -> str:
        """Return what to say of the hits; *at* says that *line* shows one."""
        what, count = f"“{inert(self.text)}”", self.count
        if not count:
            return f"{what} {'not found' if self.is_complete else ''}".rstrip()
        hits = many(count, "hit")
        if at:
            hits = f"hit {self.finder.count(line):,} of {count:,}"
        return f"{what} {hits} (n N)"

    def is_in(self, lines: Sequence[str]) -> bool:
        """Return whether the text is in one of *lines*."""
        return any(map(self.pattern.search, lines))

    def next(self, line: int, by: int) -> int:
        """Return the next (1) or previous (-1) hit from *line* on, and go round.

        There must be one.
        """
        ahead = self.finder.next(line, by)
        if ahead is None:
            ahead = self.finder.next(-1 if by > 0 else sys.maxsize, by)
        assert ahead is not None
        return ahead
