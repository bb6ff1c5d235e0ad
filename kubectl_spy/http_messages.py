"""What messages say about URLs and failed requests: never a credential."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit, urlunsplit

import requests

from kubectl_spy.render.inert import inert

LONGEST_MESSAGE = 200  # characters of another program's message that are repeated


def printed(url: str) -> str:
    """Return *url* without user, password, query and fragment, which may be keys.

    >>> printed("https://me:secret@collector.example.com:4318/v1/traces?key=secret")
    'https://collector.example.com:4318/v1/traces'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return inert(urlunsplit((parts.scheme, host, parts.path, "", "")))


def credentials(url: str) -> tuple[str, str] | None:
    """Return the user and the password in *url*, if it has either.

    >>> credentials("https://me:p%40ss@collector.example.com")
    ('me', 'p@ss')
    """
    parts = urlsplit(url)
    if parts.username is None and parts.password is None:
        return None
    return unquote(parts.username or ""), unquote(parts.password or "")


def cause(error: BaseException) -> str:
    """Return the system's error below *error*, whose own text holds the whole URL."""
    visited: list[BaseException] = []
    waiting: list[object] = [error]
    while waiting:
        one = waiting.pop(0)
        if not isinstance(one, BaseException) or one in visited:
            continue
        visited.append(one)
        if message := getattr(one, "verify_message", ""):
            return f"its certificate is not trusted: {inert(str(message))}"
        ours = isinstance(one, requests.RequestException)  # an OSError, too
        if isinstance(one, OSError) and not ours and one.strerror:
            return inert(one.strerror[:LONGEST_MESSAGE]).lower()
        waiting += [*one.args, getattr(one, "reason", None)]
        waiting += [one.__cause__, one.__context__]
    return "the connection broke off"
