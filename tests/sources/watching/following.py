"""Follow selections over a real connection, and collect what arrives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.objects import EventType, Resource, Selection, WatchEvent
from kubectl_spy.sources.connection.access import ConnectionSettings
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.watching.actions import REAL, Pace
from kubectl_spy.sources.watching.arrivals import Mask
from kubectl_spy.sources.watching.clock import SystemClock
from kubectl_spy.sources.watching.getter import Requests
from kubectl_spy.sources.watching.watch import LiveWatch
from tests.builders import CONFIG_MAPS, manifest
from tests.processes import PATIENCE, clock

ALL = Selection(resource=CONFIG_MAPS, namespace="shop")
ONE = Selection(resource=CONFIG_MAPS, namespace="shop", name="web")
MAPS = "/api/v1/namespaces/shop/configmaps"


def secret(**data: str) -> dict[str, Any]:
    """Return a Secret as a user writes it."""
    return manifest("Secret", "db", data=data)


def connection_to(url: str, home: Path) -> Connection:
    """Return a connection to an API server without authentication."""
    settings = ConnectionSettings(server=url)
    return Connection(settings, environ={"HOME": str(home)}, say=lambda line: None)


def requests_of(connection: Connection, selection: Selection) -> Requests:
    """Return what sends the requests of *selection*."""
    return Requests(
        connection,
        selection,
        SystemClock(),
        read_timeout=PATIENCE,
        asked=lambda: None,
        answered=lambda: None,
    )


def connection_with(kubeconfig: Path) -> Connection:
    """Return the connection that a kubeconfig leads to."""
    settings = ConnectionSettings(kubeconfig=str(kubeconfig))
    environ = {"HOME": str(kubeconfig.parent)}
    return Connection(settings, environ=environ, say=lambda line: None)


def unmasked(document: dict[str, Any], resource: Resource) -> dict[str, Any]:
    return document


def without_lateness(said: list[str]) -> list[str]:
    """Leave out that a busy machine was late by the second that silence may last."""
    return [line for line in said if "did not answer in time" not in line]


class Following:
    """What came so far: *events*, the *records* they give, status lines, the end."""

    def __init__(self) -> None:
        self.events: list[WatchEvent] = []
        self.records: list[ChangeRecord] = []
        self.said: list[str] = []
        self.error: Exception | None = None
        self.closed_within = 0.0
        self._history = History()
        self._arrived = threading.Condition()
        self.stands_still = threading.Event()
        self._going = threading.Event()
        self._going.set()

    def pause(self) -> None:
        """Read no further than to the next batch."""
        self._going.clear()

    def resume(self) -> None:
        self.stands_still.clear()
        self._going.set()

    def start(self, watch: LiveWatch) -> None:
        self.watch = watch
        threading.Thread(target=self._run, args=(watch,), daemon=True).start()

    def close(self, watch: LiveWatch) -> None:
        """End as Ctrl-C does, and measure in *closed_within* how long that takes."""
        started = clock()
        watch.interrupt(RuntimeError("the test is over"))
        self._going.set()
        with self._arrived:
            self._arrived.wait_for(lambda: self.error is not None, PATIENCE)
        watch.close()
        self.closed_within = clock() - started

    def say(self, line: str) -> None:
        with self._arrived:
            self.said.append(line)
            self._arrived.notify_all()

    @property
    def types(self) -> list[str]:
        """Those of all events, without what the watch says of itself."""
        own = EventType.LOST, EventType.BACK
        return [each.type.value for each in self.events if each.type not in own]

    @property
    def changes(self) -> list[str]:
        """Type and resourceVersion of each record."""
        return [f"{each.type.value} {each.resource_version}" for each in self.records]

    def wait_until(self, ready: Callable[[Following], bool]) -> None:
        with self._arrived:
            came = self._arrived.wait_for(lambda: ready(self), PATIENCE)
        assert came, (self.types, self.changes, self.said, self.error)

    def wait_for_records(self, count: int) -> list[ChangeRecord]:
        self.wait_until(lambda following: len(following.records) >= count)
        return self.records

    def wait_for_error(self) -> Exception:
        self.wait_until(lambda following: following.error is not None)
        assert self.error is not None
        return self.error

    def _run(self, watch: LiveWatch) -> None:
        try:
            for events in watch:
                if not self._going.is_set():
                    self.stands_still.set()
                self._going.wait(PATIENCE)
                with self._arrived:
                    events = list(events)
                    self.events += events
                    for event in events:
                        self.records += self._history.observe(event)
                    self._arrived.notify_all()
        except Exception as error:
            with self._arrived:
                self.error = error
                self._arrived.notify_all()


@contextmanager
def following(
    connection: Connection,
    *selections: Selection,
    mask: Mask = unmasked,
    read_timeout: float = PATIENCE,
    pace: Pace = REAL,
) -> Iterator[Following]:
    """Follow *selections*, by default the ConfigMaps in shop, for the block."""
    seen = Following()
    chosen: Sequence[Selection] = selections or (ALL,)
    watch = LiveWatch(
        connection,
        chosen,
        renew=connection.renew,
        mask=mask,
        say=seen.say,
        read_timeout=read_timeout,
        pace=pace,
    )
    try:
        seen.start(watch)
        yield seen
    finally:
        seen.close(watch)
