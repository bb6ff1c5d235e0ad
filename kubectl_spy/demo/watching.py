"""Answering a watch: where it begins, and the events it sends from there on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from kubectl_spy.core.objects import JSON, Resource
from kubectl_spy.demo.cluster import Change, Cluster, Expired, FutureRevision
from kubectl_spy.demo.exchange import failure, is_true, status_object
from kubectl_spy.demo.listing import parse_number, parse_revision
from kubectl_spy.demo.recordings import Collection, Object
from kubectl_spy.demo.selectors import Matches, matcher

Event = tuple[str, JSON]
"""Type and object."""

LONGEST = 1800.0
"""Seconds that a watch without timeoutSeconds lives: --min-request-timeout."""
_BREATH = 0.5
"""Seconds between looks whether the client is still there."""
_INITIAL_EVENTS_END = {"k8s.io/initial-events-end": "true"}


class Torn(Exception):
    """The stream breaks off within an event, after *fragment* of its line."""

    def __init__(self, fragment: bytes) -> None:
        super().__init__(fragment)
        self.fragment = fragment


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A watch as asked for."""

    collection: Collection
    namespace: str | None
    matches: Matches
    initial: tuple[Event, ...]
    """Sent first, before anything that happens."""
    position: int
    """In the history, from which on changes are sent."""
    floor: int = 0
    """Changes up to this revision are not sent: it lay in the future."""
    bookmark: Object | None = None
    """The object of its bookmarks but for the revision; None if not asked for.

    Nor are there any for Events, which kube-apiserver serves without a watch cache.
    """
    timeout: float = LONGEST
    failed: bool = False
    """Whether the initial events are an error and all there is."""


def open_watch(
    cluster: Cluster,
    resource: Resource,
    namespace: str | None,
    query: Mapping[str, str],
    *,
    bookmark: Object,
    watch_list: bool,
) -> Watch:
    """Return the watch that *query* asks for.

    Without a resourceVersion, or from "0", it begins with the current state as ADDED,
    in the order of names; otherwise with the first change after it. If that is
    compacted away, the watch begins, and ends, with an ERROR. A list at the beginning
    (sendInitialEvents) is served if *watch_list*, and otherwise refused with 422 as
    by a server without that feature.

    Raises:
        Refused: a parameter is invalid.
    """
    collection = Collection(resource.gvk.api_version, resource.plural)
    labels, fields = query.get("labelSelector", ""), query.get("fieldSelector", "")
    matches = matcher(collection, labels, fields)
    _check_initial_events(query, watch_list)
    revision = parse_revision(query.get("resourceVersion", ""))
    listing = is_true(query.get("sendInitialEvents", ""))
    bookmarks = is_true(query.get("allowWatchBookmarks", ""))
    initial: list[Event] = []
    floor, failed = 0, False
    with cluster.changed:
        position = len(cluster.history)
        if listing or (not revision and "sendInitialEvents" not in query):
            items = cluster.select(collection, namespace, matches)
            initial += (("ADDED", item) for item in items)
            if listing and bookmarks:
                end = _bookmark_at(bookmark, cluster.revision, _INITIAL_EVENTS_END)
                initial.append(("BOOKMARK", end))
        elif revision:
            try:
                position = cluster.position_after(revision)
            except FutureRevision:
                floor = revision
            except Expired as error:
                failed = True
                initial.append(("ERROR", status_object(410, "Expired", str(error))))
    return Watch(
        collection=collection,
        namespace=namespace,
        matches=matches,
        initial=tuple(initial),
        position=position,
        floor=floor,
        bookmark=bookmark if bookmarks and collection.plural != "events" else None,
        timeout=parse_number("timeoutSeconds", query.get("timeoutSeconds", ""))
        or LONGEST,
        failed=failed,
    )


def follow(
    cluster: Cluster,
    watch: Watch,
    *,
    bookmark_interval: float,
    is_over: Callable[[], bool],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[list[Event]]:
    """Yield the events of *watch* as they happen, until its time or *is_over*.

    Whoever makes *is_over* true notifies `cluster.changed`. What happened before is
    still sent. An empty list is yielded now and then, so that the other side can
    notice that its client has vanished.
    """
    yield list(watch.initial)
    if watch.failed:
        return
    position, end = watch.position, clock() + watch.timeout
    next_bookmark = clock() + bookmark_interval
    over = False
    while not over:
        with cluster.changed:
            wake = min(end, next_bookmark, clock() + _BREATH)
            while (
                position == len(cluster.history)
                and not is_over()
                and (wait := wake - clock()) > 0
            ):
                cluster.changed.wait(wait)
            changes, position = cluster.history[position:], len(cluster.history)
            revision, over = cluster.revision, is_over() or clock() >= end
        events = list(_events(watch, changes))
        due = clock() >= next_bookmark or clock() >= end
        if watch.bookmark is not None and due and revision > watch.floor:
            events.append(("BOOKMARK", _bookmark_at(watch.bookmark, revision)))
        if due:
            next_bookmark = clock() + bookmark_interval
        yield events


def _events(watch: Watch, changes: list[Change]) -> Iterator[Event]:
    for change in changes:
        if (
            change.collection == watch.collection
            and watch.namespace in (None, change.key[0])
            and change.revision > watch.floor
            and (event := change.seen_through(watch.matches)) is not None
        ):
            yield event


def _bookmark_at(
    bookmark: Object, revision: int, annotations: Mapping[str, str] | None = None
) -> Object:
    metadata = {**bookmark["metadata"], "resourceVersion": str(revision)}
    if annotations:
        metadata["annotations"] = {**metadata.get("annotations", {}), **annotations}
    return {**bookmark, "metadata": metadata}


def _check_initial_events(query: Mapping[str, str], watch_list: bool) -> None:
    """Refuse what ValidateListOptions refuses.

    https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/internalversion/validation/validation.go
    """
    match = query.get("resourceVersionMatch", "")
    if "sendInitialEvents" not in query:
        if match:
            _refuse_field(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents"
                " is provided",
            )
    elif not watch_list:
        _refuse_field(
            "sendInitialEvents",
            "sendInitialEvents is forbidden for watch unless the WatchList feature"
            " gate is enabled",
        )
    elif match != "NotOlderThan":
        _refuse_field(
            "resourceVersionMatch",
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        )


def _refuse_field(field: str, message: str) -> None:
    cause = {
        "reason": "FieldValueForbidden",
        "message": f"Forbidden: {message}",
        "field": field,
    }
    raise failure(
        422,
        "Invalid",
        f'ListOptions.meta.k8s.io "" is invalid: {field}: Forbidden: {message}',
        {"group": "meta.k8s.io", "kind": "ListOptions", "causes": [cause]},
    )
