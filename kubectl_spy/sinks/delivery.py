"""What sends the lines of a recording elsewhere, as its recorder sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from kubectl_spy.core.objects import JSON


class Backlog(NamedTuple):
    """The items that were put in, and neither delivered nor given up yet."""

    items: int
    weight: int  # bytes, about
    age: float  # the seconds since the oldest of them was put in


class Counts(NamedTuple):
    """What became of the lines so far."""

    delivered: int
    refused: int
    dropped: int  # because too many waited
    backlog: Backlog


class Delivery(Protocol):
    """Sends lines from a thread of its own."""

    url: str
    """Where they go, without credentials."""

    def send(self, time: float, members: dict[str, JSON], sealed: bytes) -> None:
        """Queue *sealed*, the line of *members* with its newline, and return at once.

        *time* is in seconds since the epoch.
        """

    def when_settled(self, call: Callable[[int], None]) -> None:
        """Call *call* with the seq of the last line that was delivered or refused."""

    def counts(self) -> Counts:
        """Return what became of the lines. Any thread may call."""
