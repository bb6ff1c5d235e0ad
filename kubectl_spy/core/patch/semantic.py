"""Compares two documents for people: the order of lists does not count."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.pointer import escape

_KINDS = {
    "dictionary_item_added": "added",
    "iterable_item_added": "added",
    "dictionary_item_removed": "removed",
    "iterable_item_removed": "removed",
    "values_changed": "changed",
    "type_changes": "changed",
    "repetition_change": "repeated",
}

Change = tuple[str, str, JSON, JSON]
"""Added, removed, changed or repeated, the pointer, the old value, the new value."""


def semantic_changes(before: JSON, after: JSON) -> Iterator[Change]:
    """Yield the differences of two documents, in the order of their pointers.

    >>> list(semantic_changes({"args": ["-a", "-b"]}, {"args": ["-b", "-a"]}))
    []
    """
    from deepdiff import DeepDiff

    found = DeepDiff(
        before,
        after,
        ignore_order=True,
        report_repetition=True,
        ignore_numeric_type_changes=False,
        view="tree",
        hasher=_digest,
    )
    changes: list[tuple[list[Any], Change]] = []
    for name, levels in found.items():
        kind = _KINDS.get(name, "changed")
        for level in levels:
            path = level.path(output_format="list")
            pointer = "".join(f"/{escape(str(token))}" for token in path)
            old, new = _value(level.t1), _value(level.t2)
            changes.append(([str(each) for each in path], (kind, pointer, old, new)))
    # An index may be that of an element that went, and of another that came.
    changes.sort(key=lambda item: (item[0], item[1][0] == "added"))
    yield from (change for _, change in changes)


def _digest(text: str) -> str:
    """Return the digest of *text*, which may hold lone surrogates."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _value(value: Any) -> JSON:
    return None if type(value).__name__ == "NotPresent" else value
