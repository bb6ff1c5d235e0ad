"""Which objects are healthy, since when, and after which writes they still were."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

_LONG = 10.0  # seconds after which a container has survived its start


class LastHealthy(NamedTuple):
    """The last period in which an object was healthy."""

    until: float = 0.0  # its end, in seconds since the epoch
    writes: int = 0  # how many writes were made before its end
    steady: int = 0  # the same, of the last period of 10 seconds or longer


class Wellness:
    """Follows which objects are healthy, by uid."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}
        self._fine: set[str] = set()
        self._troubled: set[str] = set()
        self._last_healthy: dict[str, LastHealthy] = {}
        self._healthy_once: set[str] = set()
        self._writes = 0  # before the last look

    def note(self, uid: str, *, fine: bool) -> None:
        """Note whether an object is healthy by itself."""
        (self._fine.add if fine else self._fine.discard)(uid)

    def forget(self, uid: str) -> None:
        """Forget an object that is gone. Another one has another uid."""
        self._fine.discard(uid)
        self._since.pop(uid, None)
        self._last_healthy.pop(uid, None)
        self._healthy_once.discard(uid)

    def look(
        self, uids: Iterable[str], troubled: set[str], now: float, writes: int
    ) -> None:
        """Update the periods of *uids*, and of objects with a failure below them.

        *troubled* are all uids with such a failure, *writes* is how many were made.
        """
        for uid in dict.fromkeys((*uids, *sorted(troubled | self._troubled))):
            if uid in self._fine and uid not in troubled:
                self._since.setdefault(uid, now)
            else:
                if uid in self._since:
                    self._healthy_once.add(uid)
                last_healthy = self.last_healthy(uid, now)
                if last_healthy.until:
                    self._last_healthy[uid] = last_healthy
                self._since.pop(uid, None)
        self._troubled, self._writes = troubled, writes

    def has_been_fine(self, uid: str) -> bool:
        """Return whether an object was healthy by itself at an earlier look."""
        return uid in self._since or uid in self._healthy_once

    def last_healthy(self, uid: str, now: float) -> LastHealthy:
        """Return the last period in which an object was healthy, up to *now*."""
        known = self._last_healthy.get(uid, LastHealthy())
        since = self._since.get(uid, now)
        if since >= now:
            return known
        steady = self._writes if now - since >= _LONG else known.steady
        return LastHealthy(now, self._writes, steady)
