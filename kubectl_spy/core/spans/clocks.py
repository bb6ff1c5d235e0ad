"""Whose clock a time is by, and how those of a cluster become ours.

What is seen to happen is dated by when it was seen: to the millisecond, one clock for
all objects. What was over before is dated by what objects say of themselves: by the
clock of whoever wrote it, to the second, as most times of the API are. Spans that began
then and end while we look have both. Two clocks that agree within seconds are taken as
one; where they do not, the difference is known from what was seen to happen and says
when it did: the least of those, as what is seen late only adds to it (RFC 5905, §10).
"""

from __future__ import annotations

from typing import NamedTuple

_AHEAD = -2.0
"""Seconds that the cluster's clock may be ahead and still be the same."""
_BEHIND = 60.0
"""Seconds that it may be behind: or what was seen had waited on its way."""


class Instant(NamedTuple):
    """A point in time."""

    time: float
    """Seconds since the epoch."""
    seen: float | None = None
    """When somebody else's *time* was read here; None is a time of ours."""


class Clocks:
    """Turns times into ours."""

    def __init__(self) -> None:
        self._least: float | None = None

    def compare(self, said: float, seen: float) -> None:
        """Know of what happened when it was *seen*, and *said* by the cluster."""
        difference = seen - said
        if self._least is None or difference < self._least:
            self._least = difference

    @property
    def difference(self) -> float:
        """Seconds to add to the cluster's times."""
        if self._least is None or _AHEAD <= self._least <= _BEHIND:
            return 0.0
        return self._least

    def ours(self, instant: Instant) -> float:
        """Return *instant* by our clock: not later than when it was known."""
        if instant.seen is None:
            return instant.time
        return max(min(instant.time + self.difference, instant.seen), 0.0)
