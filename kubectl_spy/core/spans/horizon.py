"""What is let go of a watch that goes on for days: the oldest traces, each as a whole.

A trace that was told must not come again as another one, nor without what it hangs
under. So what is let go is all that happened under a root before a point in time, its
horizon, at which one trace ends and the next begins; and what turns up late from before
it stays hidden.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_spy.core.spans.assembly import Placed
from kubectl_spy.core.spans.clocks import SLACK, Clocks
from kubectl_spy.core.spans.episodes import Episode, Horizon
from kubectl_spy.core.spans.reports import Reports
from kubectl_spy.core.spans.track import Track

Trace = tuple[str, str]
"""The uid of its root, and its own key."""
_FAR = float("-inf")


class Shown(NamedTuple):
    """What a root shows."""

    traces: Sequence[Episode]
    under: frozenset[str]
    """The uids of all under it, and its own."""


@dataclass(slots=True)
class Horizons:
    """The horizons of all roots, and what is beyond them."""

    of: dict[str, Horizon] = field(default_factory=dict)
    """By the uid of the root."""
    spans: int = 0
    """How many are beyond them."""

    def let_go(
        self,
        shown: Mapping[str, Shown],
        placed: Sequence[Placed],
        tracks: Mapping[str, Track],
        untold: set[Trace],
        *,
        excess: int,
        at: float,
        most: int,
    ) -> tuple[set[Trace], list[Placed]]:
        """Let go of *excess* spans of traces that are over and not *untold*.

        Where more than *most* are left, so are traces that are not over: of what never
        ends, that is told, and what comes begins anew. Return all that were let go, and
        the spans of these.
        """
        over = {
            (each.root, each.key)
            for each in placed
            if not each.depth and each.final is not None and each.final < at
        }
        over -= untold
        found = self._move(shown, placed, tracks, excess=excess, at=at, over=over)
        rest = [each for each in placed if (each.root, each.key) not in found]
        if len(rest) <= most:
            return found, []
        left = {uid: _without(each, uid, found) for uid, each in shown.items()}
        excess = len(rest) - most // 2
        forced = self._move(left, rest, tracks, excess=excess, at=at, over=None)
        return found | forced, [it for it in rest if (it.root, it.key) in forced]

    def _move(
        self,
        shown: Mapping[str, Shown],
        placed: Iterable[Placed],
        tracks: Mapping[str, Track],
        *,
        excess: int,
        at: float,
        over: set[Trace] | None,
    ) -> set[Trace]:
        """Let go of *excess* spans or more, the oldest traces first; return which.

        Traces are known by the uids of their roots and their own keys. Only those that
        are *over* go, and not the last of a root; None is that all may, as of *at*.
        """
        sizes = Counter((each.root, each.key) for each in placed)
        order = sorted(
            (each.start, uid, place)
            for uid, (traces, _) in shown.items()
            for place, each in enumerate(_sorted(traces))
        )
        first: dict[str, int] = {}
        blocked = set[str]()
        let_go = set[Trace]()
        for _, uid, place in order:
            if excess <= 0:
                break
            traces = _sorted(shown[uid].traces)
            key = (uid, traces[place].key)
            last = place + 1 == len(traces)
            if uid in blocked or (over is not None and (last or key not in over)):
                blocked.add(uid)
                continue
            first[uid] = place + 1
            let_go.add(key)
            excess -= sizes[key]
            self.spans += sizes[key]
        for uid, place in first.items():
            kept = _sorted(shown[uid].traces)[place:]
            self.of[uid] = _before(tracks[uid], kept, at)
        return let_go

    def trim(
        self,
        shown: Mapping[str, Shown],
        tracks: Mapping[str, Track],
        reports: Reports,
        clocks: Clocks,
        *,
        aside: float,
    ) -> list[str]:
        """Forget what is beyond every horizon, and what no root shows from before
        *aside*; return the uids of objects that were gone before.
        """
        before: dict[str, float] = {}
        for root, (_, under) in shown.items():
            horizon = self.of.get(root)
            start = _FAR if horizon is None else min(horizon.own, horizon.others)
            for uid in under:
                before[uid] = min(before.get(uid, start), start)
        for uid, track in tracks.items():
            start = before.get(uid, aside)
            if start != _FAR:
                track.trim(start, clocks)
                reports.trim(track, start, clocks)
        self.of = {uid: each for uid, each in self.of.items() if uid in tracks}
        return [
            uid
            for uid, start in before.items()
            if uid in tracks and (tracks[uid].gone or start) < start
        ]


def _without(shown: Shown, root: str, let_go: set[Trace]) -> Shown:
    rest = [each for each in shown.traces if (root, each.key) not in let_go]
    return shown._replace(traces=rest)


def _sorted(traces: Iterable[Episode]) -> list[Episode]:
    return sorted(traces, key=lambda each: each.start)


def _before(root: Track, kept: Sequence[Episode], at: float) -> Horizon:
    """Return the horizon before the first of the traces that are *kept*, or *at* it.

    The changes of the root go with it, but for the one whose name the traces kept have.
    """
    if not kept:
        root.changes = root.changes[-1:]
        return Horizon(at, at, root.changes[0].key)
    first = kept[0]
    if first.change is not None:
        place = next(n for n, it in enumerate(root.changes) if it is first.change)
        root.changes = root.changes[place:]
        return Horizon(first.start, first.start - SLACK, "")
    key = first.key.rpartition("@")[0]
    places = [n for n, each in enumerate(root.changes) if each.key == key]
    if places:
        root.changes = root.changes[places[-1] :]
    return Horizon(first.start, first.start, key)
