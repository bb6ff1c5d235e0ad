"""Parses POINT, a moment of a recording.

seq:N    rv:X    first    last    first+30s    last-5m    +30s    -5m
15:04    15:04:05.170    2026-11-21T15:04    2026-11-21T15:04:05.170250Z
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone, tzinfo

from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item
from kubectl_spy.core.times import parse_duration, seconds

_CLOCK = re.compile(
    r"(?:(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})[T ])?(?P<hour>[01]?[0-9]|2[0-3])"
    r":(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9])(?:\.(?P<digits>[0-9]{1,6}))?)?"
    r"(?P<zone>Z| ?UTC|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PARTS = ("hour", "minute", "second")
_OFFSET = re.compile(r"(first(?=\+)|last(?=-)|)([+-].+)")


@dataclass(frozen=True, slots=True)
class Seq:
    """After line *seq* of the recording."""

    seq: int


@dataclass(frozen=True, slots=True)
class AtVersion:
    """When an object had this resourceVersion."""

    resource_version: str


@dataclass(frozen=True, slots=True)
class First:
    """The first version of an object."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The beginning of the recording, with the objects of its first lists."""


@dataclass(frozen=True, slots=True)
class Last:
    """At the end."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A time, in seconds since the epoch."""

    time: float


@dataclass(frozen=True, slots=True)
class Offset:
    """A time so many seconds after the beginning, or before the end."""

    seconds: float
    before_end: bool

    def moment(self, began: float, ended: float) -> Moment:
        """Return the moment in a recording from *began* to *ended*."""
        return Moment(ended - self.seconds if self.before_end else began + self.seconds)


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """A time of day, on *day* or else on a day of the recording."""

    hour: int
    minute: int
    second: int
    microsecond: int
    width: int
    """Microseconds that the digits leave open. Printed times are cut, not rounded."""
    day: date | None = None  # its date, if one was given
    zone: tzinfo | None = None  # its zone, if one was given

    def moment(
        self, began: float, ended: float, zone: tzinfo | None, *, end: bool
    ) -> Moment:
        """Return the first moment between *began* and *ended* with this time in *zone*.

        Without one it is the nearest on the days of the recording. *end* chooses the
        last microsecond that the digits leave open, otherwise it is the first. When
        clocks are set back, a time comes twice. Its own zone counts more than *zone*.
        """
        zone = self.zone or zone
        day, last = (
            datetime.fromtimestamp(each, zone).astimezone(zone)
            for each in (began, ended)
        )
        days = {day, day + timedelta(days=1) if last.date() > day.date() else day}
        if self.day is not None:
            days = {datetime(self.day.year, self.day.month, self.day.day)}
        shown = [self._on(each, zone, fold) for each in sorted(days) for fold in (0, 1)]
        # min() returns the first one within the recording.
        chosen = min(shown, key=lambda at: max(began - at[1], at[0] - ended, 0))
        return Moment(chosen[end])

    def _on(self, day: datetime, zone: tzinfo | None, fold: int) -> tuple[float, float]:
        """Return when this time of *day* begins and ends, in seconds since the epoch.

        *fold* 1 is the second time, if it comes twice.
        """
        local = datetime(
            day.year,
            day.month,
            day.day,
            self.hour,
            self.minute,
            self.second,
            self.microsecond,
            tzinfo=zone,
            fold=fold,
        ).timestamp()
        return round(local, 6), round(local + (self.width - 1) / 1e6, 6)


Point = Seq | AtVersion | First | Beginning | Last | Moment | TimeOfDay | Offset


def parse_point(text: str) -> Point:
    """Return the point in *text*. Raises ValueError if it is not a point."""
    kind, _, rest = text.partition(":")
    if text == "first":
        return First()
    if text == "last":
        return Last()
    if kind == "seq" and rest.isdecimal():
        return Seq(int(rest))
    if kind == "rv" and rest:
        return AtVersion(rest)
    try:
        if found := _OFFSET.fullmatch(text):
            sign, duration = found[2][0], found[2][1:]
            return Offset(parse_duration(duration), before_end=sign == "-")
        if _DATE.fullmatch(text) and (midnight := _CLOCK.fullmatch(f"{text} 00:00")):
            return replace(_clock(midnight), width=86_400_000_000)
        with suppress(ValueError):
            return Moment(seconds(text))
        if found := _CLOCK.fullmatch(text):
            return _clock(found)
        raise ValueError
    except ValueError:
        raise ValueError(
            f'"{text}" is no point of a recording; points are seq:12, rv:4711, '
            "first, last, 15:04:05, last-5m, first+30s and times as in RFC 3339"
        ) from None


def is_after(item: Item | Aside, point: Point) -> bool:
    """Return whether *item* came after *point*, a Seq or a Moment."""
    if isinstance(point, Seq):
        return isinstance(item, ChangeRecord) and item.seq > point.seq
    return isinstance(point, Moment) and item.time > point.time


def _clock(found: re.Match[str]) -> TimeOfDay:
    """Return the time of day in *found*. Raises ValueError if there is no such date."""
    hour, minute, second = (int(found[each] or 0) for each in _PARTS)
    digits = found["digits"] or ""
    width = 60_000_000 if found["second"] is None else 10 ** (6 - len(digits))
    day = date.fromisoformat(found["date"]) if found["date"] else None
    if day is not None and not 1970 <= day.year <= 9998:
        raise ValueError(f"{day.year} is no year of a recording")
    zone = _zone(found["zone"].strip()) if found["zone"] else None
    return TimeOfDay(hour, minute, second, int(digits.ljust(6, "0")), width, day, zone)


def _zone(text: str) -> tzinfo:
    if text in ("Z", "UTC"):
        return timezone.utc
    ahead = timedelta(hours=int(text[1:3]), minutes=int(text[4:]))
    return timezone(-ahead if text[0] == "-" else ahead)
