"""Whose clock a time is by, and how those of a cluster become ours.

What is seen to happen is dated by when it was seen: to the millisecond, one clock for
all objects. What was over before is dated by what objects say of themselves: by the
clock of whoever wrote it, to the second, as most times of the API are. Spans that began
then and end while we look have both. Two clocks that agree within seconds are taken as
one; where they do not, the difference is known from what was seen to happen and says
when it did: the least of those, as what is seen late only adds to it (RFC 5905, §10).
That the cluster's clock is behind takes two of them that agree, a second apart: of what
waited on its way, all comes at once.

What a list shows after a lost connection was not seen to happen. It is dated by what it
says, if that is since the connection was lost, and else by when it was found.
"""

from __future__ import annotations

from bisect import insort
from typing import NamedTuple

SLACK = 0.25
"""Seconds by which one stream may run ahead of another."""
_AHEAD = -2.0
"""Seconds that the cluster's clock may be ahead and still be the same."""
_BEHIND = 60.0
"""Seconds that it may be behind: or what was seen had waited on its way."""
_ALIKE, _APART = 2.0, 1.0
"""Seconds by which two differences agree, and by which both are seen apart."""
_KEPT = 50
_WHOLE = 1.0
"""Seconds that a time of whole seconds may be later than it says."""


class Instant(NamedTuple):
    """A point in time."""

    time: float
    """Seconds since the epoch."""
    seen: float | None = None
    """When somebody else's *time* was read here; None is a time of ours."""
    since: float | None = None
    """From when on it must have been: until then we had looked."""

    @property
    def past(self) -> bool:
        """Whether it was before anybody looked."""
        return self.seen is not None and self.since is None


class Clocks:
    """Turns times into ours."""

    def __init__(self) -> None:
        self._least: list[tuple[float, float]] = []
        """The differences that are least, and when they were seen."""
        self._settled: float | None = None

    def compare(self, said: float, seen: float) -> None:
        """Know of what happened when it was *seen*, and *said* by the cluster."""
        insort(self._least, (seen - said, seen))
        del self._least[_KEPT:]

    def settle(self) -> None:
        """Stay with the difference, once it is known: times were told by it."""
        difference = self.difference
        if self._least and (difference or self._least[0][0] <= _BEHIND):
            self._settled = difference

    @property
    def difference(self) -> float:
        """Seconds to add to the cluster's times."""
        if self._settled is not None:
            return self._settled
        if not self._least or _AHEAD <= self._least[0][0] <= _BEHIND:
            return 0.0
        least, at = self._least[0]
        agreed = any(
            each - least <= _ALIKE and abs(seen - at) >= _APART
            for each, seen in self._least
        )
        return least if agreed or least < 0 else 0.0

    def ours(self, instant: Instant) -> float:
        """Return *instant* by our clock: not later than when it was known."""
        if instant.seen is None:
            return instant.time
        time = max(min(instant.time + self.difference, instant.seen), 0.0)
        if instant.since is None:
            return time
        if time + _WHOLE < instant.since:
            return instant.seen  # it tells of something that was known before
        return max(time, min(instant.since, instant.seen))
