"""The pages of a list, and when there are too many of them.

https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
"""

from __future__ import annotations

from kubectl_spy.core.objects import JSON
from kubectl_spy.errors import ConnectionFailed
from kubectl_spy.sources.watching.watch_stream import is_object, no_kubernetes, parsed

PAGE = 500
"""Objects a list answer may hold, as kubectl asks for."""
EMPTY_PAGES = 200
"""Pages of one list that may hold no object.

The API allows them (ListMeta.continue). An aggregated API may also return fewer objects
a page than were asked for: such pages are no fault.
https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/list-meta/
"""
MOST_PAGES = 100_000
"""Pages of one list, each with other objects: ten million, at 100 a page."""
LARGEST_LIST = 8 << 30
"""Bytes of all pages of a list: an etcd holds no more."""


class Pages:
    """The pages of one list: a server may name a next one for ever."""

    def __init__(self) -> None:
        self._firsts: set[str] = set()
        self._empty = self._size = 0
        self._again = False

    def add(self, items: list[JSON], size: int) -> None:
        """Count a page that holds *items* in *size* bytes."""
        self._size += size
        if not items or not is_object(items[0]):
            self._empty += 1
        else:
            metadata = items[0]["metadata"]
            first = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
            self._again = first in self._firsts
            self._firsts.add(first)

    def check(self) -> None:
        """Check that another page may follow.

        Raises:
            ConnectionFailed: pages come again, or they are too many.
        """
        endless = self._empty > EMPTY_PAGES or len(self._firsts) >= MOST_PAGES
        if self._again or endless or self._size > LARGEST_LIST:
            raise ConnectionFailed(
                "the list does not end: each page names another one",
                "check the server URL and what is in front of it",
            )


def page_of(text: bytearray) -> tuple[list[JSON], dict[str, JSON]]:
    """Return the items of a list answer, and its metadata."""
    page = parsed(text)
    items, metadata = page.get("items"), page.get("metadata")
    if not isinstance(items, list | None) or not isinstance(metadata, dict):
        raise no_kubernetes()
    return items or [], metadata
