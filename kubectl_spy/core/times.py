"""Times in seconds since the epoch, and in RFC 3339."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from functools import lru_cache

_YEAR_9999 = 253_370_764_800  # its first second; later times overflow in some zones

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_UNITS |= {"d": 86_400.0, "min": 60.0}  # which Go does not know
_PART = r"([0-9]{1,18}(?:\.[0-9]{1,18})?)(d|h|ms|us|ns|min|m|s)"
_KNOWN = 4096  # times that are cached: each version of an object repeats most of them
_FRACTION = r"\.([0-9]{1,6})[0-9]*"


def parse_duration(text: str) -> float:
    """Return the seconds of a Go duration without a sign, `1h30m`, or of `1d`, `15min`.

    https://pkg.go.dev/time#ParseDuration

    >>> parse_duration("1h30m"), parse_duration("1.5s"), parse_duration("1d15min")
    (5400.0, 1.5, 87300.0)

    Raises ValueError if it is not a duration.
    """
    parts = re.findall(_PART, text)
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if not parts or "".join(map("".join, parts)) != text:
        raise ValueError(f"{text} is no duration")
    return seconds


def showable(time: float) -> float:
    """Return *time*, or the nearest time that every time zone can show.

    Times of objects are checked when they are parsed, but sums of them are not.
    """
    return min(max(time, 0.0), _YEAR_9999 - 1.0)


def rfc3339(time: float) -> str:
    """Return *time*, in seconds since the epoch, in RFC 3339: UTC, microseconds."""
    moment = datetime.fromtimestamp(showable(time), timezone.utc)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def seconds(text: str) -> float:
    """Return the RFC 3339 time *text* in seconds since the epoch.

    >>> seconds(rfc3339(1700000000.170250)), seconds("1970-01-01T00:00:01.5Z")
    (1700000000.17025, 1.5)

    Raises ValueError if it is not a time, or some time zone cannot show it.
    """
    fraction = text[20:26]
    if text[26:] == "Z" and fraction.isdecimal() and fraction.isascii():
        # As lines have it. Many are of one second, which is parsed once.
        whole = int(_parsed(f"{text[:20]}000000Z"))
        return (whole * 1_000_000 + int(fraction)) / 1_000_000
    return _parsed(text)


@lru_cache(_KNOWN)
def _parsed(text: str) -> float:
    # Before Python 3.11 fromisoformat does not know "Z".
    text = text.replace("Z", "+00:00")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = _with_fraction(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    time = moment.timestamp()
    if not 0 <= time < _YEAR_9999:
        raise ValueError(f"{text} is no time of a recording")
    return time


@lru_cache(_KNOWN)
def time_of(text: str) -> float | None:
    """Return the RFC 3339 time *text* in seconds since the epoch, or None."""
    try:
        return seconds(text)
    except ValueError:
        return None


def _with_fraction(text: str) -> datetime:
    """Return a time that fromisoformat may not know."""
    try:
        # Before Python 3.11 it takes only three or six digits of a second.
        digits = re.sub(_FRACTION, lambda found: f".{found[1]:0<6}", text)
        return datetime.fromisoformat(digits)
    except ValueError:
        raise ValueError(f"{text[:40]!r} is no time") from None


def http_date(text: str) -> float:
    """Return the date of an HTTP header in seconds since the epoch.

    Raises ValueError if it is not a date. RFC 9110, section 5.6.7.
    """
    from email.utils import parsedate_to_datetime  # this import is slow

    try:
        moment = parsedate_to_datetime(text)
        if moment.tzinfo is None:  # -0000 is UTC without a place: RFC 5322, 3.3
            moment = moment.replace(tzinfo=timezone.utc)
        return moment.timestamp()
    except (TypeError, LookupError, OverflowError, OSError):
        raise ValueError(f"{text[:40]!r} is no date") from None
