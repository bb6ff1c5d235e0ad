"""Decides what to ask the API server next: list, watch, or wait. Pure.

A list returns the resourceVersion to watch from. A watch that ends is resumed from the
last version it brought. After a 410 that version is gone: a list follows, with a GAP,
because versions may be missing. The states are those of kube-rs' watcher, the back-off
is client-go's.
https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes

With a past, a replay comes between the first list and the watch. An API server keeps
the last writes of each type. A watch from version 1 brings all of them, or is refused
with the oldest version that works. Where that is not said, it is found by halves; where
another type was told (`Beginning`), it is tried first.
"""

from __future__ import annotations

import re

from kubectl_spy.errors import (
    ConnectionFailed,
    RequestRefused,
    SpyError,
    Unauthenticated,
)
from kubectl_spy.sources.watching.actions import (
    REAL,
    Action,
    Bisect,
    List,
    Outcome,
    Pace,
    Recall,
    Renew,
    Replay,
    State,
    Status,
    Stop,
    Verify,
    Wait,
    Watch,
)

_ENDED = ConnectionFailed("the server ends each watch at once")
_AGAIN = "watching again"
_SHORT_IN_A_ROW = 5  # after this many short watches in a row a wait comes before each
_REPORT_EVERY = 20  # of the failures in a row, the first and each 20th are reported
_REPLAYS = 5  # how often a replay is tried
_HALVES = 20  # how often it is asked which version is the oldest
_OLDEST = r"\((\d{1,19})\)$"
"""The oldest version that works, at the end of `too old resource version: 1 (2293)`.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/apiserver/pkg/storage/cacher/watch_cache.go
"""


def step(state: State, outcome: Outcome, *, random: float, pace: Pace = REAL) -> State:
    """Return the state after *state* ended in *outcome*. *random* is in [0, 1)."""
    state = state._replace(say=None)
    match state.action:
        case Wait() | Renew() if outcome.error is None:
            return state._replace(
                action=List() if state.then is None else state.then,
                then=None,
                quiet=state.quiet + outcome.took,
                # After a wait, renew once more: the user may have logged in.
                renewed=isinstance(state.action, Renew),
            )
        case Renew():
            return _failed(state, outcome, random=random, pace=pace)
        case List():
            return _listed(state, outcome, random=random, pace=pace)
        case Replay() | Bisect() | Recall():
            return _replayed(state, outcome, random=random, pace=pace)
        case Verify():
            return _verified(state, outcome, random=random, pace=pace)
        case Watch():
            return _watched(state, outcome, random=random, pace=pace)
        case _:
            return state


def _listed(state: State, outcome: Outcome, *, random: float, pace: Pace) -> State:
    assert isinstance(state.action, List)
    if outcome.error is not None:
        if state.action.version and _not_kept(outcome.error):
            again = List(since=state.action.since, lost=True)
            return state._replace(action=again)
        passing = _passing(outcome.error)
        if passing and not pace.tries_list:
            passing = isinstance(outcome.error, RequestRefused) and (
                outcome.error.status == 429
            )
        if not state.synced and not passing:
            return _renew_or_stop(state, outcome.error)
        return _failed(state, outcome, random=random, pace=pace)
    said = None
    if state.troubled or state.action.lost:
        text = _AGAIN if state.synced else "watching"
        if state.action.lost:
            text += "; an unknown number of versions was missed (GAP)"
        said = Status(text, works=True)
    following: Action = _watch(outcome.resource_version, random, pace)
    if state.action.back_to is not None:
        following = Replay(outcome.begin)
    return state._replace(
        action=following,
        resource_version=outcome.resource_version,
        contact=state.action.since or 0.0 if outcome.behind else outcome.contact,
        quiet=outcome.took,
        synced=True,
        renewed=False,
        troubled=False,
        say=said,
    )


