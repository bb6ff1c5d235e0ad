"""Episodes: what happened under a root, divided by cause. Each becomes a trace.

Each change of the root's spec begins an episode, and what happens under the root
belongs to the last change before. But a Deployment runs for months. If all has been
quiet for a while and then a Pod dies, that is an episode of its own: its key has the
time at which it began, instead of a generation.

An Event is one span in each episode in which it happens, even if its controller counts
the Pods of today and of yesterday in one Event. But a kubelet repeats its warnings
every five minutes, so a repeated Event keeps its episode going for longer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple, Protocol

from kubectl_spy.extras.spans.model.causes import Origins, not_before, starts
from kubectl_spy.extras.spans.model.clocks import SLACK, Clocks
from kubectl_spy.extras.spans.model.leaves import Leaf
from kubectl_spy.extras.spans.model.naming import event_id
from kubectl_spy.extras.spans.model.specs import REVISED, SpecChange
from kubectl_spy.extras.spans.model.track import Track

GRACE = 5.0  # seconds of quiet that end an episode
QUIET = 600.0  # seconds of quiet that end an episode with a repeated Event
_ROUNDING = 1.5  # seconds by which two times of whole seconds may be wrong


class Horizon(NamedTuple):
    """The time before which the episodes of a root were dropped."""

    own: float  # for what happened to the root itself
    others: float  # for what happened below it
    base: str
    """The key of the dropped change after which the kept episodes are named, or ""."""

    def hides(self, leaf: Leaf, root: str) -> bool:
        """Return whether *leaf*, below *root*, was dropped."""
        return leaf.start < (self.own if leaf.uid == root else self.others)


class Emitted(Protocol):
    """The keys and extents of emitted episodes."""

    keys: dict[tuple[str, str], str]  # the episode's key, by root and span id
    over: dict[str, dict[str, tuple[float, float]]]
    """Start and end of the episodes that were over, by root and key."""


@dataclass(slots=True)
class Episode:
    """A change of a root with its effects, or other activity between quiet times."""

    change: SpecChange | None
    key: str
    start: float
    end: float | None
    past: bool
    leaves: list[Leaf] = field(default_factory=list)
    events: dict[str, int] = field(default_factory=dict)
    """The indices of Events among the leaves, by uid."""
    repeated: set[str] = field(default_factory=set)
    """The uids of Events that will probably happen again."""
    covered: float = 0.0  # the end of the leaf that lasts longest

    @property
    def hold(self) -> float:
        """Seconds of quiet after which nothing more can belong to it."""
        return QUIET if self.repeated else GRACE

    def takes(self, leaf: Leaf) -> bool:
        """Return whether *leaf* begins within the grace period after the episode."""
        repeated = leaf.again and leaf.event in self.repeated
        began = min(leaf.start, leaf.cause)
        return began <= self.covered + (QUIET if repeated else GRACE)

    def add(self, leaf: Leaf) -> None:
        """Add *leaf*, which begins no sooner than those before."""
        span = leaf.span
        if leaf.event and (leaf.again or (span is not None and span.error)):
            self.repeated.add(leaf.event)
        if leaf.event in self.events and leaf.end is not None:
            index = self.events[leaf.event]
            known = self.leaves[index]
            assert known.span is not None
            assert span is not None
            span = span._replace(
                span_id=known.span.span_id,
                start=known.span.start,
                error=span.error or known.span.error,
            )
            self.leaves[index] = known._replace(end=leaf.end, span=span)
        else:
            if leaf.event and span is not None:
                self.events[leaf.event] = len(self.leaves)
                if leaf.again:
                    # Another episode has the span with the id of the Event.
                    own = event_id(f"{leaf.event}@{leaf.stamp}")
                    leaf = leaf._replace(span=span._replace(span_id=own))
            self.leaves.append(leaf)
        self.covered = max(self.covered, inf if leaf.end is None else leaf.end)


def episodes(
    root: Track,
    found: Iterable[Leaf],
    clocks: Clocks,
    emitted: Emitted,
    causes: Origins,
    horizon: Horizon | None = None,
) -> list[Episode]:
    """Return the episodes of *root*, given all leaves *found* below it.

    Episodes that were emitted keep their keys and extents, whatever is found late.
    Leaves before the *horizon* are left out.
    """
    found = list(found)
    over = emitted.over.get(root.uid, {})
    changes = _of_changes(root, starts(root, found, causes, clocks), clocks, over)
    unprompted = sorted(
        (
            Episode(None, key, start, end, past=False, covered=end)
            for key, (start, end) in over.items()
            if "@" in key and key != REVISED
        ),
        key=lambda each: each.start,
    )
    known: dict[str, list[Episode]] = {}
    for episode in unprompted:
        known.setdefault(episode.key.rpartition("@")[0], []).append(episode)
    began = [each.start for each in changes]
    earliest = [-inf, *began[1:]]
    found = [not_before(each, earliest[causes.of(each)]) for each in found]
    result = [*changes, *unprompted]
    current: dict[int, Episode] = dict(enumerate(changes))  # the latest of each change
    if horizon is not None and changes and changes[0].key == horizon.base:
        result.remove(current.pop(0))
    for leaf in sorted(found, key=_order):
        if horizon is not None and horizon.hides(leaf, root.uid):
            continue
        index = _change_of(leaf, root, began)
        base = changes[index].key if index >= 0 else ""
        same = known.get(base, ())
        before = bisect_right(same, leaf.start, key=lambda it: it.start) - 1
        if before >= 0 and leaf.start <= (same[before].end or 0.0):
            current[index] = same[before]
        latest = current.get(index)
        if latest is None or not latest.takes(leaf):
            if leaf.span is None and (leaf.past or leaf.uid == root.uid):
                # The creation of an object begins no episode if it was before the
                # watch, or if the object is the root.
                continue
            key = f"{base}@{leaf.stamp}"
            latest = Episode(None, key, leaf.start, leaf.start, leaf.past)
            current[index] = latest
            result.append(latest)
        latest.add(leaf)
    # Episodes that were emitted may have lost all their leaves since.
    result = [each for each in result if each.change or each.leaves]
    if emitted.keys:
        _reuse_keys(root, result, emitted)
    return [each for each in result if not _is_idle(each, alone=len(result) == 1)]


def _change_of(leaf: Leaf, root: Track, began: list[float]) -> int:
    """Return the index of the last change before *leaf*; -1 if there is none."""
    slack = 0.0 if leaf.uid == root.uid else SLACK
    index = bisect_right(began, min(leaf.cause, leaf.start) + slack) - 1
    if index < 0:
        index = bisect_right(began, leaf.start + slack) - 1
    if index < 0 and began and leaf.start + _ROUNDING >= began[0]:
        index = 0
    return index


def _reuse_keys(root: Track, found: Iterable[Episode], emitted: Emitted) -> None:
    used = set[str]()
    for episode in found:
        if episode.change is not None:
            continue
        known = (
            emitted.keys.get((root.uid, leaf.span.span_id), "")
            for leaf in episode.leaves
            if leaf.span is not None
        )
        key = next((each for each in known if "@" in each and each not in used), "")
        episode.key = key or episode.key
        used.add(episode.key)


def _of_changes(
    root: Track,
    began: list[float],
    clocks: Clocks,
    over: Mapping[str, tuple[float, float]],
) -> list[Episode]:
    found = []
    for index, (change, start) in enumerate(zip(root.changes, began, strict=True)):
        end = None if change.end is None else max(clocks.local(change.end), start)
        if change.key == REVISED:
            end = start
        following = root.changes[index + 1 : index + 2]
        if following and change.end == following[0].start and began[index + 1] < inf:
            end = began[index + 1]  # the next change ended this one
        if change.key in over:
            start, emitted_end = over[change.key]
            end = None if end is None else max(end, emitted_end)
        known = None if change.key == REVISED else change
        episode = Episode(known, change.key, start, end, change.start.past)
        episode.covered = inf if end is None else end
        found.append(episode)
    return found


def _is_idle(episode: Episode, *, alone: bool) -> bool:
    """Return whether the episode ended before the watch began, without spans."""
    if not episode.past or episode.end is None or alone:
        return False
    return all(leaf.span is None for leaf in episode.leaves)


def _order(leaf: Leaf) -> tuple[float, float, str, str]:
    end = inf if leaf.end is None else leaf.end
    return leaf.start, end, leaf.uid, leaf.span.span_id if leaf.span else ""
