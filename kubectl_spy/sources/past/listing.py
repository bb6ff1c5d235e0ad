"""Lists objects by their path, and says why that is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from kubectl_spy.core.fields import mappings, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.errors import RequestRefused, SpyError

SECONDS = 10.0
"""The longest silence of an answer."""
_PAGE = 500
_PAGES = 20  # of a list; what comes after is left out


class Fetch(Protocol):
    """Returns the JSON document at a path of the server. Raises SpyError."""

    def __call__(
        self,
        path: str,
        accept: str | None = None,
        *,
        query: Mapping[str, str] | None = None,
        read_timeout: float,
    ) -> Any: ...


def listed(
    fetch: Fetch, path: str, accept: str | None = None, **query: str
) -> list[JSON]:
    """Return the objects of a list, page by page. Raises SpyError."""
    found: list[JSON] = []
    following = ""
    for _ in range(_PAGES):
        more = {"continue": following} if following else {}
        asked = {"limit": str(_PAGE), **query, **more}
        page = fetch(path, accept, query=asked, read_timeout=SECONDS)
        found += mappings(page, "items")
        following = text(page, "metadata", "continue")
        if not following:
            break
    return found


def why(error: SpyError) -> str:
    """Return why a request was refused, in few words."""
    if isinstance(error, RequestRefused) and error.status == 403:
        return "there is no right to list them"
    return str(error)
