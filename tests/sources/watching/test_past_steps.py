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
    assert state.action == Replay("2293", 1, 2293)


def test_where_others_write_meanwhile_it_begins_with_a_margin_that_doubles() -> None:
    state = after(PAST, Outcome(resource_version="9000"))
    asked = []
    for oldest in (2293, 2301, 2331, 2351):
        assert isinstance(state.action, Replay)
        asked.append(state.action.version)
        named = f"too old resource version: {state.action.version} ({oldest})"
        state = after(state, too_old(named))
    # It moved by 8, by 30 and by 20.
    assert asked == ["1", "2293", str(2301 + 2 * 8), str(2331 + 4 * 30)]
    assert state.action == Replay(str(2351 + 8 * 20), 4, 2351)
    came = after(state, Outcome(resource_version="9001", brought=5))
    assert came.action == Recall("2511")


def test_a_margin_is_no_reason_to_leave_out_what_was_listed() -> None:
    state = after(PAST, Outcome(resource_version="2400"))
    for oldest in (2300, 2390):
        state = after(state, too_old(f"too old resource version: 1 ({oldest})"))
    assert state.action == Replay("2400", 2, 2390)


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
