"""The server of `kubectl spy serve`, and its clock: it stands still, or plays."""

from __future__ import annotations

import dataclasses
import gc
import hmac
import re
import secrets
import shlex
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from math import inf
from pathlib import Path
from typing import NamedTuple

from kubectl_spy.cli.run.window import inside, resolved
from kubectl_spy.core.changes.points import Beginning, Moment, Point
from kubectl_spy.core.objects import JSON, Resource
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.serve.api_server.api import Api
from kubectl_spy.extras.serve.api_server.cluster import Cluster, Collection
from kubectl_spy.extras.serve.api_server.discovery import (
    Discovery,
    discovery_documents,
    find_target,
)
from kubectl_spy.extras.serve.api_server.exchange import (
    Answer,
    Request,
    failure,
    json_answer,
    not_found,
)
from kubectl_spy.extras.serve.api_server.player import Player
from kubectl_spy.extras.serve.api_server.server import ApiServer
from kubectl_spy.extras.serve.api_server.watching import Stream
from kubectl_spy.extras.serve.recorded import Logs, RecordedCluster
from kubectl_spy.extras.serve.reviews import answer_review
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.states import find_line
from kubectl_spy.sources.watching.clock import UNSEEN

_VERSION = re.compile(r"v?([0-9]+)\.([0-9]+)")
_HEALTH = ("/healthz", "/livez", "/readyz")
_PODS = Collection("v1", "pods")
_NAMESPACES = Collection("v1", "namespaces")
_NAMESPACE = re.compile(r"/api/v1/namespaces/[^/]+")
_LOG = re.compile(r"/api/v1/namespaces/[^/]+/pods/[^/]+/log")


class Place(NamedTuple):
    """A place in a recording: its line, and the time, in seconds since the epoch."""

    line: int
    moment: float


class RecordingTape:
    """A recording as a tape, which is at *place*.

    It begins once *watches* different selections of what it recorded are watched, or
    with any watch if that is 0.
    """

    def __init__(
        self, recorded: RecordedCluster, place: Place, watches: int = 0
    ) -> None:
        self._recorded = recorded
        self._wanted_watches = watches
        self._watched: set[tuple[Collection, str | None]] = set()
        selections = [each.selection for each in recorded.index.declared]
        self.namespace = next(
            (each.namespace for each in selections if each.namespace), None
        )
        """The first that was recorded; None if all were."""
        self._collections = {
            recorded.collection(each.resource)
            for each in selections
            if each.namespace == self.namespace
        }
        self.seek(place)

    @property
    def place(self) -> Place:
        return Place(self._recorded.line, self._moment)

    def seek(self, place: Place) -> None:
        self._recorded.seek(place.line)
        self._moment = place.moment

    @property
    def pause(self) -> float | None:
        line, times = self._recorded.line + 1, self._recorded.index.times
        return times[line] - self._moment if line < len(times) else None

    def watched(self, collection: Collection, namespace: str | None) -> bool:
        if namespace is None or self.namespace is None:
            recorded = collection in self._collections
        else:
            recorded = namespace == self.namespace
        if recorded:
            self._watched.add((collection, namespace))
        return len(self._watched) >= self._wanted_watches

    def advance(self) -> None:
        self._recorded.advance()
        self._moment = self._recorded.index.times[self._recorded.line]


class RecordingPlayer(Player):
    """Moves *recorded* through its recording, which is at *begin*.

    With a *speed* it plays, that many times as fast as recorded, from the first watch
    on; 0 is as fast as possible. Without one it stands still.
    """

    def __init__(
        self, recorded: RecordedCluster, begin: Place, speed: float | None = None
    ) -> None:
        self._tape = RecordingTape(recorded, begin)
        tapes = [] if speed is None else [self._tape]
        super().__init__(recorded.cluster.changed, tapes, speed=speed or 0.0)

    def seek(self, place: Place) -> None:
        """Go to *place*, and play on from there."""
        with self._changed:
            self._tape.seek(place)
            if self._tape in self._reached:
                self._reached[self._tape] = time.monotonic()
            self._changed.notify_all()

    def now(self) -> float:
        """Return the time in the recording."""
        with self._changed:
            moment, since = self._tape.place.moment, self._reached.get(self._tape)
            if since is None or self._tape.pause is None:
                return moment
            return moment + (time.monotonic() - since) * self._speed


