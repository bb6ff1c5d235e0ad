"""Recordings: how large they are, what making them costs, and how quick to read."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measure import Command, interleaved, to_exit
from benchmarks.objects import (
    FIRST_RESOURCE_VERSION,
    NAMESPACE,
    pod_at,
    pod_name,
    watch_event,
)
from benchmarks.table import Row, kilobytes, megabytes
from benchmarks.tools import REPOSITORY, Settings, kubectl_spy, python
from kubectl_spy.core.history import History
from kubectl_spy.core.objects import (
    EventType,
    GroupVersionKind,
    Resource,
    Selection,
    WatchEvent,
)
from kubectl_spy.core.record import Listed
from kubectl_spy.demo.recordings import parse_collection
from kubectl_spy.sinks.recorder import Origin, Recorder, Resumed, Rotation
from kubectl_spy.sinks.recording_file import RecordingFile

STREAMS = REPOSITORY / "kubectl_spy" / "demo" / "streams"
CHANGES = 100_000
START = 1_795_190_400.0
"""2026-11-20T16:00:00Z, when recordings that are made here begin."""
TICK = 0.01
PODS_RECORDED = (1, 1_000, 10_000)
PARTS = (1, 50, 100)
"""Where `show` is asked for: at so many hundredths of the changes."""
PODS = Selection(
    resource=Resource(
        gvk=GroupVersionKind("", "v1", "Pod"),
        plural="pods",
        singular="pod",
        namespaced=True,
        short_names=("po",),
    ),
    namespace=NAMESPACE,
)


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the rows of recordings."""
    yield from sizes(settings)
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


def reading(settings: Settings) -> Iterator[Row]:
    """Compare reading recordings of 100,000 changes with the limits, and parsing."""
    files = {pods: settings.directory / f"{pods}.spy" for pods in PODS_RECORDED}
    candidates: dict[str, Callable[[], float]] = {}
    peaks: dict[str, float] = {}
    for pods, path in files.items():
        recorded_churn(path, pods)
        commands = {f"replay {pods}": ["replay", str(path), "--instant"]}
        named = f"pod/{pod_name(pods // 2)}"
        for part in PARTS:
            at = f"seq:{CHANGES * part // 100}"
            commands[f"show {pods} {part}"] = ["show", str(path), named, "--at", at]
        for name, arguments in commands.items():
            if argv := kubectl_spy(*arguments):
                candidates[name] = peaking(settings.command(argv), name, peaks)
    parse = (
        "import sys, orjson\nfor line in open(sys.argv[1], 'rb'): orjson.loads(line)"
    )
    argv = python("-c", parse, str(files[1]))
    candidates["parse"] = partial(to_exit, settings.command(argv))
    medians = interleaved(candidates, settings.runs)
    for pods in files:
        where = f"{CHANGES:,} changes of {pods:,} Pods"
        ours = medians.get(f"replay {pods}")
        yield Row(f"`replay --instant` of {where}", ours, "the limit", 5.0, 1.0)
        yield Row(
            f"`replay --instant` of {where}",
            ours,
            "`orjson.loads` of its lines",
            medians["parse"],
        )
        shown = [medians.get(f"show {pods} {part}") for part in PARTS]
        worst = max(shown, key=lambda each: each if isinstance(each, float) else 1e9)
        what = f"`show` at the worst of {len(PARTS)} points of {where}"
        yield Row(what, worst, "the limit", 0.5, 1.0)
    for name in (f"replay {min(files)}", f"show {min(files)} {PARTS[-1]}"):
        what = f"memory of `{name.split()[0]}`, {CHANGES:,} changes of one Pod"
        yield Row(
            what, peaks.get(name), "the recording", size_of(files[1]), None, megabytes
        )


def peaking(
    command: Command, name: str, peaks: dict[str, float]
) -> Callable[[], float]:
    """Return what times *command*, and notes in *peaks* what memory it took."""

    def run() -> float:
        started = time.perf_counter()
        with command.running() as process:
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise command.failed(f"exit code {process.returncode}")
        peaks[name] = float(usage.ru_maxrss * 1024)
        return seconds

    return run


def size_of(path: Path) -> float:
    """Return the bytes of a file."""
    return float(path.stat().st_size)


