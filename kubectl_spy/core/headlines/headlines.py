"""The headline of a change record."""

from __future__ import annotations

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.headlines.edits import edits
from kubectl_spy.core.headlines.facts import NO_FACTS, Facts, changed, facts
from kubectl_spy.core.wording import both_ends, first_few

_MOST = 5
"""The most phrases of a headline."""
_LONGEST = 200
"""Characters of a phrase."""


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
        phrases = changed(before, after)
        if record.type is not ChangeType.ADDED:
            phrases = edits(record.patch) + phrases
        return " · ".join(
            both_ends(each, _LONGEST) for each in first_few(phrases, _MOST)
        )
