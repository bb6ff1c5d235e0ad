"""Headers that say who asks."""

from __future__ import annotations

import base64
from urllib.parse import quote

from kubectl_spy.sources.connection.access import Impersonation
from kubectl_spy.sources.connection.identity import Identity


def authorization(identity: Identity) -> dict[str, str]:
    """Return the header with the token, or the user and password, of *identity*."""
    if identity.token:
        return {"Authorization": f"Bearer {identity.token}"}
    if identity.basic:
        login = base64.b64encode(":".join(identity.basic).encode()).decode()
        return {"Authorization": f"Basic {login}"}
    return {}


def impersonation_headers(whom: Impersonation) -> tuple[tuple[str, str], ...]:
    """Return the headers that make the API server act as *whom*.

    https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
    """
    if not whom.user:
        return ()
    headers = [("Impersonate-User", whom.user)]
    headers += [("Impersonate-Uid", whom.uid)] if whom.uid else []
    headers += [("Impersonate-Group", group) for group in whom.groups]
    headers += [
        (f"Impersonate-Extra-{quote(key, safe='').lower()}", value)
        for key, value in whom.extra
    ]
    # http.client writes Latin-1; the API server reads UTF-8.
    return tuple((name, value.encode().decode("latin-1")) for name, value in headers)
