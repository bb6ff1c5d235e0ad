"""Recordings: how large they are, what making them costs, and how quick to read."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from benchmarks.flood import OURS, to_the_end
from benchmarks.measure import (
    POLL_SECONDS,
    Command,
    Failed,
    interleaved,
    peak_bytes,
    to_exit,
)
from benchmarks.objects import pod_name
from benchmarks.recorded import CHANGES, bundled, record, recorded_churn
from benchmarks.table import Row, kilobytes, megabytes
from benchmarks.tools import Settings, kubectl_spy, load_server, python

PODS_RECORDED = (1, 1_000, 10_000)
PARTS = (1, 50, 100)
"""Where `show` is asked for: at so many hundredths of the changes."""


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the rows of recordings."""
    yield from sizes(settings)
    yield from writing(settings)
    yield from reading(settings)


def sizes(settings: Settings) -> Iterator[Row]:
    """Compare a recording of a rollout with every version of it in full."""
    stream, path = bundled("deploy-rollout"), settings.directory / "rollout.spy"
    record(path, stream.selections, stream.events)
    recorded, full = path.read_bytes(), b"".join(stream.texts)
    what = f"size of a recording of a rollout, {len(stream.texts)} versions"
    peer = "all versions in full"
    yield Row(what, float(len(recorded)), peer, float(len(full)), 0.4, kilobytes)
    packed = float(len(gzip.compress(recorded, 6)))
    yield Row(f"{what}, gzipped", packed, peer, float(len(full)), 0.06, kilobytes)


def writing(settings: Settings) -> Iterator[Row]:
    """Compare a flood of events that is recorded with one that is only shown."""
    path, name = settings.directory / "flood.spy", f"`{OURS['changes'][0]}`"
    argv = kubectl_spy(*OURS["changes"])
    if argv is None:
        return
    with load_server(settings, pods=1, events=settings.events) as server:
        commands = {
            "alone": settings.command(argv, server),
            "recorded": settings.command([*argv, f"--record={path}"], server),
        }

        def anew(name: str) -> float:
            path.unlink(missing_ok=True)
            return to_the_end(commands[name], "MODIFIED", settings.events)()

        medians = interleaved(
            {name: partial(anew, name) for name in commands}, settings.runs
        )
    what = f"{settings.events:,} events of a 4.4 KB Pod, {name} with `--record`"
    yield Row(what, medians.get("recorded"), "without", medians.get("alone"))


def reading(settings: Settings) -> Iterator[Row]:
    """Compare reading recordings of 100,000 changes with the limits, and parsing."""
    files = {pods: settings.directory / f"{pods}.spy" for pods in PODS_RECORDED}
    candidates: dict[str, Callable[[], float]] = {}
    peaks: dict[str, Callable[[], float]] = {}
    for pods, path in files.items():
        recorded_churn(path, pods)
        commands = {f"replay {pods}": ["changes", str(path)]}
        named = f"pod/{pod_name(pods // 2)}"
        for part in PARTS:
            at = f"seq:{pods + CHANGES * part // 100}"
            commands[f"show {pods} {part}"] = ["show", str(path), named, "--at", at]
        for name, arguments in commands.items():
            if argv := kubectl_spy(*arguments):
                command = settings.command(argv)
                candidates[name] = partial(to_exit, command)
                peaks[name] = partial(peak, command)
    parse = (
        "import sys, orjson\nfor line in open(sys.argv[1], 'rb'): orjson.loads(line)"
    )
    argv = python("-c", parse, str(files[1]))
    candidates["parse"] = partial(to_exit, settings.command(argv))
    medians = interleaved(candidates, settings.runs)
    for pods in files:
        where = f"{CHANGES:,} changes of {f'{pods:,} Pods' if pods > 1 else 'one Pod'}"
        ours = medians.get(f"replay {pods}")
        yield Row(
            f"`changes` of {where}",
            ours,
            "`orjson.loads` of its lines",
            medians["parse"],
            3.3,
        )
        shown = [medians.get(f"show {pods} {part}") for part in PARTS]
        worst = max(shown, key=lambda each: each if isinstance(each, float) else 1e9)
        what = f"`show` at the worst of {len(PARTS)} points of {where}"
        yield Row(what, worst, "the limit", 0.5, 1.0)
    for name in ("replay 1", f"show 1 {PARTS[-1]}"):
        what = f"memory of `{name.split()[0]}`, {CHANGES:,} changes of one Pod"
        memory = peaks[name]() if name in peaks else None
        yield Row(what, memory, "the recording", size_of(files[1]), None, megabytes)


def peak(command: Command) -> float:
    """Return the most memory that *command* has had, seen every few milliseconds."""
    most = 0
    with command.running() as process:
        while process.poll() is None:
            with suppress(OSError, Failed):  # it has just ended
                most = max(most, peak_bytes(process.pid))
            time.sleep(POLL_SECONDS)
    return float(most)


def size_of(path: Path) -> float:
    """Return the bytes of a file."""
    return float(path.stat().st_size)
