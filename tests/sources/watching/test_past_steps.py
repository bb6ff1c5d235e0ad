"""The steps between a first list and its watch that get the past."""

from __future__ import annotations

import pytest

from kubectl_spy.errors import Forbidden, RequestRefused, SpyError
from kubectl_spy.sources.watching.actions import (
    Bisect,
    List,
    Outcome,
    Recall,
    Renew,
    Replay,
    State,
    Wait,
    Watch,
)
from tests.sources.watching.test_next_step import CUT, UNKNOWN_USER, after

PAST = State(action=List(back_to=7.0))
REPLAYING = after(PAST, Outcome(resource_version="10"))


def too_old(message: str) -> Outcome:
    return Outcome(error=RequestRefused(message, status=410, reason="Expired"))


def test_the_past_is_replayed_between_the_list_and_the_watch() -> None:
    assert REPLAYING.action == Replay("1")
    came = after(REPLAYING, Outcome(resource_version="12", brought=5))
    assert came.action == Recall("1")
    assert after(came, Outcome()).action == Watch("12", 300.0)


def test_a_replay_that_brings_nothing_is_followed_by_a_watch_from_the_list() -> None:
    quiet = after(REPLAYING, Outcome(resource_version="1"), Outcome())
    assert quiet.action == Watch("10", 300.0)


def test_a_replay_begins_with_the_oldest_version_that_the_server_names() -> None:
    state = after(REPLAYING, too_old("too old resource version: 1 (2293)"))
    assert state.action == Replay("2293", 1)
    # Others write meanwhile, and the oldest version is another one.
    state = after(state, too_old("too old resource version: 2293 (2301)"))
    assert state.action == Replay("2301", 2)


def test_the_oldest_version_is_found_by_halves_where_no_number_is_named() -> None:
    state = after(PAST, Outcome(resource_version="1000"), too_old("too old"))
    asked = 0
    while isinstance(state.action, Bisect):
        middle = (state.action.lost + state.action.kept) // 2
        state = after(state, too_old("gone") if middle < 617 else Outcome())
        asked += 1
    assert state.action == Replay("617", 1)
    assert asked <= 10


@pytest.mark.parametrize(
    "refusal",
    [
        Forbidden("may not watch", status=403),
        RequestRefused("no", status=404),
        RequestRefused("what is a watch", status=400),
    ],
)
def test_without_a_past_the_watch_begins_as_ever(refusal: SpyError) -> None:
    state = after(REPLAYING, Outcome(error=refusal))
    assert state.action == Recall(reason=refusal.message)
    assert after(state, Outcome()).action == Watch("10", 300.0)


def test_a_replay_that_breaks_off_is_tried_again_and_then_left() -> None:
    state, waited = REPLAYING, 0.0
    for _ in range(4):
        state = after(state, Outcome(error=CUT))
        assert isinstance(state.action, Wait)
        waited += state.action.seconds
        state = after(state, Outcome())
        assert isinstance(state.action, Replay)
    assert waited > 5
    assert after(state, Outcome(error=CUT)).action == Recall(reason=CUT.message)


def test_horizons_that_run_away_are_left() -> None:
    state = REPLAYING
    while isinstance(state.action, Replay):
        number = state.action.tries + 100
        state = after(state, too_old(f"too old resource version: 1 ({number})"))
    assert state.action == Recall(reason="too old resource version: 1 (104)")


def test_a_replay_with_old_credentials_renews_them() -> None:
    state = after(REPLAYING, Outcome(error=UNKNOWN_USER))
    assert state.action == Renew()
    assert after(state, Outcome()).action == Replay("1")
