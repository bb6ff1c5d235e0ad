"""Why a request failed, in words that hold no credential."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kubectl_spy.core.times import http_date
from kubectl_spy.http.urls import LONGEST_MESSAGE
from kubectl_spy.render.inert import inert

if TYPE_CHECKING:
    from email.message import Message


def retry_after(headers: Message[str, str]) -> float | None:
    """Return the seconds of Retry-After, a number or a date: RFC 9110, 10.2.3.

    None is no time, or one that is not understood.
    """
    text = headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return float(text[:9])
    try:
        return max(0.0, http_date(text) - time.time())
    except ValueError:
        return None


def cause(error: BaseException) -> str:
    """Return the system's text for *error*. Its own text may hold a header."""
    for one in chain(error):
        if message := getattr(one, "verify_message", ""):
            return f"its certificate is not trusted: {inert(str(message))}"
        if isinstance(one, ssl.SSLError) and one.reason:
            return inert(one.reason.replace("_", " ")).lower()
        if isinstance(one, OSError) and one.strerror:
            return inert(one.strerror[:LONGEST_MESSAGE]).lower()
    return "the connection broke off"


def chain(error: BaseException) -> Iterator[BaseException]:
    """Yield *error*, its causes and the exceptions that it wraps, once each."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        one = waiting.pop(0)
        if not isinstance(one, BaseException) or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [*one.args, one.__cause__, one.__context__]
