"""The API server: what it plays, what tests do to it, what it was asked."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType

from kubectl_spy.core.objects import JSON, Resource
from kubectl_spy.demo.api import Api, Refusal, Stream
from kubectl_spy.demo.cluster import Cluster
from kubectl_spy.demo.connection import Listener
from kubectl_spy.demo.discovery import Discovery
from kubectl_spy.demo.exchange import Answer, Request, json_answer, standard_failure
from kubectl_spy.demo.player import Player
from kubectl_spy.demo.recordings import Collection, Object, load_recording
from kubectl_spy.demo.watching import Torn


class ApiServer:
    """A Kubernetes API server on loopback that plays *recordings*.

    It serves discovery, get, list and watch, over plain HTTP, while it is entered as
    a context manager. Bundled recordings are given by name, others by path; the
    namespace of a bundled one is its name. Nothing is served that was not recorded
    or put: there are no Namespace objects, and Events are in core v1 only.

    *speed* is how many times faster than recorded it plays; 0 is as fast as possible.
    Pauses longer than *longest_pause* seconds are cut to that. A recording begins
    when *watches_before_play* different collections of it are watched: a client that
    lists and watches several of them, and must see every version of each even at
    full speed, needs their number there.

    A watch that allows bookmarks gets one every *bookmark_interval* seconds. Without
    *watch_list* sendInitialEvents is refused with 422. *aggregated*,
    *custom_resources* and *broken_groups* are Discovery's. If there is a *token*
    nothing is served without it. *warnings* are sent as `Warning:` headers with every
    answer.
    """

    def __init__(
        self,
        recordings: Iterable[str | Path] = (),
        *,
        speed: float = 1.0,
        longest_pause: float | None = None,
        watches_before_play: int = 1,
        bookmark_interval: float = 60.0,
        aggregated: bool = True,
        custom_resources: Iterable[Resource] = (),
        broken_groups: Mapping[str, int] | None = None,
        watch_list: bool = True,
        token: str | None = None,
        warnings: Iterable[str] = (),
    ) -> None:
        loaded = [load_recording(recording) for recording in recordings]
        self.requests: list[Request] = []
        """Everything that was asked, in the order of arrival."""
        self.namespaces = [each.namespace for each in loaded if each.namespace]
        """Those of the recordings."""
        self._token = token
        self._cluster = Cluster(loaded)
        self._player = Player(
            self._cluster,
            loaded,
            speed=speed,
            longest_pause=longest_pause,
            watches_before_play=watches_before_play,
        )
        self._discovery = Discovery(
            aggregated=aggregated,
            custom_resources=custom_resources,
            broken_groups=broken_groups,
        )
        self._api = Api(
            self._cluster,
            self._discovery,
            token=token,
            bookmarks={
                f"{bookmark['apiVersion']} {bookmark['kind']}": bookmark
                for recording in loaded
                for bookmark in recording.bookmarks
            },
            bookmark_interval=bookmark_interval,
            watch_list=watch_list,
            on_watch=self._player.watched,
        )
        self._warnings = tuple(
            ("Warning", f"299 - {json.dumps(text)}") for text in warnings
        )
        self._listener: Listener | None = None

    def __enter__(self) -> ApiServer:
        self._listener = Listener(self._respond, self._warnings)
        self._player.start()
        self._listener.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._player.close()
        self._api.drop_watches(None, timeout=0.05)
        if self._listener is not None:
            self._listener.stop(patience=0.1)

    @property
    def url(self) -> str:
        """The address, without a slash at its end.

        Raises:
            RuntimeError: it is not entered.
        """
        if self._listener is None:
            raise RuntimeError("enter the API server with `with` first")
        return self._listener.url

    def write_kubeconfig(self, path: Path, *, namespace: str | None = None) -> Path:
        """Write a kubeconfig, mode 0600, with one context, "demo"; return *path*.

        Its namespace is that of the first recording, or else "default".
        """
        namespace = namespace or next(iter(self.namespaces), "default")
        user = {"token": self._token} if self._token is not None else {}
        context = {"cluster": "demo", "user": "demo", "namespace": namespace}
        # JSON is YAML.
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "demo",
            "clusters": [{"name": "demo", "cluster": {"server": self.url}}],
            "users": [{"name": "demo", "user": user}],
            "contexts": [{"name": "demo", "context": context}],
        }
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(json.dumps(config, indent=2) + "\n")
        return path

    def play(self, *names: str) -> None:
        """Begin recordings now, watched or not; all of them without *names*."""
        self._player.play(names or None)

    def wait_until_played(self, timeout: float, *names: str) -> None:
        """Wait until recordings are played; all of them without *names*.

        Raises:
            TimeoutError: they were not in time.
        """
        self._player.wait_until_played(timeout, names)

    def wait_for_watches(self, count: int, timeout: float) -> None:
        """Wait until exactly *count* watches are open.

        Raises:
            TimeoutError: they were not in time.
        """
        with self._cluster.changed:
            if not self._cluster.changed.wait_for(
                lambda: self._api.open_watches == count, timeout
            ):
                raise TimeoutError(f"{self._api.open_watches} watches, not {count}")

    @property
    def resource_version(self) -> str:
        """The resourceVersion that a list would have now."""
        return str(self._cluster.revision)

    def put(self, document: Object) -> Object:
        """Create or replace an object, and return it as stored.

        A new one is given a uid, unless it has one, and a creationTimestamp; the
        replaced one's are kept. A replacement that changes nothing is no write, as on
        a real server: no new resourceVersion, no event.

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
            return self._cluster.write(collection, stored)

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
            return self._cluster.write(collection, current, deleted=True)

    def compact(self) -> None:
        """Forget the history: resourceVersions before the current one are too old."""
        self._cluster.compact()

    def drop_watches(self, error: JSON = None) -> None:
        """End all watches cleanly, as a server that restarts or has enough of them.

        What happened before is still sent. With *error*, a Status, each of them is
        sent that as an ERROR event first.
        """
        parting = ("ERROR", error) if error is not None else None
        self._api.drop_watches(parting, timeout=1.0)

    def tear_watches(self, fragment: bytes = b'{"type":"MODIFIED","obj') -> None:
        """Break off all watches within an event, as a network that fails does.

        What happened before is still sent, then *fragment*, then the connection ends
        without the last chunk.
        """
        self._api.drop_watches(Torn(fragment), timeout=1.0)

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

        The *body* is JSON, or a text, or by default the Status that usually goes with
        the code. Only watches, or only others, are refused by *watches*; only the
        next ones by *times*. The earliest refusal that applies counts.
        """
        if body is None:
            answer = standard_failure(status).answer
        elif isinstance(body, str):
            content_type = "text/plain; charset=utf-8"
            answer = Answer(status, body.encode(), content_type)
        else:
            answer = json_answer(body, status)
        given = {**dict(answer.headers), **(headers or {})}
        answer = Answer(status, answer.body, answer.content_type, tuple(given.items()))
        self._api.refusals.append(Refusal(prefix, answer, watches, times))

    def admit(self, prefix: str = "") -> None:
        """Take back the refusals whose prefixes begin with *prefix*."""
        self._api.refusals[:] = [
            refusal
            for refusal in self._api.refusals
            if not refusal.prefix.startswith(prefix)
        ]

    def _respond(self, request: Request) -> Answer | Stream:
        self.requests.append(request)
        return self._api.respond(request)

    def _place(self, document: Object) -> tuple[Collection, tuple[str, str]]:
        api_version, kind = document["apiVersion"], document["kind"]
        resource = self._discovery.resource_of(api_version, kind)
        if resource is None:
            raise LookupError(f"no {kind} in {api_version} is served")
        metadata = document["metadata"]
        namespace = metadata.get("namespace", "default") if resource.namespaced else ""
        return Collection(api_version, resource.plural), (namespace, metadata["name"])


def _new_metadata() -> dict[str, str]:
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"uid": str(uuid.uuid4()), "creationTimestamp": now}
