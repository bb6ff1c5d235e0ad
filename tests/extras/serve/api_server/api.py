"""The API, with watches that break."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kubectl_spy.core.objects import GroupVersionKind
from kubectl_spy.extras.serve.api_server.api import Api
from kubectl_spy.extras.serve.api_server.cluster import Object
from kubectl_spy.extras.serve.api_server.watching import (
    Stream,
    Watch,
)
from tests.extras.serve.api_server.cluster import Cluster


class FullApi(Api):
    """Watches end as a test says."""

    cluster: Cluster

    def __init__(
        self, *arguments: Any, bookmarks: Iterable[Object], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._torn = b""
        self._bookmarks = {
            (each["apiVersion"], each["kind"]): each for each in bookmarks
        }

    @property
    def open_watches(self) -> int:
        """How many streams are open; `cluster.changed` is notified of changes."""
        return len(self._open)

    def end_watches(self, torn: bytes = b"") -> None:
        """End all streams: cleanly, or within the line that *torn* begins."""
        with self.cluster.changed:
            self._torn = torn
            self.drop_watches(timeout=1.0)

    def bookmark(self, gvk: GroupVersionKind) -> Object:
        """Return it in its recorded shape, if one was recorded."""
        plain = super().bookmark(gvk)
        return self._bookmarks.get((gvk.api_version, gvk.kind), plain)

    def lines(self, watch: Watch, is_over: Callable[[], bool]) -> Stream:
        """Yield the lines of *watch*, and its end."""
        yield from super().lines(watch, is_over)
        if is_over() and self._torn:
            yield [self._torn]
            raise ConnectionAbortedError  # no last chunk comes
