"""The API, with watches that break."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kubectl_spy.extras.serve.api_server.api import Api
from kubectl_spy.extras.serve.api_server.watching import (
    Event,
    Stream,
    Watch,
    event_line,
)
from tests.extras.serve.api_server.cluster import Cluster


class FullApi(Api):
    """Watches end as a test says."""

    cluster: Cluster

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._last = b""
        self._torn = False

    @property
    def open_watches(self) -> int:
        """How many streams are open; `cluster.changed` is notified of changes."""
        return len(self._open)

    def end_watches(self, event: Event | None = None, torn: bytes = b"") -> None:
        """End all streams: cleanly, after *event* if given, or within *torn*."""
        with self.cluster.changed:
            self._last = event_line(event) if event else torn
            self._torn = bool(torn)
            self.drop_watches(timeout=1.0)

    def lines(self, watch: Watch, is_over: Callable[[], bool]) -> Stream:
        """Yield the lines of *watch*, and its end."""
        yield from super().lines(watch, is_over)
        if is_over():
            if self._last:
                yield [self._last]
            if self._torn:
                raise ConnectionAbortedError  # no last chunk comes
