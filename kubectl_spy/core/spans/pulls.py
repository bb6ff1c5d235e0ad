"""How long the images of a Pod's containers took, which only Events tell."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from kubectl_spy.core.cluster.events import Order
from kubectl_spy.core.spans.attributes import container_of
from kubectl_spy.core.spans.clocks import Clocks, Instant
from kubectl_spy.core.spans.reports import Report, Sighting
from kubectl_spy.core.spans.track import Phase, Track

_ENDS = ("Pulled", "Failed")
_CREATING = "ContainerCreating"
_AT_ONCE = 1.5
"""Seconds within which the kubelet tells all that it has to tell of a failure."""


class Pull(NamedTuple):
    """One try to pull the image of a container."""

    phase: Phase
    container: str
    told: bool
    """Whether an Event says when it was over."""


def pulls(track: Track, reports: list[Report], clocks: Clocks) -> Iterator[Pull]:
    """Yield each try to pull an image.

    Where no end of it is told, it is over when something else is seen to go on, the
    next try at the latest.
    """
    began: dict[str, list[Sighting]] = {}
    ended: dict[str, list[Sighting]] = {}
    for report in reports:
        for each in report.times:
            if each.event.reason == "Pulling":
                began.setdefault(each.event.field, []).append(each)
            elif each.event.reason in _ENDS:
                ended.setdefault(each.event.field, []).append(each)

    def order(it: Sighting) -> tuple[float, Order]:
        return clocks.ours(it.at), it.event.order

    for field, tries in began.items():
        tries.sort(key=order)
        ends = sorted(ended.get(field, ()), key=order)
        for this, following in zip_longest(tries, tries[1:]):
            first = clocks.ours(this.at)
            last = math.inf if following is None else clocks.ours(following.at)
            own = [each for each in ends if first <= clocks.ours(each.at) <= last]
            error = ""
            if own:
                end: Instant | None = own[0].at
                error = _failure(own, clocks)
            else:
                end = following.at if following else _left(track, this.at, clocks)
            phase = Phase("PullingImage", this.at, end, error)
            yield Pull(phase, container_of(this.event), bool(own))


def _failure(ended: list[Sighting], clocks: Clocks) -> str:
    """Return what went wrong, if the first that *ended* a pull is a failure.

    The kubelet tells of it twice: `Failed to pull image …`, which says why, and
    `Error: ErrImagePull`.
    """
    at = clocks.ours(ended[0].at)
    if not ended[0].event.warning:
        return ""
    messages = [
        each.event.message
        for each in ended
        if each.event.reason == "Failed" and clocks.ours(each.at) <= at + _AT_ONCE
    ]
    return max(messages, key=lambda each: "to pull" in each) or "Failed"


def _left(track: Track, since: Instant, clocks: Clocks) -> Instant | None:
    """Return when a Pod was no longer creating its containers, if it is not."""
    start = clocks.ours(since)
    for _, _, end, _ in (each for each in track.phases if each.name == _CREATING):
        if end is not None and clocks.ours(end) >= start:
            return end
    if track.gone is not None:
        return Instant(track.gone)
    return None if track.phases and track.phases[-1].end is None else since
