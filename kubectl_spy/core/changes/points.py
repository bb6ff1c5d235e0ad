"""Parses POINT, a moment of a recording.

seq:N    rv:X    first    last    2026-11-21T15:04:05.170250Z    15:04:05.170
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from kubectl_spy.core.times import seconds

_FRACTION = re.compile(r"\.([0-9]{1,6})[0-9]*")
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{1,6}))?")


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
class TimeOfDay:
    """A time of day, on a day of the recording."""

    hour: int
    minute: int
    second: int
    microsecond: int
    width: int
    """Microseconds that the digits leave open. Printed times are cut, not rounded."""

    def moment(
        self, began: float, ended: float, zone: tzinfo | None, *, end: bool
    ) -> Moment:
        """Return the first moment between *began* and *ended* with this time in *zone*.

        Without one it is the nearest on the days of the recording. *end* chooses the
        last microsecond that the digits leave open, otherwise it is the first. When
        clocks are set back, a time comes twice.
        """
        day, last = (
            datetime.fromtimestamp(each, zone).astimezone(zone)
            for each in (began, ended)
        )
        days = {day, day + timedelta(days=1) if last.date() > day.date() else day}
        shown = [self._on(each, zone, fold) for each in sorted(days) for fold in (0, 1)]
        # min() returns the first one within the recording.
        chosen = min(shown, key=lambda at: max(began - at[1], at[0] - ended, 0))
        return Moment(chosen[end])

    def _on(self, day: datetime, zone: tzinfo | None, fold: int) -> tuple[float, float]:
        """Return the first and last second of this time in *zone* on *day*.

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


Point = Seq | AtVersion | First | Beginning | Last | Moment | TimeOfDay


def parse_point(text: str) -> Point:
    """Return the point in *text*.

    >>> parse_point("rv:4711")
    AtVersion(resource_version='4711')

    Raises:
        ValueError: it is not a point.
    """
    kind, _, rest = text.partition(":")
    if text == "first":
        return First()
    if text == "last":
        return Last()
    if kind == "seq" and rest.isdecimal():
        return Seq(int(rest))
    if kind == "rv" and rest:
        return AtVersion(rest)
    if found := _CLOCK.fullmatch(text):
        hour, minute, second = (int(found[number]) for number in (1, 2, 3))
        digits = found[4] or ""
        return TimeOfDay(
            hour, minute, second, int(digits.ljust(6, "0")), 10 ** (6 - len(digits))
        )
    try:
        # Before Python 3.11 fromisoformat takes only three or six digits.
        return Moment(seconds(_FRACTION.sub(_six_digits, text)))
    except ValueError:
        raise ValueError(
            f'"{text}" is no point of a recording; points are seq:12, rv:4711, '
            "first, last, 15:04:05 and times as in RFC 3339"
        ) from None


def _six_digits(fraction: re.Match[str]) -> str:
    return f".{fraction[1]:0<6}"
