"""An hour of each failure, by a clock that only the test moves: requests are rare."""

from __future__ import annotations

import pytest

from kubectl_spy.errors import (
    ConnectionFailed,
    Forbidden,
    RequestRefused,
    SpyError,
    Unauthenticated,
)
from kubectl_spy.sources.watching.actions import (
    List,
    Outcome,
    Renew,
    State,
    Stop,
    Verify,
    Wait,
    Watch,
)
from kubectl_spy.sources.watching.next_step import step

HOUR = 3600.0
AT_ONCE = 5
"""Requests without a pause, while a failure begins."""
GONE = RequestRefused("too old resource version", status=410, reason="Expired")
LARGE = RequestRefused("Too large resource version: 10, current: 3", status=504)
NEW: Outcome = Outcome(resource_version="10")
FAILURES: dict[str, SpyError] = {
    "refused": ConnectionFailed("refused"),
    "401": Unauthenticated("who are you", status=401),
    "403": Forbidden("no", status=403),
    "404": RequestRefused("not found", status=404),
    "410": GONE,
    "429": RequestRefused("busy", status=429),
    "429, Retry-After 1": RequestRefused("busy", status=429, retry_after=1),
    "429, Retry-After 86400": RequestRefused("busy", status=429, retry_after=86400),
    "500": RequestRefused("error", status=500),
    "504": RequestRefused("timeout", status=504),
    "504 of a restored cluster": LARGE,
}
Faults = dict[type, Outcome]


def ways() -> dict[str, Faults]:
    """Return how each request may fail, alone and together; others do well."""
    found: dict[str, Faults] = {}
    for name, error in FAILURES.items():
        for took in (0.01, 0.99, 1.01, 5.0):
            failed = Outcome(took=took, unanswered=took, error=error)
            broken = Outcome(took=took, error=error)
            found |= {
                f"watch: {name} after {took} s": {Watch: failed},
                f"in a watch: {name} after {took} s": {Watch: broken},
                f"verify: {name} after {took} s": {Watch: Outcome(), Verify: failed},
                f"all: {name} after {took} s": {
                    Watch: failed,
                    List: failed,
                    Verify: failed,
                },
            }
    for took in (0.0, 0.99, 1.01, 1.99, 2.01):
        ended = Outcome(resource_version="10", brought=1, took=took)
        found |= {
            f"empty after {took} s": {Watch: Outcome(took=took)},
            f"the same again after {took} s": {Watch: ended},
        }
    return found


WAYS = ways()


@pytest.mark.parametrize("random", [0.0, 0.999])
@pytest.mark.parametrize("way", WAYS)
def test_failing_requests_are_one_a_second_at_most(way: str, random: float) -> None:
    state = State()
    for good in (NEW, Outcome(resource_version="10", brought=1, took=1)):
        state = step(state, good, random=random)
    now, asked = 0.0, []
    while now < HOUR:
        action = state.action
        assert not isinstance(action, Stop)
        outcome = Outcome()
        if isinstance(action, Wait):
            outcome = Outcome(took=action.seconds)
        elif not isinstance(action, Renew):
            asked.append(now)
            good = NEW if isinstance(action, List) else Outcome(took=0.01)
            outcome = WAYS[way].get(type(action), good)
        now += outcome.took
        state = step(state, outcome, random=random)
        assert len(asked) <= AT_ONCE + now, (way, asked[-10:])
    assert len(asked) > HOUR / 90
