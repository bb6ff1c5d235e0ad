"""One schedule: the real reflector against the model, all of it from one seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.objects import Selection, WatchEvent
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.watching.actions import FIRST, List
from kubectl_spy.sources.watching.reflector import Reflector
from tests.builders import CONFIG_MAPS
from tests.sources.watching.fake_clock import FakeClock
from tests.sources.watching.following import unmasked
from tests.sources.watching.soak.cluster import NAMES, NAMESPACE, Cluster, Snapshot
from tests.sources.watching.soak.faults import Weather, weather
from tests.sources.watching.soak.server import Request, Server
from tests.sources.watching.soak.stream import Told

READ_TIMEOUT = 70.0
SETTLING = 400.0
"""Seconds of health in the end: longer than any wait, and than what one wait hides."""

SELECTIONS = (
    Selection(resource=CONFIG_MAPS, namespace=NAMESPACE),
    Selection(resource=CONFIG_MAPS, namespace=NAMESPACE, label_selector="app=web"),
    Selection(resource=CONFIG_MAPS, namespace=NAMESPACE, name=NAMES[2]),
)


class Step(NamedTuple):
    """One event that was emitted, and what the server had told by then."""

    event: WatchEvent
    served: Snapshot
    gone: int
    garbage: int
    from_now: int
    opened: float
    mute: bool


@dataclass(slots=True)
class Said:
    """A status line, and when."""

    moment: float
    line: str


@dataclass(slots=True)
class Run:
    """Everything there is to judge."""

    seed: int
    selection: Selection
    view: Excerpt
    weather: Weather
    cluster: Cluster
    told: Told
    requests: list[Request]
    steps: list[Step] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    error: SpyError | None = None
    ended: float = 0.0


def run(seed: int, *, past: bool = False) -> Run:
    """Follow a selection through the schedule of *seed*, perhaps from its *past* on."""
    random = Random(seed)
    clock = FakeClock()
    circumstances = weather(random)
    cluster = Cluster(random, clock)
    for _ in range(random.randrange(6)):
        cluster.write()
    server = Server(cluster, clock, circumstances)
    selection = random.choice(SELECTIONS)
    circumstances.get_only = selection.name is not None and random.random() < 0.2
    view = random.choice((Excerpt(), Excerpt(status=True)))
    first = FIRST
    if past and not selection.narrowed:
        circumstances.names_oldest = random.random() < 0.7
        for _ in range(random.randrange(30)):
            cluster.write()
            if random.random() < 0.04:
                cluster.compact()
        first = List(back_to=clock.now() - 3600)
    result = Run(
        seed, selection, view, circumstances, cluster, server.told, server.requests
    )

    def emit(events: list[WatchEvent]) -> None:
        told = server.told
        result.steps += (
            Step(
                event,
                server.served,
                told.gone,
                told.garbage,
                told.from_now,
                told.opened,
                told.mute,
            )
            for event in events
        )

    reflector = Reflector(
        server,
        selection,
        emit=emit,
        mask=unmasked,
        renew=server.renew,
        tell=lambda status: result.said.append(Said(clock.monotonic(), str(status))),
        clock=clock,
        random=random.random,
        read_timeout=READ_TIMEOUT,
        first=first,
    )

    def stop() -> None:
        reflector.stop()
        server.stop()

    _schedule(random, clock, cluster, server, circumstances, reflector)
    clock.after(circumstances.length + SETTLING, stop)
    result.error = reflector.run()
    result.ended = clock.monotonic()
    return result


def _schedule(
    random: Random,
    clock: FakeClock,
    cluster: Cluster,
    server: Server,
    weather: Weather,
    reflector: Reflector,
) -> None:
    """Let writes happen, and what goes wrong without a request."""
    until = weather.length + SETTLING / 4

    def write() -> None:
        for _ in range(random.choice((1, 1, 1, 2, 5))):
            cluster.write()
        if random.random() < 0.3:
            cluster.others_write()
        if clock.monotonic() < until:
            calm = clock.monotonic() >= weather.length
            pause = max(weather.write_every, 8.0) if calm else weather.write_every
            clock.after(random.expovariate(1 / pause), write)

    def suspend() -> None:
        clock.suspend(random.uniform(30, 30_000))
        for _ in range(random.randrange(8)):
            cluster.write()
        if random.random() < 0.3:
            cluster.compact()
        if server.open is not None:
            server.open.sleep()
        clock.after(random.uniform(0, 5), reflector.nudge)

    def log_out() -> None:
        server.logged_out, server.renewable = True, random.random() < 0.5

    def log_in() -> None:
        # Of use to who reads the credentials again, and to nobody else.
        server.renewable = True

    def lose_connection() -> None:
        if server.open is not None:
            server.open.die()

    def restore() -> None:
        if cluster.restore() and server.open is not None and random.random() < 0.2:
            server.open.die()

    clock.after(random.expovariate(1 / weather.write_every), write)
    if weather.quiet:
        return
    for start, _, _ in weather.outages:
        if random.random() < 0.5:
            clock.after(start, lose_connection)
    for _ in range(random.choice((0, 1, 3))):
        clock.after(random.uniform(0, weather.length), cluster.compact)
    for happening in (suspend, lambda: clock.set_back(random.uniform(1, 4000))):
        if random.random() < 0.15:
            clock.after(random.uniform(0, weather.length), happening)
    if random.random() < 0.15:
        moment = random.uniform(0, weather.length)
        clock.after(moment, cluster.back_up)
        clock.after(random.uniform(moment, weather.length), restore)
    if random.random() < 0.15:
        moment = random.uniform(0, weather.length)
        clock.after(moment, log_out)
        clock.after(random.uniform(moment, weather.length), log_in)
