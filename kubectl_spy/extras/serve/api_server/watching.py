"""Answering a watch: where it begins, and the events it sends from there on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.cluster import (
    Change,
    Cluster,
    Collection,
    Expired,
    Matches,
    Object,
    at_revision,
)
from kubectl_spy.extras.serve.api_server.exchange import status_object
from kubectl_spy.extras.serve.api_server.listing import (
    list_options,
    matcher,
    parse_revision,
)
from kubectl_spy.extras.serve.api_server.representations import Representation

Event = tuple[str, JSON]  # type and object
Stream = Iterator[list[bytes]]  # the lines of a watch, in batches sent together

LONGEST = 1800.0  # seconds of a watch without timeoutSeconds: --min-request-timeout
_INITIAL_END = {"k8s.io/initial-events-end": "true"}
_CLIENT_CHECK = 0.5  # seconds between looks whether the client is still there


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A watch as a client asks for it."""

    collection: Collection
    namespace: str | None
    matches: Matches
    initial: tuple[Event, ...]  # sent first
    representation: Representation
    position: int  # where in the history the changes begin that are sent
    bookmark: Object | None = None
    """The object of its bookmarks, without the revision; None for no bookmarks.

    kube-apiserver serves Events without a watch cache, and so without bookmarks.
    """
    timeout: float = LONGEST
    failed: bool = False  # whether the initial event is an error; nothing follows it


def open_watch(
    cluster: Cluster,
    collection: Collection,
    namespace: str | None,
    query: Mapping[str, str],
    representation: Representation,
    *,
    bookmark: Object,
) -> Watch:
    """Return the watch that *query* asks for.

    Without a resourceVersion, or from "0", or if it asks for initial events, it begins
    with the current state as ADDED, in the order of names; otherwise with the first
    change after that version. Where the history no longer has that version, an ERROR is
    all there is. Raises Refused if a parameter is invalid.
    """
    options = list_options(query, watches=True)
    matches = matcher(collection, query)
    revision = parse_revision(options.version, status=500)
    initial: tuple[Event, ...] = ()
    failed = False
    with cluster.changed:
        position = cluster.end
        if options.send_initial or (options.send_initial is None and not revision):
            items = cluster.select(collection, namespace, matches)
            initial = tuple(("ADDED", item) for item in items)
            if options.send_initial and options.bookmarks:
                end = at_revision(bookmark, cluster.revision)
                metadata = {**end["metadata"], "annotations": _INITIAL_END}
                initial += (("BOOKMARK", {**end, "metadata": metadata}),)
        elif revision:
            try:
                position = cluster.position_after(revision)
            except Expired as error:
                failed = True
                initial = (_expired(error),)
    return Watch(
        collection=collection,
        namespace=namespace,
        matches=matches,
        representation=representation,
        initial=initial,
        position=position,
        bookmark=bookmark
        if options.bookmarks and collection.plural != "events"
        else None,
        timeout=options.timeout or LONGEST,
        failed=failed,
    )


def follow(
    cluster: Cluster,
    watch: Watch,
    *,
    bookmark_interval: float,
    is_over: Callable[[], bool],
) -> Iterator[list[Event]]:
    """Yield the events of *watch* as they happen, until its time or *is_over*.

    The caller that makes *is_over* true notifies `cluster.changed`. Earlier changes are
    still sent. An empty list comes now and then: time to look whether the client is
    still there.
    """
    yield list(watch.initial)
    if watch.failed:
        return
    position, end = watch.position, time.monotonic() + watch.timeout
    jumps = cluster.jumps
    next_bookmark = time.monotonic() + bookmark_interval
    over = False
    while not over:
        with cluster.changed:
            wake = min(end, next_bookmark, time.monotonic() + _CLIENT_CHECK)
            while (
                position == cluster.end
                and jumps == cluster.jumps
                and not is_over()
                and (wait := wake - time.monotonic()) > 0
            ):
                cluster.changed.wait(wait)
            try:
                changes, position = cluster.since(position), cluster.end
            except Expired as error:  # this client reads too slowly
                yield [_expired(error)]
                return
            revision, over = cluster.revision, is_over() or time.monotonic() >= end
            due = jumps != cluster.jumps or time.monotonic() >= min(end, next_bookmark)
            jumps = cluster.jumps
        events = list(_events(watch, changes))
        if watch.bookmark is not None and due:
            events.append(("BOOKMARK", at_revision(watch.bookmark, revision)))
        if due:
            next_bookmark = time.monotonic() + bookmark_interval
        yield events


def _events(watch: Watch, changes: list[Change]) -> Iterator[Event]:
    for change in changes:
        if (
            change.collection == watch.collection
            and watch.namespace in (None, change.key[0])
            and (event := change.seen_through(watch.matches)) is not None
        ):
            yield event


def _expired(error: Expired) -> Event:
    return "ERROR", status_object(410, "Expired", str(error))


def event_line(kind: str, document: JSON) -> bytes:
    return dumps({"type": kind, "object": document}) + b"\n"
