"""The connection to one API server: sends requests, returns answers or SpyErrors."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Mapping
from functools import partial
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kubectl_spy.core.objects import Selection
from kubectl_spy.core.wording import in_brief
from kubectl_spy.errors import ConnectionFailed
from kubectl_spy.http.client import (
    Answer,
    BadStatus,
    Request,
    Sender,
    beginning,
    is_packed,
)
from kubectl_spy.sources.connection.access import ConnectionSettings
from kubectl_spy.sources.connection.catalogue_cache import (
    cache_directory,
    catalogue_file,
)
from kubectl_spy.sources.connection.identity import read_authority
from kubectl_spy.sources.connection.session import Session, Sessions
from kubectl_spy.sources.resolution.discovery import Catalogue, discover
from kubectl_spy.sources.resolution.discovery_cache import read_cache, write_cache
from kubectl_spy.sources.resolution.target import escape_field_value

if TYPE_CHECKING:
    from kubectl_spy.sources.connection.refusals import RequestContext


# Warnings that an API server sends along with its answers.

_MOST = 100  # The most texts to note. A server might send new ones for ever.
_SHOWN = 5  # of the texts of an answer


class ServerWarnings:
    """Calls *say* once for each text of `Warning: 299 - "text"` headers, as kubectl.

    https://kubernetes.io/blog/2020/09/03/warnings/
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._lock = threading.Lock()
        self._said: set[str] = set()

    def report(self, headers: str) -> None:
        """Say the new texts in `Warning` headers, a line each. Any thread may call."""
        from kubectl_spy.core.wording import many, one_line

        new: list[str] = []
        for quoted in re.findall(r'299 \S+ "((?:[^"\\]|\\.)*)"', headers):
            text = one_line(re.sub(r"\\(.)", r"\1", quoted))
            with self._lock:
                if text not in self._said and len(self._said) < _MOST:
                    self._said.add(text)
                    new.append(text)
        for text in new[:_SHOWN]:
            self._say(f"Warning: {text}")
        if more := new[_SHOWN:]:
            self._say(f"Warning: {many(len(more), 'more warning')} of the server")


__all__ = ["Connection", "ConnectionSettings"]

_CONNECT_SECONDS = 5.0
_DISCOVERY_SECONDS = 10.0
_DOCUMENT_LIMIT = 64 << 20
_JSON = "application/json"
_HEAD, _HEADS = (
    f"{_JSON};as=PartialObjectMetadata{many};g=meta.k8s.io;v=v1"
    for many in ("", "List")
)
"""Only the metadata of an object, and of those of a list.

https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
"""
_WORD = 40  # characters to show of a header

Say = Callable[[str], None]


