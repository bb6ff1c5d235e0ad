"""Puts what was remembered of several types into one order."""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from kubectl_spy.core.objects import WatchEvent
from kubectl_spy.core.past.remembered import Past, Shown
from kubectl_spy.core.past.times import SECOND, Moment

_Placed = tuple[float, int, int, Callable[[], WatchEvent]]
"""An event: its time, its number, the place of its past, and what makes it."""


def together(
    pasts: Sequence[Past], earlier: Sequence[WatchEvent] = ()
) -> Iterator[WatchEvent]:
    """Yield the first lists of *pasts*, their versions, and what is *earlier*, by time.

    The list of a type without a past tells of now, and comes last. Within a second,
    versions come in the order in which the server numbered them.
    """
    rows: list[Iterator[_Placed]] = [
        _row(past, place) for place, past in enumerate(tightened(pasts))
    ]
    rows.append((each.time, 0, -1, partial(_same, each)) for each in earlier)
    for *_, event in heapq.merge(*rows, key=lambda each: each[:3]):
        yield event()


def _same(event: WatchEvent) -> WatchEvent:
    return event


def _row(past: Past, place: int) -> Iterator[_Placed]:
    for listed in past.first_list():
        yield listed.time, -1, place, partial(_same, listed)
    late = past.is_late
    for each in past.versions:
        if late and each.moment.time >= past.listed_at:
            late = False
            yield past.listed_at, 0, place, past.end_of_list
        yield each.moment.time, each.number, place, partial(past.event, each)
    if late:
        yield past.listed_at, 0, place, past.end_of_list


def tightened(pasts: Sequence[Past]) -> Sequence[Past]:
    """Return *pasts* with times that are bounds made tighter by those of other types.

    One etcd numbers the versions of all types in one row. Events, and whatever else a
    server keeps in another etcd, have their own: then the times are in no order by
    these numbers, and nothing is made tighter.
    https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/
    """
    others = [past for past in pasts if past.selection.resource.gvk.kind != "Event"]
    pairs = sorted(
        (each.number, each.moment.time)
        for past in others
        for each in past.versions
        if each.number and not each.moment.bound
    )
    numbers = [number for number, _ in pairs]
    times = [time for _, time in pairs]
    if any(after < before - SECOND for before, after in pairwise(times)):
        return pasts

    def tighter(each: Shown) -> Shown:
        if not each.moment.bound or not each.number:
            return each
        before, after = (
            bisect_left(numbers, each.number),
            bisect_right(numbers, each.number),
        )
        latest = min([each.moment.time, *times[after : after + 1]])
        earliest = times[before - 1] if before else 0.0
        latest = max(latest, earliest)
        return each._replace(moment=Moment(latest, latest - earliest > SECOND))

    found = []
    for past in pasts:
        if past in others:
            versions = sorted(
                map(tighter, past.versions), key=lambda each: each.moment.time
            )
            past = replace(past, versions=tuple(versions))
        found.append(past)
    return found
