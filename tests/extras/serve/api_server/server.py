"""The embedded API server: the demo's, and what tests do to it."""

from __future__ import annotations

import dataclasses
import json
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timezone
from math import inf

from kubectl_spy.core.objects import JSON, Resource
from kubectl_spy.extras.serve.api_server import server
from kubectl_spy.extras.serve.api_server.cluster import Collection, Object
from kubectl_spy.extras.serve.api_server.discovery import Discovery
from kubectl_spy.extras.serve.api_server.exchange import Answer, Request
from kubectl_spy.extras.serve.api_server.player import Player
from kubectl_spy.extras.serve.api_server.watching import Stream
from tests.builders import bundled
from tests.extras.serve.api_server.api import FullApi
from tests.extras.serve.api_server.cluster import Cluster
from tests.extras.serve.api_server.refusals import Refusal, refusing_answer
from tests.extras.serve.api_server.streams import Tape, load_document


class ApiServer(server.ApiServer):
    """A server that plays *recordings*, takes writes, and fails when it is told to.

    *speed* and *longest_pause* are those of `Player`, *watches_before_play* is that of
    `Tape`. A watch that allows bookmarks gets one every *bookmark_interval* seconds.
    Discovery lists *custom_resources*, in its aggregated form only. With a *token*,
    requests without it are refused. Every answer but watches has *warnings* as headers.
    """

    def __init__(
        self,
        recordings: Iterable[str] = (),
        *,
        speed: float = 1.0,
        longest_pause: float = inf,
        watches_before_play: int = 1,
        bookmark_interval: float = 60.0,
        custom_resources: Iterable[Resource] = (),
        token: str | None = None,
        warnings: Iterable[str] = (),
    ) -> None:
        # Revisions grow from one to the next, also if one watch begins all of them.
        loaded = sorted(map(bundled, recordings), key=lambda each: each.revisions)
        self.requests: list[Request] = []
        """Everything that was asked, in the order of arrival."""
        self._cluster = Cluster(loaded)
        self._token = token
        self._warnings = tuple(
            ("Warning", f"299 - {json.dumps(text)}") for text in warnings
        )
        self._refusals: list[Refusal] = []
        self._tapes = {
            each.name: Tape(each, self._cluster, watches_before_play) for each in loaded
        }
        player = Player(
            self._cluster.changed,
            self._tapes.values(),
            speed=speed,
            longest_pause=longest_pause,
        )
        documents = load_document("discovery")
        for resource in custom_resources:
            documents["/apis (aggregated)"]["items"].append(_group_of(resource))
        self._discovery = Discovery(documents)
        self._full = FullApi(
            self._cluster,
            self._discovery,
            bookmarks=[item for each in loaded for item in each.bookmarks],
            on_watch=player.watched,
        )
        self._full.bookmark_interval = bookmark_interval
        super().__init__(
            self._full,
            player,
            namespaces=[each.namespace for each in loaded if each.namespace],
        )

    def respond(self, request: Request) -> Answer | Stream:
        """Log the request; refuse it, or answer."""
        self.requests.append(request)
        given = request.headers.get("authorization", "")
        if self._token is not None and given != f"Bearer {self._token}":
            return refusing_answer(401)
        for refusal in self._refusals:
            if refusal.take(request):
                return refusal.answer
        answer = super().respond(request)
        if isinstance(answer, Answer) and self._warnings:
            headers = (*answer.headers, *self._warnings)
            return dataclasses.replace(answer, headers=headers)
        return answer

    def play(self, *names: str) -> None:
        """Begin recordings now, watched or not; all of them without *names*."""
        self._player.play(self._tapes[name] for name in names or self._tapes)

    def wait_until_played(self, timeout: float, *names: str) -> None:
        """Wait until recordings (*names*, or all) are played, or raise TimeoutError."""
        deadline = time.monotonic() + timeout
        changed = self._cluster.changed
        with changed:
            while left := [
                f"{name} ({len(self._tapes[name].left)} steps left)"
                for name in names or self._tapes
                if self._tapes[name].left
            ]:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"not played in {timeout} s: {', '.join(left)}")
                changed.wait(0.01)

    def wait_for_watches(self, count: int, timeout: float) -> None:
        """Wait until exactly *count* watches are open.

        Raises:
            TimeoutError: they were not in time.
        """
        with self._cluster.changed:
            if not self._cluster.changed.wait_for(
                lambda: self._full.open_watches == count, timeout
            ):
                raise TimeoutError(f"{self._full.open_watches} watches, not {count}")

    @property
    def resource_version(self) -> str:
        """The resourceVersion that a list would have now."""
        return str(self._cluster.revision)

    def put(self, document: Object) -> Object:
        """Create or replace an object, and return it as stored.

        A new one gets a uid, unless it has one, and a creationTimestamp. A replacement
        keeps both. A replacement that changes nothing is no write, as on a real server:
        no new resourceVersion, no event.

        Raises:
            LookupError: nothing served is of that type.
            ValueError: an object of that name has another uid.
        """
        collection, key = self._place(document)
        with self._cluster.changed:
            current = self._cluster.get(collection, key)
            metadata = {**document["metadata"]}
            known = current["metadata"] if current else _new_metadata()
            if current and metadata.get("uid", known["uid"]) != known["uid"]:
                raise ValueError(f"{key[1]} has the uid {known['uid']}")
            if key[0]:
                metadata["namespace"] = key[0]
            metadata.setdefault("uid", known["uid"])
            metadata.setdefault("creationTimestamp", known["creationTimestamp"])
            if current:
                metadata["resourceVersion"] = known["resourceVersion"]
            stored = {**document, "metadata": metadata}
            if stored == current:
                return stored
            return self._cluster.store(collection, stored)

    def delete(self, document: Object) -> Object:
        """Delete the object with *document*'s type, namespace and name, at once.

        Raises:
            LookupError: there is none.
        """
        collection, key = self._place(document)
        with self._cluster.changed:
            current = self._cluster.get(collection, key)
            if current is None:
                raise LookupError(f"no {'/'.join((*collection, *filter(None, key)))}")
            return self._cluster.store(collection, current, deleted=True)

    def compact(self) -> None:
        """Forget the history: resourceVersions before the current one are too old."""
        self._cluster.compact()

    def restore(self, resource_version: str) -> None:
        """Go back to an earlier version, as etcd when a backup is restored."""
        self._cluster.restore(int(resource_version))

    def drop_watches(self) -> None:
        """End all watches cleanly, as a server that restarts: earlier changes come."""
        self._full.end_watches()

    def tear_watches(self) -> None:
        """Break off all watches within an event, as a network that fails does.

        Earlier changes are still sent. No last chunk follows.
        """
        self._full.end_watches(b'{"type":"MODIFIED","obj')

    def refuse(
        self,
        prefix: str,
        status: int,
        body: JSON = None,
        *,
        headers: Mapping[str, str] | None = None,
        watches: bool | None = None,
        times: int | None = None,
    ) -> None:
        """Answer requests whose path, with query, begins with *prefix* with an error.

        *body* and *headers* are those of `refusing_answer`. With *watches*, only
        watches or only other requests are refused; with *times*, only the next ones.
        The earliest refusal that applies counts.
        """
        answer = refusing_answer(status, body, headers)
        self._refusals.append(Refusal(prefix, answer, watches, times))

    def admit(self, prefix: str = "") -> None:
        """Take back the refusals whose prefixes begin with *prefix*."""
        self._refusals[:] = [
            each for each in self._refusals if not each.prefix.startswith(prefix)
        ]

    def _place(self, document: Object) -> tuple[Collection, tuple[str, str]]:
        api_version, kind = document["apiVersion"], document["kind"]
        for collection, resource in self._discovery.resources.items():
            if (collection.api_version, resource.gvk.kind) == (api_version, kind):
                metadata = document["metadata"]
                namespace = metadata.get("namespace", "default")
                key = namespace if resource.namespaced else "", metadata["name"]
                return collection, key
        raise LookupError(f"no {kind} in {api_version} is served")


Serve = Callable[..., ApiServer]
"""Starts a server, whose options are those of `ApiServer`."""


def _new_metadata() -> dict[str, str]:
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"uid": str(uuid.uuid4()), "creationTimestamp": now}


def _group_of(resource: Resource) -> JSON:
    """Return a group with one resource as the aggregated document has it."""
    group, version, kind = resource.gvk
    entry = {
        "resource": resource.plural,
        "responseKind": {"group": group, "version": version, "kind": kind},
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
    }
    served = {"version": version, "resources": [entry], "freshness": "Current"}
    return {"metadata": {"name": group}, "versions": [served]}
