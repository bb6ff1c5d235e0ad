"""The pages of a list, and when there are too many of them.

https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
"""

from __future__ import annotations

from kubectl_spy.core.objects import JSON
from kubectl_spy.errors import ConnectionFailed
from kubectl_spy.sources.watching.answers import is_object, no_kubernetes, parsed

PAGE = 500
"""Objects a list answer may hold, as kubectl asks for."""
SHORT_PAGES = 200
"""Pages of one list that may hold fewer objects than was asked for.

The API allows that, down to none (ListMeta.continue); an API server fills its pages.
https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/list-meta/
"""
LARGEST_LIST = 8 << 30
"""Bytes of all pages of a list: an etcd holds no more."""


class Pages:
    """The pages of one list: a server may name a next one for ever."""

    def __init__(self) -> None:
        self._firsts: set[str] = set()
        self._short = self._size = 0
        self._again = False

    def add(self, items: list[JSON], size: int) -> None:
        """Count a page that holds *items* in *size* bytes."""
        self._size += size
        self._short += len(items) < PAGE
        if items and is_object(items[0]):
            metadata = items[0]["metadata"]
            first = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
            self._again = first in self._firsts
            self._firsts.add(first)

    def check(self) -> None:
        """Check that another page may follow.

        Raises:
            ConnectionFailed: pages come again, are short again and again, or too many.
        """
        if self._again or self._short > SHORT_PAGES or self._size > LARGEST_LIST:
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
