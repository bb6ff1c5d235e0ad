"""The rules of listing and watching, against a clock that only the test moves."""

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

CUT = ConnectionFailed("the stream broke off")
EXPIRED = RequestRefused("too old resource version", status=410, reason="Expired")
UNKNOWN_USER = Unauthenticated("who are you", status=401)


def after(state: State, *outcomes: Outcome) -> State:
    for outcome in outcomes:
        state = step(state, outcome, random=0.0)
    return state


LISTED = after(State(), Outcome(resource_version="10"))
WATCHING = after(LISTED, Outcome(resource_version="10", brought=1, took=1))


def test_a_list_is_followed_by_a_watch_from_its_version() -> None:
    assert LISTED.action == Watch("10", 300.0)
    assert LISTED.say is None


def test_the_length_of_a_watch_is_random() -> None:
    state = step(State(), Outcome(resource_version="10"), random=0.5)
    assert state.action == Watch("10", 450.0)


def test_a_clean_end_is_resumed_at_once_from_the_last_version() -> None:
    state = after(WATCHING, Outcome(resource_version="17", brought=3, took=300))
    assert (state.action, state.say) == (Watch("17", 300.0), None)


def test_a_connection_that_worked_and_broke_is_resumed_quietly() -> None:
    cut = Outcome(resource_version="12", brought=1, took=0.1, error=CUT)
    state = after(WATCHING, cut)
    assert (state.action, state.say) == (Watch("12", 300.0), None)


def test_after_a_night_asleep_the_old_version_is_tried_first() -> None:
    state = after(WATCHING, Outcome(took=30_000, error=CUT))
    assert state.action == Watch("10", 300.0)


def test_history_that_is_gone_is_admitted_and_listed_again() -> None:
    last = Outcome(resource_version="12", brought=1, contact=50, took=9)
    gone = after(after(WATCHING, last), Outcome(error=EXPIRED, took=0.01))
    assert gone.action == List(since=50, lost=True)
    again = after(gone, Outcome(resource_version="99"))
    assert again.action == Watch("99", 300.0)
    assert "missed" in str(again.say)


def test_history_that_goes_again_and_again_is_no_hot_loop() -> None:
    state, requests, waited = WATCHING, 0, 0.0
    while requests < 20:
        if isinstance(state.action, Wait):
            waited += state.action.seconds
            state = after(state, Outcome())
        else:
            requests += 1
            failed = isinstance(state.action, Watch)
            state = after(
                state, Outcome(resource_version="1", error=EXPIRED if failed else None)
            )
    assert waited >= requests


@pytest.mark.parametrize("error", [None, CUT])
def test_watches_that_bring_nothing_new_are_no_hot_loop(error: SpyError | None) -> None:
    same = Outcome(resource_version="10", brought=1, took=0.01, error=error)
    state, requests, waited = WATCHING, 0, 0.0
    while requests < 20:
        if isinstance(state.action, Wait):
            waited += state.action.seconds
            state = after(state, Outcome())
        elif isinstance(state.action, Watch):
            requests += 1
            state = after(state, same)
        else:
            state = after(state, Outcome())
    assert waited >= requests


def test_a_watch_without_a_place_to_resume_from_is_followed_by_a_list() -> None:
    begun = after(State(), Outcome(contact=5))
    assert begun.action == Watch("", 300.0)
    present = Outcome(brought=1, contact=65, took=60)
    assert after(begun, present).action == List(since=65)
    assert after(begun, present._replace(error=CUT)).action == List(since=65)
    moved = after(begun, present._replace(resource_version="12"))
    assert moved.action == Watch("12", 300.0)


@pytest.mark.parametrize(
    "error",
    [
        ConnectionFailed("refused"),
        RequestRefused("busy", status=503),
        Forbidden("no", status=403),
        RequestRefused("no such thing", status=404),
    ],
)
def test_while_requests_fail_there_is_at_most_one_a_second(error: SpyError) -> None:
    state, requests, waited = WATCHING, 0, 0.0
    for _ in range(60):
        if isinstance(state.action, Wait):
            waited += state.action.seconds
            state = after(state, Outcome())
        else:
            requests += 1
            state = after(state, Outcome(error=error))
    assert requests > 10
    assert waited >= requests
    assert state.resource_version == "10"


