"""Which objects are well, since when, and which writes they have outlived."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

_LONG = 10.0  # seconds after which a container has outlived its start


class Outlived(NamedTuple):
    """The last time at which an object was well."""

    until: float = 0.0
    writes: int = 0  # the number of writes before the last look at it in that time
    steady: int = 0  # the same, of the last time that was long


class Wellness:
    """Follows which objects are well, by uid."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}
        self._fine: set[str] = set()
        self._troubled: set[str] = set()
        self._outlived: dict[str, Outlived] = {}
        self._outlived_once: set[str] = set()
        self._writes = 0  # before the last look

    def note(self, uid: str, *, fine: bool) -> None:
        """Note whether an object is well by itself."""
        (self._fine.add if fine else self._fine.discard)(uid)

    def forget(self, uid: str) -> None:
        """Forget an object that is gone. Another one has another uid."""
        self._fine.discard(uid)
        self._since.pop(uid, None)
        self._outlived.pop(uid, None)
        self._outlived_once.discard(uid)

    def look(
        self, uids: Iterable[str], troubled: set[str], now: float, writes: int
    ) -> None:
        """Note that below *troubled* objects something fails, and nowhere else.

        *uids* are those of which something was noted.
        """
        for uid in dict.fromkeys((*uids, *sorted(troubled | self._troubled))):
            if uid in self._fine and uid not in troubled:
                self._since.setdefault(uid, now)
            else:
                if uid in self._since:
                    self._outlived_once.add(uid)
                outlived = self.outlived(uid, now)
                if outlived.until:
                    self._outlived[uid] = outlived
                self._since.pop(uid, None)
        self._troubled, self._writes = troubled, writes

    def has_been_fine(self, uid: str) -> bool:
        """Return whether an object was well by itself at an earlier look."""
        return uid in self._since or uid in self._outlived_once

    def outlived(self, uid: str, now: float) -> Outlived:
        """Return the last time at which an object was well, up to *now*."""
        known = self._outlived.get(uid, Outlived())
        since = self._since.get(uid, now)
        if since >= now:
            return known
        steady = self._writes if now - since >= _LONG else known.steady
        return Outlived(now, self._writes, steady)
