"""Pairs the objects in a list that changed inside, where no key names them.

The likeness of two objects is the share of their leaves that are equal: those at the
same members, with the same values. An index in an inner list does not count.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from kubectl_spy.core.objects import JSON

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
