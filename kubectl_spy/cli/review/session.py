"""What is chosen in a review: one clock, an object and a filter. It draws nothing.

The clock is a line of the recording. Every pane shows what was known then.
"""

from __future__ import annotations

import time
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from kubectl_spy.core.changes.filtering import Filter
from kubectl_spy.sources.recording.index import Index

_AT_ONCE = 128  # lines between two looks at the time
_CHANGED = ("MODIFIED", "DELETED", "LEFT")
_NO_FILTER = Filter()


class Session:
    """The state of a review of *index*."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.clock = 0  # a line
        self.subject = 0  # the object that is chosen; 0 before there is any
        self.filter = _NO_FILTER
        self.mark: int | None = None  # the version that others are compared with
        self._visible = bytearray()  # by subject: whether its names match
        self._order: list[int] = []
        self._hits: dict[int, array[int]] = {}  # the lines of the regex, by subject
        self._searched = 0
        self._known = -1
        self._begun = False
        self._cached: tuple[int, int, list[int]] = (0, 0, [])

    def grow(self, patience: float) -> bool:
        """Index and search on. Return whether there is more to do."""
        index = self.index
        until = time.monotonic() + patience
        if not index.complete:
            index.grow(patience)
        self._judge()
        if self.filter.pattern is not None:
            self._search(until)
        if not self._begun and self._order:
            self._begun, self.clock = True, self._beginning()
        self._keep_shown()
        return not index.complete or self._is_searching

    def _keep_shown(self) -> None:
        """Choose the first object if the one that was chosen is hidden."""
        objects = self.objects
        if self.subject == 0 or self.subject not in objects:
            self.subject = objects[0] if objects else 0

    def _beginning(self) -> int:
        """Return the last line before anything changed."""
        index = self.index
        for line in range(len(index)):
            if index.type(line) in _CHANGED:
                return max(0, line - 1)
        return len(index) - 1

    @property
    def _is_searching(self) -> bool:
        return self.filter.pattern is not None and self._searched < len(self.index)

    @property
    def progress(self) -> str:
        """What is still going on, in two words, or ""."""
        if not self.index.complete:
            return f"indexing, {len(self.index):,} lines"
        if self._is_searching:
            return f"searching, {self._searched * 100 // len(self.index)} %"
        return ""

    def set_filter(self, chosen: Filter) -> None:
        """Show only what *chosen* matches."""
        again = chosen.pattern != self.filter.pattern or (
            chosen.pattern is not None and chosen != self.filter
        )
        self.filter = chosen
        self._visible, self._known = bytearray(), -1
        if again:
            self._hits, self._searched = {}, 0
        self._judge()
        self._keep_shown()

    @property
    def objects(self) -> Sequence[int]:
        """The objects to show: by kind, namespace and name, Events last."""
        if self.filter.pattern is None:
            return self._order
        return [each for each in self._order if each in self._hits]

    def versions(self, subject: int) -> Sequence[int]:
        """Return the lines of the versions of an object to show."""
        if self.filter.pattern is not None:
            return self._hits.get(subject, ())
        index = self.index
        lines = index.lines(subject)
        if self._cached[:2] != (subject, len(lines)):
            shown = [each for each in lines if index.is_version(each)]
            self._cached = (subject, len(lines), shown)
        return self._cached[2]

    @property
    def hidden(self) -> tuple[int, int]:
        """How many objects and how many changes the filter hides."""
        index, shown = self.index, self.objects
        if self.filter.pattern is None:
            changes = sum(index.counts[each] for each in shown)
        else:
            changes = sum(len(self._hits[each]) for each in shown)
        everything = sum(1 for each in index.subjects if each.name)
        return everything - len(shown), sum(index.counts) - changes

    def choose(self, subject: int) -> None:
        """Choose an object. The clock stays."""
        self.subject = subject

    def go_to(self, line: int) -> None:
        """Set the clock, and choose the object of *line* if it is shown."""
        self.clock = line
        subject = self.index.subject(line)
        if subject and subject < len(self._visible) and self._visible[subject]:
            self.subject = subject

    @property
    def version(self) -> int | None:
        """The line of the last version of the chosen object up to the clock."""
        versions = self.versions(self.subject)
        at = bisect_right(versions, self.clock)
        return versions[at - 1] if at else None

    @property
    def compared(self) -> int | None:
        """The line of the version to compare with the one that is marked, if any."""
        version = self.version
        return None if self.mark in (None, version) else version

    def choose_latest(self) -> None:
        """Choose the object that is shown and changed last, up to the clock."""
        index, clock = self.index, self.clock

        def latest(subject: int) -> int:
            lines = index.lines(subject)
            at = bisect_right(lines, clock)
            return lines[at - 1] if at else -1

        if shown := self.objects:
            self.subject = max(shown, key=latest)

    def step(self, by: int) -> bool:
        """Go to the next (1) or previous (-1) change of the object, if there is one."""
        versions = self.versions(self.subject)
        at = bisect_right(versions, self.clock) - 1
        if by < 0 and at >= 0 and versions[at] < self.clock:
            by = 0  # the clock stands behind it
        if not versions or not 0 <= at + by < len(versions):
            return False
        self.go_to(versions[at + by])
        return True

    def step_any(self, by: int) -> bool:
        """Go to the next or previous change of any object that is shown."""
        index, visible = self.index, self._visible
        end = len(index) if by > 0 else -1
        for line in range(self.clock + by, end, by):
            subject = index.subject(line)
            if not subject or not visible[subject] or not index.is_version(line):
                continue
            if self.filter.pattern is None or line in self._hits.get(subject, ()):
                self.go_to(line)
                return True
        return False

    def next_loss(self) -> bool:
        """Go to the next GAP or damaged place, from the end back to the first one."""
        index = self.index
        places = sorted({*index.gaps, *index.damaged})
        if not places:
            return False
        at = bisect_right(places, self.clock)
        self.go_to(places[at % len(places)])
        return True

    def _judge(self) -> None:
        """Apply the filter to the objects that are new."""
        subjects, known = self.index.subjects, len(self._visible)
        if self._known == len(subjects):
            return
        self._known = len(subjects)
        self._visible.extend(
            bool(each.name)
            and self.filter.matches(each.kind, each.namespace, each.name)
            for each in subjects[known:]
        )
        shown: Iterable[int] = (n for n, seen in enumerate(self._visible) if seen)
        self._order = sorted(shown, key=self._rank)

    def _rank(self, number: int) -> tuple[bool, str, str, str]:
        each = self.index.subjects[number]
        return each.kind == "Event", each.kind, each.namespace or "", each.name

    def _search(self, until: float) -> None:
        index, pattern = self.index, self.filter.pattern
        assert pattern is not None
        for line in range(self._searched, len(index)):
            subject = index.subject(line)
            wanted = subject and self._visible[subject] and index.is_version(line)
            if wanted and pattern.search(index.raw(line)):
                self._hits.setdefault(subject, array("I")).append(line)
            self._searched = line + 1
            if line % _AT_ONCE == 0 and time.monotonic() > until:
                return
