"""What is chosen in a review: one clock, an object and a filter. It draws nothing.

The clock is a line of the recording. Every pane shows what was known then.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kubectl_spy.core.changes.contents import Asked, counted
from kubectl_spy.core.changes.filtering import Filter
from kubectl_spy.extras.review.finder import Finder, Nearest
from kubectl_spy.sources.recording.index import Index, Subject

_CHANGED = ("MODIFIED", "DELETED", "LEFT")
_NO_FILTER = Filter()


class Kept(NamedTuple):
    """A filter that is kept, within those before it, or in place of them."""

    text: str  # as typed
    filter: Filter
    instead: bool = False


class Sought(NamedTuple):
    """A search for a failure that is under way."""

    clock: int  # a line: if the clock is moved, the search ends
    lines: Iterator[int | None]  # the failures; None if the next is not known yet
    what: str  # in the plural


class Session:
    """The state of a review of *index*."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.clock = 0  # a line
        self.subject = 0  # the object that is chosen; 0 before there is any
        self.filters: list[Kept] = []  # the latest last
        self.filter = _NO_FILTER  # all of them
        self.mark: int | None = None  # the version that others are compared with
        self._visible = bytearray()  # by subject: whether its names match
        self._order: list[int] = []
        self._ranks: list[tuple[bool, str, str, str]] = []  # by subject
        self._finder: Finder | None = None  # of the changes that the filter leaves
        self.failures = Finder(index, Filter(failing=True))
        self._known = -1
        self._referred = bytearray()
        """By subject: whether it was only recorded with what was asked for."""
        self._begun = False
        self._cached: tuple[int, int, list[int]] = (0, 0, [])

    def grow(self, patience: float) -> bool:
        """Index and search on. Return whether there is more to do."""
        index = self.index
        until = time.monotonic() + patience
        follows = index.is_live and self.is_at_end
        if not index.complete:
            index.grow(patience)
        if follows:
            self.go_to_end()
        self._judge()
        for each in self._finders.values():
            each.go_on(until)
        if not self._begun and self._order:
            self._begun, self.clock = True, self._beginning()
        self._keep_shown()
        return not (self.is_complete and self.failures.progress is None)

    def _keep_shown(self) -> None:
        """Choose the first object if the one that was chosen is hidden."""
        objects = self.objects
        if self.subject == 0 or self.subject not in objects:
            self.subject = objects[0] if objects else 0

    @property
    def is_at_end(self) -> bool:
        """Whether the clock is at the last change or behind it."""
        return self.clock >= self.index.last_version

    def go_to_end(self) -> None:
        """Set the clock to the last line."""
        self.clock = max(0, len(self.index) - 1)

    def _beginning(self) -> int:
        """Return the last line before the first change; the last line if live."""
        index = self.index
        if index.is_live:
            return len(index) - 1
        for line in range(len(index)):
            if index.type(line) in _CHANGED:
                return max(0, line - 1)
        return len(index) - 1

    @property
    def is_complete(self) -> bool:
        """Whether all is indexed and filtered."""
        filtered = self._finder is None or self._finder.progress is None
        return self.index.complete and filtered

    @property
    def _finders(self) -> dict[str, Finder]:
        """What looks at changes in the background, and what it does, in this order."""
        finders = {} if self._finder is None else {"filtering": self._finder}
        return {**finders, "finding failures": self.failures}

    @property
    def progress(self) -> str:
        """What is still going on, in two words, or ""."""
        if not self.index.complete:
            return f"indexing, {len(self.index):,} lines"
        for what, finder in self._finders.items():
            if finder.progress is not None:
                return f"{what}, {finder.progress} %"
        return ""

    def set_filter(self, typed: Filter) -> None:
        """Show only what *typed* matches, and the filters that are kept."""
        chosen = _NO_FILTER
        for each in self.filters:
            chosen = each.filter if each.instead else chosen.both(each.filter)
        chosen = chosen.both(typed)
        if chosen == self.filter:
            return
        self.filter = chosen
        self._visible, self._known = bytearray(), -1
        self._finder = Finder(self.index, chosen) if chosen.of_changes else None
        self._judge()
        self._keep_shown()

    def keep_filter(self, kept: Kept) -> None:
        """Keep a filter, which the next one narrows further."""
        if kept.filter != _NO_FILTER:
            self.filters.append(kept)
        self.set_filter(_NO_FILTER)

    def drop_filter(self) -> bool:
        """Drop the filter that was kept last. Return whether there was one."""
        dropped = bool(self.filters)
        del self.filters[-1:]
        self.set_filter(_NO_FILTER)
        return dropped

    @property
    def objects(self) -> Sequence[int]:
        """The objects to show: by kind, namespace and name, Events last."""
        if self._finder is None:
            return self._order
        return [each for each in self._order if each in self._finder.hits]

    @property
    def counted(self) -> str:
        """How many objects are shown, those that may explain them apart, as in `ls`."""
        shown, index = self.objects, self.index
        selections = [each.selection for each in index.declared]
        asked = Asked(selections)
        for number in range(len(self._referred), len(index.subjects)):
            of = index.subjects[number]
            fitting = [each for each in selections if of.may_be_in(each)]
            explains = all(asked.refers_to(each, of.namespace) for each in fitting)
            self._referred.append(explains and bool(fitting))
        return counted(len(shown), sum(map(self._referred.__getitem__, shown)))

    def versions(self, subject: int) -> Sequence[int]:
        """Return the lines of the versions of an object to show."""
        if self._finder is not None:
            return self._finder.hits.get(subject, ())
        index = self.index
        count = index.counts[subject]
        if self._cached[:2] != (subject, count):
            shown = list(filter(index.is_version, index.lines(subject)))
            self._cached = (subject, count, shown)
        return self._cached[2]

    def count_of(self, subject: int) -> int:
        """Return how many versions of an object there are to show."""
        if self._finder is not None:
            return len(self._finder.hits.get(subject, ()))
        return self.index.counts[subject]

    @property
    def hidden(self) -> tuple[int, int]:
        """How many objects and how many changes the filter hides.

        What a first list showed is no change.
        """
        index, shown = self.index, self.objects
        versions = sum(index.counts) - sum(map(self.count_of, shown))
        there = len(index.initial) - sum(map(self.is_shown, index.initial))
        everything = sum(1 for each in index.subjects if each.name)
        return everything - len(shown), versions - there

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
        end = len(self.index) if by > 0 else -1
        lines = range(self.clock + by, end, by)
        line = next(filter(self.is_shown, lines), None)
        if line is not None:
            self.go_to(line)
        return line is not None

    def is_shown(self, line: int) -> bool:
        """Return whether *line* has a change that the filters leave."""
        subject = self.index.subject(line)
        if not (subject and self._visible[subject] and self.index.is_version(line)):
            return False
        return self._finder is None or self._finder.found(line)

    def failures_from(self, by: int) -> Iterator[int | None]:
        """Yield the failures after the clock (1) or before it (-1), also hidden ones.

        Yield None as long as it is not known which is the next one.
        """
        failures, line = self.failures, self.clock
        nearest = Nearest(self.index, by)
        while True:
            found = failures.next(line, by)
            if by > 0 and found is None:
                known = self.index.complete and failures.progress is None
            else:
                known = (found if by > 0 and found else line) <= failures.sure
            if not known:
                found = nearest.look(line)
                known = found is not None or nearest.is_over
            if self._finder is not None and self._finder.progress is not None:
                known = False
            if not known:
                yield None
            elif found is None:
                return
            else:
                line = found
                yield line

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
        subjects, known = self.index.subjects, len(self._visible)
        if self._known == len(subjects):
            return
        self._known = len(subjects)
        self._visible.extend(
            bool(each.name)
            and self.filter.matches(each.kind, each.namespace, each.name)
            for each in subjects[known:]
        )
        ranks, before = self._ranks, self._order if known else []
        ranks.extend(map(_rank, subjects[len(ranks) :]))
        fresh = [n for n in range(known, len(subjects)) if self._visible[n]]
        self._order = sorted([*before, *fresh], key=ranks.__getitem__)
        for each in self._finders.values():
            among = range(1, len(subjects)) if each is self.failures else self._order
            each.look_among(among)


def _rank(each: Subject) -> tuple[bool, str, str, str]:
    return each.kind == "Event", each.kind, each.namespace or "", each.name
