"""The RFC 6902 patch between two versions of an object.

Operations are add, remove, replace, and move within one list. Values do not move
between fields, because equal values of two fields are usually unrelated. Documents
within strings are compared, too: the JSON of an annotation, the YAML of a ConfigMap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kubectl_spy.core.jsontext import UnreadableJSON, certainly_equal, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.alignment import Alignment, align
from kubectl_spy.core.patch.list_keys import Key, ListKeys
from kubectl_spy.core.patch.natural_keys import identities, servers_key
from kubectl_spy.core.patch.natural_keys import label as label_of
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
            found = _elements(step, keys)
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


def _elements(
    difference: Difference, keys: ListKeys | None
) -> list[PatchOperation | Difference]:
    """Return removals, additions and moves, and the elements that differ inside.

    *keys* are those of the lists of this type. Removals come first, from the end, then
    additions and moves from the start. After them the indexes are those of the later
    list.
    """
    path, member, label, before, after = difference
    key: Key = ()
    if keys is not None and keys.goes_first:
        key = servers_key(path, member, keys)
    found: list[PatchOperation | Difference] = []
    if len(before) == len(after):
        # Usually no element comes, goes or moves.
        names = identities(member, before, after, key)
        if names is not None and names[0] == names[1]:
            _add_inner(found, difference, before, after, range(len(after)), 0, key)
            return found
    start, old_end, new_end = _trim(before, after)
    old, new = before[start:old_end], after[start:new_end]
    names = identities(member, old, new, key) if old and new else None
    if names is None and old and new and keys is not None and not keys.goes_first:
        names = identities(member, old, new, servers_key(path, member, keys))
    alignment = align(old, new, names)
    kept = set(alignment.partner)
    for index in range(len(old) - 1, -1, -1):
        if index not in kept:
            at, element = f"{path}/{start + index}", old[index]
            named = _labels(label, member, element, key)
            found.append(PatchOperation("remove", at, None, element, "", named))
    for target, source, index in _placed(len(old), alignment):
        at, named = f"{path}/{start + target}", _labels(label, member, new[index], key)
        if source is None:
            found.append(PatchOperation("add", at, new[index], None, "", named))
        else:
            origin = f"{path}/{start + source}"
            found.append(PatchOperation("move", at, None, new[index], origin, named))
    _add_inner(found, difference, old, new, alignment.partner, start, key)
    return found


def _placed(length: int, alignment: Alignment) -> Iterator[tuple[int, int | None, int]]:
    """Yield (target, source or None if new, index in the later list) in order.

    Each element goes right after the one before it in the later list. Elements between
    two that stay are moved away later.
    """
    partner, displaced = alignment
    if not displaced:
        yield from ((i, None, i) for i, origin in enumerate(partner) if origin < 0)
        return
    # How many elements stand before each index of the earlier list, at this step. A
    # placed element counts at the index of the last element before it that stays.
    standing = _Tally(length + 1)
    for origin in partner:
        if origin >= 0:
            standing.add(origin + 1, 1)
    waiting = _Tally(length + 1)
    for index in displaced:
        waiting.add(partner[index] + 1, 1)
    anchor = 0
    for index, origin in enumerate(partner):
        if origin >= 0 and index not in displaced:
            anchor = origin + 1
            continue
        source = None
        if origin >= 0:
            source = standing.before(origin + 1)
            standing.add(origin + 1, -1)
            waiting.add(origin + 1, -1)
        # Left of its place are the elements before it in the later list, and those
        # left of the anchor that still have to move.
        target = index + waiting.before(anchor)
        standing.add(anchor, 1)
        if source != target:
            yield target, source, index


class _Tally:
    """Counts at indexes, with quick sums up to an index (Fenwick 1994)."""

    def __init__(self, size: int) -> None:
        self._sums = [0] * (size + 1)

    def add(self, index: int, count: int) -> None:
        index += 1
        while index < len(self._sums):
            self._sums[index] += count
            index += index & -index

    def before(self, index: int) -> int:
        """Return the sum of the counts at indexes less than *index*."""
        total = 0
        while index:
            total += self._sums[index]
            index &= index - 1
        return total


def _add_inner(
    found: list[PatchOperation | Difference],
    difference: Difference,
    old: list[JSON],
    new: list[JSON],
    partner: Sequence[int],
    start: int,
    key: Key,
) -> None:
    """Add the pairs of elements that differ inside to *found*."""
    path, member, label, _, _ = difference
    for index, origin in enumerate(partner):
        if origin >= 0 and not certainly_equal(old[origin], new[index]):
            named = _labels(label, member, new[index], key)
            at = f"{path}/{start + index}"
            found.append((at, member, named, old[origin], new[index]))


def _trim(before: list[JSON], after: list[JSON]) -> tuple[int, int, int]:
    """Return the first index that differs, and the end of the difference in each."""
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


def _labels(outer: str, member: str, element: JSON, key: Key) -> str:
    own = label_of(member, element, key)
    return f"{outer} {own}" if outer and own else outer or own


# Documents within strings.

_LONGEST = 1 << 16
"""The most characters of a text that is read."""
_BRACKETS = 200  # YAML with more brackets may be nested too deeply for libyaml's stack

Inner = tuple[list[PatchOperation], JSON]
"""The operations between two documents, and the later one."""


def inner_changes(old: str, new: str, *, yaml: int = _LONGEST) -> Inner:
    """Return the operations between the documents in two strings; none without them.

    YAML takes a hundred times as long as JSON: it is read up to *yaml* characters.

    >>> [step.path for step in inner_changes('{"a":1}', '{"a":2}')[0]]
    ['/a']
    """
    before, after = _held(old, yaml), _held(new, yaml)
    if before is None or type(before) is not type(after):
        return [], None
    return operations_between(before, after), after


def _held(text: str, longest_yaml: int) -> JSON:
    """Return the object or list that *text* holds as JSON or YAML, or None."""
    if len(text) > _LONGEST:
        return None
    if text.lstrip()[:1] in ("{", "["):
        try:
            return loads(text.encode())
        except (UnreadableJSON, UnicodeEncodeError):
            return None
    if "\n" not in text or len(text) > longest_yaml:
        return None
    brackets = text.count("[") + text.count("{")
    if brackets > _BRACKETS or re.search(r"(^|\s)[&*]\w", text):
        return None
    import yaml

    # Every scalar is a text: no dates, and no difference between 1 and "1".
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        held = yaml.load(text, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return held if isinstance(held, dict | list) else None
