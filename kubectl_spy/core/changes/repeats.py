"""Leaves out the versions that a recorder wrote again after a kill.

A recorder resumes from the last resourceVersion that is noted as delivered. It may have
sent later versions, too: these come twice. Before they come again, the first list shows
the objects as they were before these versions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType

_REMEMBERED = 20_000  # changes; some 1,000 a second are sent, and noted each second


class Repeats:
    """Knows the last versions of a recording."""

    def __init__(self) -> None:
        self._versions: OrderedDict[tuple[str, str, bool], None] = OrderedDict()
        self._gone: OrderedDict[str, None] = OrderedDict()

    def note(self, record: ChangeRecord) -> bool:
        """Remember the version of *record*. Return whether it came before."""
        if record.initial:
            return False
        key = record.identity, record.resource_version, record.gone
        if key in self._versions:
            return True
        self._versions[key] = None
        if record.gone:
            self._gone[record.identity] = None
        for known in (self._versions, self._gone):
            if len(known) > _REMEMBERED:
                known.popitem(last=False)
        return False

    def knew(self, record: ChangeRecord) -> bool:
        """Return whether the object of *record* was deleted a short time ago."""
        return record.identity in self._gone


class CatchingUp:
    """Passes on the new versions of a stream that first repeats known versions.

    *last* has the last known version of each object, by identity. An older version of
    an object is held back until its last known version or a new one comes.
    """

    def __init__(self, last: Mapping[str, str]) -> None:
        self._last = dict(last)
        self._held: dict[str, ChangeRecord] = {}

    def last(self, versions: Mapping[str, str]) -> dict[str, str]:
        """Return the last versions so far; *versions* are those of the last lines."""
        passed = {each: versions[each] for each in versions.keys() - self._held.keys()}
        return {**self._last, **passed}

    def passed(self, record: ChangeRecord, repeats: Repeats) -> Iterator[ChangeRecord]:
        """Yield *record*, unless it came before, and what was held back for it."""
        identity = record.identity
        last = self._last.get(identity)
        held = self._held.pop(identity, None)
        came_before = repeats.note(record)
        if record.gone and came_before:
            return
        if record.initial or came_before:
            current = record.resource_version == last
            if current or (last is None and not repeats.knew(record)):
                yield _as_listed(record)
            else:
                self._held[identity] = _as_listed(record)
            return
        if held is not None:
            yield held._replace(time=record.time)
        if record.gone:
            self._last.pop(identity, None)
        yield record

    def rest(self, time: float) -> Iterator[ChangeRecord]:
        """Yield what is still held back."""
        for record in self._held.values():
            yield record._replace(time=time)
        self._held.clear()


def _as_listed(record: ChangeRecord) -> ChangeRecord:
    return record._replace(
        type=ChangeType.ADDED,
        initial=True,
        listed=False,
        previous=None,
        managers=(),
        patch=(),
    )
