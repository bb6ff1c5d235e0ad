"""Keeps what was read from a part of a document, for all versions that share the part.

Documents never change in place, and a patch shares what it does not touch
(core/patch/apply.py). So a part that is the same Python object says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from kubectl_spy.core.objects import JSON

T = TypeVar("T")
_MOST = 10_000  # the most results to keep of each function; above that all are dropped


def by_identity(read: Callable[..., T]) -> Callable[..., T]:
    """Return *read*, which reads the same part of a document only once.

    Callers do not change what it returns.
    """
    # A part that is kept shares its id with no other one.
    known: dict[tuple[Hashable, ...], tuple[JSON, T]] = {}

    def kept(part: JSON, *options: Hashable) -> T:
        key = id(part), *options
        found = known.get(key)
        if found is None:
            if len(known) >= _MOST:
                known.clear()
            found = known[key] = part, read(part, *options)
        return found[1]

    return kept
