"""Matches the elements of two versions of a list.

Most Kubernetes lists are maps: a key names each element (a condition's `type`, a
container's `name`). Elements are matched by that key. Without one, equal elements are
matched along the longest common subsequence, then those that moved, then objects that
are alike.

The likeness of two objects is the share of their leaves that are equal: those at the
same members, with the same values. An index in an inner list does not count.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import islice
from typing import NamedTuple

from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.natural_keys import Identities

_MATCHES = 200_000
"""The most pairs of equal elements for which the subsequence is the longest."""


class Alignment(NamedTuple):
    """The matched elements of two lists, as indexes."""

    partner: list[int]  # by element of *after*: its index in *before*, -1 if new
    displaced: set[int]  # indexes in *after* of matched elements that have to move


def align(before: list[JSON], after: list[JSON], named: Identities | None) -> Alignment:
    """Match the elements of two lists, by what names them if that is known.

    The caller has removed their equal beginnings and ends.
    """
    if not before or not after:
        return Alignment([-1] * len(after), set())
    if named is not None:
        return _by_identity(*named)
    if len(before) == len(after) == 1:
        return _alone(before[0], after[0])
    gone = [_content(element) for element in before]
    come = [_content(element) for element in after]
    if any(type(each) is dict for each in after):
        return _by_likeness(before, after, gone, come)
    in_order = _in_order(gone, come)
    reordered = _by_identity(_numbered(gone), _numbered(come))
    if _cost(reordered, gone, come) < _cost(in_order, gone, come):
        return reordered
    return in_order


def _alone(before: JSON, after: JSON) -> Alignment:
    """Match the only element of each list.

    Nothing is written as text here: where such lists are nested deeply, each level
    would write all that is below it.
    """
    is_other = type(before) is type(after) is dict and not paired(
        [Unpaired(0, 0, 0, before)], [Unpaired(0, 0, 0, after)]
    )
    return Alignment([-1 if is_other else 0], set())


def _by_likeness(
    before: list[JSON], after: list[JSON], gone: list[Hashable], come: list[Hashable]
) -> Alignment:
    """Match equal elements, in order where that is possible, then similar objects.

    What is left over and no object is matched with what stands in its place.
    """
    partner = [-1] * len(after)
    stays = _common_subsequence(gone, come)
    for old_index, new_index in stays:
        partner[new_index] = old_index
    moved: dict[Hashable, list[int]] = {}
    for index in sorted(set(range(len(before))).difference(partner), reverse=True):
        moved.setdefault(gone[index], []).append(index)
    for index, content in enumerate(come):
        if partner[index] < 0 and moved.get(content):
            partner[index] = moved[content].pop()
    matched = {index for index, origin in enumerate(partner) if origin >= 0}
    old = _unpaired(before, set(partner), [index for index, _ in stays])
    new = _unpaired(after, matched, [index for _, index in stays])
    for old_index, new_index in paired(old, new):
        partner[new_index] = old_index
    taken = set(partner)
    places = {(each.gap, each.offset): each for each in old}
    for each in new:
        place = places.get((each.gap, each.offset))
        if place is None or partner[each.at] >= 0 or place.at in taken:
            continue
        if type(each.element) is not dict or type(place.element) is not dict:
            partner[each.at] = place.at
    return _ordered(partner)


def _unpaired(
    elements: list[JSON], matched: set[int], stays: list[int]
) -> list[Unpaired]:
    """Return the elements that are not *matched*, and where between those that stay."""
    found, gap, offset = [], 0, 0
    for index, element in enumerate(elements):
        while gap < len(stays) and stays[gap] < index:
            gap, offset = gap + 1, 0
        if index not in matched:
            found.append(Unpaired(index, gap, offset, element))
            offset += 1
    return found


def _by_identity(old: Sequence[Hashable], new: Sequence[Hashable]) -> Alignment:
    position = {identity: index for index, identity in enumerate(old)}
    partner = [position.get(identity, -1) for identity in new]
    return _ordered(partner)


def _ordered(partner: list[int]) -> Alignment:
    """Return the alignment in which the fewest elements of *partner* move."""
    common = [index for index, origin in enumerate(partner) if origin >= 0]
    in_order = longest_increasing([partner[index] for index in common])
    stays = {common[index] for index in in_order}
    return Alignment(partner, {index for index in common if index not in stays})


def _in_order(old: list[Hashable], new: list[Hashable]) -> Alignment:
    """Match equal elements in order, then the elements between two matches.

    An element that changed inside has no equal. It is matched with the first unmatched
    element between the same two matches, so that the patch shows what changed inside.
    """
    partner = [-1] * len(new)
    for old_index, new_index in _common_subsequence(old, new):
        partner[new_index] = old_index
    next_old, gap = 0, []
    for new_index in range(len(new) + 1):
        anchor = len(old) if new_index == len(new) else partner[new_index]
        if anchor < 0:
            gap.append(new_index)
            continue
        for old_index, unmatched in zip(range(next_old, anchor), gap, strict=False):
            partner[unmatched] = old_index
        next_old, gap = anchor + 1, []
    return Alignment(partner, set())


def _cost(alignment: Alignment, old: list[Hashable], new: list[Hashable]) -> int:
    """Return the number of operations of *alignment*. A change inside counts as one."""
    matched = [index for index, partner in enumerate(alignment.partner) if partner >= 0]
    changed = sum(old[alignment.partner[index]] != new[index] for index in matched)
    alone = len(old) + len(new) - 2 * len(matched)
    return alone + changed + len(alignment.displaced)


def _common_subsequence(
    old: list[Hashable], new: list[Hashable]
) -> list[tuple[int, int]]:
    """Return index pairs of a longest common subsequence (Hunt and Szymanski 1977).

    It takes time in the number of equal pairs, which grows with the square of repeated
    elements. Above `_MATCHES` the n-th equal element of one list only matches the n-th
    of the other. The subsequence is then no longer the longest.
    """
    if _equal_pairs(old, new) > _MATCHES:
        old, new = _numbered(old), _numbered(new)
    positions: dict[Hashable, list[int]] = {}
    for index in range(len(old) - 1, -1, -1):
        positions.setdefault(old[index], []).append(index)
    pairs = [
        (old_index, new_index)
        for new_index, content in enumerate(new)
        for old_index in positions.get(content, ())
    ]
    return [pairs[index] for index in longest_increasing([pair[0] for pair in pairs])]


def longest_increasing(numbers: list[int]) -> list[int]:
    """Return the indexes of a longest strictly increasing subsequence.

    >>> longest_increasing([3, 1, 2, 0, 4])
    [1, 2, 4]
    """
    tails: list[int] = []
    tail_indexes: list[int] = []
    previous = [-1] * len(numbers)
    for index, number in enumerate(numbers):
        length = bisect_left(tails, number)
        if length:
            previous[index] = tail_indexes[length - 1]
        if length == len(tails):
            tails.append(number)
            tail_indexes.append(index)
        else:
            tails[length] = number
            tail_indexes[length] = index
    chain = []
    index = tail_indexes[-1] if tail_indexes else -1
    while index >= 0:
        chain.append(index)
        index = previous[index]
    return chain[::-1]


def _content(element: JSON) -> Hashable:
    """Return a value that is equal exactly for equal JSON values."""
    if isinstance(element, dict | list):
        return canonical(element)
    return (type(element), element)


def _numbered(contents: Sequence[Hashable]) -> list[Hashable]:
    """Return *contents* with equal ones numbered: the first, the second, …"""
    seen: dict[Hashable, int] = {}
    numbered: list[Hashable] = []
    for content in contents:
        count = seen[content] = seen.get(content, 0) + 1
        numbered.append((content, count))
    return numbered


def _equal_pairs(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    counts = Counter(old)
    return sum(counts[content] for content in new)


# Pairs the objects that changed inside, where no key names them.

_ENOUGH = 0.5
"""The least likeness of two versions of one element."""
_AFAR = 0.75
"""The same for one that has moved past others, unless a single leaf differs."""
_ALL = 32 * 32
"""The most pairs of elements that are all compared."""
_CANDIDATES = 8
"""With more pairs, the most elements that one element is compared with."""
_MOST = 0.875
"""The share of the elements that are compared in place only, if so many are alike."""
_LEAVES = 1_000
"""The most leaves of an object to compare."""

_CONTAINERS = frozenset({dict, list})

Leaf = tuple[object, ...]


class Unpaired(NamedTuple):
    """An element that has no equal in the other version."""

    at: int  # its index
    gap: int  # how many of the elements before it stayed
    offset: int  # its place among the unpaired elements of its gap
    element: JSON


Pair = tuple[int, int]
"""The indexes of one element in two versions of its list."""


def paired(old: Sequence[Unpaired], new: Sequence[Unpaired]) -> list[Pair]:
    """Return the pairs of *old* and *new* that are one element.

    The most alike are paired first, and among equally alike ones those at the same
    place.
    """
    pairs: list[Pair] = []
    if len(old) * len(new) > _ALL:
        places = {(each.gap, each.offset): each for each in old}
        pairs = [
            (before.at, after.at)
            for after in new
            if (before := places.get((after.gap, after.offset))) is not None
            and _surely_alike(before.element, after.element)
        ]
        if len(pairs) >= _MOST * max(len(old), len(new)):
            taken, given = ({pair[side] for pair in pairs} for side in (0, 1))
            old = [each for each in old if each.at not in taken]
            new = [each for each in new if each.at not in given]
        else:
            pairs = []
    return pairs + _most_alike(old, new)


def _most_alike(old: Sequence[Unpaired], new: Sequence[Unpaired]) -> list[Pair]:
    before = [_leaves(each.element) for each in old]
    after = [_leaves(each.element) for each in new]
    candidates: Sequence[Sequence[int]] = [range(len(old))] * len(new)
    if len(old) * len(new) > _ALL:
        candidates = _candidates(old, new, before, after)
    ranked = []
    for to, among in enumerate(candidates):
        mine, there = after[to], new[to]
        for at in among:
            theirs = before[at]
            common, most = len(mine & theirs), max(len(mine), len(theirs))
            if common and common >= _ENOUGH * most:
                here = old[at]
                moved = here.gap != there.gap
                if moved and common < min(_AFAR * most, most - 1):
                    continue
                away = abs(here.offset - there.offset)
                ranked.append((-common / most, moved, away, at, to))
    ranked.sort()
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for *_, at, to in ranked:
        if at not in taken and to not in pairs:
            taken.add(at)
            pairs[to] = at
    return [(old[at].at, new[to].at) for to, at in pairs.items()]


def _candidates(
    old: Sequence[Unpaired],
    new: Sequence[Unpaired],
    before: Sequence[frozenset[Leaf]],
    after: Sequence[frozenset[Leaf]],
) -> list[list[int]]:
    """Return for each of *new* the few of *old* that are most likely one with it.

    They are the one at the same place, and those near it that have its rarest leaves.
    """
    holders: dict[Leaf, list[int]] = {}
    for at, leaves in enumerate(before):
        for leaf in leaves:
            holders.setdefault(leaf, []).append(at)
    places = {(each.gap, each.offset): at for at, each in enumerate(old)}
    found = []
    for to, (each, leaves) in enumerate(zip(new, after, strict=True)):
        at_place = places.get((each.gap, each.offset))
        among = dict.fromkeys([] if at_place is None else [at_place])
        shared = sorted((holders[leaf] for leaf in leaves if leaf in holders), key=len)
        for rarest in shared:
            begin = max(0, bisect_left(rarest, to) - _CANDIDATES // 2)
            among |= dict.fromkeys(rarest[begin : begin + _CANDIDATES])
            if len(rarest) == 1 or len(among) >= _CANDIDATES:
                break
        found.append(list(islice(among, _CANDIDATES)))
    return found


def _surely_alike(one: JSON, other: JSON) -> bool:
    """Return whether two thirds of the members of two objects are equal.

    Of two members without members of their own, one is enough.
    """
    if type(one) is not dict or type(other) is not dict:
        return False
    equal: int = sum(key in one and one[key] == value for key, value in other.items())
    if equal == 1 and len(one) == len(other) == 2:
        return _CONTAINERS.isdisjoint(map(type, (*one.values(), *other.values())))
    return equal * 3 >= max(len(one), len(other)) * 2


def _leaves(element: JSON) -> frozenset[Leaf]:
    """Return the first leaves of *element*: path and value. None if it is no object.

    Equal leaves are numbered.
    """
    found: set[Leaf] = set()
    repeats: dict[Leaf, int] = {}
    pending: list[tuple[str, JSON]] = []
    if type(element) is dict:
        pending = list(element.items())
    while pending and len(found) < _LEAVES:
        path, value = pending.pop()
        kind = type(value)
        if kind is dict and value:
            pending += [(f"{path}/{key}", each) for key, each in value.items()]
            continue
        if kind is list and value:
            pending += [(f"{path}/", each) for each in value]
            continue
        leaf: Leaf = (path, kind, None if kind is dict or kind is list else value)
        if leaf in found:
            repeats[leaf] = number = repeats.get(leaf, 0) + 1
            leaf = (*leaf, number)
        found.add(leaf)
    return frozenset(found)
