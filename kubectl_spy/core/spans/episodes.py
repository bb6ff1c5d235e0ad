"""What happened under a root, told apart by the change that it came of.

Each change of the root's spec begins a trace of its own. What happens under it belongs
to the last change before. But a Deployment runs for months: where all has been quiet
for a while, and then a Pod dies, that is a trace of its own as well. It has the time at
which it began in its id, in place of a generation.

An Event is one span in each trace in which it happened: that a controller counts the
Pod it makes today together with that of yesterday makes neither of them a day long. But
what is repeated every five minutes, as a kubelet's warnings are, goes on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from kubectl_spy.core.spans.clocks import SLACK, Clocks
from kubectl_spy.core.spans.identity import event_id
from kubectl_spy.core.spans.leaves import Leaf
from kubectl_spy.core.spans.lineage import Origins, not_before, starts
from kubectl_spy.core.spans.specs import REVISED, SpecChange
from kubectl_spy.core.spans.track import Track

GRACE = 5.0
"""Seconds of quiet after which what happens is no longer because of what was before."""
QUIET = 600.0
"""Seconds after which an Event that is repeated is no longer."""
_WHOLE = 1.5
"""Seconds by which times may differ that are of whole seconds."""
_ENDLESS = float("inf")


class Horizon(NamedTuple):
    """From when on something is kept of what happened under a root."""

    own: float
    """Of what happened to the root itself."""
    others: float
    base: str
    """The change that was let go, but for its key: traces are called by it; or ""."""

    def hides(self, leaf: Leaf, root: str) -> bool:
        """Return whether *leaf*, under the *root* with that uid, was let go."""
        return leaf.start < (self.own if leaf.uid == root else self.others)


class Told(Protocol):
    """What was told already."""

    keys: dict[tuple[str, str], str]
    """Which episode a span was told in, by the uids of its root and its own id."""
    over: dict[str, dict[str, tuple[float, float]]]
    """The start and the end of the episodes that were, by root and key."""


@dataclass(slots=True)
class Episode:
    """A change of a root, or an unrest under it, and what came of it."""

    change: SpecChange | None
    key: str
    start: float
    end: float | None
    past: bool
    leaves: list[Leaf] = field(default_factory=list)
    reported: dict[str, int] = field(default_factory=dict)
    """By the uid of an Event, which one of the leaves it is."""
    repeated: set[str] = field(default_factory=set)
    """The uids of the Events that may be expected to happen again."""
    covered: float = 0.0
    """Until when something goes on."""

    @property
    def hold(self) -> float:
        """Seconds of quiet after which nothing more can belong to it."""
        return QUIET if self.repeated else GRACE

    def takes(self, leaf: Leaf) -> bool:
        """Return whether what happened belongs to it, having begun no sooner."""
        known = leaf.again and leaf.event in self.repeated
        return leaf.start <= self.covered + (QUIET if known else GRACE)

    def add(self, leaf: Leaf) -> None:
        """Take in what happened, which begins no sooner than what came before."""
        if leaf.event and (leaf.again or (leaf.span is not None and leaf.span.error)):
            self.repeated.add(leaf.event)
        at = self.reported.get(leaf.event)
        if at is not None and leaf.end is not None:
            known = self.leaves[at]
            assert known.span is not None
            assert leaf.span is not None
            span = leaf.span._replace(
                span_id=known.span.span_id,
                start=known.span.start,
                error=leaf.span.error or known.span.error,
            )
            self.leaves[at] = known._replace(end=leaf.end, span=span)
        else:
            if leaf.event and leaf.span is not None:
                self.reported[leaf.event] = len(self.leaves)
                if leaf.again:
                    # The first one of these, in another trace, has the id of the Event.
                    own = event_id(f"{leaf.event}@{leaf.stamp}")
                    leaf = leaf._replace(span=leaf.span._replace(span_id=own))
            self.leaves.append(leaf)
        self.covered = max(self.covered, _ENDLESS if leaf.end is None else leaf.end)


def episodes(
    root: Track,
    found: Iterable[Leaf],
    clocks: Clocks,
    told: Told,
    came: Origins,
    horizon: Horizon | None = None,
) -> list[Episode]:
    """Return the episodes of *root*, what was *found* under it among them.

    *came* tells which change of the root something came of, as far as that is sure.

    What was *told* stays as it was, whatever is found late, or let go. What is beyond
    the *horizon* is none of it.
    """
    over = told.over.get(root.uid, {})
    found = list(found)
    bases = _bases(root, starts(root, found, came, clocks), clocks, over)
    unrests = [
        Episode(None, key, start, end, past=False, covered=end)
        for key, (start, end) in over.items()
        if "@" in key and key != REVISED
    ]
    unrests.sort(key=lambda each: each.start)
    by_base: dict[str, list[Episode]] = {}
    for each in unrests:
        by_base.setdefault(each.key.rpartition("@")[0], []).append(each)
    first = {key: [each.start for each in known] for key, known in by_base.items()}
    ended = {key: [each.covered for each in known] for key, known in by_base.items()}
    began = [each.start for each in bases]
    earliest = [-_ENDLESS, *began[1:]]
    found = [not_before(each, earliest[came.of(each)]) for each in found]
    current: dict[int, Episode] = dict(enumerate(bases))
    all_of_them = [*bases, *unrests]
    if horizon is not None and bases and bases[0].key == horizon.base:
        all_of_them.remove(current.pop(0))
    for leaf in sorted(found, key=_order):
        if horizon is not None and horizon.hides(leaf, root.uid):
            continue
        slack = 0.0 if leaf.uid == root.uid else SLACK
        place = bisect_right(began, min(leaf.cause, leaf.start) + slack) - 1
        if place < 0:
            place = bisect_right(began, leaf.start + slack) - 1
        if place < 0 and began and leaf.start + _WHOLE >= began[0]:
            place = 0
        base = bases[place].key if place >= 0 else ""
        was = bisect_right(first.get(base, ()), leaf.start) - 1
        if was >= 0 and leaf.start <= ended[base][was]:
            current[place] = by_base[base][was]
        episode = current.get(place)
        if episode is None or not episode.takes(leaf):
            if leaf.span is None and (leaf.past or leaf.uid == root.uid):
                continue  # that it came to be, once, is no unrest
            key = f"{base}@{leaf.stamp}"
            episode = Episode(None, key, leaf.start, leaf.start, leaf.past)
            current[place] = episode
            all_of_them.append(episode)
        episode.add(leaf)
    # Of what was told and is let go, nothing is left.
    all_of_them = [each for each in all_of_them if each.change or each.leaves]
    if told.keys:
        _keep_keys(root, all_of_them, told)
    return [each for each in all_of_them if not _is_idle(each, len(all_of_them))]


def _keep_keys(root: Track, found: Iterable[Episode], told: Told) -> None:
    """Have unrests go on of which something was told already, by its time."""
    used = set[str]()
    for episode in found:
        if episode.change is not None:
            continue
        known = (
            told.keys.get((root.uid, leaf.span.span_id), "")
            for leaf in episode.leaves
            if leaf.span is not None
        )
        key = next((each for each in known if "@" in each and each not in used), "")
        episode.key = key or episode.key
        used.add(episode.key)


def _bases(
    root: Track,
    began: list[float],
    clocks: Clocks,
    over: Mapping[str, tuple[float, float]],
) -> list[Episode]:
    """Return an episode for each change of *root*, which *began* then."""
    found = []
    for place, (change, start) in enumerate(zip(root.changes, began, strict=True)):
        end = None if change.end is None else max(clocks.ours(change.end), start)
        if change.key == REVISED:
            end = start
        following = root.changes[place + 1 : place + 2]
        if following and change.end == following[0].start:
            end = began[place + 1]  # that is what ended it
        if change.key in over:
            start, told = over[change.key]
            end = None if end is None else max(end, told)
        known = None if change.key == REVISED else change
        episode = Episode(known, change.key, start, end, change.start.past)
        episode.covered = _ENDLESS if end is None else end
        found.append(episode)
    return found


def _is_idle(episode: Episode, among: int) -> bool:
    """Return whether nothing is known of it but that it was, long ago."""
    if not episode.past or episode.end is None or among == 1:
        return False
    return all(leaf.span is None for leaf in episode.leaves)


def _order(leaf: Leaf) -> tuple[float, float, str, str]:
    end = _ENDLESS if leaf.end is None else leaf.end
    return leaf.start, end, leaf.uid, leaf.span.span_id if leaf.span else ""