def test_waiting_doubles_up_to_half_a_minute() -> None:
    state, waits = WATCHING, []
    for _ in range(8):
        state = after(state, Outcome(error=ConnectionFailed("refused")))
        assert isinstance(state.action, Wait)
        waits.append(state.action.seconds)
        state = after(state, Outcome())
    assert waits == [0.8, 1.6, 3.2, 6.4, 12.8, 15.0, 15.0, 15.0]
    longest = step(state, Outcome(error=CUT), random=0.999)
    assert isinstance(longest.action, Wait) and longest.action.seconds < 30


@pytest.mark.parametrize(("asked", "granted"), [(1, 1), (7, 7), (86400, 60)])
def test_retry_after_is_obeyed_within_bounds(asked: float, granted: float) -> None:
    error = RequestRefused("slow down", status=429, retry_after=asked)
    state = after(WATCHING, Outcome(error=error))
    assert isinstance(state.action, Wait) and state.action.seconds == granted


def test_a_failure_is_told_once_and_so_is_its_end() -> None:
    refused = Outcome(error=ConnectionFailed("connection refused"))
    first = after(WATCHING, refused)
    assert str(first.say) == "connection lost: connection refused; trying again in 1 s"
    second = after(first, Outcome(), refused)
    assert second.say is None
    well = after(second, Outcome(), Outcome(resource_version="11", brought=1, took=1))
    assert str(well.say) == "watching again"
    assert well.failures == 0


def test_silence_is_resumed_without_a_word_after_asking() -> None:
    asked = after(WATCHING, Outcome(took=70))
    assert asked.action == Verify("10")
    state = after(asked, Outcome())
    assert (state.action, state.say) == (Watch("10", 300.0), None)


def test_before_a_silent_version_is_compacted_there_is_a_quiet_list() -> None:
    state, now, lists = WATCHING, 0.0, []
    while now < 500:
        if isinstance(state.action, Watch):
            now += 70
            state = after(state, Outcome(took=70))
        elif isinstance(state.action, List):
            lists.append((now, state.action.lost))
            state = after(state, Outcome(resource_version="10"))
        else:
            state = after(state, Outcome())
        assert state.say is None
    assert lists == [(210, False), (420, False)]


def test_events_count_from_their_arrival() -> None:
    """The link may have died a moment later: silence is no sign that nothing was."""
    last = Outcome(
        resource_version="12", brought=1, contact=50, took=130, quiet=100, error=CUT
    )
    state = after(WATCHING, last, Outcome(took=70), Outcome(took=10))
    assert state.action == List(since=50)


def test_a_version_from_the_future_is_found_out() -> None:
    future = RequestRefused("too large resource version", status=504, reason="Timeout")
    asked = after(WATCHING, Outcome(took=2.0))
    assert asked.action == Verify("10")
    assert after(asked, Outcome(error=future)).action == List(since=0.0, lost=True)


def test_an_overloaded_proxy_is_not_taken_for_a_version_from_the_future() -> None:
    asked = after(WATCHING, Outcome(took=2.0))
    busy = RequestRefused("the server answered 504 with a web page", status=504)
    state = after(asked, Outcome(error=busy))
    assert isinstance(state.action, Wait)
    asked = after(state, Outcome())
    assert asked.action == Verify("10", outage=True)
    assert after(asked, Outcome()).action == Watch("10", 300.0)


def test_after_an_outage_a_watch_is_resumed_however_long_nothing_came() -> None:
    """The connection died before it, maybe: a list would show only what is left."""
    asked = after(WATCHING, Outcome(took=70))
    assert isinstance(asked.action, Verify)
    lost = Outcome(error=ConnectionFailed("no route"))
    state = after(asked, lost, Outcome(took=600), Outcome())
    assert state.action == Watch("10", 300.0)


def test_a_watch_that_ends_at_once_with_nothing_is_put_off() -> None:
    state = after(WATCHING, Outcome(took=0.01))
    assert isinstance(state.action, Wait)
    assert after(state, Outcome()).action == Verify("10")


