"""Computes when a CronJob runs next, by the grammar of its controller.

The controller uses robfig/cron v3, `ParseStandard`: five fields or a descriptor. Python
libraries differ from it. Here Sunday is 0 and never 7, `5/15` means from 5 to the end,
`?` means `*`, and there are no seconds, no `L` and no `#`.
https://pkg.go.dev/github.com/robfig/cron/v3#hdr-CRON_Expression_Format
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from kubectl_spy.core.times import parse_duration

_MONTHS = re.findall("...", "janfebmaraprmayjunjulaugsepoctnovdec")
_WEEKDAYS = re.findall("...", "sunmontuewedthufrisat")
_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_LONGEST = 2**63 / 1e9  # seconds of the longest duration in Go: 292 years
_YEARS = 5  # the years that the controller looks ahead for a run


class CronSchedule(NamedTuple):
    """The times that a schedule names, or the seconds between two runs."""

    minutes: frozenset[int] = frozenset()
    hours: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()
    months: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()  # 0 is Sunday
    both_days: bool = True  # whether a day must be in *days* and *weekdays*, or in one
    every: float = 0.0  # the seconds of `@every 1h30m`, or 0

    def on(self, day: date) -> bool:
        """Return whether it runs on *day*."""
        if day.month not in self.months:
            return False
        of_month = day.day in self.days
        of_week = day.isoweekday() % 7 in self.weekdays
        return of_month and of_week if self.both_days else of_month or of_week


def parse_schedule(text: str) -> CronSchedule:
    """Return the schedule in *text*.

    >>> sorted(parse_schedule("5/20 * * * *").minutes)
    [5, 25, 45]

    Raises ValueError if the controller would not accept it. The message says why.
    """
    if text.startswith("@every "):
        seconds = parse_duration(text.removeprefix("@every "))
        if seconds >= _LONGEST:
            raise ValueError(f"{text} is too long")
        return CronSchedule(every=max(float(int(seconds)), 1.0))
    if text.startswith("@"):
        if text not in _DESCRIPTORS:
            raise ValueError(f"{text} is not one of {', '.join(_DESCRIPTORS)}")
        text = _DESCRIPTORS[text]
    fields = text.split()
    if len(fields) != 5:
        raise ValueError("it does not have five fields")
    minute, hour, day, month, weekday = fields
    days, any_day = _field(day, 1, 31, "day of the month")
    weekdays, any_weekday = _field(weekday, 0, 6, "day of the week", _WEEKDAYS)
    return CronSchedule(
        minutes=_field(minute, 0, 59, "minute")[0],
        hours=_field(hour, 0, 23, "hour")[0],
        days=days,
        months=_field(month, 1, 12, "month", _MONTHS)[0],
        weekdays=weekdays,
        both_days=any_day or any_weekday,
    )


def next_run(schedule: CronSchedule, after: float, zone: tzinfo) -> float | None:
    """Return the first run of *schedule* after *after*, or None if there is none.

    Both are in seconds since the epoch. As in the controller, a time that clocks skip
    has no run, and a time that they repeat has two.
    """
    now = datetime.fromtimestamp(after, timezone.utc)
    today = now.astimezone(zone).date()
    for ahead in range(_YEARS * 366):
        day = today + timedelta(days=ahead)
        if schedule.on(day) and (found := _first(schedule, day, now, zone)):
            return found.timestamp()
    return None


def time_zone(name: str) -> tzinfo | None:
    """Return the time zone *name*, or None if this machine does not know it."""
    try:
        return ZoneInfo(name) if name else timezone.utc
    except (LookupError, ValueError, OSError):  # "Mars/Base", "../x", "Europe"
        return None


def _first(
    schedule: CronSchedule, day: date, now: datetime, zone: tzinfo
) -> datetime | None:
    local_now = now.astimezone(zone)
    for hour in sorted(schedule.hours):
        # When clocks are set back, one hour comes twice.
        if day == local_now.date() and hour < local_now.hour - 1:
            continue
        runs = [
            run
            for minute in sorted(schedule.minutes)
            for run in _runs(datetime.combine(day, time(hour, minute)), zone)
            if run > now
        ]
        if runs:
            return min(runs)
    return None


def _runs(wall: datetime, zone: tzinfo) -> Iterator[datetime]:
    """Yield the times at which clocks in *zone* show *wall*: none, one or two."""
    for fold in (0, 1):
        run = wall.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc)
        shown = run.astimezone(zone)
        if shown.replace(tzinfo=None, fold=0) == wall and shown.fold == fold:
            yield run


def _field(
    text: str, lowest: int, highest: int, what: str, names: list[str] | None = None
) -> tuple[frozenset[int], bool]:
    """Return the numbers in a field, and whether it is a plain `*`."""
    numbers: set[int] = set()
    star = False
    for part in filter(None, text.split(",")):
        span, slash, step = part.partition("/")
        low, dash, high = span.partition("-")
        if low in ("*", "?"):
            first, last = lowest, highest
            star = star or step in ("", "1")
        else:
            first = _number(low, lowest, what, names)
            last = _number(high, lowest, what, names) if dash else first
            if slash and not dash:
                last = highest
        stride = _number(step, 0, what, None) if slash else 1
        if not (lowest <= first <= last <= highest) or stride < 1:
            raise ValueError(f"{part} is no {what} from {lowest} to {highest}")
        numbers.update(range(first, last + 1, stride))
    if not numbers:
        raise ValueError(f"{text} names no {what}")
    return frozenset(numbers), star


def _number(text: str, lowest: int, what: str, names: list[str] | None) -> int:
    if names and text.lower() in names:
        return names.index(text.lower()) + lowest
    if not re.fullmatch(r"[0-9]{1,4}", text):
        raise ValueError(f"{text or 'nothing'} is no {what}")
    return int(text)
