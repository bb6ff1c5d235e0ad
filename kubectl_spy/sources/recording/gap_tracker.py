"""Finds out whether an object may have changed unseen before a moment.

A recorder was killed, lines are missing, the API server dropped the history of a watch,
or a list was still being read. What the object was then is not certain. A recorder that
goes on where it left off brings all versions, but later than they were written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from kubectl_spy.core.changes import lines
from kubectl_spy.core.objects import Resource
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.sources.recording.object_filter import ObjectFilter

_CATCH_UP = 5.0  # seconds after a list, until its watch has brought what it missed
_LISTS = (lines.HeaderLine, lines.StreamLine, lines.ListedLine, lines.RefusedLine)


class UnknownInterval(NamedTuple):
    """What happened between these times is not known. In seconds since the epoch."""

    since: float
    until: float | None  # None if nobody knows

    def __str__(self) -> str:
        day, clock = day_and_clock(self.since)
        until = "later" if self.until is None else _shown(self.until, day)
        return f"from {day} {clock} to {until}"

    @property
    def why(self) -> str:
        """What makes the object uncertain, in local time."""
        return f"nothing is known {self}"


class CatchingUp(UnknownInterval):
    """A watch may still have brought what changed during its list."""

    __slots__ = ()

    @property
    def why(self) -> str:
        until = "that" if self.until is None else _shown(self.until)
        return f"its watch caught up after {until}"


def _shown(time: float, day: str = "") -> str:
    """Return a local time, with its date if that is not *day*."""
    of, clock = day_and_clock(time)
    return clock if of == day else f"{of} {clock}"


class GapTracker:
    """Follows the lines about the recording up to *moment*, and a few after it."""

    def __init__(self, wanted: ObjectFilter, moment: float) -> None:
        self._wanted = wanted
        self._moment = moment
        self._streams: dict[int, Resource] = {}  # which may hold the object
        self._late: dict[int, float] = {}
        """The streams that go on where an earlier run left off, and when that was.

        What changed since then comes before their LISTED.
        """
        self._begun = 0  # the number of the line that began the last run
        self._began = 0.0  # its time
        self._listed = 0  # the number of the line that ended its first list
        self._caught_up = 0.0  # when its watch has brought what changed during that
        self._gap: tuple[int, UnknownInterval] | None = None
        self.seen = 0
        """The number of the last line about the object."""
        self._hole: tuple[int, UnknownInterval] | None = None
        self._lost_since: float | None = None

    def lose(self, since: float) -> None:
        """Note that lines are lost after one that was written at *since*."""
        if self._lost_since is None:
            self._lost_since = since

    def go_on(self, number: int, line: lines.Line) -> None:
        """Note that *line* is the next one that is not lost."""
        if self._lost_since is not None:
            self._hole = number, UnknownInterval(self._lost_since, line.time)
            self._lost_since = None

    def observe(self, number: int, line: lines.Line) -> None:
        """Take in what *line* says of the recording."""
        stream = line.stream
        if isinstance(line, lines.HeaderLine) and line.begins_run:
            self._streams.clear()
            self._late.clear()
            self._begun, self._began = number, line.time
            self._listed, self._caught_up = 0, math.inf
        elif isinstance(line, lines.StreamLine):
            for each in self._wanted.streams([line.selection]):
                self._streams[stream] = each.resource
                if line.since is not None:
                    self._late[stream] = line.since
        elif stream not in self._streams:
            return
        elif isinstance(line, lines.ListedLine | lines.RefusedLine):
            self._listed = number
            self._late.pop(stream, None)
            self._caught_up = line.time + _CATCH_UP
        elif isinstance(line, lines.StreamGap):
            self._late.pop(stream, None)
            self._gap = number, UnknownInterval(line.since, line.until)

    def _is_about(self, line: lines.Line) -> bool:
        """Return whether *line* is about the wanted object."""
        resource = self._streams.get(line.stream)
        if resource is None or not isinstance(line, lines.ObjectLine):
            return False
        return self._wanted.holds(resource, line.names[2], line.name)

    @property
    def vanished(self) -> UnknownInterval | None:
        """When the object went: a run that lists all there is did not see it."""
        lost = self._hole and self._hole[0] > self.seen
        gap = self._gap if self._gap and self._gap[0] > self._begun else None
        if gap and not lost and 0 < self.seen < self._begun < self._listed:
            return gap[1]
        return None

    def unknown(
        self, after: Iterable[lines.Line | None], version: str
    ) -> UnknownInterval | None:
        """Return what is not known of the object at the moment.

        It is known in *version*. The lines *after* the moment tell more, up to one that
        is lost: None.
        """
        if self._hole and self._hole[0] > self.seen:
            return self._hole[1]
        gap = None
        if self._gap and self._gap[0] > self.seen and not self.vanished:
            gap = self._gap[1]
        unlisted = self.seen < self._begun and not self._listed and not self._late
        changed: UnknownInterval | None = None  # by a line that was written late
        since, caught_up = gap.since if gap else self._began, self._caught_up
        if self.seen > self._listed > 0 and not gap:
            caught_up = 0.0  # a watch brings versions in order
        kind = UnknownInterval if gap or unlisted else CatchingUp
        for line in after:
            if line is None:
                break
            known, late = line.stream in self._streams, self._late.get(line.stream)
            if late and isinstance(line, lines.ListedLine) and changed:
                return changed
            if late and isinstance(line, lines.ObjectLine):
                if not self._is_about(line):
                    continue
                if line.seen.version == version:
                    changed = None  # it was written again
                elif not changed and not line.seen.initial:
                    changed = UnknownInterval(late, line.time)
            elif unlisted and (known or line.type == "RESUME"):
                listed = line.type == "RESUME" or isinstance(line, lines.ListedLine)
                if listed or self._is_about(line):
                    return UnknownInterval(since, line.time)
            elif isinstance(line, _LISTS):
                self.observe(self._begun or 1, line)
                if late or (known and math.isinf(caught_up)):
                    since, caught_up = late or since, self._caught_up
                    kind = UnknownInterval if late or gap else kind
            elif not known:
                continue
            elif isinstance(line, lines.StreamGap):
                if line.since <= self._moment:
                    return UnknownInterval(line.since, line.until)
                if not gap and line.since > caught_up:
                    return None
            elif isinstance(line, lines.ObjectLine) and self._is_about(line):
                # It may say what was so before its time.
                before = line.seen.initial or line.listed or line.inferred
                unsure = gap and (line.type == "GAP" or before)
                is_soon = line.time < caught_up
                return kind(since, line.time) if is_soon or unsure else None
            elif not gap and line.time > caught_up:
                return None
        else:
            caught_up = math.inf if unlisted else 0.0
        for late in self._late.values():
            return changed or UnknownInterval(late, None)
        return kind(since, None) if self._moment < caught_up else None