def test_credentials_are_read_again_once_before_anything_is_said() -> None:
    state = after(WATCHING, Outcome(error=UNKNOWN_USER))
    assert (state.action, state.say) == (Renew(), None)
    state = after(state, Outcome())
    assert state.action == Watch("10", 300.0)
    state = after(state, Outcome(error=UNKNOWN_USER))
    assert isinstance(state.action, Wait) and "who are you" in str(state.say)


def test_credentials_are_read_again_after_each_wait() -> None:
    """Somebody may have logged in again meanwhile."""
    unknown = Outcome(error=UNKNOWN_USER)
    state = after(WATCHING, unknown, Outcome(), unknown)
    assert isinstance(state.action, Wait)
    assert after(state, Outcome(), unknown).action == Renew()
    failed = after(state, Outcome(), unknown, Outcome(error=ConnectionFailed("plugin")))
    assert isinstance(failed.action, Wait)


def test_renewed_credentials_may_expire_and_be_renewed_again() -> None:
    state = after(WATCHING, Outcome(error=UNKNOWN_USER), Outcome())
    state = after(state, Outcome(resource_version="11", brought=1, took=600))
    assert after(state, Outcome(error=UNKNOWN_USER)).action == Renew()


@pytest.mark.parametrize(
    "error",
    [
        ConnectionFailed("refused"),
        Forbidden("no", status=403),
        RequestRefused("no such thing", status=404),
        RequestRefused("bad selector", status=400),
    ],
)
def test_a_refused_first_list_ends(error: SpyError) -> None:
    assert after(State(), Outcome(error=error)).action == Stop(error)


@pytest.mark.parametrize("status", [400, 403, 404, 405])
def test_a_refused_first_watch_ends(status: int) -> None:
    error = RequestRefused("no", status=status)
    assert after(LISTED, Outcome(error=error)).action == Stop(error)
    assert isinstance(after(WATCHING, Outcome(error=error)).action, Wait)
    assert isinstance(after(LISTED, Outcome(error=CUT)).action, Wait)


def test_history_that_went_during_an_outage_is_listed_without_waiting_longer() -> None:
    refused = Outcome(error=ConnectionFailed("refused"))
    state = after(WATCHING, *[refused, Outcome()] * 8)
    assert after(state, Outcome(error=EXPIRED)).action == List(since=0.0, lost=True)


def test_unknown_credentials_at_the_start_are_renewed_once() -> None:
    state = after(State(), Outcome(error=UNKNOWN_USER))
    assert state.action == Renew()
    state = after(state, Outcome(), Outcome(error=UNKNOWN_USER))
    assert state.action == Stop(UNKNOWN_USER)


@pytest.mark.parametrize("status", [429, 500, 503, 504])
def test_a_busy_server_at_the_start_is_waited_for(status: int) -> None:
    state = after(State(), Outcome(error=RequestRefused("busy", status=status)))
    assert isinstance(state.action, Wait)
    assert after(state, Outcome()).action == List()
    listed = after(state, Outcome(), Outcome(resource_version="10"))
    assert str(listed.say) == "watching"


def test_a_failure_within_a_relist_keeps_what_the_list_is_for() -> None:
    lost = WATCHING._replace(action=List(since=5.0, lost=True))
    state = after(lost, Outcome(error=ConnectionFailed("refused")), Outcome())
    assert state.action == List(since=5.0, lost=True)


def test_a_request_that_nobody_answers_is_no_watch_that_worked() -> None:
    timeout = ConnectionFailed("took the request but did not answer in time")
    state = after(WATCHING, Outcome(took=70, unanswered=70, error=timeout))
    assert isinstance(state.action, Wait) and "did not answer" in str(state.say)
    refused = Forbidden("no", status=403)
    slowly = Outcome(took=5, unanswered=5, error=refused)
    assert after(LISTED, slowly).action == Stop(refused)


def test_a_server_that_ends_each_watch_at_once_is_told_of() -> None:
    nothing = Outcome(took=0.01)
    once = after(WATCHING, nothing)
    assert once.say is None
    twice = after(once, Outcome(), Outcome(), nothing)
    assert str(twice.say) == (
        "connection lost: the server ends each watch at once; trying again in 2 s"
    )


