"""How long the first picture waits for lists that do not come."""

from __future__ import annotations

import time

_PATIENCE = 3.0
"""Seconds after which what is there is shown, though not all is listed yet."""


class Patience:
    """Ends when it has waited for long enough; *live* is by the clock of now."""

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._began: float | None = time.monotonic() if live else None

    def over(self, recorded: float, *, listed: bool) -> bool:
        """Return whether to wait no longer; *recorded* is what time it is in records.

        While what was asked for itself is not *listed* there is nothing to show: what
        nobody has answered would seem not to be there.
        """
        now = time.monotonic() if self._live else recorded
        if self._began is None:
            self._began = now
        return listed and now - self._began > _PATIENCE
