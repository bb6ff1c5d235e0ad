"""Recordings to measure and to test with, made as `record` makes them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.objects import FIRST_RESOURCE_VERSION, NAMESPACE, pod_at, watch_event
from benchmarks.tools import REPOSITORY
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Listed
from kubectl_spy.core.changes.recording_format import Origin
from kubectl_spy.core.objects import (
    EventType,
    GroupVersionKind,
    Resource,
    Selection,
    WatchEvent,
)
from kubectl_spy.extras.serve.api_server.cluster import Collection
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sinks.recorder import Recorder
from kubectl_spy.sinks.recording_file import RecordingFile
from kubectl_spy.sinks.resuming import Resumed

STREAMS = REPOSITORY / "tests" / "streams"
CHANGES = 100_000
START = 1_795_190_400.0
"""2026-11-20T16:00:00Z, when recordings that are made here begin."""
TICK = 0.01
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
        history=history,
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


def parse_collection(path: str) -> tuple[Collection, str | None]:
    """Split a collection's path into the collection and its namespace."""
    _, root, *rest = path.split("/")
    cut = 1 if root == "api" else 2
    collection = Collection("/".join(rest[:cut]), rest[-1])
    return collection, rest[cut + 1] if len(rest) > cut + 1 else None


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
