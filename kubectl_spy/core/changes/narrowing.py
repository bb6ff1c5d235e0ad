"""Which changes to show, by who made them and what they mention."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.changes.people import PEOPLE, by_people
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON


class Narrowing(NamedTuple):
    """What a change must have to be shown. Empty, all are shown."""

    managers: frozenset[str] = frozenset()
    """Field managers, one of which likely made it. PEOPLE are all but the control
    plane."""
    pattern: re.Pattern[str] | None = None
    """What a pointer or a value of it must contain."""

    def __bool__(self) -> bool:
        return bool(self.managers) or self.pattern is not None

    def keeps(self, record: ChangeRecord) -> bool:
        """Return whether to show *record*. A GAP of a whole stream always is."""
        if record.of_stream:
            return True
        people = PEOPLE in self.managers and by_people(record)
        if self.managers and self.managers.isdisjoint(record.managers) and not people:
            return False
        search = None if self.pattern is None else self.pattern.search
        return search is None or any(search(text) for text in _texts(record))


def _texts(record: ChangeRecord) -> Iterator[str]:
    """Yield the pointers and values of *record*; of a new object all of it."""
    if record.type is ChangeType.ADDED:
        yield _text(record.document)
    for step in record.patch:
        yield step.path
        yield from map(_text, (step.old, step.value))


def _text(value: JSON) -> str:
    return value if isinstance(value, str) else dumps(value).decode("utf-8", "replace")
