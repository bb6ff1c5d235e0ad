"""Watches that end, break and fall silent: between events, in one, in a character."""

from __future__ import annotations

import pytest

from tests.sources.watching.matrix.server import Phase
from tests.sources.watching.matrix.trial import Ground, rows
from tests.sources.watching.matrix.wire import (
    Fault,
    after_it,
    bytewise,
    closed,
    cut_in_a_character,
    cut_in_a_chunk,
    cut_in_an_event,
    ended,
    event,
    garbage,
    instead_of_it,
    record_cut,
    record_forged,
    reset,
    silent,
    status,
    unwrapped,
)

PLAIN_ENDS: dict[str, Fault] = {
    "ended": ended,
    "closed": closed,
    "reset": reset,
    "silent": silent,
    "another protocol": garbage,
}
ENDS: dict[str, Fault] = {
    **PLAIN_ENDS,
    "closed with a close_notify": unwrapped,
    "a record that is cut": record_cut,
    "a record that is forged": record_forged,
}
PLACES = {
    "before an event": lambda end: end,
    "after an event": after_it,
    "in an event": cut_in_an_event,
    "in a chunk": cut_in_a_chunk,
    "in a character": cut_in_a_character,
}


@pytest.mark.parametrize("place", PLACES)
@rows("end", PLAIN_ENDS, tls=ENDS)
def test_streams_that_end_within_what_they_bring(
    ground: Ground, end: str, place: str
) -> None:
    with ground.trial() as trial:
        trial.write()
        trial.server.disturb(PLACES[place](ENDS[end]), at_event=True)
        trial.write(3)
        trial.judge()
        # Where something came, the end is nothing to talk about.
        assert "GAP" not in trial.said
        assert len(trial.server.asked(Phase.LIST)) == 1


@rows("end", PLAIN_ENDS, tls=ENDS)
def test_streams_that_end_while_nothing_happens(ground: Ground, end: str) -> None:
    with ground.trial() as trial:
        trial.write()
        trial.wait_until_seen()
        trial.server.disturb(ENDS[end])
        trial.server.wait_for_watch(2)
        trial.write(2)
        trial.judge()
        assert trial.seen.said == []


def test_an_event_may_come_byte_by_byte(ground: Ground) -> None:
    with ground.trial() as trial:
        trial.server.disturb(bytewise, at_event=True)
        trial.write(2)
        trial.judge()
        assert trial.seen.said == []


ERRORS = {
    "500": event("ERROR", status(500, "InternalError", "etcdserver: no leader")),
    "504": event("ERROR", status(504, "Timeout")),
    "429": event("ERROR", status(429, "TooManyRequests")),
    "no reason": event("ERROR", {"message": "something is wrong"}),
    "no status": event("ERROR", None),
    "nothing": b'{"type":"ERROR"}\n',
}


@pytest.mark.parametrize("then", [ended, closed, silent], ids=lambda end: end.__name__)
@pytest.mark.parametrize("error", ERRORS)
def test_errors_within_a_stream(ground: Ground, error: str, then: Fault) -> None:
    with ground.trial() as trial:
        trial.write()
        trial.wait_until_seen()
        trial.server.disturb(instead_of_it(ERRORS[error], then), at_event=True)
        trial.write(2)
        trial.judge()
        assert "refused: " in trial.said
        assert len(trial.server.asked(Phase.LIST)) == 1


ODD = {
    "a type from the future": event("RENAMED", {"metadata": {}}),
    "a bookmark without a version": event("BOOKMARK", {"metadata": {}}),
}


@pytest.mark.parametrize("line", ODD)
def test_empty_lines_are_ignored(ground: Ground, line: str) -> None:
    with ground.trial() as trial:
        trial.server.disturb(instead_of_it(ODD[line], ended), at_event=True)
        trial.write(2)
        trial.judge()
