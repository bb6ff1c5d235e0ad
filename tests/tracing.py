"""Traces for tests: of recorded streams up to a moment, and of objects made up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timezone
from typing import Any

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import ChangeRecord, Listed, Refused
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.trace.picture import Node, Picture
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.extras.serve.api_server.cluster import Collection
from kubectl_spy.render.findings import text as told
from tests.builders import bundled, resource
from tests.extras.serve.api_server.streams import Recording

UTC = timezone.utc
START = 1_795_273_445.0
"""2026-11-21T15:04:05Z: where the clock of recorded streams stands at their start."""


def recorded_trace(stream: str, target: str, until: float) -> Trace:
    """Return the trace of *target* (`Deployment/nginx`) *until* seconds of a stream.

    Everything that was recorded in the stream is watched, as one whole namespace.
    """
    *_, (trace, _) = recorded_pictures(stream, target, until)
    return trace


def recorded_pictures(
    stream: str, target: str, until: float = float("inf")
) -> Iterator[tuple[Trace, Picture]]:
    """Yield a trace, and its picture after the first lists and after each change."""
    recording = bundled(stream)
    kind, name = target.split("/")
    selections = selections_of(recording)
    history = History()
    trace = Trace(
        Scope((), tuple(selections.values()), lambda record: _is(record, kind, name))
    )

    def tell(kind: EventType, collection: Collection, *rest: Any) -> None:
        event = WatchEvent(kind, selections[collection], *rest)
        for record in history.observe(event):
            trace.observe(record)

    for collection, selection in selections.items():
        tell(EventType.LISTING, collection, START)
        listed = [each for of, each in recording.initial if of == collection]
        for document in listed:
            tell(EventType.LISTED, collection, START, document)
        tell(EventType.SYNCED, collection, START)
        trace.observe(Listed(selection, len(listed), START))
    yield trace, trace.picture()
    for step in recording.steps:
        if step.time > until:
            return
        kind_of_event = EventType.DELETED if step.deleted else EventType.MODIFIED
        tell(kind_of_event, step.collection, START + step.time, step.object)
        yield trace, trace.picture()


def selections_of(recording: Recording) -> dict[Collection, Selection]:
    """Return what is watched where a recording is played, by collection."""
    kinds = {
        (document["apiVersion"], document["kind"])
        for _, document in _documents(recording)
    }
    return {each: _selection(each, kinds) for each in sorted(recording.collections)}


Kinds = dict[tuple[str, str], Selection]


def selections_for(objects: Iterable[dict[str, Any]]) -> Kinds:
    """Return what is watched to see *objects*, by apiVersion and kind."""
    kinds = dict.fromkeys((each["apiVersion"], each["kind"]) for each in objects)
    return {kind: selection_of(*kind) for kind in kinds}


def all_listed(
    selections: Kinds, objects: Iterable[dict[str, Any]]
) -> Iterator[WatchEvent]:
    """Yield the first lists of all streams, side by side: *objects* in that order."""
    for each in selections.values():
        yield WatchEvent(EventType.LISTING, each, START)
    for document in objects:
        selection = selections[document["apiVersion"], document["kind"]]
        yield WatchEvent(EventType.LISTED, selection, START, document)
    for each in selections.values():
        yield WatchEvent(EventType.SYNCED, each, START)


def inventory(
    *objects: dict[str, Any], unseen: dict[str, str] | None = None
) -> Inventory:
    """Return an inventory that holds *objects*, and knows all of every kind.

    *unseen* are reasons by kind: what may not be listed.
    """
    seen = Inventory()
    refused = unseen or {}
    for group, kind in _KINDS:
        version = f"{group}/v1" if group else "v1"
        selection = selection_of(version, kind)
        if kind in refused:
            seen.observe(
                Refused(selection, refused[kind], START, "may not" in refused[kind])
            )
        else:
            seen.observe(Listed(selection, 0, START))
    history = History()
    for document in objects:
        kind = document["kind"]
        selection = selection_of(document["apiVersion"], kind)
        event = WatchEvent(EventType.LISTED, selection, START, document)
        for record in history.observe(event):
            seen.observe(record)
    return seen


def diagnosis(
    target: dict[str, Any],
    *others: dict[str, Any],
    unseen: dict[str, str] | None = None,
) -> Diagnosis:
    """Return what its kind says of *target*, beside *others*."""
    seen = inventory(target, *others, unseen=unseen)
    return diagnosed_in(seen, target["metadata"]["uid"])


def entry_of(seen: Inventory, uid: str) -> Entry:
    """Return what is known of an object that is there."""
    entry = seen.entry(uid)
    assert entry is not None
    return entry


def diagnosed_in(seen: Inventory, uid: str) -> Diagnosis:
    """Return the diagnosis of an object among all that is known."""
    return diagnose(entry_of(seen, uid), seen)


def feed(observer: Any, events: Iterable[WatchEvent], history: History) -> None:
    """Have *observer* see the records of *events*."""
    for event in events:
        for record in history.observe(event):
            observer.observe(record)


def found(node: Node | Diagnosis, about: str) -> tuple[Verdict, str]:
    """Return verdict and text of the finding *about* something.

    Raises:
        AssertionError: there is none.
    """
    for each in node.findings:
        if each.about == about:
            return each.verdict, told(each)
    raise AssertionError((about, node.findings))


_KINDS = (
    ("", "Pod"),
    ("", "Service"),
    ("", "Node"),
    ("", "Event"),
    ("", "PersistentVolumeClaim"),
    ("", "PersistentVolume"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("apps", "DaemonSet"),
    ("apps", "ControllerRevision"),
    ("batch", "Job"),
    ("batch", "CronJob"),
    ("discovery.k8s.io", "EndpointSlice"),
    ("networking.k8s.io", "Ingress"),
    ("networking.k8s.io", "IngressClass"),
    ("resource.k8s.io", "ResourceClaim"),
    ("resource.k8s.io", "ResourceClaimTemplate"),
    ("", "ConfigMap"),
)


def _is(record: ChangeRecord, kind: str, name: str) -> bool:
    return record.gvk.kind == kind and record.name == name


def _documents(recording: Recording) -> Iterator[tuple[Collection, dict[str, Any]]]:
    yield from recording.initial
    yield from ((step.collection, step.object) for step in recording.steps)


def _selection(collection: Collection, kinds: set[tuple[str, str]]) -> Selection:
    for version, kind in kinds:
        plural = kind.lower() + ("es" if kind.endswith("s") else "s")
        if version == collection.api_version and plural == collection.plural:
            return selection_of(version, kind)
    return selection_of(collection.api_version, collection.plural)


def selection_of(version: str, kind: str) -> Selection:
    group, _, version = version.rpartition("/")
    return Selection(resource=resource(kind, group, version))
