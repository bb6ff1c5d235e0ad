"""Remembers results, and what they depend on.

A function that makes a result asks for answers, which are noted. The function is called
again only if one of these answers has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, TypeVar

from kubectl_spy.core.cluster.entry import Entry

Note = tuple[Hashable, ...]  # an answer that results depend on: `("owned", uid)`
_SHARED = 1_000  # The most shared results to keep. Above that all are dropped.


T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
S = TypeVar("S", bound="QueryCache")


class _Made(NamedTuple):
    """A result, what it depends on, and the version in which it was made."""

    made: Any
    notes: set[Note]
    version: int


class QueryCache:
    """Remembers results with the answers that they depend on."""

    def __init__(self) -> None:
        self._notes: set[Note] | None = None
        self._version = 0
        self._changed: dict[Note, int] = {}  # the version of each answer's last change
        self._made: dict[str, dict[object, _Made]] = {}  # results by uid and function
        self._shared: dict[Note, _Made] = {}
        self._checked = 0  # the version of the last check of shared results

    def once(self: S, make: Callable[[Entry, S], T], entry: Entry) -> T:
        """Return the result of *make*. Call it only if an answer has changed."""
        self._check()
        by = self._made.setdefault(entry.uid, {})
        known = by.get(make)
        if known is None or self._is_stale(known):
            known = by[make] = self._noted(
                lambda: make(entry, self), {("uid", entry.uid)}
            )
        if self._notes is not None:
            self._notes |= known.notes
        made: T = known.made
        return made

    def shared(self: S, make: Callable[[S, K], T], key: K) -> T:
        """Return the result of *make* for *key*, which many objects share.

        Results that depend on it are made again only if it differs.
        """
        note = ("shared", make, key)
        if self._notes is not None:
            self._notes.add(note)
        if note not in self._shared and len(self._shared) >= _SHARED:
            self._version += 1  # outdates every result that depends on one of them
            self._touch(self._shared)
            self._shared.clear()
        self._refresh(note)
        made: T = self._shared[note].made
        return made

    def _check(self) -> None:
        """Make the outdated shared results again, and note which of them differ."""
        if self._checked == self._version:
            return
        self._checked = self._version
        again = True
        while again:  # a shared result may depend on another one
            again = bool([note for note in list(self._shared) if self._refresh(note)])

    def _refresh(self, note: Note) -> bool:
        """Make a shared result again if it is outdated. Return whether it differs."""
        known = self._shared.get(note)
        if known is not None and not self._is_stale(known):
            return False
        _, make, key = note
        anew = self._noted(lambda: make(self, key), set())  # type: ignore[operator]
        self._shared[note] = anew
        if known is None or anew.made == known.made:
            return False
        self._touch((note,))
        return True

    def _noted(self, make: Callable[[], Any], notes: set[Note]) -> _Made:
        version = self._version
        outer, self._notes = self._notes, notes
        try:
            return _Made(make(), notes, version)
        finally:
            self._notes = outer

    def _is_stale(self, known: _Made) -> bool:
        return any(self._changed.get(note, 0) > known.version for note in known.notes)

    def _note(self, *note: Hashable) -> None:
        if self._notes is not None:
            self._notes.add(note)

    def _touch(self, notes: Iterable[Note]) -> None:
        self._changed.update(dict.fromkeys(notes, self._version))
