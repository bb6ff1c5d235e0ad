"""The client and credentials in use, renewed when they expire or are refused.

A session never changes. Renewal replaces it, and running requests keep the old one.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from kubectl_spy.errors import SpyError
from kubectl_spy.http.client import HttpClient
from kubectl_spy.http.tls import (
    Trust,
    UnusableAuthority,
    UnusableCertificate,
    relax,
    tls_context,
)
from kubectl_spy.sources.connection.access import (
    Access,
    ConnectionSettings,
    choose_access,
    proxy_to,
)
from kubectl_spy.sources.connection.identity import (
    Identity,
    authorization,
    identify,
    impersonation_headers,
    read_authority,
)
from kubectl_spy.sources.connection.kubeconfig import load_kubeconfig


class Session(NamedTuple):
    """The client, and the access and identity that it was made from."""

    access: Access
    identity: Identity
    tls: ssl.SSLContext | None
    client: HttpClient


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
        client = HttpClient(
            access.server,
            headers=(
                *authorization(identity).items(),
                *impersonation_headers(access.impersonation),
            ),
            tls=tls,
            server_name=str(access.cluster.get("tls-server-name") or ""),
            proxy=proxy_to(access, self._environ),
        )
        return Session(access, identity, tls, client)


def _secured(access: Access, identity: Identity) -> ssl.SSLContext | None:
    """Return the TLS context for the server, or None if it has no TLS.

    Raises SpyError if a certificate or key cannot be used.
    """
    if not access.server.startswith("https"):
        return None
    try:
        return tls_context(
            verify=not access.insecure,
            trust=Trust(pem=read_authority(access.cluster) or None),
            certificate=identity.certificate or None,
            key=identity.key or None,
        )
    except UnusableAuthority:
        raise SpyError(
            "the cluster's certificate-authority is no PEM certificate",
            "correct the kubeconfig",
        ) from None
    except UnusableCertificate:
        raise SpyError(
            "the client certificate and key cannot be used: they are no PEM, "
            "do not belong together, or the key is encrypted",
            "correct the kubeconfig's user",
        ) from None
