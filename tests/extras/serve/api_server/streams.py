"""The recorded streams: watch streams of a real cluster, as a plan of steps.

A recording is gzipped JSON Lines: the first list of each collection, then the watch
events of all of them with the seconds since the recording began. Each collection had a
connection of its own, so lines of different collections are a little out of order. In
one cluster the revisions are the order of writes
(https://etcd.io/docs/latest/learning/api/#revisions). Steps are sorted by them: after
each step the state is one that the cluster was in.
"""

from __future__ import annotations

import gzip
import json
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.recorded import parse_collection
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.cluster import (
    Cluster,
    Collection,
    Object,
    revision_of,
)

STREAMS = Path(__file__).resolve().parents[3] / "streams"
_SUFFIX = ".ndjson.gz"


@dataclass(frozen=True, slots=True)
class Step:
    """One write: *object* as written, or as deleted."""

    time: float  # seconds since the recording began: the latest moment of the write
    revision: int
    collection: Collection
    object: Object
    deleted: bool


@dataclass(frozen=True, slots=True)
class Recording:
    """One recording."""

    name: str
    namespace: str | None  # None if its collections were watched in all namespaces
    collections: frozenset[Collection]
    revisions: tuple[int, ...]  # those of the first lists
    initial: tuple[tuple[Collection, Object], ...]
    """The objects of the first lists, with apiVersion and kind."""
    steps: tuple[Step, ...]
    bookmarks: tuple[Object, ...]  # the objects of its bookmarks

    def is_started_by(self, collection: Collection, namespace: str | None) -> bool:
        """Tell whether a watch of *collection* is one of what was recorded."""
        if namespace is not None and self.namespace is not None:
            return namespace == self.namespace
        return collection in self.collections


def recording_names() -> list[str]:
    """Return the names of the recorded streams, sorted."""
    return sorted(
        entry.name.removesuffix(_SUFFIX)
        for entry in STREAMS.iterdir()
        if entry.name.endswith(_SUFFIX)
    )


def load_recording(name: str) -> Recording:
    """Read the recorded streams *name*."""
    content = STREAMS.joinpath(name + _SUFFIX).read_bytes()
    return _parse(name, gzip.decompress(content).splitlines())


def load_document(name: str) -> JSON:
    """Read what the real API server answered: "discovery" or "errors"."""
    return json.loads(STREAMS.joinpath(f"{name}.json").read_bytes())


def _parse(name: str, lines: Iterable[bytes]) -> Recording:
    collections: set[Collection] = set()
    namespaces: set[str | None] = set()
    revisions: list[int] = []
    initial: list[tuple[Collection, Object]] = []
    bookmarks: list[Object] = []
    steps: list[Step] = []
    for line in lines:
        entry = json.loads(line)
        collection, namespace = parse_collection(entry["path"])
        collections.add(collection)
        namespaces.add(namespace)
        if "list" in entry:
            revisions.append(revision_of(entry["list"]))
            initial += ((collection, item) for item in _items(entry["list"]))
        elif entry["event"]["type"] == "BOOKMARK":
            bookmarks.append(entry["event"]["object"])
        else:
            item = entry["event"]["object"]
            deleted = entry["event"]["type"] == "DELETED"
            step = Step(entry["t"], revision_of(item), collection, item, deleted)
            steps.append(step)
    return Recording(
        name=name,
        namespace=namespaces.pop() if len(namespaces) == 1 else None,
        collections=frozenset(collections),
        revisions=tuple(sorted(set(revisions))),
        initial=tuple(initial),
        steps=tuple(_in_order_of_writing(steps)),
        bookmarks=tuple(bookmarks),
    )


def _items(listed: Object) -> Iterator[Object]:
    kind = listed["kind"].removesuffix("List")
    for item in listed["items"]:
        yield {"kind": kind, "apiVersion": listed["apiVersion"], **item}


def _in_order_of_writing(steps: list[Step]) -> list[Step]:
    """Sort by revision. A write is no later than the arrival of any later one."""
    ordered: list[Step] = []
    latest = float("inf")
    for step in sorted(steps, key=lambda step: step.revision, reverse=True):
        latest = min(latest, step.time)
        ordered.append(replace(step, time=latest))
    return ordered[::-1]


class Tape:
    """A *recording* that is played into *cluster* once it has enough *watches*."""

    def __init__(self, recording: Recording, cluster: Cluster, watches: int) -> None:
        self._recording = recording
        self._cluster = cluster
        self._wanted_watches = watches
        self._watched: set[tuple[Collection, str | None]] = set()
        self._moment = 0.0
        self.left = deque(recording.steps)

    @property
    def pause(self) -> float | None:
        return self.left[0].time - self._moment if self.left else None

    def watched(self, collection: Collection, namespace: str | None) -> bool:
        if self._recording.is_started_by(collection, namespace):
            self._watched.add((collection, namespace))
        return len(self._watched) >= self._wanted_watches

    def advance(self) -> None:
        step = self.left.popleft()
        self._moment = step.time
        metadata = step.object["metadata"]
        key = (metadata.get("namespace", ""), metadata["name"])
        if step.deleted and self._cluster.get(step.collection, key) is None:
            return  # already deleted
        self._cluster.write(
            step.collection, step.object, step.revision, deleted=step.deleted
        )
