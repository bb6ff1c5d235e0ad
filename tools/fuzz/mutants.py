"""Mutants by number: each depends on the seed and its number alone."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from tools.fuzz.mutations import mutated
from tools.fuzz.originals import Line, every_type, files_in, lines_in, part_of


class Mutant(NamedTuple):
    """What was done to a recording, and the chance that also chooses its readers."""

    done: list[str]
    chance: Random


class Mutants:
    """Mutants of the recordings in *directory*, or of those in the tests."""

    def __init__(self, seed: int, directory: Path | None = None) -> None:
        self._seed = seed
        self._files = files_in(directory)
        self._every_type = every_type()
        self._lines = lru_cache(20)(lines_in)

    def write(self, number: int, file: Path) -> Mutant:
        """Write a mutant to *file*."""
        chance = Random(f"{self._seed}/{number}")
        raw, done = mutated(chance, self._original(chance))
        file.write_bytes(raw)
        return Mutant(done, chance)

    def _original(self, chance: Random) -> list[Line]:
        if not self._files or chance.random() < 0.2:
            return self._every_type
        return part_of(self._lines(chance.choice(self._files)), chance)
