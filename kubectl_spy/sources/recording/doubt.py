"""Finds out whether an object may have changed unseen before a moment.

A recorder was killed, lines are missing, the API server dropped the history of a watch,
or a list was still being read. What the object was then is not certain. A recorder that
goes on where it left off brings all versions, but later than they were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from kubectl_spy.core.changes.line_reading import decode, selection_of
from kubectl_spy.core.changes.lines import BadLine, begins_run
from kubectl_spy.core.objects import Resource
from kubectl_spy.core.times import rfc3339, seconds
from kubectl_spy.sources.recording.raw_lines import RawLine
from kubectl_spy.sources.recording.wanted import Wanted

_CATCH_UP = 5.0  # seconds after a list, until its watch has brought what it missed
_EARLIER = {"initial", "listed", "inferred"}  # members: it was so before its time
_BEGINS = re.compile(rb'\{"seq":([0-9]{1,18}),"time":"([^"]{27})"')
_OF_OBJECT = re.compile(
    _BEGINS.pattern + rb',"type":"(ADDED|MODIFIED|DELETED|LEFT|SNAPSHOT)"'
)


class Doubt(NamedTuple):
    """What happened between these times, as lines have them, is not known."""

    since: str
    until: str  # "" if nobody knows

    def __str__(self) -> str:
        return f"from {self.since} to {self.until or 'later'}"


class Certainty:
    """Follows the lines about the recording up to *moment*, and a few after it."""

    def __init__(self, wanted: Wanted, moment: str) -> None:
        self._wanted = wanted
        self._moment = moment
        self._streams: dict[int, Resource] = {}  # which may hold the object
        self._late: dict[int, str] = {}
        """The streams that go on where an earlier run left off, and when that was.

        What changed since then comes before their LISTED.
        """
        self._begun = 0  # the number of the line that began the last run
        self._began = ""  # its time
        self._listed = 0  # the number of the line that ended its first list
        self._caught_up = ""  # when its watch has brought what changed during that
        self._gap: tuple[int, Doubt] | None = None
        self.seen = 0
        """The number of the last line about the object."""
        self._raw = b""  # the line before
        self._hole: tuple[int, Doubt] | None = None

    def observe(self, number: int, line: dict[str, Any]) -> None:
        """Note *line*, which is not about an object."""
        kind, stream = line["type"], _number(line)
        if begins_run(kind, line["seq"]):
            self._streams.clear()
            self._late.clear()
            self._begun, self._began = number, line["time"]
            self._listed, self._caught_up = 0, "~"
        elif kind == "STREAM" and stream >= 0:
            with suppress(BadLine):
                for each in self._wanted.streams([selection_of(line)]):
                    self._streams[stream] = each.resource
                    if "since" in line:
                        self._late[stream] = str(line["since"])
        elif stream not in self._streams:
            return
        elif kind in ("LISTED", "REFUSED"):
            self._listed = number
            self._late.pop(stream, None)
            with suppress(ValueError):
                self._caught_up = rfc3339(seconds(line["time"]) + _CATCH_UP)
        elif kind == "GAP":
            self._late.pop(stream, None)
            self._gap = number, Doubt(str(line["since"]), str(line["until"]))

    @property
    def vanished(self) -> Doubt | None:
        """When the object went: a run that lists all there is did not see it."""
        lost = self._hole and self._hole[0] > self.seen
        gap = self._gap if self._gap and self._gap[0] > self._begun else None
        if gap and not lost and 0 < self.seen < self._begun < self._listed:
            return gap[1]
        return None

    def following(self, lines: Iterable[RawLine]) -> Iterator[RawLine]:
        """Yield *lines*, and note where some are missing between them."""
        number = seq = 0
        for place in lines:
            raw, step = place.raw, 1 + place.skipped
            number += step
            seq += step
            if not raw.startswith(b'{"seq":%d,' % seq):
                seq = self._jump(number, place, seq)
            self._raw = raw
            yield place

    def _jump(self, number: int, place: RawLine, expected: int) -> int:
        """Return the number of a line that does not come next."""
        found = _BEGINS.match(place.raw)
        seq = begun = int(found[1]) if found else 0  # it is damaged
        with suppress(BadLine):
            line = decode(place.raw)
            noted = line.get("after") if line["type"] == "RESUME" else None
            if type(noted) is int:
                begun = noted + 1
        if self._raw and (begun > expected or not seq):
            self._hole = number, Doubt(_time(self._raw), _time(place.raw))
        return seq

    def doubt(self, after: Iterable[RawLine], version: str) -> Doubt | None:
        """Return what is not known of the object at the moment.

        It is known in *version*. The lines *after* the moment tell more.
        """
        if self._hole and self._hole[0] > self.seen:
            return self._hole[1]
        hole, gap = self._hole, None
        if self._gap and self._gap[0] > self.seen and not self.vanished:
            gap = self._gap[1]
        unlisted = self.seen < self._begun and not self._listed and not self._late
        changed: Doubt | None = None  # by a line that was written late
        since, caught_up = gap.since if gap else self._began, self._caught_up
        for place in after:
            if self._hole is not hole:
                break
            if self._late and self._is_of_another(place.raw):
                continue
            try:
                line = decode(place.raw)
            except BadLine:
                break
            kind, time = line["type"], line["time"]
            stream = self._streams.get(_number(line))
            late = self._late.get(_number(line))
            if late and kind == "LISTED" and changed:
                return changed
            if late and line.get("name"):
                if not self._is_about(line, stream):
                    continue
                if line.get("resourceVersion") == version:
                    changed = None  # it was written again
                elif not changed and not line.get("initial"):
                    changed = Doubt(late, time)
            elif unlisted and (stream or kind == "RESUME"):
                if kind in ("RESUME", "LISTED") or self._is_about(line, stream):
                    return Doubt(since, time)
            elif kind in ("HEADER", "RESUME", "STREAM", "LISTED", "REFUSED"):
                self.observe(self._begun or 1, line)
                if late or (stream and caught_up == "~"):
                    since, caught_up = late or since, self._caught_up
            elif not stream:
                continue
            elif kind == "GAP" and not line.get("name"):
                if line["since"] <= self._moment:
                    return Doubt(line["since"], line["until"])
                if not gap and line["since"] > caught_up:
                    return None
            elif self._is_about(line, stream):
                earlier = kind == "GAP" or _EARLIER & line.keys()
                unsure = time < caught_up or (gap and earlier)
                return Doubt(since, time) if unsure else None
            elif not gap and time > caught_up:
                return None
        else:
            caught_up = "~" if unlisted else ""
        for late in self._late.values():
            return changed or Doubt(late, "")
        return Doubt(since, "") if self._moment < caught_up else None

    def _is_of_another(self, raw: bytes) -> bool:
        """Return whether a line is about another object. It need not be parsed."""
        names = self._wanted.names
        return bool(names and _OF_OBJECT.match(raw)) and not any(
            name in raw for name in names
        )

    def _is_about(self, line: dict[str, Any], resource: Resource | None) -> bool:
        name = str(line.get("name"))
        return resource is not None and self._wanted.holds(
            resource, line.get("namespace"), name
        )


def _time(raw: bytes) -> str:
    found = _BEGINS.match(raw)
    return found[2].decode(errors="replace") if found else ""


def _number(line: dict[str, Any]) -> int:
    number = line.get("stream")
    return number if type(number) is int else -1
