"""What only real sockets and TLS do: the soak has all other faults.

Each row breaks one phase. The records have to be what happened all the same.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from tests.sources.connection.certificates import server_tls
from tests.sources.watching.matrix.server import Phase
from tests.sources.watching.matrix.trial import Ground
from tests.sources.watching.matrix.wire import (
    Fault,
    busy,
    closed,
    garbage,
    having_sent,
    record_cut,
    record_forged,
    reset,
    silent,
    unwrapped,
)
from tests.sources.watching.raw_server import chunk


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def ground(
    request: pytest.FixtureRequest, authority: trustme.CA, tmp_path: Path
) -> Ground:
    """Where a row runs: in plain HTTP, or under TLS."""
    tls = server_tls(authority) if request.param == "tls" else None
    return Ground(tmp_path, tls, authority)


@pytest.fixture(scope="module", autouse=True)
def leaks_of_ssl_end_here() -> Iterator[None]:
    """Collect what ssl leaves behind before other tests are blamed for it."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def headers(due: bytes) -> bytes:
    """Return what of an answer breaks off within its headers."""
    return due[: len(due) // 5]


def body(due: bytes) -> bytes:
    """Return what of a list breaks off within its body."""
    return due[: len(due) * 9 // 10]


def character(due: bytes) -> bytes:
    """Return what of an event ends within a character."""
    return chunk(due[: due.index("é".encode()) + 1])


def event(due: bytes) -> bytes:
    """Return half of an event, as one chunk."""
    return chunk(due[: len(due) // 2])


def half_a_chunk(due: bytes) -> bytes:
    whole = chunk(due)
    return whole[: len(whole) // 2]


TIMES = 3
"""Often enough for what does not wait to be found out."""
REQUESTS = {
    "a handshake that is not answered": ("tls", Phase.CONNECTION, silent),
    "another protocol in place of a handshake": ("tls", Phase.CONNECTION, garbage),
    "another protocol in place of an answer": ("plain", Phase.CONNECTION, garbage),
    "a connection that is reset": ("plain", Phase.CONNECTION, reset),
    "a close_notify in place of an answer": ("tls", Phase.WATCH, unwrapped),
    "headers and a reset": ("tls", Phase.WATCH, having_sent(headers, reset)),
    "headers and silence": ("plain", Phase.WATCH, having_sent(headers, silent)),
    "a question that is closed": ("tls", Phase.VERIFY, closed),
}


@pytest.mark.parametrize(
    ("ground", "phase", "fault"), REQUESTS.values(), ids=REQUESTS, indirect=["ground"]
)
def test_a_request_that_fails_is_made_again(
    ground: Ground, phase: Phase, fault: Fault
) -> None:
    at_connection = phase is Phase.CONNECTION
    with ground.trial(request_timeout=0.5 if at_connection else None) as trial:
        trial.write()
        trial.wait_until_seen()
        trial.server.fail(phase, *[fault] * TIMES)
        # After a silence, the server is asked whether it is there.
        asking = phase is Phase.VERIFY
        trial.server.disturb(silent if asking else closed, at_event=asking)
        trial.write(2)
        trial.judge()
        trial.wait_until_well()


LISTS = {
    "closed in its body": ("tls", having_sent(body, closed)),
    "reset in its body": ("plain", having_sent(body, reset)),
    "silent in its body": ("plain", having_sent(body, silent)),
}


@pytest.mark.parametrize(
    ("ground", "fault"), LISTS.values(), ids=LISTS, indirect=["ground"]
)
def test_a_list_that_fails_after_history_is_lost_is_made_again(
    ground: Ground, fault: Fault
) -> None:
    with ground.trial() as trial:
        trial.server.fail(Phase.LIST, *[fault] * (TIMES - 1))
        trial.server.fail(Phase.WATCH, busy)
        trial.server.disturb(closed)
        trial.write(2)
        trial.cluster.delete("other")
        trial.cluster.compact()
        trial.judge(missed=True)
        trial.wait_until_said("an unknown number of versions was missed (GAP)")
        assert trial.said.endswith(" (GAP)")


STREAMS = {
    "a record that is cut": ("tls", having_sent(character, record_cut)),
    "a record that is forged": ("tls", having_sent(event, record_forged)),
    "a close_notify": ("tls", having_sent(half_a_chunk, unwrapped)),
    "a reset": ("plain", having_sent(half_a_chunk, reset)),
}


@pytest.mark.parametrize(
    ("ground", "end"), STREAMS.values(), ids=STREAMS, indirect=["ground"]
)
def test_a_stream_that_ends_within_an_event_loses_nothing(
    ground: Ground, end: Fault
) -> None:
    with ground.trial() as trial:
        trial.write()
        trial.server.disturb(end, at_event=True)
        trial.write(3)
        trial.judge()
        # Where something came, the end is nothing to talk about.
        assert "GAP" not in trial.said
        assert not trial.server.listed_again
