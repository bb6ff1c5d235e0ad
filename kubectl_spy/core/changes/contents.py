"""What a recording holds: its objects, their changes, and its gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.objects import JSON, GroupVersionKind, Selection
from kubectl_spy.core.times import rfc3339


@dataclass(slots=True)
class ObjectRow:
    """One object of a recording. A new object under an old name is the same row."""

    gvk: GroupVersionKind
    namespace: str | None
    name: str
    selection: Selection  # that of its first record
    first: float  # when it was first seen, in seconds since the epoch
    last: float = 0.0  # the time of its last record
    changes: int = 0  # How often it changed. Its state in a first list is not a change.
    managers: Counter[str] = field(default_factory=Counter)
    """How many changes each field manager likely made."""
    uids: set[str] = field(default_factory=set)
    gone: bool = False  # whether it was deleted, or left its selection

    def note(self, record: ChangeRecord) -> None:
        """Take in a record of the object."""
        self.last = record.time
        self.gone = record.gone
        self.uids.add(record.uid)
        if not record.initial:
            self.changes += 1
            for manager in record.managers:  # `Counter.update` is slow for so few
                self.managers[manager] += 1

    def as_json(self) -> dict[str, JSON]:
        """Return the row as a JSON object."""
        line: dict[str, JSON] = {
            "apiVersion": self.gvk.api_version,
            "kind": self.gvk.kind,
            "name": self.name,
            "uids": sorted(self.uids),
            "first": rfc3339(self.first),
            "last": rfc3339(self.last),
            "changes": self.changes,
            "managers": dict(self.managers.most_common()),
            "gone": self.gone,
        }
        if self.namespace:
            line["namespace"] = self.namespace
        return line


SORTS: dict[str, Callable[[ObjectRow], tuple[object, ...]]] = {
    "changes": lambda row: (-row.changes, -row.last),
    "time": lambda row: (-row.last,),
    "name": lambda row: (),
}
"""The keys by which rows are sorted: most changes, latest, or names first."""


class Contents:
    """The objects of a recording, from its records in order."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str, str | None, str], ObjectRow] = {}
        self.gaps: list[ChangeRecord] = []
        self.late = 0
        """The changes that were made at some time before that of their record."""

    def note(self, record: ChangeRecord) -> None:
        """Take in a record."""
        if record.type is ChangeType.GAP:
            self.gaps.append(record)
        elif record.listed:
            self.late += 1
        if record.of_stream:
            return
        key = record.gvk.group, record.gvk.kind, record.namespace, record.name
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = ObjectRow(
                *(record.gvk, record.namespace, record.name),
                *(record.selection, record.time),
            )
        row.note(record)

    def rows(self, sort: str) -> list[ObjectRow]:
        """Return the objects. *sort* is one of SORTS."""
        named = sorted(
            self._rows.values(),
            key=lambda row: (row.gvk.printed, row.namespace or "", row.name),
        )
        return sorted(named, key=SORTS[sort])