def _replayed(state: State, outcome: Outcome, *, random: float, pace: Pace) -> State:
    """Return the state after a Replay, Bisect or Recall."""
    action, error = state.action, outcome.error
    state = state._replace(quiet=state.quiet + outcome.took)
    if isinstance(action, Recall):
        return state._replace(action=_watch(state.resource_version, random, pace))
    if isinstance(error, Unauthenticated) and not state.renewed:
        return state._replace(action=Renew(), then=action, renewed=True)
    gone = isinstance(error, RequestRefused) and error.status == 410
    if isinstance(action, Bisect):
        if error is not None and not gone:
            return state._replace(action=Recall(reason=error.message))
        middle = (action.lost + action.kept) // 2
        lost = max(action.lost, middle) if gone else action.lost
        kept = action.kept if gone else min(action.kept, middle)
        if kept - lost > 1 and action.steps < _HALVES:
            return state._replace(action=Bisect(lost, kept, action.steps + 1))
        return state._replace(action=Replay(str(kept), 1))
    assert isinstance(action, Replay)
    state = state._replace(watched=state.watched or outcome.brought > 0)
    if error is None:
        last = outcome.resource_version if outcome.brought else state.resource_version
        recall = Recall(action.version)
        return state._replace(action=recall, resource_version=last, watched=True)
    found = re.search(_OLDEST, error.message) if gone else None
    tries = action.tries + 1
    if tries < _REPLAYS and found:
        return state._replace(action=_further(state, action, int(found[1])))
    if gone and not action.tries and state.resource_version.isdecimal():
        return state._replace(action=Bisect(1, int(state.resource_version)))
    passing = isinstance(error, ConnectionFailed) or _passing(error)
    if tries < _REPLAYS and passing:
        again = action._replace(tries=tries)
        return _later(state, again, random=random, pace=pace, error=error)
    return state._replace(action=Recall(reason=error.message))


def _further(state: State, action: Replay, oldest: int) -> Replay:
    """Return the next replay after *action*, whose answer named the *oldest* version.

    The next write may evict it. So a replay that came too late is tried with a margin:
    what the oldest version moved between two answers, doubled each time.
    """
    moved = oldest - action.oldest if action.oldest else 0
    version = oldest + (moved << action.tries)
    if state.resource_version.isdecimal():  # of what was listed, and no later
        version = min(version, int(state.resource_version))
    return Replay(str(max(version, oldest)), action.tries + 1, oldest)


def _watched(state: State, outcome: Outcome, *, random: float, pace: Pace) -> State:
    # The same version again, or nothing readable, is no progress. A broken proxy may
    # answer like that for hours.
    moved = outcome.resource_version not in ("", state.resource_version)
    # The time before the answer does not count as watching.
    watched = outcome.took - outcome.unanswered
    worked = moved or watched >= pace.short_watch
    # After a short watch two requests may follow: a list or a check, and a watch.
    lasted = moved or watched >= 2 * pace.short_watch
    if worked:
        state = state._replace(watched=True, expired=state.expired and not lasted)
    if outcome.brought:
        state = state._replace(
            resource_version=outcome.resource_version,
            # A watch that is catching up brings what happened earlier.
            contact=state.contact if outcome.behind else outcome.contact,
            quiet=outcome.quiet,
            renewed=False,
        )
    else:
        state = state._replace(quiet=state.quiet + outcome.took)
    state = state._replace(brief=state.brief + 1 if watched < pace.short_watch else 0)
    if (outcome.brought and worked) or watched >= pace.healthy_after:
        said = Status(_AGAIN, works=True) if state.troubled else None
        state = state._replace(failures=0, troubled=False, say=said)
    error = outcome.error
    if isinstance(error, RequestRefused) and error.status == 410:
        again = List(since=state.contact, lost=True)
        if state.expired:
            return _later(state, again, random=random, pace=pace)
        return state._replace(action=again, expired=True, failures=state.failures + 1)
    if isinstance(error, ConnectionFailed) and worked:
        if pace.stale_after <= state.quiet < 2 * pace.stale_after:
            # A proxy may end each idle watch. List before the version is too old.
            return state._replace(action=List(since=state.contact))
        # The connection worked and broke: resume at once, silently. The server
        # may know the old version even after a night asleep.
        return _paced(state, _resumed(state, random, pace), pace)
    if error is not None:
        refused = isinstance(error, RequestRefused) and not _passing(error)
        # Credentials that worked for the list may have expired since.
        known = state.watched or isinstance(error, Unauthenticated)
        if refused and not known:
            return _renew_or_stop(state, error)
        return _failed(state, outcome, random=random, pace=pace)
    if outcome.brought and worked:
        return _paced(state, _resumed(state, random, pace), pace)
    resumed: Action = _resumed(state, random, pace)
    if isinstance(resumed, Watch):
        resumed = Verify(resumed.resource_version)
    if lasted:
        return state._replace(action=resumed)
    waiting = _later(state, resumed, random=random, pace=pace)
    # A server that restarts does this once. If it goes on, nothing can be watched.
    return _reported(state, waiting, _ENDED) if state.failures else waiting


