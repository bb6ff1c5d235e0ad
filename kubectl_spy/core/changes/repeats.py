"""Leaves out the versions that a recorder wrote again after a kill.

A recorder resumes from the last resourceVersion that is noted as delivered. It may have
sent later versions, too: these come twice. Before they come again, the first list shows
the objects as they were before these versions.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

_REMEMBERED = 20_000  # changes; some 1,000 a second are sent, and noted each second


class VersionKey(NamedTuple):
    """Which version of which object a line shows, and whether the object is gone."""

    identity: str
    version: str
    initial: bool
    gone: bool


class Repeats:
    """Remembers the last 20,000 versions of a recording."""

    def __init__(self) -> None:
        self._recent: deque[VersionKey] = deque(maxlen=_REMEMBERED)
        """Not in `_versions` yet. Few recordings have a stream that is resumed."""
        self._versions: OrderedDict[VersionKey, None] = OrderedDict()
        self._gone: OrderedDict[str, None] = OrderedDict()

    def note(self, seen: VersionKey) -> None:
        """Remember a version."""
        if not seen.initial:
            self._recent.append(seen)

    def note_again(self, seen: VersionKey) -> bool:
        """Remember a version. Return whether it came before."""
        while self._recent:
            self._remember(self._recent.popleft())
        return not seen.initial and self._remember(seen)

    def _remember(self, seen: VersionKey) -> bool:
        if seen in self._versions:
            return True
        self._versions[seen] = None
        if seen.gone:
            self._gone[seen.identity] = None
        for known in (self._versions, self._gone):
            if len(known) > _REMEMBERED:
                known.popitem(last=False)
        return False

    def knew(self, identity: str) -> bool:
        """Return whether an object was deleted a short time ago."""
        return identity in self._gone


class CatchingUp(Generic[T]):
    """Passes on the new versions of a stream that first repeats known versions.

    *last* has the last known version of each object, by identity. An older version of
    an object is held back until its last known version or a new one comes.
    """

    def __init__(self, last: Mapping[str, str]) -> None:
        self._last = dict(last)
        self._held: dict[str, T] = {}

    def last(self, versions: Mapping[str, str]) -> dict[str, str]:
        """Return the last versions so far; *versions* are those of the last lines."""
        passed = {each: versions[each] for each in versions.keys() - self._held.keys()}
        return {**self._last, **passed}

    def passed(
        self, item: T, seen: VersionKey, repeats: Repeats
    ) -> Iterator[tuple[T, bool]]:
        """Yield *item*, unless it came before, and what was held back for it.

        An item comes with True if its version was there before this run.
        """
        identity = seen.identity
        last = self._last.get(identity)
        held = self._held.pop(identity, None)
        came_before = repeats.note_again(seen)
        if seen.gone and came_before:
            return
        if seen.initial or came_before:
            current = seen.version == last
            if current or (last is None and not repeats.knew(identity)):
                yield item, True
            else:
                self._held[identity] = item
            return
        if held is not None:
            yield held, True
        if seen.gone:
            self._last.pop(identity, None)
        yield item, False

    def rest(self) -> list[T]:
        """Return the versions that are still held back."""
        held = list(self._held.values())
        self._held.clear()
        return held
