"""Mutants of recordings end in no traceback, and no command contradicts another.

`python -m tools.fuzz` looks at more of them, with every command.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples import part
from tools.fuzz.judging import judged
from tools.fuzz.mutants import Mutants
from tools.fuzz.readers import listening

MUTANTS = part(1000)
_PARTS = 4


@pytest.mark.parametrize("begin", range(_PARTS))
def test_mutants_are_read_alike_or_refused(
    begin: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    mutants, file = Mutants(seed=2026), tmp_path / "f.spy"
    with listening():
        for number in range(begin, MUTANTS, _PARTS):
            mutant = mutants.write(number, file)
            found = list(judged(file, mutant.chance, some=1))
            assert not found, (number, mutant.done)