class RecordingServer(ApiServer):
    """Serves *recorded* to those who know its token. Nothing can be written.

    *find* returns the place that a POINT means, or raises SpyError.
    """

    name = "spy"
    _player: RecordingPlayer

    def __init__(
        self,
        recorded: RecordedCluster,
        player: RecordingPlayer,
        find: Callable[[str], Place],
        address: str = "127.0.0.1",
    ) -> None:
        self._recorded = recorded
        self._find = find
        self._token = secrets.token_urlsafe(24)
        self._logs = Logs(recorded.index)
        below = {"pods": ["log"]} if self._logs else {}
        documents = discovery_documents(recorded.resources, below)
        documents["/version"] = _version(recorded.index.recording.header)
        self._discovery = Discovery(documents)
        api = Api(
            recorded.cluster,
            self._discovery,
            on_watch=player.watched,
            now=player.now,
        )
        super().__init__(api, player, address)

    @property
    def url(self) -> str:
        """The address with the token, which only the kubeconfig tells."""
        return f"{super().url}/{self._token}"

    def respond(self, request: Request) -> Answer | Stream:
        """Answer *request*, if it comes from someone who read the kubeconfig.

        Raises Refused.
        """
        request = self._admitted(request)
        route = request.route
        if route == "/spy/seek" and request.method == "POST":
            return self._seek(request)
        if (answer := answer_review(request, self.name)) is not None:
            return answer
        if request.method not in ("GET", "HEAD"):
            message = "this is a recording, which cannot be changed"
            raise failure(405, "MethodNotAllowed", message)
        if route in _HEALTH:
            return Answer(200, b"ok", "text/plain; charset=utf-8")
        if _NAMESPACES not in self._discovery.resources:
            if route == "/api/v1/namespaces" and "watch" not in request.query:
                return json_answer(self._recorded.namespaces())
            # When an object is missing, kubectl asks for its Namespace. It would print
            # that 404, and not that of the object.
            if _NAMESPACE.fullmatch(route):
                raise failure(501, "NotImplemented", "Namespaces were not recorded")
        if _LOG.fullmatch(route):
            return self._log(request)
        target = find_target(self._discovery, route)
        if target and (unread := self._recorded.refusal(target.collection)):
            message = f"it was not recorded: {unread.message}"
            if unread.forbidden:
                raise failure(403, "Forbidden", message)
            raise failure(503, "ServiceUnavailable", message)
        return super().respond(request)

    def _admitted(self, request: Request) -> Request:
        """Return the request without the token. Raises Refused if it has none.

        A web page could make a browser send requests here. It knows no token, and by
        another name for this address (DNS rebinding) its requests have another Host.
        """
        if not self.is_called(request.headers.get("host", "")):
            raise failure(403, "Forbidden", "this server has no such name")
        given, _, rest = request.path.removeprefix("/").partition("/")
        if self._is_token(given):
            return dataclasses.replace(request, path=f"/{rest}")
        authorization = request.headers.get("authorization", "")
        if self._is_token(authorization.removeprefix("Bearer ")):
            return request
        raise failure(401, "Unauthorized", "Unauthorized")

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _log(self, request: Request) -> Answer:
        target = find_target(self._discovery, request.route.removesuffix("/log"))
        if target is None or target.collection != _PODS or target.name is None:
            raise failure(404, "NotFound", "Pods were not recorded")
        key = target.namespace or "", target.name
        pod = self._recorded.cluster.get(target.collection, key)
        if pod is None:
            raise not_found("pods", "", target.name)
        return self._logs.answer(pod, request.query)

    def _seek(self, request: Request) -> Answer:
        word = request.query.get("at") or request.read_body().decode(errors="replace")
        word = word.strip()
        if not word:
            raise failure(400, "BadRequest", "give a point: /spy/seek?at=15:04:05")
        try:
            place = self._find(word)
            self._player.seek(place)
        except SpyError as error:
            raise failure(400, "BadRequest", str(error)) from None
        index = self._recorded.index
        is_after = place.moment > max(index.times[-1], index.recording.began)
        after = ", which is after the end of the recording" if is_after else ""
        return json_answer(
            {
                "kind": "Status",
                "apiVersion": "v1",
                "metadata": {},
                "status": "Success",
                "message": f"at {rfc3339(place.moment)}{after}",
                "code": 200,
            }
        )


