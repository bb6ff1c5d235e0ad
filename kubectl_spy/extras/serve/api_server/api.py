"""From a request to its answer: objects, lists, watches."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from kubectl_spy.core.objects import GroupVersionKind, Resource
from kubectl_spy.extras.serve.api_server.cluster import Cluster, Collection, Object
from kubectl_spy.extras.serve.api_server.discovery import Discovery, Target, find_target
from kubectl_spy.extras.serve.api_server.exchange import (
    Answer,
    Refused,
    Request,
    json_answer,
    no_such_resource,
    not_allowed,
    not_found,
    page_not_found,
)
from kubectl_spy.extras.serve.api_server.listing import list_page, parse_revision
from kubectl_spy.extras.serve.api_server.representations import (
    Representation,
    wanted_by,
)
from kubectl_spy.extras.serve.api_server.tables.columns import (
    NAME_AGE,
    Columns,
    columns_of,
    custom_columns,
)
from kubectl_spy.extras.serve.api_server.watching import (
    Stream,
    Watch,
    event_line,
    follow,
    open_watch,
)

_DEFINITIONS = Collection("apiextensions.k8s.io/v1", "customresourcedefinitions")


class Api:
    """Answers requests about a cluster; knows nothing of connections."""

    bookmark_interval = 60.0  # seconds between the bookmarks of a watch

    def __init__(
        self,
        cluster: Cluster,
        discovery: Discovery,
        *,
        on_watch: Callable[[Collection, str | None], None],
        now: Callable[[], float] = time.time,
    ) -> None:
        """Serve *cluster*. *now* is the time by which ages in tables are counted."""
        self.cluster = cluster
        self._now = now
        self.discovery = discovery
        self._on_watch = on_watch
        self._generation = 0
        self._open: list[int] = []

    def respond(self, request: Request) -> Answer | Stream:
        try:
            return self._respond(request)
        except Refused as error:
            return error.answer

    def drop_watches(self, timeout: float) -> None:
        """End all streams, and wait until they have ended."""
        with self.cluster.changed:
            dropped = self._generation
            self._generation += 1
            self.cluster.changed.notify_all()
            self.cluster.changed.wait_for(
                lambda: all(each > dropped for each in self._open), timeout
            )

    def lines(self, watch: Watch, is_over: Callable[[], bool]) -> Stream:
        """Yield the lines of *watch* until its time or *is_over*."""
        for events in follow(
            self.cluster,
            watch,
            bookmark_interval=self.bookmark_interval,
            is_over=is_over,
        ):
            yield [
                event_line(kind, watch.representation.event(item))
                for kind, item in events
            ]

    def bookmark(self, gvk: GroupVersionKind) -> Object:
        """Return the object of a bookmark, which gets a resourceVersion."""
        return {"kind": gvk.kind, "apiVersion": gvk.api_version, "metadata": {}}

    def _respond(self, request: Request) -> Answer | Stream:
        accept = request.headers.get("accept", "")
        answer = self.discovery.answer(request.route, accept)
        if answer is not None:
            return answer
        target = find_target(self.discovery, request.route)
        if target is None:
            is_openapi = request.route.startswith("/openapi/")  # kubectl asks for it
            if is_openapi or self.discovery.knows(request.route):
                raise no_such_resource()
            return page_not_found()
        if request.method != "GET" or "list" not in target.resource.verbs:
            raise not_allowed()
        watches = target.name is None and request.watches
        if watches and "watch" not in target.resource.verbs:
            raise not_allowed()
        shown = Representation(
            wanted_by(accept, watches=watches),
            request.query,
            lambda: self._columns(target.resource),
            self._now,
        )
        if watches:
            return self._watch(target, request, shown)
        if target.name is not None:
            return json_answer(shown.one(self._get(target, target.name, request.query)))
        # kubectl, which asks for tables, waits between pages: it sends five requests a
        # second after the first ten.
        document, items = list_page(
            self.cluster, target, request.query, in_pages=not shown.is_table
        )
        return json_answer(shown.listed(document, items))

    def _columns(self, resource: Resource) -> Columns:
        group, version, kind = resource.gvk
        if (known := columns_of(group, kind)) is not None:
            return known
        key = "", f"{resource.plural}.{group}"
        definition = self.cluster.get(_DEFINITIONS, key)
        return NAME_AGE if definition is None else custom_columns(definition, version)

    def _get(self, target: Target, name: str, query: Mapping[str, str]) -> Object:
        parse_revision(query.get("resourceVersion", ""), status=500)
        found = self.cluster.get(target.collection, (target.namespace or "", name))
        if found is None:
            raise not_found(target.collection.plural, target.collection.group, name)
        return found

    def _watch(self, target: Target, request: Request, shown: Representation) -> Stream:
        watch = open_watch(
            self.cluster,
            target.collection,
            target.namespace,
            request.query,
            shown,
            bookmark=self.bookmark(target.resource.gvk),
        )
        return self._stream(watch)

    def _stream(self, watch: Watch) -> Stream:
        changed = self.cluster.changed
        with changed:
            generation = self._generation
            self._open.append(generation)
            changed.notify_all()
        try:
            if not watch.failed:
                self._on_watch(watch.collection, watch.namespace)
            yield from self.lines(watch, lambda: self._generation != generation)
        finally:
            with changed:
                self._open.remove(generation)
                changed.notify_all()
