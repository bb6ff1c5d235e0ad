"""URLs: as messages show them, and the credentials that they hold."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

from kubectl_spy.render.inert import inert

if TYPE_CHECKING:
    from email.message import Message

LONGEST_MESSAGE = 200  # characters of another program's text that are repeated


def printed(url: str) -> str:
    """Return *url* without user, password, query and fragment, which may be keys.

    >>> printed("https://me:secret@collector.example.com:4318/v1/traces?key=secret")
    'https://collector.example.com:4318/v1/traces'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return inert(urlunsplit((parts.scheme, host, parts.path, "", "")))


def redirected(url: str, headers: Message[str, str]) -> str:
    """Return where an answer of *url* redirects to, as `printed`, or ""."""
    where = headers.get("Location", "")
    try:
        return printed(urljoin(url, where))[:LONGEST_MESSAGE] if where else ""
    except ValueError:
        return ""


def credentials(url: str) -> tuple[str, str] | None:
    """Return the user and the password in *url*, if it has either.

    >>> credentials("https://me:p%40ss@collector.example.com")
    ('me', 'p@ss')
    """
    parts = urlsplit(url)
    if parts.username is None and parts.password is None:
        return None
    return unquote(parts.username or ""), unquote(parts.password or "")


def encoded(path: str) -> str:
    """Percent-encode the characters of *path* that a request line cannot have.

    >>> encoded("/my path/%20?a=ä")
    '/my%20path/%20?a=%C3%A4'
    """
    return quote(path, safe="!#$%&'()*+,/:;=?@[]~")


def basic(login: tuple[str, str]) -> str:
    """Return the value of Authorization for user and password: RFC 7617.

    >>> basic(("me", "hunter2"))
    'Basic bWU6aHVudGVyMg=='
    """
    # What the environment holds may be no UTF-8: it is sent as it is.
    raw = ":".join(login).encode(errors="surrogateescape")
    return f"Basic {b64encode(raw).decode()}"
