"""From a request to its answer: authentication, refusals, discovery, objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from kubectl_spy.core.objects import Resource
from kubectl_spy.demo.cluster import Cluster
from kubectl_spy.demo.discovery import Discovery
from kubectl_spy.demo.exchange import (
    Answer,
    Refused,
    Request,
    json_answer,
    not_found,
    page_not_found,
    standard_failure,
)
from kubectl_spy.demo.listing import list_objects
from kubectl_spy.demo.recordings import Collection, Object
from kubectl_spy.demo.watching import Event, Torn, Watch, follow, open_watch

Stream = Iterator[list[Event]]


@dataclass(frozen=True, slots=True)
class Target:
    """What the path of a request names."""

    resource: Resource
    namespace: str | None
    name: str | None

    @property
    def collection(self) -> Collection:
        """The collection it is, or the object is in."""
        return Collection(self.resource.gvk.api_version, self.resource.plural)


@dataclass(slots=True)
class Refusal:
    """A canned answer for requests whose path, with query, begins with *prefix*."""

    prefix: str
    answer: Answer
    watches: bool | None = None
    """Whether for watches only, or for all but watches."""
    times: int | None = None
    """How often it is still given; None for always."""

    def applies(self, request: Request) -> bool:
        """Tell whether *request* is to be refused."""
        return (
            request.path.startswith(self.prefix)
            and self.watches in (None, request.watches)
            and self.times != 0
        )


class Api:
    """Answers requests about a cluster; knows nothing of connections."""

    def __init__(
        self,
        cluster: Cluster,
        discovery: Discovery,
        *,
        token: str | None,
        bookmarks: Mapping[str, Object],
        bookmark_interval: float,
        watch_list: bool,
        on_watch: Callable[[Collection, str | None], None],
    ) -> None:
        self.refusals: list[Refusal] = []
        self._cluster = cluster
        self._discovery = discovery
        self._token = token
        self._bookmarks = bookmarks
        self._bookmark_interval = bookmark_interval
        self._watch_list = watch_list
        self._on_watch = on_watch
        self._generation = 0
        self._parting: Event | Torn | None = None
        self._open: list[int] = []

    def respond(self, request: Request) -> Answer | Stream:
        """Return the answer, or the stream of a watch."""
        try:
            return self._respond(request)
        except Refused as error:
            return error.answer

    @property
    def open_watches(self) -> int:
        """How many streams are being sent; `cluster.changed` tells of changes."""
        return len(self._open)

    def drop_watches(self, parting: Event | Torn | None, timeout: float) -> None:
        """End all streams, after *parting*; wait until they have ended."""
        with self._cluster.changed:
            dropped = self._generation
            self._generation += 1
            self._parting = parting
            self._cluster.changed.notify_all()
            self._cluster.changed.wait_for(
                lambda: all(each > dropped for each in self._open), timeout
            )

    def _respond(self, request: Request) -> Answer | Stream:
        if self._token is not None:
            given = request.headers.get("authorization", "")
            if given != f"Bearer {self._token}":
                raise standard_failure(401)
        for refusal in self.refusals:
            if refusal.applies(request):
                if refusal.times is not None:
                    refusal.times -= 1
                raise Refused(refusal.answer)
        self._discovery.check(request.route)
        accept = request.headers.get("accept", "")
        answer = self._discovery.answer(request.route, accept)
        if answer is not None:
            return answer
        target = find_target(self._discovery, request.route)
        if target is None:
            return page_not_found()
        if request.method != "GET" or "list" not in target.resource.verbs:
            raise standard_failure(405)
        if target.name is not None:
            return self._get(target, target.name)
        if request.watches:
            if "watch" not in target.resource.verbs:
                raise standard_failure(405)
            return self._watch(target, request)
        return json_answer(
            list_objects(
                self._cluster,
                target.resource,
                target.namespace,
                request.query,
                custom=self._discovery.is_custom(target.collection.group),
            )
        )

    def _get(self, target: Target, name: str) -> Answer:
        found = self._cluster.get(target.collection, (target.namespace or "", name))
        if found is None:
            raise not_found(target.collection.plural, target.collection.group, name)
        return json_answer(found)

    def _watch(self, target: Target, request: Request) -> Stream:
        gvk = target.resource.gvk
        plain = {"kind": gvk.kind, "apiVersion": gvk.api_version, "metadata": {}}
        watch = open_watch(
            self._cluster,
            target.resource,
            target.namespace,
            request.query,
            bookmark=self._bookmarks.get(f"{gvk.api_version} {gvk.kind}", plain),
            watch_list=self._watch_list,
        )
        return self._stream(watch)

    def _stream(self, watch: Watch) -> Stream:
        changed = self._cluster.changed
        with changed:
            generation = self._generation
            self._open.append(generation)
            changed.notify_all()
        try:
            if not watch.failed:
                self._on_watch(watch.collection, watch.namespace)
            yield from follow(
                self._cluster,
                watch,
                bookmark_interval=self._bookmark_interval,
                is_over=lambda: self._generation != generation,
            )
            parting = self._parting if self._generation != generation else None
            if isinstance(parting, Torn):
                raise parting
            if parting is not None:
                yield [parting]
        finally:
            with changed:
                self._open.remove(generation)
                changed.notify_all()


def find_target(discovery: Discovery, route: str) -> Target | None:
    """Return what *route* names: a collection or an object; None for neither.

    https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris
    A `status` subresource is read as the object itself, which is what it returns.
    """
    root, *parts = [unquote(part) for part in route.removeprefix("/").split("/")]
    cut = {"api": 1, "apis": 2}.get(root, len(parts))
    api_version, rest = "/".join(parts[:cut]), parts[cut:]
    namespace = None
    if len(rest) > 2 and rest[0] == "namespaces" and rest[2] != "status":
        namespace, rest = rest[1], rest[2:]
    if not rest or not all(rest):
        return None
    plural, name, *subresource = [*rest, None] if len(rest) == 1 else rest
    resource = discovery.resource(Collection(api_version, str(plural)))
    if resource is None or subresource not in ([], ["status"]):
        return None
    if subresource and not resource.has_status:
        return None
    if not resource.namespaced and namespace is not None:
        return None
    if resource.namespaced and namespace is None and name is not None:
        return None
    return Target(resource, namespace, name)
