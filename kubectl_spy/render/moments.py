"""Times as people read them."""

from __future__ import annotations

from datetime import datetime, tzinfo


def clock(time: float, zone: tzinfo | None, *, date: bool = False) -> str:
    """Return the time of day with milliseconds; None for *zone* means local time."""
    moment = datetime.fromtimestamp(time, zone)
    text = f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}"
    return f"{moment:%Y-%m-%d} {text}" if date else text


def day(time: float, zone: tzinfo | None) -> int:
    """Return the number of the day that *time* falls on."""
    return datetime.fromtimestamp(time, zone).toordinal()


def duration(seconds: float) -> str:
    """Return *seconds* to two places of what matters.

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
