"""What only real sockets and TLS do to a watch: the soak has all other faults.

Each row breaks one phase. The records have to be what happened all the same.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
import trustme

from kubectl_spy.sources.connection.access import ConnectionSettings
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.watching.actions import Pace
from tests.builders import config_map
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import PATIENCE, wait_until
from tests.sources.connection.certificates import server_tls, trusting
from tests.sources.connection.kubeconfigs import kubeconfig, write
from tests.sources.watching.following import (
    MAPS,
    Following,
    following,
    without_lateness,
)
from tests.sources.watching.matrix.proxy import (
    Fault,
    Phase,
    Proxy,
    closed,
    having_sent,
    proxy,
    reset,
    silent,
    unencrypted,
    unwrapped,
)
from tests.sources.watching.raw_server import chunk

SECOND = 1 / 100
"""How long a second is here."""
PACE = Pace(
    first_wait=0.8 * SECOND,
    longest_wait=30 * SECOND,
    healthy_after=120 * SECOND,
    # Longer in proportion: machines that test are busy ones.
    short_watch=0.05,
    stale_after=3.0,
)
SILENCE = 1.0
PROMPT = 0.2
"""Seconds that Ctrl-C may take."""


class Trial(NamedTuple):
    """What a test acts on."""

    server: ApiServer
    way: Proxy
    seen: Following

    def write(self, *numbers: int) -> None:
        """Write new versions, each with a character of several bytes."""
        for number in numbers:
            self.server.put(config_map(number=f"{number} é"))

    def expect_all(self, last: int) -> None:
        """Check that each version came once, and what it changed, up to a number."""
        self.seen.wait_for_records(last + 1)
        wait_until(lambda: self.way.faultless)
        numbers = range(1, last + 1)
        expected = ["ADDED 2", *(f"MODIFIED {number + 2}" for number in numbers)]
        assert self.seen.changes == expected
        told = [step.value for each in self.seen.records for step in each.patch]
        assert told == [f"{number} é" for number in numbers]

    @property
    def lists(self) -> int:
        asked = [each for each in self.server.requests if not each.watches]
        return sum("resourceVersionMatch" not in each.query for each in asked)


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@contextmanager
def trial(
    home: Path, authority: trustme.CA, scheme: str, *, silence: float = SILENCE
) -> Iterator[Trial]:
    """Watch a ConfigMap, in plain HTTP or under TLS, until a change of it has come.

    Of a watch, *silence* is an end; a list is given half of it.
    """
    tls = server_tls(authority) if scheme == "https" else None
    with ApiServer() as server, proxy(urlsplit(server.url).port or 0, tls) as way:
        cluster = trusting(authority, way.url) if tls else {"server": way.url}
        path = write(home / "config", kubeconfig(cluster))
        settings = ConnectionSettings(kubeconfig=str(path), request_timeout=silence / 2)
        environ = {"HOME": str(home)}
        connection = Connection(settings, environ=environ, say=lambda line: None)
        server.put(config_map(number="0"))
        with following(connection, read_timeout=silence, pace=PACE) as seen:
            of = Trial(server, way, seen)
            seen.wait_for_records(1)
            of.write(1)
            seen.wait_for_records(2)
            yield of
        assert seen.closed_within < PROMPT


@pytest.fixture(scope="module", autouse=True)
def leaks_of_ssl_end_here() -> Iterator[None]:
    """Collect what ssl leaves behind before other tests are blamed for it."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def headers(due: bytes) -> bytes:
    """Return what of an answer breaks off within its headers."""
    return due[: due.index(b"\r\n\r\n") // 2]


def body(due: bytes) -> bytes:
    """Return what of a list breaks off within its body."""
    return due[:-9]


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
another_protocol = unencrypted(b"SSH-2.0-OpenSSH_9.9\r\n")
REQUESTS = {
    "a handshake that is not answered": ("https", Phase.CONNECTION, silent),
    "another protocol for a handshake": ("https", Phase.CONNECTION, another_protocol),
    "another protocol for an answer": ("http", Phase.CONNECTION, another_protocol),
    "a connection that is reset": ("http", Phase.CONNECTION, reset),
    "a close_notify for an answer": ("https", Phase.WATCH, unwrapped),
    "headers and a reset": ("https", Phase.WATCH, having_sent(headers, reset)),
    "headers and silence": ("http", Phase.WATCH, having_sent(headers, silent)),
    "a question that is closed": ("https", Phase.VERIFY, closed),
}


@pytest.mark.parametrize(("scheme", "phase", "fault"), REQUESTS.values(), ids=REQUESTS)
def test_a_request_that_fails_is_made_again(
    tmp_path: Path, authority: trustme.CA, scheme: str, phase: Phase, fault: Fault
) -> None:
    with trial(tmp_path, authority, scheme) as of:
        of.way.fail(phase, *[fault] * TIMES)
        # After a silence, the server is asked whether it is there.
        of.way.cut(silent if phase is Phase.VERIFY else closed)
        of.write(2, 3)
        of.expect_all(3)
        again = "configmaps: watching again"
        of.seen.wait_until(lambda seen: seen.said[-1:] == [again])
        failed, *late = of.seen.said[:-1]
        assert "trying again in" in failed
        assert {*without_lateness(late)} <= {again}
        assert of.lists == 1


LISTS = {
    "closed in its body": ("https", having_sent(body, closed)),
    "reset in its body": ("http", having_sent(body, reset)),
    "silent in its body": ("http", having_sent(body, silent)),
}


@pytest.mark.parametrize(("scheme", "fault"), LISTS.values(), ids=LISTS)
def test_a_list_that_fails_after_history_is_lost_is_made_again(
    tmp_path: Path, authority: trustme.CA, scheme: str, fault: Fault
) -> None:
    with trial(tmp_path, authority, scheme) as of:
        of.server.put(config_map("other"))
        of.seen.wait_for_records(3)
        of.server.refuse(MAPS, 503, watches=True)
        of.way.fail(Phase.LIST, *[fault] * TIMES)
        of.way.cut(closed)
        of.write(2, 3)
        of.server.delete(config_map("other"))
        of.server.compact()
        of.server.admit()
        of.seen.wait_for_records(6)
        wait_until(lambda: of.way.faultless)
        gap, web, other = of.seen.records[3:]
        assert gap.of_stream and (web.type.value, web.resource_version) == ("GAP", "6")
        assert [step.value for step in web.patch] == ["3 é"]
        assert (other.type.value, other.name) == ("DELETED", "other")
        of.seen.wait_until(lambda seen: "versions was missed (GAP)" in seen.said[-1])
        assert of.lists == 1 + TIMES + 1


STREAMS = {
    # A record of 4 KiB is announced, and little of it sent.
    "a record that is cut": (
        *("https", character, unencrypted(b"\x17\x03\x03\x10\0" + b"x" * 100)),
    ),
    "a record that nobody encrypted": (
        *("https", event, unencrypted(b"\x17\x03\x03\0\x40" + b"x" * 64)),
    ),
    "a close_notify": ("https", half_a_chunk, unwrapped),
    "a reset": ("http", half_a_chunk, reset),
}


@pytest.mark.parametrize(("scheme", "part", "end"), STREAMS.values(), ids=STREAMS)
def test_a_stream_that_ends_within_an_event_loses_nothing(
    tmp_path: Path,
    authority: trustme.CA,
    scheme: str,
    part: Callable[[bytes], bytes],
    end: Fault,
) -> None:
    with trial(tmp_path, authority, scheme, silence=PATIENCE) as of:
        of.way.cut(having_sent(part, end))
        of.write(2, 3, 4)
        of.expect_all(4)
        # Where something came, the end is nothing to talk about.
        assert of.seen.said == [] and of.lists == 1
