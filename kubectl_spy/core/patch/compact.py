"""Keeps the last version of an object small, and quick to compare.

JSON text takes a quarter of the memory of a parsed document. Each member is kept as its
own text, because most members do not change, and equal texts need no parsing. The
document of a single object stays parsed instead: its memory does not matter.
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.jsontext import dumps, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.operation import PatchOperation

Compact = dict[str, bytes] | bytes
"""The text of each member, or of a document without members."""


class Parsed(NamedTuple):
    """A parsed document."""

    document: JSON


def compacted(document: JSON) -> Compact:
    """Return *document* as text, cut at its members.

    >>> compacted({"kind": "Pod", "status": {"phase": "Running"}})
    {'kind': b'"Pod"', 'status': b'{"phase":"Running"}'}
    """
    if not isinstance(document, dict):
        return _trimmed(document)
    return {name: _trimmed(member) for name, member in document.items()}


def patch_since(
    before: Compact | Parsed, after: Compact | Parsed, document: JSON
) -> list[PatchOperation]:
    """Return the patch from *before* to *document*. *after* is *document*, compacted.

    >>> old = compacted({"a": 1, "b": 2})
    >>> new = {"a": 1, "b": 3}
    >>> [step.path for step in patch_since(old, compacted(new), new)]
    ['/b']
    """
    if isinstance(before, Parsed) or isinstance(after, Parsed):
        return operations_between(expanded(before), document)
    if before == after:
        return []
    if isinstance(before, bytes) or isinstance(after, bytes):
        return operations_between(expanded(before), document)
    old = {
        name: loads(text) for name, text in before.items() if after.get(name) != text
    }
    new = {
        name: document[name] for name, text in after.items() if before.get(name) != text
    }
    return operations_between(old, new)


def expanded(kept: Compact | Parsed) -> JSON:
    """Return the document in *kept*."""
    if isinstance(kept, Parsed):
        return kept.document
    if isinstance(kept, bytes):
        return loads(kept)
    return {name: loads(text) for name, text in kept.items()}


def _trimmed(value: JSON) -> bytes:
    """Return the text of *value*, copied: the result of orjson takes at least 4 KiB."""
    return bytes(memoryview(dumps(value)))
