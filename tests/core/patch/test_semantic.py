"""What `diff -o semantic` finds, in an order that is the same in each run."""

from __future__ import annotations

import os
import sys

from tests.processes import run

PROGRAM = """
from kubectl_spy.core.patch.semantic import semantic_changes
before = [{"a": n, "b": "old"} for n in range(3)]
after = [{"a": n, "b": "new"} for n in range(7, 10)]
print([step[:2] for step in semantic_changes(before, after)])
"""


def test_what_went_comes_before_what_came_in_each_run() -> None:
    told = {
        run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(1, 5)
    }
    places = [(op, f"/{n}") for n in range(3) for op in ("remove", "add")]
    assert told == {f"{places}\n"}