def recorded_churn(path: Path, pods: int, changes: int = CHANGES) -> None:
    """Record *changes* of *pods* Pods, in turn, the way `record` does."""
    record(path, [PODS], chain(_first_list(pods), _changes(pods, changes)))


def record(
    path: Path,
    selections: Sequence[Selection],
    events: Iterable[WatchEvent],
    rotation: Rotation = Rotation(),  # noqa: B008 (frozen)
) -> None:
    """Record *events* at *path*, behind what is there; a SYNCED ends a first list."""
    history = History()
    resumed = None
    if path.exists():
        file, header, last = RecordingFile.reopen(path)
        resumed = Resumed(
            last["seq"], last["time"], header["recording"], header["segment"]
        )
    else:
        file = RecordingFile.create(path)
    recorder = Recorder(
        file,
        _origin(),
        selections,
        present=history.present,
        rotation=rotation,
        resumed=resumed,
    )
    listed = 0
    for event in events:
        for change in history.observe(event):
            recorder.observe(change)
        listed += event.type is EventType.LISTED
        if event.type is EventType.SYNCED:
            recorder.observe(Listed(event.selection, listed, event.time))
            listed = 0
    recorder.end("done")


class Bundled(NamedTuple):
    """A bundled stream of a real cluster."""

    selections: list[Selection]
    events: list[WatchEvent]
    texts: list[bytes]
    """Every version as a watch delivers it, a line each."""


def bundled(name: str) -> Bundled:
    """Return the bundled stream *name*, as live watches would give it."""
    bundled = Bundled([], [], [])
    watched: dict[str, Selection] = {}
    with gzip.open(STREAMS / f"{name}.ndjson.gz") as lines:
        for each in map(json.loads, lines):
            moment = START + each["t"]
            if (listed := each.get("list")) is not None:
                watched[each["path"]] = selection = _selection(each["path"], listed)
                bundled.selections.append(selection)
                kinds = {"apiVersion": listed["apiVersion"]}
                kinds["kind"] = selection.resource.gvk.kind
                items = [{**kinds, **item} for item in listed["items"]]
                found: list[tuple[EventType, Any]] = [(EventType.LISTING, None)]
                found += [(EventType.LISTED, item) for item in items]
                found += [(EventType.SYNCED, None)]
            elif each["event"]["type"] == "BOOKMARK":
                continue
            else:
                selection = watched[each["path"]]
                found = [(EventType[each["event"]["type"]], each["event"]["object"])]
            for kind, item in found:
                bundled.events.append(WatchEvent(kind, selection, moment, item))
                if item is not None:
                    type_ = "ADDED" if kind is EventType.LISTED else kind.value
                    bundled.texts.append(watch_event(type_, item))
    return bundled


def _selection(path: str, listed: dict[str, Any]) -> Selection:
    collection, namespace = parse_collection(path)
    group, _, version = collection.api_version.rpartition("/")
    kind = listed["kind"].removesuffix("List")
    return Selection(
        resource=Resource(
            gvk=GroupVersionKind(group, version, kind),
            plural=collection.plural,
            singular=kind.lower(),
            namespaced=namespace is not None,
        ),
        namespace=namespace,
    )


def _first_list(pods: int) -> Iterator[WatchEvent]:
    yield WatchEvent(EventType.LISTING, PODS, START)
    for index in range(pods):
        pod = pod_at(index, 0, FIRST_RESOURCE_VERSION)
        yield WatchEvent(EventType.LISTED, PODS, START, pod)
    yield WatchEvent(EventType.SYNCED, PODS, START)


def _changes(pods: int, changes: int) -> Iterator[WatchEvent]:
    for number in range(changes):
        step, index = divmod(number, pods)
        pod = pod_at(index, step + 1, FIRST_RESOURCE_VERSION + number + 1)
        moment = START + TICK * (number + 1)
        yield WatchEvent(EventType.MODIFIED, PODS, moment, pod)


def _origin() -> Origin:
    return Origin(
        tool="benchmarks",
        owned=False,
        server="",
        context="",
        cluster="",
        command="changes",
        only=(),
        ignore=(),
        watch_only=False,
        targets=("pods",),
        secrets="masked",
        epoch="00000000",
    )
