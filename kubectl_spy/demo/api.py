"""From a request to its answer: discovery, objects, lists, watches.

Discovery has two forms: a document for each group version, and since Kubernetes 1.26
an aggregated one for `/api` and for `/apis`, which a client asks for with its Accept
header.
https://kubernetes.io/docs/concepts/overview/kubernetes-api/
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from kubectl_spy.core.objects import JSON, GroupVersionKind, Resource
from kubectl_spy.demo.cluster import Cluster
from kubectl_spy.demo.exchange import (
    Answer,
    Refused,
    Request,
    as_list,
    encode,
    json_answer,
    not_allowed,
    not_found,
    page_not_found,
)
from kubectl_spy.demo.recordings import Collection, Object, Recording
from kubectl_spy.demo.selectors import matcher
from kubectl_spy.demo.watching import Watch, event_line, follow, open_watch

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


class Discovery:
    """Discovery *documents* by path, as `load_document("discovery")` has them."""

    def __init__(self, documents: dict[str, JSON]) -> None:
        self._documents = documents
        self.resources = {
            Collection(resource.gvk.api_version, resource.plural): resource
            for document in documents.values()
            if document.get("kind") == "APIResourceList"
            for resource in _resources(document)
        }

    def answer(self, route: str, accept: str) -> Answer | None:
        """Answer a discovery request; None if *route* is something else."""
        if route in ("/api", "/apis") and _accepts_aggregated(accept):
            document = self._documents[f"{route} (aggregated)"]
            return Answer(200, encode(document) + b"\n", AGGREGATED)
        if route in self._documents:
            return json_answer(self._documents[route])
        for group in self._documents["/apis"]["groups"]:
            if route == f"/apis/{group['name']}":
                return json_answer({"kind": "APIGroup", "apiVersion": "v1", **group})
        return None


def _accepts_aggregated(accept: str) -> bool:
    return any(
        {"g=apidiscovery.k8s.io", "v=v2", "as=APIGroupDiscoveryList"}
        <= {parameter.strip() for parameter in media_type.split(";")}
        for media_type in accept.split(",")
    )


def _resources(document: JSON) -> Iterator[Resource]:
    group, _, version = document["groupVersion"].rpartition("/")
    names = {entry["name"] for entry in document["resources"]}
    for entry in document["resources"]:
        if "/" not in entry["name"]:
            yield Resource(
                gvk=GroupVersionKind(group, version, entry["kind"]),
                plural=entry["name"],
                singular=entry["singularName"],
                namespaced=entry["namespaced"],
                verbs=tuple(entry["verbs"]),
                short_names=tuple(entry.get("shortNames", ())),
                categories=tuple(entry.get("categories", ())),
                has_status=f"{entry['name']}/status" in names,
            )


Stream = Iterator[list[bytes]]  # the lines of a watch, in batches sent together


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


class Api:
    """Answers requests about a cluster; knows nothing of connections."""

    bookmark_interval = 60.0  # seconds between the bookmarks of a watch

    def __init__(
        self,
        cluster: Cluster,
        discovery: Discovery,
        recordings: Iterable[Recording],
        *,
        on_watch: Callable[[Collection, str | None], None],
    ) -> None:
        self.cluster = cluster
        self.discovery = discovery
        self._on_watch = on_watch
        self._bookmarks: dict[tuple[str, str], Object] = {
            (bookmark["apiVersion"], bookmark["kind"]): bookmark
            for recording in recordings
            for bookmark in recording.bookmarks
        }
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

    def list(self, target: Target, request: Request) -> JSON:
        """Return the list that *request* asks for.

        It holds everything at once: a server may ignore `limit`.
        https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/common-parameters/#limit

        Raises Refused if a parameter is invalid.
        """
        matches = matcher(target.collection, request.query)
        with self.cluster.changed:
            revision = self.cluster.revision
            items = self.cluster.select(target.collection, target.namespace, matches)
        return as_list(target.resource, items, revision)

    def lines(self, watch: Watch, is_over: Callable[[], bool]) -> Stream:
        """Yield the lines of *watch* until its time or *is_over*."""
        for events in follow(
            self.cluster,
            watch,
            bookmark_interval=self.bookmark_interval,
            is_over=is_over,
        ):
            yield [event_line(event) for event in events]

    def _respond(self, request: Request) -> Answer | Stream:
        accept = request.headers.get("accept", "")
        answer = self.discovery.answer(request.route, accept)
        if answer is not None:
            return answer
        target = find_target(self.discovery, request.route)
        if target is None:
            return page_not_found()
        if request.method != "GET" or "list" not in target.resource.verbs:
            raise not_allowed()
        if target.name is not None:
            return self._get(target, target.name)
        if not request.watches:
            return json_answer(self.list(target, request))
        if "watch" not in target.resource.verbs:
            raise not_allowed()
        return self._watch(target, request)

    def _get(self, target: Target, name: str) -> Answer:
        found = self.cluster.get(target.collection, (target.namespace or "", name))
        if found is None:
            raise not_found(target.collection.plural, target.collection.group, name)
        return json_answer(found)

    def _watch(self, target: Target, request: Request) -> Stream:
        kind, api_version = target.resource.gvk.kind, target.collection.api_version
        plain = {"kind": kind, "apiVersion": api_version, "metadata": {}}
        bookmark = self._bookmarks.get((api_version, kind), plain)
        watch = open_watch(
            self.cluster,
            target.collection,
            target.namespace,
            request.query,
            bookmark=bookmark,
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


def find_target(discovery: Discovery, route: str) -> Target | None:
    """Return the collection or the object that *route* names; None for neither.

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
    resource = discovery.resources.get(Collection(api_version, str(plural)))
    if resource is None or subresource not in ([], ["status"]):
        return None
    if subresource and not resource.has_status:
        return None
    if not resource.namespaced and namespace is not None:
        return None
    if resource.namespaced and namespace is None and name is not None:
        return None
    return Target(resource, namespace, name)
