"""The RFC 6902 patch between two versions of an object.

Operations are add, remove, replace, and move within one list. `test` and `copy` are
never used, nor a move between lists: two fields that happen to hold equal values have
nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kubectl_spy.core.alignment import align
from kubectl_spy.core.jsontext import certainly_equal
from kubectl_spy.core.natural_keys import label as label_of
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.pointer import escape

if TYPE_CHECKING:
    from jsonpatch import JsonPatch


class PatchOperation(NamedTuple):
    """One operation of a patch (RFC 6902 §4), with what a reader wants beside it."""

    op: str
    path: str
    value: JSON = None
    """The new value, for add and replace."""
    old: JSON = None
    """The value that goes, for remove and replace; the element, for move."""
    source: str = ""
    """`from`, for move."""
    label: str = ""
    """The list elements on the way, by their keys: `type=Ready`."""

    def as_json(self) -> dict[str, JSON]:
        """Return the operation as RFC 6902 writes it."""
        if self.op == "remove":
            return {"op": "remove", "path": self.path}
        if self.op == "move":
            return {"op": "move", "from": self.source, "path": self.path}
        return {"op": self.op, "path": self.path, "value": self.value}


class _Difference(NamedTuple):
    """Two values at one place that are not the same."""

    path: str
    member: str
    """The object member whose value this is, or whose list it is an element of."""
    label: str
    before: JSON
    after: JSON


def patch_between(before: JSON, after: JSON) -> JsonPatch:
    """Return the RFC 6902 patch that turns *before* into *after*.

    Equality is JSON's, not Python's: `true` is not `1`, `1` is not `1.0`, and an
    absent member is not a `null` one. Lists are aligned first, so that inserting one
    container reads as a single `add`.

    >>> patch_between({"replicas": 1}, {"replicas": 3}).patch
    [{'op': 'replace', 'path': '/replicas', 'value': 3}]
    """
    from jsonpatch import JsonPatch  # its import costs 10 ms; the live path has none

    return JsonPatch([step.as_json() for step in operations_between(before, after)])


def operations_between(
    before: JSON, after: JSON, *, root: str = ""
) -> list[PatchOperation]:
    """Return the operations of the patch from *before* to *after*, in order.

    *root* is the pointer of the two documents in what they were taken from. The depth
    of the documents costs memory, not stack: nothing here recurses.

    >>> [step.path for step in operations_between({"a": [1, 3]}, {"a": [1, 2, 3]})]
    ['/a/1']
    """
    operations: list[PatchOperation] = []
    if certainly_equal(before, after):
        return operations
    pending = [iter((_Difference(root, "", "", before, after),))]
    while pending:
        for difference in pending[-1]:
            kind = type(difference.before)
            if kind is type(difference.after):
                if kind is dict:
                    pending.append(_members(difference, operations))
                    break
                if kind is list:
                    pending.append(_elements(difference, operations))
                    break
            operations.append(
                PatchOperation(
                    "replace",
                    difference.path,
                    difference.after,
                    difference.before,
                    label=difference.label,
                )
            )
        else:
            pending.pop()
    return operations


def _members(
    difference: _Difference, operations: list[PatchOperation]
) -> Iterator[_Difference]:
    """Write what came and went in an object; yield the members that differ."""
    path, _, label, before, after = difference
    for key, old in before.items():
        if key not in after:
            operations.append(
                PatchOperation("remove", f"{path}/{escape(key)}", None, old, "", label)
            )
    for key, new in after.items():
        if key not in before:
            operations.append(
                PatchOperation("add", f"{path}/{escape(key)}", new, None, "", label)
            )
            continue
        old = before[key]
        kind = type(new)
        if kind is dict or kind is list:
            if not certainly_equal(old, new):
                yield _Difference(f"{path}/{escape(key)}", key, label, old, new)
        elif kind is not type(old) or old != new:
            at = f"{path}/{escape(key)}"
            operations.append(PatchOperation("replace", at, new, old, "", label))


def _elements(
    difference: _Difference, operations: list[PatchOperation]
) -> Iterator[_Difference]:
    """Write how a list's elements came, went and moved; yield those that differ.

    Removals run from the end, then additions and moves from the start, each element
    going right behind the one it follows in the end. After them the indexes are those
    of *after*, which is where the changes inside elements are written.
    """
    path, member, label, before, after = difference
    start, old_end, new_end = _trim(before, after)
    old, new = before[start:old_end], after[start:new_end]
    partner, displaced = (
        align(member, old, new) if old and new else ([-1] * len(new), set())
    )
    kept = set(partner)
    operations.extend(
        PatchOperation(
            "remove",
            f"{path}/{start + index}",
            old=old[index],
            label=_labels(label, member, old[index]),
        )
        for index in range(len(old) - 1, -1, -1)
        if index not in kept
    )
    # What the list holds by now: indexes into *old*, and ~index for what is new.
    order = [index for index in range(len(old)) if index in kept] if displaced else []
    for index, origin in enumerate(partner):
        if origin >= 0 and index not in displaced:
            continue
        target = index
        if displaced:
            source = order.index(origin) if origin >= 0 else -1
            if source >= 0:
                del order[source]
            target = 0
            if index:
                before_it = partner[index - 1]
                target = order.index(before_it if before_it >= 0 else ~(index - 1)) + 1
            order.insert(target, origin if origin >= 0 else ~index)
            if source == target:
                continue
        at = f"{path}/{start + target}"
        text = _labels(label, member, new[index])
        if origin < 0:
            operations.append(PatchOperation("add", at, new[index], label=text))
        else:
            operations.append(
                PatchOperation(
                    "move",
                    at,
                    old=old[origin],
                    source=f"{path}/{start + source}",
                    label=text,
                )
            )
    for index, origin in enumerate(partner):
        if origin >= 0 and not certainly_equal(old[origin], new[index]):
            yield _Difference(
                f"{path}/{start + index}",
                member,
                _labels(label, member, new[index]),
                old[origin],
                new[index],
            )


def _trim(before: list[JSON], after: list[JSON]) -> tuple[int, int, int]:
    """Return where two lists begin to differ, and where they end to, in each."""
    start, shorter = 0, min(len(before), len(after))
    while start < shorter and certainly_equal(before[start], after[start]):
        start += 1
    old_end, new_end = len(before), len(after)
    while (
        old_end > start
        and new_end > start
        and certainly_equal(before[old_end - 1], after[new_end - 1])
    ):
        old_end -= 1
        new_end -= 1
    return start, old_end, new_end


def _labels(outer: str, member: str, element: JSON) -> str:
    own = label_of(member, element)
    return f"{outer} {own}".strip() if own else outer
