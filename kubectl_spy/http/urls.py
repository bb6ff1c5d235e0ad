"""URLs: as messages show them, and the credentials that they hold."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from contextlib import suppress
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


_SECRET = re.compile("authorization|cookie|key|secret|token", re.IGNORECASE)
_SHORTEST = 4  # characters of a credential that is looked for in texts


def credentials_in(headers: Iterable[tuple[str, str]]) -> list[bytes]:
    """Return the credentials in *headers*, the longest first.

    >>> credentials_in([("Authorization", basic(("me", "hunter2"))), ("Accept", "*/*")])
    [b'bWU6aHVudGVyMg==', b'me:hunter2', b'hunter2']
    """
    found: set[bytes] = set()
    for name, value in headers:
        if _SECRET.search(name):
            scheme, _, word = value.partition(" ")
            found.add((word or scheme).encode(errors="surrogateescape"))
            with suppress(ValueError):
                plain = b64decode(word if scheme == "Basic" else "")
                found |= {plain, plain.partition(b":")[2]}
    long = (each for each in found if len(each) >= _SHORTEST)
    return sorted(long, key=lambda each: (-len(each), each))
