"""Make the recordings of `kubectl spy demo` from the recorded streams of the tests.

python -m tools.demo [DIRECTORY]      write a NAME.spy.gz for each of them

They differ from what `kubectl spy record` writes: objects keep their managedFields, so
that the demo says who wrote what, and the made-up Secrets have their values. All types
that the real cluster served are declared, and the Namespace is there, which the streams
lack.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.recorded import START
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Listed
from kubectl_spy.core.changes.recording_format import Origin
from kubectl_spy.core.objects import EventType, Resource, Selection, WatchEvent
from kubectl_spy.extras.serve.api_server.cluster import Collection
from kubectl_spy.extras.serve.api_server.discovery import Discovery
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sinks.recorder import Recorder
from kubectl_spy.sinks.recording_file import RecordingFile
from tests.extras.serve.api_server.streams import (
    Recording,
    load_document,
    load_recording,
    recording_names,
)

TARGET = Path(__file__).resolve().parents[2] / "kubectl_spy/extras/demo/recordings"
_ORIGIN = Origin(
    tool="tools.demo",
    server="",
    context="demo",
    cluster="",
    command="record",
    only=(),
    ignore=(),
    watch_only=False,
    targets=("all",),
    owned=False,
    secrets="shown",
    epoch="00000000",
)


def main() -> None:
    """Write them all."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.mkdir(exist_ok=True)
    documents = load_document("discovery")
    resources = Discovery(documents).resources
    version = documents["/version"]["gitVersion"]
    for name in recording_names():
        recorded = recording(load_recording(name), resources, version)
        packed = gzip.compress(recorded, compresslevel=9, mtime=0)
        (target / f"{name}.spy.gz").write_bytes(packed)


def recording(
    streams: Recording, resources: dict[Collection, Resource], version: str
) -> bytes:
    """Return *streams* as a recording of a cluster that serves *resources*."""
    selections = {
        collection: Selection(
            resource=resource,
            namespace=streams.namespace if collection in streams.collections else None,
        )
        for collection, resource in resources.items()
        if "watch" in resource.verbs
        # A watch of any type of a recording without namespace begins it.
        and (streams.namespace or collection in streams.collections)
    }
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "demo.spy"
        history = History(noise=True)
        began = START + streams.revisions[0]  # in the order of the real ones
        recorder = Recorder(
            RecordingFile.create(file),
            _ORIGIN._replace(server=version),
            list(selections.values()),
            history=history,
            rotation=Rotation(),
            began=began,
        )
        for event in _events(streams, selections, began):
            for change in history.observe(event):
                recorder.observe(change)
            if event.type is EventType.SYNCED:
                recorder.observe(Listed(event.selection, event.objects or 0, began))
        recorder.end("done")
        return file.read_bytes()


def _events(
    streams: Recording, selections: dict[Collection, Selection], began: float
) -> Iterator[WatchEvent]:
    initial = [*streams.initial, *_namespaces(streams.namespace)]
    for collection, selection in selections.items():
        there = [item for of, item in initial if of == collection]
        yield WatchEvent(EventType.LISTING, selection, began)
        for item in there:
            yield WatchEvent(EventType.LISTED, selection, began, item)
        yield WatchEvent(EventType.SYNCED, selection, began, objects=len(there))
    present = {item["metadata"]["uid"] for _, item in initial}
    for step in streams.steps:
        uid = step.object["metadata"]["uid"]
        kind = EventType.MODIFIED if uid in present else EventType.ADDED
        if step.deleted:
            kind = EventType.DELETED
            present.discard(uid)
        else:
            present.add(uid)
        selection = selections[step.collection]
        yield WatchEvent(kind, selection, began + step.time, step.object)


def _namespaces(name: str | None) -> Iterator[tuple[Collection, dict[str, Any]]]:
    if name is not None:
        yield (
            Collection("v1", "namespaces"),
            {
                "kind": "Namespace",
                "apiVersion": "v1",
                "metadata": {
                    "name": name,
                    "uid": str(uuid.uuid5(uuid.NAMESPACE_DNS, name)),
                    "resourceVersion": "1",
                    "creationTimestamp": "2026-11-20T15:00:00Z",
                    "labels": {"kubernetes.io/metadata.name": name},
                },
                "spec": {"finalizers": ["kubernetes"]},
                "status": {"phase": "Active"},
            },
        )


if __name__ == "__main__":
    main()
