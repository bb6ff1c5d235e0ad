"""Drops the oldest traces of a watch that goes on for days, each as a whole.

A trace that was emitted must not come again under another id, nor without its root. So
everything that happened under a root before a time is dropped: its horizon, at which
one trace ends and the next begins. What arrives late from before stays hidden.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from kubectl_spy.core.cluster.event_store import EventStore
from kubectl_spy.core.cluster.relations import Relations
from kubectl_spy.extras.spans.model.assembly import Placed
from kubectl_spy.extras.spans.model.clocks import SLACK, Clocks
from kubectl_spy.extras.spans.model.emission import TraceKey
from kubectl_spy.extras.spans.model.episodes import Episode, Horizon
from kubectl_spy.extras.spans.model.track import Track


class RootView(NamedTuple):
    """The traces of a root, and the uids of all objects in its tree."""

    traces: Sequence[Episode]  # by their start
    uids: frozenset[str]


@dataclass(slots=True)
class Horizons:
    """The horizon of each root in *tracks*: older traces were dropped."""

    tracks: Mapping[str, Track]
    relations: Relations
    of: dict[str, Horizon] = field(default_factory=dict)  # by the uid of the root
    dropped_spans: int = 0

    def drop(
        self,
        views: Mapping[str, RootView],
        placed: Sequence[Placed],
        unfinished: set[TraceKey],
        *,
        excess: int,
        at: float,
        most: int,
    ) -> tuple[set[TraceKey], list[Placed]]:
        """Drop *excess* spans of traces that are over and not *unfinished*.

        If more than *most* spans are left, drop traces that go on as well; what happens
        next begins new ones. Return all traces dropped, and the spans of the latter.
        """
        over = {
            (each.root, each.key)
            for each in placed
            if not each.depth and each.final is not None and each.final < at
        }
        over -= unfinished
        found = self._move(views, placed, excess=excess, at=at, over=over)
        rest = [each for each in placed if (each.root, each.key) not in found]
        if len(rest) <= most:
            return found, []
        left = {
            uid: view._replace(
                traces=[each for each in view.traces if (uid, each.key) not in found]
            )
            for uid, view in views.items()
        }
        excess = len(rest) - most // 2
        forced = self._move(left, rest, excess=excess, at=at, over=None)
        return found | forced, [it for it in rest if (it.root, it.key) in forced]

    def _move(
        self,
        views: Mapping[str, RootView],
        placed: Iterable[Placed],
        *,
        excess: int,
        at: float,
        over: set[TraceKey] | None,
    ) -> set[TraceKey]:
        """Drop at least *excess* spans, the oldest traces first; return the traces.

        Only traces that are *over* are dropped, and not the last one of a root. If
        *over* is None, all may be, as of *at*.
        """
        sizes = Counter((each.root, each.key) for each in placed)
        order = sorted(
            (each.start, uid, index)
            for uid, view in views.items()
            for index, each in enumerate(view.traces)
        )
        kept_from: dict[str, int] = {}
        blocked = set[str]()
        dropped = set[TraceKey]()
        for _, uid, index in order:
            if excess <= 0:
                break
            traces = views[uid].traces
            key = (uid, traces[index].key)
            last = index + 1 == len(traces)
            if uid in blocked or (over is not None and (last or key not in over)):
                blocked.add(uid)
                continue
            kept_from[uid] = index + 1
            dropped.add(key)
            excess -= sizes[key]
            self.dropped_spans += sizes[key]
        for uid, index in kept_from.items():
            self.of[uid] = _horizon(self.tracks[uid], views[uid].traces[index:], at)
        return dropped

    def trim(
        self,
        views: Mapping[str, RootView],
        events: EventStore,
        clocks: Clocks,
        *,
        unrelated: float,
    ) -> list[str]:
        """Trim each object to the horizons of its roots. Return the objects to drop.

        An object below no root is trimmed to the time *unrelated*.
        """
        before: dict[str, float] = {}
        for root, view in views.items():
            horizon = self.of.get(root)
            start = -inf if horizon is None else min(horizon.own, horizon.others)
            for uid in view.uids:
                before[uid] = min(before.get(uid, start), start)
        for uid, track in self.tracks.items():
            start = before.get(uid, unrelated)
            if start != -inf:
                track.trim(start, clocks)
                for name in (uid, *self.relations.aliases(uid)):
                    events.drop_before(start, name, clocks.local)
        self.of = {uid: each for uid, each in self.of.items() if uid in self.tracks}
        return [
            uid
            for uid, start in before.items()
            if uid in self.tracks and (self.tracks[uid].deleted or start) < start
        ]


def _horizon(root: Track, kept: Sequence[Episode], at: float) -> Horizon:
    """Return the horizon before the *kept* traces, or *at* if none is kept.

    Drop the changes of the root before the horizon. Keep the last one if the keys of
    the kept traces name it.
    """
    if not kept:
        root.changes = root.changes[-1:]
        return Horizon(at, at, root.changes[0].key)
    first = kept[0]
    if first.change is not None:
        index = next(n for n, it in enumerate(root.changes) if it is first.change)
        root.changes = root.changes[index:]
        return Horizon(first.start, first.start - SLACK, "")
    key = first.key.rpartition("@")[0]
    indices = [n for n, each in enumerate(root.changes) if each.key == key]
    if indices:
        root.changes = root.changes[indices[-1] :]
    return Horizon(first.start, first.start, key)
