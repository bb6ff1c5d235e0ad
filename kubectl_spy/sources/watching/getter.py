"""What sends the requests of a watch, and what gets its events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from kubectl_spy.core.objects import Selection, WatchEvent

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
        """Return an unread urllib3 response. Raises SpyError."""
