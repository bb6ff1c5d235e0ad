"""The RFC 6902 patch between two versions of an object.

Operations are add, remove, replace, and move within one list. Values do not move
between fields, because equal values of two fields are usually unrelated.
"""

from __future__ import annotations

from kubectl_spy.core.jsontext import certainly_equal
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.list_changes import element_changes
from kubectl_spy.core.patch.list_keys import ListKeys
from kubectl_spy.core.patch.operation import Difference, PatchOperation
from kubectl_spy.core.patch.pointer import escape

_ABSENT = object()


def operations_between(
    before: JSON, after: JSON, *, root: str = "", keys: ListKeys | None = None
) -> list[PatchOperation]:
    """Return the operations of the RFC 6902 patch from *before* to *after*, in order.

    Equality is JSON's, not Python's: `true` is not `1`, `1` is not `1.0`, and an
    absent member is not a `null` one. Lists are aligned first, so that inserting one
    container reads as a single `add`.

    *root* is the pointer to the two documents, if they are parts of others. *keys* are
    those of the lists of this type. Nothing here recurses, so the depth of the
    documents costs memory, not stack.

    >>> [step.path for step in operations_between({"a": [1, 3]}, {"a": [1, 2, 3]})]
    ['/a/1']
    """
    operations: list[PatchOperation] = []
    if not isinstance(after, dict | list) and certainly_equal(before, after):
        return operations
    pending: list[PatchOperation | Difference] = [(root, "", "", before, after)]
    while pending:
        step = pending.pop()
        if isinstance(step, PatchOperation):
            operations.append(step)
            continue
        path, _, label, old, new = step
        kind = type(old)
        if kind is type(new) and kind is dict:
            found = _members(step)
        elif kind is type(new) and kind is list:
            found = element_changes(step, keys)
        else:
            operations.append(PatchOperation("replace", path, new, old, "", label))
            continue
        found.reverse()
        pending += found
    return operations


def _members(difference: Difference) -> list[PatchOperation | Difference]:
    """Return the operations on members, and those members that differ inside."""
    path, _, label, before, after = difference
    found: list[PatchOperation | Difference] = []
    if before.keys() != after.keys():
        for key, old in before.items():
            if key not in after:
                at = f"{path}/{escape(key)}"
                found.append(PatchOperation("remove", at, None, old, "", label))
    for key, new in after.items():
        old = before.get(key, _ABSENT)
        kind = type(new)
        if kind is str:  # most values are strings, where == is JSON's equality
            if old == new:
                continue
        elif kind is dict or kind is list:
            if certainly_equal(old, new):
                continue
        elif type(old) is kind and old == new:
            continue
        at = f"{path}/{escape(key)}"
        if old is _ABSENT:
            found.append(PatchOperation("add", at, new, None, "", label))
        elif (kind is dict or kind is list) and type(old) is kind:
            found.append((at, key, label, old, new))
        else:
            found.append(PatchOperation("replace", at, new, old, "", label))
    return found
