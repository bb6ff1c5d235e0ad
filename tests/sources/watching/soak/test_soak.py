"""Whatever goes wrong, the records are what happened, or a GAP admits a loss.

Each run follows 1,000 schedules, and CI follows 10,000 at night. `--schedules 1000000`
follows more, and `--schedule SEED` follows one, to look into a failure.
"""

from __future__ import annotations

import pytest

from kubectl_spy.core.past.together import together
from tests.sources.watching.soak.conduct import judge_conduct
from tests.sources.watching.soak.driver import Run, run
from tests.sources.watching.soak.judge import Judge

PARTS = 20


def follow(seed: int) -> None:
    """Run the schedule of *seed* and judge it. Each fourth begins with its past."""
    done = run(seed, past=seed % 4 == 3)
    Judge(done).judge()
    judge_conduct(done)


@pytest.mark.parametrize("part", range(PARTS))
def test_records_equal_history_except_for_gaps(
    part: int, request: pytest.FixtureRequest
) -> None:
    option = request.config.getoption
    seeds = range(part, option("--schedules"), PARTS)
    if option("--schedule") is not None:
        seeds = range(option("--schedule"), option("--schedule") + (part == 0))
    for seed in seeds:
        try:
            follow(seed)
        except Exception as error:
            again = f"pytest tests/sources/watching/soak --schedule {seed}"
            raise AssertionError(again) from error


@pytest.mark.parametrize("seed", range(5))
def test_a_schedule_is_the_same_each_time(seed: int) -> None:
    first, second = run(seed, past=seed == 3), run(seed, past=seed == 3)
    assert first.requests == second.requests
    assert _events(first) == _events(second)
    assert first.said == second.said


def _events(done: Run) -> list[str]:
    """Return all events, with those of the past in its place."""
    return [
        str(each)
        for step in done.steps
        for each in (together([step.event.past]) if step.event.past else [step.event])
    ]
