"""The headline of a change record."""

from __future__ import annotations

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.headlines.facts import NO_FACTS, Facts, changed, facts
from kubectl_spy.core.wording import phrases

_MOST = 5
"""The most phrases of a headline."""


class Headlines:
    """Sums up records. It keeps the facts of each object's last version."""

    def __init__(self) -> None:
        self._known: dict[str, Facts] = {}

    def of(self, record: ChangeRecord) -> str:
        """Return the headline of *record*, whose document is whole; "" for none."""
        if record.of_stream:
            return ""
        before = self._known.pop(record.identity, NO_FACTS)
        if record.gone:
            return ""
        after = facts(record.gvk.kind, record.document)
        self._known[record.identity] = after
        found = changed(before, after)
        if record.type is not ChangeType.ADDED:
            # Imported here: the first line needs no edits, and is printed sooner.
            from kubectl_spy.core.headlines.edits import edits

            found = edits(record.patch, record.document) + found
        return phrases(found, _MOST)
