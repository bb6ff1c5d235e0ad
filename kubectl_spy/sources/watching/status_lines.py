"""Status lines of many watches: those that say the same are one line."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kubectl_spy.core.wording import in_brief
from kubectl_spy.sources.watching.clock import Clock

_MOMENT = 0.5
"""Seconds for which lines are gathered. One failure cuts all watches at once."""
_AGAIN = "; trying again in "  # each watch tries again after a time of its own


class StatusLines:
    """Gathers lines for a moment, and says each text once, for all its types.

    A watch that is *alone* does not wait for others.
    """

    def __init__(
        self, say: Callable[[str], None], clock: Clock, *, alone: bool
    ) -> None:
        self._say = say
        self._clock = clock
        self._alone = alone
        self._lock = threading.Lock()
        self._ended = False
        self._gathered: dict[str, tuple[str, list[str]]] = {}

    def say(self, line: str) -> None:
        """Take `TYPE: TEXT`, from any thread."""
        if self._alone:
            self._say(line)
            return
        resource, _, text = line.partition(": ")
        with self._lock:
            if self._ended:
                return
            if not self._gathered:
                self._clock.after(_MOMENT, self.flush)
            alike = text.partition(_AGAIN)[0]
            self._gathered.setdefault(alike, (text, []))[1].append(resource)

    def flush(self) -> None:
        """Say what was gathered."""
        with self._lock:
            gathered, self._gathered = self._gathered, {}
        for text, resources in gathered.values():
            self._say(f"{in_brief(list(dict.fromkeys(resources)))}: {text}")

    def end(self) -> None:
        """Say nothing more: an error does."""
        with self._lock:
            self._ended, self._gathered = True, {}