def test_before_a_version_is_compacted_there_is_a_list_whoever_ends_watches() -> None:
    state, lists = WATCHING, 0
    for _ in range(12):
        watching = isinstance(state.action, Watch)
        lists += isinstance(state.action, List)
        assert state.quiet < 240 and state.say is None
        idle = Outcome(took=60, error=CUT) if watching else Outcome(took=0.1)
        state = after(state, idle._replace(resource_version="10"))
    assert lists == 3


@pytest.mark.parametrize("reason", ["", "Timeout"])
def test_a_server_that_is_slow_does_not_come_from_the_past(reason: str) -> None:
    slow = RequestRefused("did not complete in time", status=504, reason=reason)
    state = after(WATCHING, Outcome(took=2.0), Outcome(error=slow))
    assert isinstance(state.action, Wait)
    assert after(state, Outcome()).action == Verify("10", outage=True)


def test_credentials_that_end_between_list_and_watch_are_waited_for() -> None:
    refused = after(LISTED, Outcome(error=UNKNOWN_USER))
    assert refused.action == Renew()
    again = after(refused, Outcome(), Outcome(error=UNKNOWN_USER))
    assert isinstance(again.action, Wait) and "trying again" in str(again.say)


@pytest.mark.parametrize("error", [None, CUT])
def test_watches_of_one_event_are_slowed_down(error: SpyError | None) -> None:
    state, requests, waited = WATCHING, 0, 0.0
    while requests < 100:
        if isinstance(state.action, Wait):
            waited += state.action.seconds
            state = after(state, Outcome())
        else:
            requests += 1
            version = str(100 + requests)
            brought = Outcome(
                resource_version=version, brought=1, took=0.01, error=error
            )
            state = after(state, brought)
    assert waited >= 0.9 * requests
    lasting = Outcome(resource_version="900", brought=1, took=30)
    assert isinstance(after(state, lasting).action, Watch | Wait)
    calm = after(WATCHING, lasting, Outcome(resource_version="901", brought=1))
    assert isinstance(calm.action, Watch)


@pytest.mark.parametrize("status", [400, 403, 404, 405])
def test_a_forbidden_verification_stops_no_watch(status: int) -> None:
    refused = Outcome(error=RequestRefused("no", status=status))
    asked = after(WATCHING, Outcome(took=70))
    assert after(asked, refused).action == Watch("10", 300.0)


PAST = State(action=List(since=5.0, version="10"))


def test_a_past_list_is_followed_by_a_watch_from_its_version() -> None:
    state = after(PAST, Outcome(resource_version="10", contact=90.0, behind=True))
    assert (state.action, state.say) == (Watch("10", 300.0), None)


@pytest.mark.parametrize("status", [400, 403, 404, 410, 500, 501])
def test_a_past_list_that_is_refused_is_followed_by_a_list_with_a_gap(
    status: int,
) -> None:
    refused = RequestRefused("no", status=status)
    state = after(PAST, Outcome(error=refused))
    assert state.action == List(since=5.0, lost=True)
    listed = after(state, Outcome(resource_version="90"))
    assert str(listed.say) == "watching; an unknown number of versions was missed (GAP)"


def test_a_past_list_in_the_future_of_the_server_is_a_gap() -> None:
    what = "Timeout: Too large resource version: 10, current: 3"
    state = after(PAST, Outcome(error=RequestRefused(what, status=504)))
    assert state.action == List(since=5.0, lost=True)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_past_list_is_tried_again_while_the_server_is_away(status: int) -> None:
    state = after(PAST, Outcome(error=RequestRefused("later", status=status)))
    assert isinstance(state.action, Wait)
    assert after(state, Outcome(took=1)).action == PAST.action


def test_history_that_expires_while_a_watch_catches_up_is_missing_from_its_begin() -> (
    None
):
    listed = Outcome(resource_version="10", contact=90.0, behind=True)
    cut = Outcome("12", brought=1, contact=95.0, took=9, error=CUT, behind=True)
    state = after(PAST, listed, cut)
    assert state.action == Watch("12", 300.0)
    state = after(state, Outcome("12", error=EXPIRED, behind=True))
    assert state.action == List(since=5.0, lost=True)
    done = Outcome("14", brought=2, contact=96.0, took=9, error=CUT)
    state = after(PAST, listed, done, Outcome("14", error=EXPIRED))
    assert state.action == List(since=96.0, lost=True)
