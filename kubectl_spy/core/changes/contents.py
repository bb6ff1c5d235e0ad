"""What a recording holds: its objects, their changes, and its gaps."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.objects import JSON, GroupVersionKind, Selection
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import many


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


# How many changes fall into each part of a time span.

_HEIGHTS = " ▁▂▃▄▅▆▇█"


def edges(begin: float, end: float, width: int) -> list[float]:
    """Return the limits of *width* equal parts of a time span."""
    step = (end - begin) / width
    return [begin + step * part for part in range(width)] + [end]


def density(times: Sequence[float], begin: float, end: float, width: int) -> list[int]:
    """Return how many of the sorted *times* fall into each of *width* parts.

    >>> density([0, 1, 1, 4], 0, 4, 4)
    [1, 2, 0, 1]
    """
    if width < 1 or end <= begin:
        return [len(times)] * min(1, max(0, width))
    cuts = [bisect_left(times, edge) for edge in edges(begin, end, width)[:-1]]
    return [b - a for a, b in zip(cuts, [*cuts[1:], len(times)], strict=True)]


def part_of(moment: float, begin: float, end: float, width: int) -> int:
    """Return the part of the time span that *moment* falls into.

    >>> [part_of(moment, 0, 4, 4) for moment in (0, 1, 4)]
    [0, 1, 3]
    """
    if end <= begin:
        return 0
    return max(0, min(width - 1, int((moment - begin) * width / (end - begin))))


def bars(counts: Sequence[int]) -> str:
    """Return one character for each of *counts*; any but 0 is seen.

    >>> bars([0, 1, 50, 100])
    ' ▁▄█'
    """
    most = max(counts, default=0) or 1
    return "".join(_HEIGHTS[ceil(count * 8 / most)] for count in counts)


# Counts the objects that were asked for apart from those that explain them.


class Asked:
    """Separates target objects from those that were only recorded with them.

    They were recorded along with the targets, and are outside of their namespaces:
    nodes, volumes, what a target names of another namespace. Without a target, all
    nodes and volumes are among them. Without *selections*, none is.
    """

    def __init__(self, selections: Iterable[Selection]) -> None:
        self._homes = {each.namespace for each in selections if each.asked}

    def refers_to(self, selection: Selection, namespace: str | None) -> bool:
        """Return whether an object of *selection* is only referred to."""
        if selection.asked or not self._homes:
            return False
        home = namespace in self._homes or None in self._homes
        return not (namespace and home)

    def counted(self, rows: Iterable[ObjectRow], noun: str = "object") -> str:
        """Return how many objects *rows* has, as `counted` does."""
        referred = [self.refers_to(each.selection, each.namespace) for each in rows]
        return counted(len(referred), sum(referred), noun)


def counted(objects: int, referred: int, noun: str = "object") -> str:
    """Return how many of *objects* were asked for, and how many are only *referred* to.

    >>> counted(47, 12), counted(2, 1), counted(3, 0), counted(3, 3)
    ('35 objects (and 12 that may explain them)', \
'1 object (and 1 that may explain it)', '3 objects', '3 objects')
    """
    asked = objects - referred
    if not referred or not asked:
        return many(objects, noun)
    them = "it" if asked == 1 else "them"
    return f"{many(asked, noun)} (and {referred:,} that may explain {them})"
