"""Versions of objects in compact form, and the patches between them.

JSON text takes a quarter of the memory of a parsed document. Each member is kept as its
own text, because most members do not change, and equal texts need no parsing. The
document of a single object stays parsed instead: its memory does not matter.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from kubectl_spy.core.jsontext import dumps, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.list_keys import ListKeys
from kubectl_spy.core.patch.operation import PatchOperation

Compact = dict[str, bytes] | bytes  # JSON text: of each member, or the whole


class Parsed(NamedTuple):
    """A parsed document."""

    document: JSON


def compacted(document: JSON) -> Compact:
    """Return *document* as text, cut at its members."""
    if not isinstance(document, dict):
        return _trimmed(document)
    return {name: _trimmed(member) for name, member in document.items()}


def patch_since(
    before: Compact | Parsed,
    after: Compact | Parsed,
    document: JSON,
    keys: ListKeys | None = None,
) -> list[PatchOperation]:
    """Return the patch from *before* to *document*, which is *after* uncompacted.

    *keys* are those of the lists of its type.
    """
    # Imported here: the first line needs no patch, and is printed sooner.
    from kubectl_spy.core.patch.difference import operations_between

    if isinstance(before, Parsed) or isinstance(after, Parsed):
        return operations_between(expanded(before), document, keys=keys)
    if before == after:
        return []
    if isinstance(before, bytes) or isinstance(after, bytes):
        return operations_between(expanded(before), document, keys=keys)
    old = {
        name: loads(text) for name, text in before.items() if after.get(name) != text
    }
    new = {
        name: document[name] for name, text in after.items() if before.get(name) != text
    }
    return operations_between(old, new, keys=keys)


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


_DEPARTED = 10_000  # the most objects of a selection to remember after they left it

T = TypeVar("T")


def set_aside(departed: dict[str, T], identity: str, known: T) -> None:
    """Remember in *departed* an object that left its selection: it may return."""
    departed[identity] = known
    if len(departed) > _DEPARTED:
        departed.pop(next(iter(departed)))
