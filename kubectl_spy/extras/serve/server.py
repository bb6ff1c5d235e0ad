"""The server of `kubectl spy serve`."""

from __future__ import annotations

import dataclasses
import hmac
import re
import secrets
from collections.abc import Callable

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.serve.api_server import server
from kubectl_spy.extras.serve.api_server.api import Api
from kubectl_spy.extras.serve.api_server.discovery import Discovery, find_target
from kubectl_spy.extras.serve.api_server.discovery_documents import discovery_documents
from kubectl_spy.extras.serve.api_server.exchange import (
    Answer,
    Request,
    failure,
    json_answer,
    not_found,
)
from kubectl_spy.extras.serve.api_server.objects import Collection
from kubectl_spy.extras.serve.api_server.watching import Stream
from kubectl_spy.extras.serve.logs import Logs
from kubectl_spy.extras.serve.player import Place, Player
from kubectl_spy.extras.serve.recorded import RecordedCluster
from kubectl_spy.extras.serve.reviews import answer_review

_VERSION = re.compile(r"v?([0-9]+)\.([0-9]+)")
_HEALTH = ("/healthz", "/livez", "/readyz")
_PODS = Collection("v1", "pods")
_NAMESPACES = Collection("v1", "namespaces")
_NAMESPACE = re.compile(r"/api/v1/namespaces/[^/]+")
_LOG = re.compile(r"/api/v1/namespaces/[^/]+/pods/[^/]+/log")


class RecordingServer(server.ApiServer):
    """Serves *recorded* to those who know its token. Nothing can be written.

    *find* returns the place that a POINT means, or raises SpyError.
    """

    name = "spy"
    _player: Player

    def __init__(
        self,
        recorded: RecordedCluster,
        player: Player,
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
        return self._respond(self._admitted(request))

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

    def _respond(self, request: Request) -> Answer | Stream:
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
        if _NAMESPACE.fullmatch(route) and _NAMESPACES not in self._discovery.resources:
            # When an object is missing, kubectl asks for its Namespace. It would print
            # that 404, and not that of the object.
            raise failure(501, "NotImplemented", "Namespaces were not recorded")
        if _LOG.fullmatch(route):
            return self._log(request)
        return super().respond(request)

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
