"""How often to look at what fails: not at each record."""

from __future__ import annotations

_EVERY, _AT_LEAST_EVERY = 1.0, 10.0  # seconds between two looks
_MANY, _RECORDS = 100, 2
"""A look that makes so many diagnoses is worth so many records for each, so that the
time that looks take stays in proportion to the records."""


class Pace:
    """Says when to look again, by the clock of the records and their number."""

    def __init__(self) -> None:
        self.last: float | None = None  # the time of the last look
        self._records = 0  # since then
        self._enough = 0  # how many are worth the next one

    def count(self) -> None:
        """Count a record."""
        self._records += 1

    def is_due(self, time: float) -> bool:
        """Return whether to look at *time*, after the first look."""
        if self.last is None or time - self.last < _EVERY:
            return False
        return self._records >= self._enough or time - self.last >= _AT_LEAST_EVERY

    def looked(self, time: float, made: int) -> None:
        """Note a look at *time* that *made* so many diagnoses."""
        self.last, self._records = time, 0
        self._enough = _RECORDS * made if made >= _MANY else 0
