"""Times in seconds since the epoch, and in RFC 3339."""

from __future__ import annotations

from datetime import datetime, timezone

_YEAR_9999 = 253_370_764_800
"""The first time, in seconds since the epoch, that Python cannot show."""


def showable(time: float) -> float:
    """Return *time*, or the nearest time that Python can show.

    Times of objects are checked when they are parsed, but sums of them are not.

    >>> showable(-1.0), showable(float("inf")) == showable(1e12)
    (0.0, True)
    """
    return min(max(time, 0.0), _YEAR_9999 - 1.0)


def rfc3339(time: float) -> str:
    """Return *time*, in seconds since the epoch, in RFC 3339, UTC, with microseconds.

    >>> rfc3339(0)
    '1970-01-01T00:00:00.000000Z'
    """
    moment = datetime.fromtimestamp(showable(time), timezone.utc)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def seconds(text: str) -> float:
    """Return the RFC 3339 time *text* in seconds since the epoch.

    >>> seconds(rfc3339(1700000000.170250))
    1700000000.17025

    Raises:
        ValueError: it is not a time, or Python cannot show it.
    """
    # Before Python 3.11 fromisoformat does not know "Z".
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    time = moment.timestamp()
    if not 0 <= time < _YEAR_9999:
        raise ValueError(f"{text} is no time of a recording")
    return time
