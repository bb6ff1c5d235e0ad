"""Times of the cluster, converted to ours.

Whatever happens while we watch is dated by our clock: one clock for all objects, to the
millisecond. What happened before is dated by the times in the objects: by the clock of
their writer, and mostly to the second. A span that began before and ends while we watch
has one time of each.

Clocks that agree within seconds count as one. Otherwise the difference is the least one
between the time in an object and the time at which we saw it, because delays only add
to it (RFC 5905, §10). A cluster's clock counts as behind ours only if two differences
agree that were seen a second apart: a connection that stalls delivers all at once.

A list after a lost connection shows what nobody saw. It is dated by its own times if
they are later than the loss, and otherwise by the time of the list.
"""

from __future__ import annotations

from bisect import insort

from kubectl_spy.core.cluster.clocks import Instant

SLACK = 0.25  # seconds by which one stream may run ahead of another
WHOLE_SECOND = 1.0  # seconds by which a time of whole seconds may be too early
# Clocks whose difference lies between these count as one. The upper limit is larger,
# because watch events may arrive late.
_AHEAD, _BEHIND = -2.0, 60.0  # seconds
_AGREE, _APART = 2.0, 1.0
"""A difference is confirmed by another one within _AGREE seconds of it, if the two were
measured at least _APART seconds apart."""
_KEPT = 50


class Clocks:
    """Converts instants to times by our clock."""

    def __init__(self) -> None:
        self._least: list[tuple[float, float]] = []
        """The least differences, each with the time at which it was seen."""
        self._fixed = False
        self.difference = 0.0
        """Seconds to add to the cluster's times."""

    def compare(self, reported: float, observed: float) -> None:
        """Compare the clocks by a time of the cluster, and when we observed it."""
        insort(self._least, (observed - reported, observed))
        del self._least[_KEPT:]
        if not self._fixed:
            self.difference = self._agreed()

    def fix(self) -> None:
        """Keep the current difference: ids and times of emitted spans depend on it."""
        if self._least and (self.difference or self._least[0][0] <= _BEHIND):
            self._fixed = True

    def _agreed(self) -> float:
        least, at = self._least[0]
        if _AHEAD <= least <= _BEHIND:
            return 0.0
        agreed = any(
            each - least <= _AGREE and abs(observed - at) >= _APART
            for each, observed in self._least
        )
        return least if agreed or least < 0 else 0.0

    def local(self, instant: Instant) -> float:
        """Return the time of *instant* by our clock, not later than we read it."""
        if instant.read_at is None:
            return instant.time
        time = max(min(instant.time + self.difference, instant.read_at), 0.0)
        if instant.lost_at is None:
            return time
        if time + WHOLE_SECOND < instant.lost_at:
            return instant.read_at  # it dates something that was known before
        return max(time, min(instant.lost_at, instant.read_at))

    def latest(self, instant: Instant) -> float:
        """Return the latest time, by our clock, at which *instant* may have been."""
        whole = instant.read_at is not None and instant.time.is_integer()
        return self.local(instant) + (WHOLE_SECOND if whole else SLACK)