class Connection:
    """One API server as one user: the connection that kubectl would use.

    Creating it reads the configuration and the credentials, and sends nothing. *say*
    gets warnings, one line each. Any thread may call any method at any time. Raises
    SpyError if the configuration or the credentials cannot be used.
    """

    def __init__(
        self, settings: ConnectionSettings, environ: Mapping[str, str], say: Say
    ) -> None:
        self._request_timeout = settings.request_timeout or float("inf")
        self._say = say
        self._sessions = Sessions(settings, environ, say)
        self._warnings = ServerWarnings(say)
        self._discovery_lock = threading.Lock()
        self._catalogue: Catalogue | None = None
        self._cache_dir = cache_directory(settings, environ)
        access = self._sessions.latest.access
        if access.insecure and access.server.startswith("https"):
            say(f"warning: the certificate of {access.server} is not checked")

    @property
    def context(self) -> str:
        """The name of the context, or "" without one."""
        return self._sessions.latest.access.context

    @property
    def namespace(self) -> str:
        """The namespace of the flag, the context, or "default"."""
        return self._sessions.latest.access.namespace

    @property
    def server(self) -> str:
        """The API server's URL."""
        return self._sessions.latest.access.server

    @property
    def cluster_hash(self) -> str:
        """A hash of the URL and the certificate authority: 16 hexadecimal digits."""
        access = self._sessions.latest.access
        identity = access.server.encode() + b"\0" + read_authority(access.cluster)
        return hashlib.sha256(identity).hexdigest()[:16]

    def get(
        self,
        selection: Selection,
        *,
        watch: bool = False,
        single: bool = False,
        query: Mapping[str, str] | None = None,
        read_timeout: float,
    ) -> Answer:
        """List or watch *selection* and return the unread answer.

        A field selector selects one object, so that the right to list and watch that
        name is enough. *single* sends a GET of the object instead, for roles without
        list. *read_timeout* is the longest silence in seconds. Raises RequestRefused if
        the server answered with an error; ConnectionFailed if it did not answer, or is
        not trusted.
        """
        verb = "watch" if watch else "get" if single else "list"
        path = selection.resource.path(selection.namespace)
        if single:
            path += f"/{quote(selection.name or '', safe='')}"
        fields = []
        if selection.name is not None and not single:
            fields.append(f"metadata.name={escape_field_value(selection.name)}")
        if selection.field_selector:
            fields.append(selection.field_selector)
        parameters = dict(query or {})
        if fields:
            parameters["fieldSelector"] = ",".join(fields)
        if selection.label_selector:
            parameters["labelSelector"] = selection.label_selector
        if watch:
            parameters["watch"] = "true"
        within = self._timeout(read_timeout, limited=not watch)
        # A server may close the connection when a watch ends, and a request that was
        # just sent on it is lost. So each watch has its own (RFC 9112, 9.6).
        accept = _JSON
        if selection.heads:
            accept = f"{_HEADS if verb == 'list' else _HEAD},{_JSON}"
        request = Request(path, accept, tuple(parameters.items()), *within, last=watch)
        return self._send(request, _right(verb, selection))

    def get_path(
        self,
        path: str,
        accept: str | None = None,
        *,
        query: Mapping[str, str] | None = None,
        read_timeout: float = _DISCOVERY_SECONDS,
        sender: Callable[[Session], Sender] = lambda session: session.client,
    ) -> Any:
        """Return the JSON document at *path*.

        Raises SpyError as `get` does, or if the answer is not JSON.
        """
        within = self._timeout(read_timeout, limited=True)
        request = Request(path, accept or _JSON, tuple((query or {}).items()), *within)
        right = f"the right to get {path} (the ClusterRole system:discovery)"
        answer = self._send(request, right, sender)
        text = self._read(answer)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise ConnectionFailed(
                f"{self.server} answered {path} with something other than JSON",
                "check the server URL",
            ) from None

    def ask(
        self, path: str, seconds: float, limit: int = 0
    ) -> tuple[int, bytes] | None:
        """Return the answer at *path*, as `apiserver_proxy.ask` does."""
        from kubectl_spy.sources.connection.apiserver_proxy import ask

        session = self._sessions.current()
        request = Request(path, "*/*", (), *self._timeout(seconds, limited=True))
        return ask(session.client, request, self._request_context(session, ""), limit)

    def catalogue(self, *, refresh: bool = False) -> Catalogue:
        """Return the types that the server serves, from the cache while fresh."""
        with self._discovery_lock:
            session = self._sessions.latest
            path = catalogue_file(self._cache_dir, session.access, session.client.proxy)
            if self._catalogue is None and not refresh:
                self._catalogue = read_cache(path)
            if self._catalogue is None or refresh:
                # Few runs discover: the next ones read the cache.
                from kubectl_spy.sources.connection.dynamic import DynamicSender

                def dynamic(session: Session) -> Sender:
                    return DynamicSender(session.client)

                self._catalogue = discover(partial(self.get_path, sender=dynamic))
                write_cache(path, self._catalogue)
                if failed := self._catalogue.failed:
                    self._say(
                        f"warning: discovery failed for {in_brief(failed, 5)}; "
                        "other types are not affected"
                    )
            return self._catalogue

    def renew(self) -> None:
        """Read the configuration and the credentials again, after a 401.

        This does nothing if another thread did it since this thread's last request.
        Raises SpyError if the credentials cannot be used. The old ones stay.
        """
        self._sessions.renew()

    def _send(
        self,
        request: Request,
        right: str,
        sender: Callable[[Session], Sender] = lambda session: session.client,
    ) -> Answer:
        session = self._sessions.current()
        send = sender(session).send
        try:
            answer = self._checked(send, request, session, right, retry_relaxed=True)
        except _StrictOnly:
            if self._sessions.relax(session):
                self._say(
                    f"warning: the certificates of {session.access.server} break RFC "
                    "5280 in form; they are checked less strictly"
                )
            answer = self._checked(send, request, session, right, retry_relaxed=False)
        if warnings := answer.headers.get_all("Warning"):
            said = "\n".join(warnings).encode("latin-1", "replace")
            said = session.client.without_credentials(said)
            self._warnings.report(said.decode("latin-1"))
        return answer

    def _checked(
        self,
        send: Callable[[Request], Answer],
        request: Request,
        session: Session,
        right: str,
        *,
        retry_relaxed: bool,
    ) -> Answer:
        try:
            answer = send(request)
        except (BadStatus, HTTPException, OSError, ValueError) as error:
            from kubectl_spy.sources.connection.failures import (
                explain,
                fails_strictness,
            )

            if retry_relaxed and fails_strictness(error):
                raise _StrictOnly from None
            raise explain(error, self._request_context(session, right)) from None
        if is_packed(answer.headers):
            coding = answer.headers["Content-Encoding"]
            answer.close()
            raise ConnectionFailed(
                f"{session.access.server} answered compressed ({coding[:_WORD]}), "
                "which was not asked for",
                "check what is in front of the server",
            )
        kind = answer.headers.get("Content-Type", "")
        if "html" in kind:
            answer.close()
            raise ConnectionFailed(
                f"{session.access.server} answered with a web page: this is no API "
                "server, or a login page is in front of it",
                "check the server URL",
            )
        return answer

    def _request_context(self, session: Session, right: str) -> RequestContext:
        from kubectl_spy.sources.connection.refusals import RequestContext

        return RequestContext(
            server=session.access.server,
            context=session.access.context,
            identity=session.identity,
            proxy=session.client.proxy,
            right=right,
            seconds=self._timeout(0, limited=True)[0],
        )

    def _timeout(self, read: float, *, limited: bool) -> tuple[float, float]:
        """Return (connect, read) in seconds. *limited* applies --request-timeout."""
        limit = self._request_timeout
        return min(_CONNECT_SECONDS, limit), min(read, limit) if limited else read

    def _read(self, answer: Answer) -> bytes:
        session = self._sessions.current()
        try:
            text = beginning(answer, _DOCUMENT_LIMIT + 1)
        except (HTTPException, OSError) as error:
            from kubectl_spy.sources.connection.failures import explain

            raise explain(error, self._request_context(session, "")) from None
        if len(text) > _DOCUMENT_LIMIT:
            raise ConnectionFailed(
                f"{self.server} sent more than {_DOCUMENT_LIMIT >> 20} MiB",
                "check the server URL",
            )
        return text


class _StrictOnly(Exception):
    """The certificate failed only the strict checks."""


def _right(verb: str, selection: Selection) -> str:
    """Return the right to ask an administrator for, in the words of RBAC."""
    where = f' in namespace "{selection.namespace}"' if selection.namespace else ""
    if selection.resource.namespaced and not selection.namespace:
        where = " in all namespaces"
    name = f' with resourceNames ["{selection.name}"]' if selection.name else ""
    other = "list" if verb == "watch" else "watch"
    resource = selection.resource.group_resource
    return f"the right to {verb} (and {other}) {resource}{where}{name}"
