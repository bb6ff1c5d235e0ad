"""Fields that go back and forth between two values, and who writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from kubectl_spy.core.changes.managers import CONTROLLERS
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.references import controller_of
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.operation import PatchOperation

_ENOUGH = 3  # returns to the first value
_CONDITION = "condition"
_STATUS = re.compile(r"/status/conditions/[0-9]+/status")
_MOST = 100_000  # the most fields to follow


@dataclass(slots=True)
class Flap:
    """A field that goes from A to B and back to A."""

    record: ChangeRecord  # the last change of it
    pointer: str
    label: str  # names the list elements on its path
    values: tuple[JSON, JSON]
    first: float
    last: float
    forth: float  # when it last left its first value
    moves: int = 1
    managers: dict[str, None] = field(default_factory=dict)

    @property
    def is_fight(self) -> bool:
        """Whether several managers write it against each other."""
        return len(self.managers) > 1 and not self.pointer.startswith("/status/")

    @property
    def returns(self) -> int:
        """How often it came back to its first value."""
        return self.moves // 2

    @property
    def period(self) -> float:
        """The mean of the seconds from A to B, back, and to B again.

        The time in A and that in B differ, so only whole periods count.
        """
        return (self.forth - self.first) / max((self.moves - 1) // 2, 1)


class Flaps:
    """Follows the fields of objects outside of status, and their conditions."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], Flap] = {}
        self._over: dict[tuple[str, str, str], Flap] = {}

    def observe(self, record: ChangeRecord) -> None:
        """Take in a change."""
        for step in record.patch:
            place = _place(step.path, step.label)
            if place == _CONDITION or (
                place and _is_plain(step) and not _is_by_controller(record)
            ):
                self._move(record, step)

    def _move(self, record: ChangeRecord, step: PatchOperation) -> None:
        place = step.label if step.path.startswith("/status/") else step.path
        key = record.identity, place, step.label
        flap = self._known.get(key)
        if (
            flap is None
            or flap.values[flap.moves % 2] != step.old
            or (flap.values[(flap.moves + 1) % 2] != step.value)
        ):
            if flap is not None and flap.returns >= _ENOUGH:
                self._over[key] = flap
            if flap is None and len(self._known) >= _MOST:
                return
            values, at = (step.old, step.value), record.time
            flap = Flap(record, step.path, step.label, values, at, at, at)
            self._known[key] = flap
        else:
            flap.moves += 1
            flap.forth = record.time if flap.moves % 2 else flap.forth
        flap.record, flap.last = record, record.time
        flap.managers.update(dict.fromkeys(record.managers))

    def found(self) -> list[Flap]:
        """Return what went back and forth, the most often first."""
        every = self._over | {
            key: flap for key, flap in self._known.items() if flap.returns >= _ENOUGH
        }
        return sorted(
            every.values(),
            key=lambda each: (
                -each.returns,
                each.first,
                each.record.name,
                each.pointer,
            ),
        )


def _is_by_controller(record: ChangeRecord) -> bool:
    by = set(record.managers)
    return by <= CONTROLLERS and bool(controller_of(record.document))


@lru_cache(4096)  # few paths differ
def _place(path: str, label: str) -> str:
    """Return what is followed at *path*: a condition, a field, or nothing ("")."""
    if path.startswith("/status/"):
        same = label == "type=ContainersReady"  # as Ready, if there is no gate
        return _CONDITION if _STATUS.fullmatch(path) and not same else ""
    return "" if path.startswith("/metadata/generation") else "field"


def _is_plain(step: PatchOperation) -> bool:
    return not isinstance(step.old, dict | list) and not isinstance(
        step.value, dict | list
    )
