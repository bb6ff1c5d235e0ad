"""The client and credentials in use, renewed when they expire or are refused.

A session never changes. Renewal replaces it, and running requests keep the old one.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import NamedTuple

from kubectl_spy.sources.connection.access import (
    Access,
    ConnectionSettings,
    choose_access,
    may_need_a_proxy,
)
from kubectl_spy.sources.connection.direct_client import DirectClient
from kubectl_spy.sources.connection.identity import Identity, identify, read_authority
from kubectl_spy.sources.connection.kubeconfig import load_kubeconfig
from kubectl_spy.sources.connection.messages import Client
from kubectl_spy.sources.connection.tls import relax, tls_context


class Session(NamedTuple):
    """The clients, and the access and identity that they were made from."""

    access: Access
    identity: Identity
    tls: ssl.SSLContext | None
    client: Client
    package: Callable[[], Client]  # the client of the kubernetes package


class Sessions:
    """The current session. Any thread may call any method."""

    def __init__(
        self,
        settings: ConnectionSettings,
        environ: Mapping[str, str],
        say: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._environ = environ
        self._lock = threading.Lock()
        self._mine = threading.local()
        self._relaxed = False
        self.latest = self._open(say)
        # If the file's current context changes, a running watch stays where it is.
        context = self.latest.access.context or None
        self._settings = settings._replace(context=context)

    def current(self) -> Session:
        """Return the current session, renewed if its credentials have expired.

        Raises SpyError if they cannot be renewed.
        """
        session = self.latest
        if session.identity.expires <= time.time():
            with self._lock:
                if self.latest is session:
                    self.latest = self._reopen(session)
                session = self.latest
        self._mine.session = session
        return session

    def renew(self) -> None:
        """Open a new session, unless another thread did since this thread's last use.

        Raises SpyError if the credentials cannot be used. The old session stays.
        """
        mine = getattr(self._mine, "session", None)
        with self._lock:
            if mine is None or mine is self.latest:
                self.latest = self._open()

    def relax(self, session: Session) -> bool:
        """Drop the strict certificate checks. Return whether they were on."""
        with self._lock:
            first = not self._relaxed
            self._relaxed = True
            for tls in (session.tls, self.latest.tls):
                if tls is not None:
                    relax(tls)
        return first

    def _open(self, say: Callable[[str], None] = lambda line: None) -> Session:
        """Return a new session from the configuration files.

        Only the first needs *say*. The reflector reports that a renewal takes long.
        """
        access = self._access()
        return self._build(access, identify(access, self._environ, say))

    def _reopen(self, session: Session) -> Session:
        """Return *session* with new credentials. Equal ones keep its connections.

        The files are read again, because kubectl may have renewed an OIDC token.
        """
        access = self._access()
        identity = identify(access, self._environ)
        same = identity._replace(expires=0) == session.identity._replace(expires=0)
        if same and access == session.access:
            return session._replace(identity=identity)
        return self._build(access, identity)

    def _access(self) -> Access:
        config = load_kubeconfig(self._settings.kubeconfig, self._environ)
        return choose_access(config, self._settings)

    def _build(self, access: Access, identity: Identity) -> Session:
        tls = _secured(access, identity)
        if tls is not None and self._relaxed:
            relax(tls)
        package = cache(partial(_package_client, access, identity, tls))
        proxied = may_need_a_proxy(access, self._environ)
        client = package() if proxied else DirectClient(access, identity, tls)
        return Session(access, identity, tls, client, package)


def _package_client(
    access: Access, identity: Identity, tls: ssl.SSLContext | None
) -> Client:
    from kubectl_spy.sources.connection.api_client import PackageClient

    return PackageClient(access, identity, tls)


def _secured(access: Access, identity: Identity) -> ssl.SSLContext | None:
    """Return the TLS context for the server, or None if it has no TLS.

    Raises SpyError if a certificate or key cannot be used.
    """
    if not access.server.startswith("https"):
        return None
    return tls_context(
        verify=not access.insecure,
        authority=read_authority(access.cluster),
        certificate=identity.certificate,
        key=identity.key,
    )
