"""Many objects in one watch, or in several: how soon there is a first line, what an
event costs then, and the memory it takes; as rows, and as curves."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from benchmarks.curves import Panel, svg
from benchmarks.measure import (
    PATIENCE_SECONDS,
    POLL_SECONDS,
    Command,
    Failed,
    cpu_seconds,
    peak_bytes,
    wait_for_marker,
)
from benchmarks.objects import END_MARKER
from benchmarks.served_types import served
from benchmarks.table import Measured, Row, megabytes, seconds
from benchmarks.tools import LoadServer, Settings, kubectl, kubectl_spy, load_server

SIZES = (10, 1_000, 10_000)
TYPES = 10
NAMES = {
    "ours": "kubectl spy changes pods -A",
    "kubectl": "kubectl get pods -A -w",
    "types": f"kubectl spy changes of {TYPES} types -A",
}
PANELS = (
    ("first line, ms", "first", 1e3),
    ("an event, µs", "event", 1e6),
    ("memory, MB", "memory", 1e-6),
)
MEMORY_REACH = 150e6
SETTLED_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run over some number of objects took."""

    first: float
    event: float
    memory: float


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the rows of size."""
    several = ",".join(each[1] for each in served(TYPES) if each[3])
    tools = {
        "ours": (1, kubectl_spy("changes", "pods", "-A")),
        "kubectl": (1, kubectl("get", "pods", "-A", "-w", "-o", "json")),
        "types": (TYPES, kubectl_spy("changes", several, "-A")),
    }
    costs: dict[tuple[str, int], list[Cost]] = {}
    failures: dict[str, Failed] = {}
    with ExitStack() as stack:
        servers = {
            (size, types): stack.enter_context(
                load_server(settings, pods=size, events=settings.events, types=types)
            )
            for size in SIZES
            for types in (1, TYPES)
        }
        for _ in range(settings.runs):
            for size in SIZES:
                for name, (types, argv) in tools.items():
                    if argv is None or name in failures:
                        continue
                    try:
                        cost = run_once(settings, argv, servers[size, types], types)
                    except Failed as failure:
                        failures[name] = failure
                    else:
                        costs.setdefault((name, size), []).append(cost)

    def median(name: str, size: int, what: str) -> Measured:
        if name in failures:
            return failures[name]
        found = costs.get((name, size))
        return statistics.median(getattr(c, what) for c in found) if found else None

    if settings.plot is not None:
        settings.plot.write_text(plot(tools, median), encoding="utf-8")
    largest, smallest = SIZES[-1], SIZES[0]
    peer = "`kubectl get pods -A -w -o json`"
    what = f"memory of `changes pods -A` over {largest:,} Pods"
    memory = median("ours", largest, "memory")
    yield Row(what, memory, "the limit", MEMORY_REACH, 1.0, megabytes)
    yield Row(what, memory, peer, median("kubectl", largest, "memory"), None, megabytes)
    for size in SIZES:
        ours, theirs = (median(name, size, "first") for name in ("ours", "kubectl"))
        yield Row(f"first line of `changes pods -A`, {size:,} Pods", ours, peer, theirs)
    for size in SIZES:
        ours, theirs = (median(name, size, "event") for name in ("ours", "kubectl"))
        yield Row(
            f"an event among {size:,} Pods, everything included", ours, peer, theirs
        )
    few = median("ours", smallest, "event")
    peer = f"the same among {smallest} Pods"
    for size in SIZES[1:]:
        what = f"an event among {size:,} Pods"
        yield Row(what, median("ours", size, "event"), peer, few, 1.2)
    # There is no peer: kubectl watches one type at a time.
    what = f"{largest:,} objects of {TYPES} types"
    peer = "as many Pods"
    for name, member, unit in (
        ("memory", "memory", megabytes),
        ("first line", "first", seconds),
        ("an event", "event", seconds),
    ):
        ours, one = (median(tool, largest, member) for tool in ("types", "ours"))
        yield Row(f"{name}, {what}", ours, peer, one, None, unit)


def plot(tools: Iterable[str], median: Callable[[str, int, str], Measured]) -> str:
    """Return what was measured as curves over the number of objects."""
    panels = []
    for title, what, scale in PANELS:
        curves: dict[str, dict[int, float]] = {}
        for name in tools:
            values = {size: median(name, size, what) for size in SIZES}
            found = {s: v * scale for s, v in values.items() if isinstance(v, float)}
            if found:
                curves[NAMES[name]] = found
        panels.append(Panel(title, curves))
    return svg(panels, "objects")


def run_once(
    settings: Settings, argv: list[str], server: LoadServer, types: int
) -> Cost:
    """Start, let the lists be read in peace, then time the events alone."""
    server.hold()
    command = settings.command(argv, server)
    began = time.perf_counter()
    with command.running() as process:
        while not command.stdout.stat().st_size and process.poll() is None:
            time.sleep(POLL_SECONDS)
        first = time.perf_counter() - began
        settle(command, server, process.pid, types)
        started = time.perf_counter()
        server.go()
        wait_for_marker(command, process, END_MARKER, types)
        took = time.perf_counter() - started
        memory = float(peak_bytes(process.pid))
        return Cost(first, took / settings.events, memory)


def settle(command: Command, server: LoadServer, pid: int, types: int) -> None:
    """Wait until the tool watches all and has used no processor time for a while."""
    watches, used, since = 0, -1.0, time.monotonic()
    deadline = since + PATIENCE_SECONDS
    while not (watches >= types and time.monotonic() - since >= SETTLED_SECONDS):
        if time.monotonic() > deadline:
            raise command.failed("did not come to rest")
        try:
            now = cpu_seconds(pid)
        except (OSError, IndexError):
            raise command.failed("ended early") from None
        watches += sum("watch=" in path for path in server.requests())
        if now != used:
            used, since = now, time.monotonic()
        time.sleep(0.05)
