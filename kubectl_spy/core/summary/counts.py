"""How many changes there are, by manager and field."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.patch import pointer

_GENERATIONS = {"/metadata/generation", "/status/observedGeneration"}

_KNOWN = 4096  # pointers that are cached


class Counts:
    """Counts changes. What a first list shows is none.

    Events are not counted: they would be most of the rest.
    """

    def __init__(self) -> None:
        self.managers: Counter[str] = Counter()
        self.fields: Counter[str] = Counter()
        """By pointer: at most 3 steps of it, and nothing below a list."""

    def note(self, record: ChangeRecord) -> None:
        """Take in a record."""
        if record.initial or record.of_stream or record.gvk.kind == "Event":
            return
        for manager in record.managers:  # `Counter.update` is slow for so few
            self.managers[manager] += 1
        for field in {_field(step.path) for step in record.patch} - _GENERATIONS:
            self.fields[field] += 1


def most_first(counts: dict[str, int]) -> dict[str, int]:
    """Return *counts* that are not 0, the highest first, then by name."""
    order = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return {name: count for name, count in order if count}


@lru_cache(_KNOWN)
def _field(path: str) -> str:
    kept: list[str] = []
    for token in pointer.parse(path)[:3]:
        if token.isdecimal() or token == "-":
            break
        kept.append(token)
    return pointer.join(tuple(kept))
