"""Sends the requests of one selection, and says when."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from kubectl_spy.core.objects import Selection, WatchEvent
from kubectl_spy.errors import RequestRefused
from kubectl_spy.http.client import Answer
from kubectl_spy.sources.watching.clock import Clock

Emit = Callable[[list[WatchEvent]], None]


class Getter(Protocol):
    """Sends a GET of a selection."""

    def get(
        self,
        selection: Selection,
        *,
        watch: bool = False,
        single: bool = False,
        query: dict[str, str],
        read_timeout: float,
    ) -> Any:
        """Return an unread answer. *read_timeout* is in seconds. Raises SpyError."""


class Requests:
    """Sends the requests of *selection* through *getter*.

    *asked* is called before each, *answered* when its answer begins. *read_timeout* is
    the longest silence in seconds.
    """

    def __init__(
        self,
        getter: Getter,
        selection: Selection,
        clock: Clock,
        *,
        read_timeout: float,
        asked: Callable[[], None],
        answered: Callable[[], None],
    ) -> None:
        self.selection = selection
        self.clock = clock
        self._getter = getter
        self._read_timeout = read_timeout
        self._asked = asked
        self._answered = answered
        self.heard = 0.0
        """When bytes last came, by the monotonic clock.

        That a server is too busy to answer (429, or 503 and the like) is silence.
        """

    def get(
        self,
        query: dict[str, str],
        *,
        watch: bool = False,
        single: bool = False,
        within: float = float("inf"),
        selection: Selection | None = None,
    ) -> Any:
        """Return the unread answer about *selection*, by default that of this object.

        Raises SpyError; ConnectionFailed also if nothing comes *within* seconds.
        """
        self._asked()
        try:
            answer = self._getter.get(
                selection or self.selection,
                watch=watch,
                single=single,
                query=query,
                read_timeout=min(self._read_timeout, within),
            )
        except RequestRefused as error:
            if error.status != 429 and error.status < 500:
                self._note()
            raise
        answer.heard = self._note
        self._note()
        self._answered()
        return answer

    def _note(self) -> None:
        self.heard = self.clock.monotonic()


def cut(watched: Answer | None) -> None:
    """Cut a watch, from another thread. It may end by itself at this moment."""
    if watched is not None:
        with suppress(ValueError, OSError):
            watched.shutdown()