def _version(header: dict[str, JSON]) -> JSON:
    """Return the version of the API server that was recorded, as far as it is known."""
    version = str(header.get("server", ""))
    found = _VERSION.match(version)
    major, minor = found.groups() if found else ("", "")
    return {"major": major, "minor": minor, "gitVersion": version}


# Serves a recording until Ctrl-C.


def serve_recording(
    terminal: Terminal, name: str, point: str, speed: float | None, address: str
) -> None:
    """Serve the recording *name* from *point* on, and say how to use it.

    With a *speed* it plays. Raises SpyError if that is not possible.
    """
    with ExitStack() as stack:
        index = stack.enter_context(closing(Index(name)))
        index.grow(inf)

        def find(word: str) -> Place:
            return _place(index, resolved(word, index.recording, None, end=True))

        begin = resolved(point, index.recording, None, end=True)
        begin = inside(point, begin, index.recording, terminal)
        recorded = RecordedCluster(index)
        player = RecordingPlayer(recorded, _place(index, begin), speed)
        gc.set_threshold(100_000, 20, 100)  # most of what is made has no cycles
        try:
            server = RecordingServer(recorded, player, find, address)
            stack.enter_context(server)
        except OSError as error:
            reason = error.strerror or str(error)
            raise SpyError(f"cannot listen on {address}: {reason}") from None
        directory = tempfile.TemporaryDirectory(prefix="kubectl-spy-serve-")
        path = server.write_kubeconfig(
            Path(stack.enter_context(directory)) / "kubeconfig",
            namespace=_namespace(index),
        )
        terminal.write(f"export KUBECONFIG={shlex.quote(str(path))}\n")
        for line in _said(index, player.now(), playing=speed is not None):
            terminal.say(line)
        while True:
            time.sleep(UNSEEN)


@contextmanager
def play_side_by_side(
    files: Iterable[Path], *, speed: float, longest_pause: float, watches: int = 1
) -> Iterator[ApiServer]:
    """Serve recordings of one cluster together, without a token.

    Each plays as `RecordingTape` and `Player` say. A client that watches several types,
    and must get every version of each, needs their number as *watches*. All that was
    played is remembered.
    """
    with ExitStack() as stack:
        cluster, tapes, resources = Cluster(), list[RecordingTape](), list[Resource]()
        indexes = [stack.enter_context(closing(Index(str(file)))) for file in files]
        for index in indexes:
            index.grow(inf)
        # Revisions grow from one to the next, also if one watch begins all of them.
        for index in sorted(indexes, key=lambda index: index.recording.began):
            recorded = RecordedCluster(index, cluster)
            tapes.append(RecordingTape(recorded, _place(index, Beginning()), watches))
            resources += recorded.resources
        cluster.oldest = cluster.end, cluster.revision
        documents = discovery_documents(dict.fromkeys(resources), {})
        documents["/version"] = _version(indexes[0].recording.header)
        player = Player(
            cluster.changed, tapes, speed=speed, longest_pause=longest_pause
        )
        api = Api(cluster, Discovery(documents), on_watch=player.watched)
        namespaces = [each.namespace for each in tapes if each.namespace]
        yield stack.enter_context(ApiServer(api, player, namespaces=namespaces))


def _place(index: Index, point: Point) -> Place:
    line = find_line(index, point)
    time = point.time if isinstance(point, Moment) else index.times[line]
    # As in show: a time before the recording is its beginning.
    return Place(line, max(time, index.recording.began))


def _namespace(index: Index) -> str | None:
    """Return the namespace of all that was recorded, if it is one."""
    found = {each.namespace for each in index.subjects if each.namespace}
    return found.pop() if len(found) == 1 else None


def _said(index: Index, moment: float, *, playing: bool) -> Iterator[str]:
    """Yield what is served, and how to look at it, in lines."""
    name = index.recording.name
    how = "It plays from the first watch on." if playing else "It stands still."
    if index.damaged:
        yield f"note: {name} is damaged: see {kubectl('spy ls {} --verify', name)}"
    at = " ".join(day_and_clock(moment))
    yield f"Serving {name} as it was at {at}, until Ctrl-C. {how}"
    yield "In another terminal, with that variable set:"
    yield "  kubectl get pods -A"
    server = "$(kubectl config view --minify -o jsonpath={..server})"
    yield f'  curl -X POST "{server}/spy/seek?at=last-5m"'
