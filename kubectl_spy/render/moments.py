"""Times and durations for people."""

from __future__ import annotations

from datetime import datetime, tzinfo
from math import ceil

from kubectl_spy.core.times import showable


def local(time: float, zone: tzinfo | None = None) -> datetime:
    """Return *time* (seconds since the epoch) in *zone*; None is the local one."""
    return datetime.fromtimestamp(showable(time), zone)


def clock(time: float, zone: tzinfo | None = None) -> str:
    """Return the time of day, with milliseconds."""
    return day_and_clock(time, zone)[1]


def day_and_clock(time: float, zone: tzinfo | None = None) -> tuple[str, str]:
    """Return the date, and the time of day with milliseconds."""
    # Takes a tenth of the time of strftime, on each line of a busy stream.
    text = local(time, zone).isoformat("T", "milliseconds")
    return text[:10], text[11:23]


def at_latest(time: float, unit: float = 1.0) -> float:
    """Return *time* as it is printed of a bound: rounded up, as a clock rounds down.

    >>> at_latest(7.2), at_latest(7.0)
    (8.0, 7.0)
    """
    return ceil(round(time / unit, 3)) * unit


def offset(time: float, zone: tzinfo | None = None) -> str:
    """Return the offset of *zone* from UTC at *time*, as in RFC 3339.

    >>> from datetime import timedelta, timezone
    >>> offset(0, timezone.utc), offset(0, timezone(timedelta(hours=-3.5)))
    ('Z', '-03:30')
    """
    ahead = f"{local(time, zone).astimezone(zone):%z}"
    return "Z" if ahead == "+0000" else f"{ahead[:3]}:{ahead[3:5]}"


def known_clock(time: float, zone: tzinfo | None) -> str:
    """Return the time of day in 12 columns, without milliseconds if it has none."""
    shown = clock(time, zone)
    return f"{shown[:8]:<12}" if time.is_integer() else shown


def duration(seconds: float) -> str:
    """Return *seconds* with two significant digits, or in two units.

    >>> [duration(s) for s in (0.047, 1.24, 42, 184, 7500, 280000)]
    ['47ms', '1.2s', '42s', '3m04s', '2h05m', '3d05h']
    """
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f}ms"
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    if whole < 86400:
        return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
    return f"{whole // 86400}d{whole % 86400 // 3600:02d}h"
