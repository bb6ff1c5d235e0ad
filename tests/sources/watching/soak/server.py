"""The model's API server, as a connection sees it: answers, refusals, or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from typing import Any, NoReturn

from kubectl_spy.core.objects import Selection
from kubectl_spy.errors import ConnectionFailed
from kubectl_spy.sources.connection.identity import Identity
from kubectl_spy.sources.connection.refusals import RequestContext, refusal
from tests.sources.watching.fake_clock import FakeClock
from tests.sources.watching.soak.cluster import Cluster, Object, Snapshot, selects
from tests.sources.watching.soak.faults import PASSING, Refusal, Weather
from tests.sources.watching.soak.stream import GONE, Stream, Told, encoded
from tests.sources.watching.soak.wire import (
    CHUNKED,
    UNTIL_IT_ENDS,
    answer,
    chunk,
    sized,
)

US = RequestContext("https://cluster", "", Identity(), right="the right")
TOO_LARGE = {
    "kind": "Status",
    "code": 504,
    "reason": "Timeout",
    "message": "Timeout: Too large resource version: 7, current: 5",
    "details": {"causes": [{"reason": "ResourceVersionTooLarge"}]},
}
NOT_FOUND = {"kind": "Status", "code": 404, "reason": "NotFound", "message": "no"}
CONNECT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Request:
    """When a request came, and what for."""

    moment: float
    what: str


class HotLoop(AssertionError):
    """Requests come, and no time passes."""


class Backwards(AssertionError):
    """A watch is resumed from before a bookmark that it was given."""


class Server:
    """What a Getter is. Everything that is asked is answered on the fake clock."""

    def __init__(self, cluster: Cluster, clock: FakeClock, weather: Weather) -> None:
        self._cluster = cluster
        self._clock = clock
        self._weather = weather
        self._random = weather.random
        self._pages: dict[str, tuple[Snapshot, list[Object]]] = {}
        self._tokens = 0
        self._names_oldest = weather.names_oldest
        self.told = Told()
        self.requests: list[Request] = []
        self.served: Snapshot = cluster.snapshot()
        """What the latest list, or part of one, was taken from."""
        self.open: Stream | None = None
        self.stopped = False
        self.logged_out = False
        self.renewable = True

    def get(
        self,
        selection: Selection,
        *,
        watch: bool = False,
        single: bool = False,
        query: dict[str, str],
        read_timeout: float,
    ) -> Any:
        what = "watch" if watch else "get" if single else "list"
        exact = query.get("resourceVersionMatch") == "Exact"
        if "resourceVersionMatch" in query:
            what = "look back" if exact else "verify"
        self._note(what)
        if watch and "resourceVersion" not in query:
            self.told.from_now += 1
            self.told.bookmark = 0
        self._clock.advance(self._random.uniform(0.001, 0.02))
        kind = self._weather.refuses(self._clock.monotonic())
        if kind and not self.told.worked and not self._weather.hard_start:
            kind = kind if kind in PASSING else None
        if self.logged_out:
            kind = Refusal.UNKNOWN_USER
        if kind is Refusal.EXPIRED:
            if watch:
                self.told.gone += 1
                self._fail(410, GONE)
            kind = None
        if kind not in (None, Refusal.GARBLED, Refusal.SHORT):
            self._refuse(kind, read_timeout)
        if watch:
            return self._watch(selection, query, read_timeout, kind)
        if self._weather.get_only and not single:
            self._refuse(Refusal.FORBIDDEN, read_timeout)
        wanted = int(query.get("resourceVersion", "0"))
        if wanted > self._cluster.resource_version:
            self._clock.advance(3.0)
            self.told.gone += 1
            self._fail(504, TOO_LARGE)
        if exact:
            return self._document(self._past(selection, wanted), kind, read_timeout)
        if single:
            return self._document(self._single(selection), kind, read_timeout)
        return self._document(self._list(selection, query), kind, read_timeout)

    def renew(self) -> None:
        """Read the credentials again, which may help, or not."""
        if self.renewable:
            self.logged_out = False
        elif self._random.random() < 0.5:
            raise ConnectionFailed("the credential plugin failed")

    def stop(self) -> None:
        """Let nothing block any more."""
        self.stopped = True
        if self.open is not None:
            self.open.hung_up = True

    def _note(self, what: str) -> None:
        now = self._clock.monotonic()
        self.requests.append(Request(now, what))
        if self.open is not None and self.open.died is not None:
            self.told.blind = max(self.told.blind, now - self.open.died)
        if self.open is not None and self.open.slept is not None:
            self.told.overslept = max(self.told.overslept, now - self.open.slept)
        self.open = None
        if len(self.requests) > 60 and now - self.requests[-60].moment < 1:
            raise HotLoop([each.what for each in self.requests[-60:]])

    def _watch(
        self,
        selection: Selection,
        query: dict[str, str],
        read_timeout: float,
        kind: Refusal | None,
    ) -> Any:
        version = query.get("resourceVersion", "")
        if version and int(version) < self.served.resource_version:
            self.told.bookmark = 0  # a replay of the past, which may come again
        if version and int(version) < self.told.bookmark:
            raise Backwards(version, self.told.bookmark)
        if kind is not None:
            # A web page under a type that does not say so, cut short or not.
            head = sized(99 if kind is Refusal.SHORT else 6)
            return answer(head, iter((b"<html>",)), lambda: None)
        if version and int(version) < self._cluster.compacted:
            self.told.gone += 1
            gone = GONE
            if self._names_oldest:
                oldest = f"{GONE['message']}: {version} ({self._cluster.compacted})"
                gone = {**GONE, "message": oldest}
            if self._random.random() < 0.5:
                self._fail(410, gone)
            line = encoded({"type": "ERROR", "object": gone}) + b"\n"
            parts = iter((chunk(line), chunk(b"")))
            return answer(CHUNKED, parts, lambda: None)
        chunked = self._random.random() < 0.9
        stream = Stream(
            self._cluster,
            self._clock,
            self._weather,
            self.told,
            selection,
            resource_version=version,
            seconds=float(query["timeoutSeconds"]),
            read_timeout=read_timeout,
            fate=self._weather.fate(self._clock.monotonic()),
            chunked=chunked,
        )
        stream.hung_up = self.stopped
        self.open = stream

        def hang_up() -> None:
            stream.hung_up = True

        head = CHUNKED if chunked else UNTIL_IT_ENDS
        return answer(head, stream.parts(), hang_up)

    def _list(self, selection: Selection, query: dict[str, str]) -> Object:
        token = query.get("continue")
        if token is None:
            snapshot = self._cluster.snapshot()
            items = [o for o in snapshot.objects.values() if selects(selection, o)]
        else:
            snapshot, items = self._pages.pop(token)
            tired = self._random.random() < 0.1 and not self._weather.quiet
            if snapshot.resource_version < self._cluster.compacted or tired:
                self._fail(410, GONE)
        self.served = snapshot
        self.told.bookmark = 0
        metadata = {"resourceVersion": str(snapshot.resource_version)}
        size = min(int(query.get("limit", "500")), self._weather.page)
        if "limit" in query and len(items) > size:
            self._tokens += 1
            metadata["continue"] = f"page-{self._tokens}"
            self._pages[metadata["continue"]] = snapshot, items[size:]
            items = items[:size]
        return {"kind": "ConfigMapList", "metadata": metadata, "items": items}

    def _past(self, selection: Selection, version: int) -> Object:
        if version < self._cluster.compacted:
            self._fail(410, GONE)
        items = [
            each
            for each in self._cluster.as_of(version).objects.values()
            if selects(selection, each)
        ]
        metadata = {"resourceVersion": str(version)}
        return {"kind": "ConfigMapList", "metadata": metadata, "items": items}

    def _single(self, selection: Selection) -> Object:
        self.served = self._cluster.snapshot()
        obj = self.served.objects.get(selection.name or "")
        if not selects(selection, obj) or obj is None:
            self._fail(404, NOT_FOUND)
        return {"apiVersion": "v1", "kind": "ConfigMap", **obj}

    def _document(
        self, document: Object, kind: Refusal | None, read_timeout: float
    ) -> Any:
        body = encoded(document)
        if kind is Refusal.GARBLED:
            body = self._random.choice((b"", b"[]", b"{}", body[:-1], b"<html>"))
        parts: Iterator[bytes] = iter((body,))
        if kind is Refusal.SHORT:
            parts = self._broken_off(body, read_timeout)
        chunked = self._random.random() < 0.5 and kind is None
        if chunked:
            return answer(CHUNKED, iter((chunk(body), chunk(b""))), lambda: None)
        return answer(sized(len(body)), parts, lambda: None)

    def _broken_off(self, body: bytes, read_timeout: float) -> Iterator[bytes]:
        yield body[: self._random.randrange(len(body))]
        chance = self._random.random()
        if chance < 0.3:
            self._clock.advance(read_timeout)
            raise TimeoutError
        if chance < 0.6:
            raise ConnectionResetError

    def _refuse(self, kind: Refusal | None, read_timeout: float) -> NoReturn:
        random = self._random
        match kind:
            case Refusal.NO_ANSWER:
                self._clock.advance(read_timeout)
                raise ConnectionFailed("it took the request but did not answer in time")
            case Refusal.BUSY:
                after = random.choice((None, "1", "5", "86400"))
                self._fail(429, {"message": "busy"}, after)
            case Refusal.ERROR:
                self._fail(random.choice((500, 502, 503, 504)), None)
            case Refusal.UNKNOWN_USER:
                self._fail(401, {"kind": "Status", "reason": "Unauthorized"})
            case Refusal.FORBIDDEN:
                self._fail(403, {"kind": "Status", "reason": "Forbidden"})
            case Refusal.NOT_SERVED:
                self._fail(404, None)
            case Refusal.WEB_PAGE:
                raise ConnectionFailed("the server answered with a web page")
            case _:
                self._clock.advance(random.choice((0.0, 0.0, CONNECT_SECONDS)))
                raise ConnectionFailed("refused the connection")

    def _fail(self, status: int, body: Any, after: str | None = None) -> NoReturn:
        headers: Message[str, str] = Message()
        if after is not None:
            headers["Retry-After"] = after
        text = "<html>no</html>" if body is None else json.dumps(body)
        raise refusal(status, headers, text.encode(), US)
