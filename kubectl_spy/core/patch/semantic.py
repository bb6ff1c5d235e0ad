"""Compares two documents for people: the order of lists does not count."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.natural_keys import labels_along
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.patch.pointer import join

_OPS = {
    "dictionary_item_added": "add",
    "iterable_item_added": "add",
    "dictionary_item_removed": "remove",
    "iterable_item_removed": "remove",
}
"""The operations for what deepdiff finds; all else replaces a value."""


def semantic_changes(before: JSON, after: JSON) -> Iterator[PatchOperation]:
    """Yield the differences of two documents, in the order of their pointers.

    The indexes of elements are those of *before*.

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
    changes: list[tuple[tuple[str, ...], bool, PatchOperation]] = []
    for name, levels in found.items():
        op = _OPS.get(name, "replace")
        for level in levels:
            tokens = tuple(map(str, level.path(output_format="list")))
            old, new = _value(level.t1), _value(level.t2)
            label = " ".join(labels_along(tokens, before, old or new).values())
            step = PatchOperation(op, join(tokens), new, old, label=label)
            changes.append((tokens, op == "add", step))
    # An index may be that of an element that went, and of another that came.
    changes.sort(key=lambda change: change[:2])
    yield from (step for _, _, step in changes)


def _digest(text: str) -> str:
    """Return the digest of *text*, which may hold lone surrogates."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _value(value: Any) -> JSON:
    return None if type(value).__name__ == "NotPresent" else value
