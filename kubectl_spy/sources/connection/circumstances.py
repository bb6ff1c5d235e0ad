"""What a message about a failed request needs to know, and how it is worded."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import NamedTuple
from urllib.parse import urlsplit

from kubectl_spy.sources.connection.identity import Identity
from kubectl_spy.sources.connection.tls import certificate_expiry

_TEXT_LIMIT = 300


class Circumstances(NamedTuple):
    """What a message needs to know about the request that failed."""

    server: str
    context: str
    identity: Identity
    proxy: str = ""
    right: str = "this request"
    """What to ask for when forbidden."""
    seconds: float = 5.0
    """The connect timeout."""

    @property
    def host(self) -> str:
        """The server's host and port."""
        return host_of(self.server)

    @property
    def expired(self) -> str:
        """When the client certificate expired, if it has; else ""."""
        expiry = certificate_expiry(self.identity.certificate)
        if expiry is None or expiry > datetime.now(tz=timezone.utc):
            return ""
        return f"{expiry:%Y-%m-%d %H:%M} UTC"


def one_line(text: str) -> str:
    """Return foreign *text* as one line of bounded length, not yet inert."""
    line = " ".join(text[: 4 * _TEXT_LIMIT].split())
    return line if len(line) <= _TEXT_LIMIT else f"{line[: _TEXT_LIMIT - 1]}…"


def host_of(url: str) -> str:
    """Return host and port only: a proxy URL may hold a password."""
    try:
        return one_line(urlsplit(url).netloc.rpartition("@")[2]) or "the server"
    except ValueError:
        return "the server"