def _verified(state: State, outcome: Outcome, *, random: float, pace: Pace) -> State:
    error = outcome.error
    state = state._replace(quiet=state.quiet + outcome.took)
    if isinstance(error, RequestRefused) and _never_was(error):
        return state._replace(action=List(since=state.contact, lost=True))
    if isinstance(error, RequestRefused) and _for_good(error):
        # The check is not allowed or not understood. The watch may work.
        return state._replace(action=_watch(state.resource_version, random, pace))
    if error is not None:
        return _failed(state, outcome, random=random, pace=pace)
    assert isinstance(state.action, Verify)
    # After an outage a watch brings all versions since. A list brings only the last.
    if state.quiet >= pace.stale_after and not state.action.outage:
        return state._replace(action=List(since=state.contact))
    return state._replace(action=_watch(state.resource_version, random, pace))


def _paced(state: State, action: Action, pace: Pace) -> State:
    """Return *state* with *action* next, after a second if many watches were short."""
    if state.brief <= _SHORT_IN_A_ROW:
        return state._replace(action=action)
    return state._replace(action=Wait(pace.short_watch), then=action)


def _resumed(state: State, random: float, pace: Pace) -> List | Watch:
    """Return a watch from the last version, or a list if there is none."""
    if state.resource_version:
        return _watch(state.resource_version, random, pace)
    return List(since=state.contact)


def _watch(resource_version: str, random: float, pace: Pace) -> Watch:
    span = pace.longest_watch - pace.shortest_watch
    return Watch(resource_version, pace.shortest_watch + random * span)


def _never_was(error: RequestRefused) -> bool:
    """Return whether the server does not have the version, not yet or no longer.

    A 504 alone proves nothing: slow proxies answer it, too.
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/apiserver/pkg/storage/errors.go
    """
    too_large = "too large resource version" in error.message.lower()
    return error.status == 410 or (error.status == 504 and too_large)


def _not_kept(error: SpyError) -> bool:
    """Return whether the server does not list a past version.

    Where etcd has forgotten it, that is a 410. A server may not know the parameter.
    """
    return isinstance(error, RequestRefused) and (
        _never_was(error) or error.status not in (401, 408, 429, 502, 503, 504)
    )


def _passing(error: SpyError) -> bool:
    """Return whether a first list or watch may work if it is tried again."""
    return isinstance(error, RequestRefused) and (
        error.status == 429 or error.status >= 500
    )


def _for_good(error: RequestRefused) -> bool:
    """Return whether the same request would get the same answer."""
    return 400 <= error.status < 500 and error.status not in (401, 408, 410, 429)


def _renew_or_stop(state: State, error: SpyError) -> State:
    if isinstance(error, Unauthenticated) and not state.renewed:
        return state._replace(action=Renew(), then=state.action, renewed=True)
    return state._replace(action=Stop(error))


def _failed(state: State, outcome: Outcome, *, random: float, pace: Pace) -> State:
    """Return the state after a failure: try again, later each time."""
    error = outcome.error
    assert error is not None
    again = state.action
    if isinstance(again, Watch):
        again = _resumed(state, random, pace)
    elif isinstance(again, Verify):
        again = again._replace(outage=True)
    elif isinstance(again, Renew):
        again = List() if state.then is None else state.then
    if isinstance(error, Unauthenticated) and not state.renewed:
        return state._replace(action=Renew(), then=again, renewed=True)
    waiting = _later(state, again, random=random, pace=pace, error=error)
    return _reported(state, waiting, error)


def _reported(state: State, waiting: State, error: SpyError) -> State:
    """Return *waiting* with a status line, unless the last one was not long ago."""
    if state.troubled and state.failures % _REPORT_EVERY:
        return waiting
    assert isinstance(waiting.action, Wait)
    what = "connection lost" if isinstance(error, ConnectionFailed) else "refused"
    said = Status(f"{what}: {error.message}", retry=waiting.action.seconds)
    return waiting._replace(troubled=True, say=said)


def _later(
    state: State,
    action: Action,
    *,
    random: float,
    pace: Pace,
    error: SpyError | None = None,
) -> State:
    """Return *state* with *action* after a wait, twice as long as the last one."""
    doubled = pace.first_wait * 2.0 ** min(state.failures, 10)
    seconds = min(doubled, pace.longest_wait / 2) * (1 + random)
    if isinstance(error, RequestRefused) and error.retry_after is not None:
        seconds = max(seconds, min(error.retry_after, pace.retry_after_at_most))
    return state._replace(
        action=Wait(seconds), then=action, failures=state.failures + 1
    )
