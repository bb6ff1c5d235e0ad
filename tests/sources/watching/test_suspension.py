"""Machines sleep: what was connected before is dead, and waiting has lost its sense."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

from kubectl_spy.core.objects import WatchEvent
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.watching.actions import Status
from kubectl_spy.sources.watching.clock import Clock, SystemClock, notice_suspensions
from kubectl_spy.sources.watching.reflector import Reflector
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import PATIENCE
from tests.sources.connection.certificates import server_tls, trusting
from tests.sources.connection.kubeconfigs import kubeconfig, write
from tests.sources.watching.fake_clock import FakeClock
from tests.sources.watching.following import (
    ALL,
    MAPS,
    connection_to,
    connection_with,
    unmasked,
)
from tests.sources.watching.raw_server import CHUNKED, chunk, raw_server, staying
from tests.sources.watching.test_watch_faults import version

HOURS = 3600.0


class Nights(FakeClock):
    """A clock of which somebody is told whenever it is waited on."""

    def __init__(self, *happenings: Callable[[Nights], None]) -> None:
        super().__init__()
        self._happenings = list(happenings)
        self.stopped = threading.Event()

    def wait(self, event: threading.Event, seconds: float) -> None:
        super().wait(event, seconds)
        if self._happenings:
            self._happenings.pop(0)(self)
        else:
            self.stopped.set()


@pytest.mark.parametrize(
    ("happenings", "noticed"),
    [
        ([], 0),
        ([lambda clock: clock.suspend(8 * HOURS)], 1),
        ([lambda clock: clock.suspend(8 * HOURS), lambda clock: None], 1),
        ([lambda clock: clock.suspend(60), lambda clock: clock.suspend(60)], 2),
        ([lambda clock: clock.set_back(HOURS)], 0),
        ([lambda clock: clock.suspend(1)] * 30, 0),  # a clock that is being slewed
        ([lambda clock: clock.set_back(HOURS), lambda clock: clock.suspend(60)], 1),
    ],
)
def test_clocks_notice_a_sleep(
    happenings: list[Callable[[Nights], None]], noticed: int
) -> None:
    clock = Nights(*happenings)
    woken: list[float] = []
    notice_suspensions(clock, clock.stopped, lambda: woken.append(clock.monotonic()))
    assert len(woken) == noticed


class Hurried(SystemClock):
    """A clock by which everything is due twenty times as soon."""

    def after(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        return super().after(seconds / 20, call)


class Followed:
    """A follower at work, what it emitted and what it said."""

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self.events: list[WatchEvent] = []
        self.said: list[str] = []
        self._moved = threading.Condition()
        self.follower = Reflector(
            connection,
            ALL,
            emit=self._emit,
            mask=unmasked,
            renew=connection.renew,
            tell=self._tell,
            clock=clock,
            random=lambda: 0.5,
            read_timeout=PATIENCE,
        )
        self.thread = threading.Thread(target=self.follower.run, daemon=True)

    @property
    def types(self) -> list[str]:
        return [event.type.value for event in self.events]

    def wait_until(self, ready: Callable[[], bool]) -> None:
        with self._moved:
            assert self._moved.wait_for(ready, PATIENCE), (self.events, self.said)

    def _emit(self, events: list[WatchEvent]) -> None:
        with self._moved:
            self.events += events
            self._moved.notify_all()

    def _tell(self, status: Status) -> None:
        with self._moved:
            self.said.append(str(status))
            self._moved.notify_all()


@contextmanager
def followed(connection: Connection, clock: Clock | None = None) -> Iterator[Followed]:
    seen = Followed(connection, clock or SystemClock())
    seen.thread.start()
    try:
        yield seen
    finally:
        seen.follower.stop()


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_watch_is_resumed_after_a_sleep(tmp_path: Path, scheme: str) -> None:
    authority = trustme.CA()
    tls = server_tls(authority) if scheme == "https" else None
    first, second = (staying(CHUNKED, chunk(version(number))) for number in (2, 3))
    with raw_server(first, second, tls=tls) as server:
        config = kubeconfig(trusting(authority, server.url))
        connection = connection_with(write(tmp_path / "config", config))
        with followed(connection) as seen:
            seen.wait_until(lambda: seen.types[2:] == ["ADDED"])
            seen.follower.nudge()
            seen.wait_until(lambda: seen.types[2:] == ["ADDED", "MODIFIED"])
        assert server.watched_from[:2] == ["1", "2"]
    assert seen.said == []


def test_a_waiting_retry_runs_after_a_sleep(tmp_path: Path) -> None:
    with ApiServer() as server:
        server.refuse(MAPS, 503, times=1, headers={"Retry-After": "60"})
        with followed(connection_to(server.url, tmp_path)) as seen:
            seen.wait_until(lambda: len(seen.said) == 1)
            assert seen.said[0].endswith("trying again in 60 s")
            seen.follower.nudge()
            seen.wait_until(lambda: seen.types == ["LISTING", "SYNCED"])


def test_a_follower_that_is_stopped_ends(tmp_path: Path) -> None:
    with ApiServer() as server:
        server.refuse(MAPS, 503)
        with followed(connection_to(server.url, tmp_path)) as seen:
            seen.wait_until(lambda: len(seen.said) == 1)
            seen.follower.stop()
            seen.thread.join(PATIENCE)
            assert not seen.thread.is_alive()


def test_a_late_answer_is_reported(tmp_path: Path) -> None:
    answering = threading.Event()

    def late(client: socket.socket) -> None:
        answering.wait(PATIENCE)
        staying(CHUNKED)(client)

    with raw_server(late) as server:
        connection = connection_to(server.url, tmp_path)
        with followed(connection, clock=Hurried()) as seen:
            seen.wait_until(lambda: len(seen.said) == 1)
            answering.set()
            seen.wait_until(lambda: len(seen.said) == 2)
    assert seen.said == [
        "no answer for 5 s; still waiting",
        "watching again",
    ]
