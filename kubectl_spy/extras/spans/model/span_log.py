"""Records in, spans out: the fold behind `kubectl spy spans`.

Spans follow from the versions of each object and of each Event, not from the order in
which those of different objects arrive. The same records give the same spans, with the
same ids and times, whichever stream runs ahead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf

from kubectl_spy.core.changes.record import ChangeRecord, Item
from kubectl_spy.core.cluster.event_store import EventStore, ObservedEvent
from kubectl_spy.core.cluster.events import is_event
from kubectl_spy.core.cluster.inventory import entry_of
from kubectl_spy.core.cluster.relations import Relations
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import Selection
from kubectl_spy.extras.spans.model.assembly import Assembly, Placed, order
from kubectl_spy.extras.spans.model.causes import Causes, origins, with_cause
from kubectl_spy.extras.spans.model.clocks import Clocks
from kubectl_spy.extras.spans.model.emission import Emission, TraceKey
from kubectl_spy.extras.spans.model.episodes import episodes
from kubectl_spy.extras.spans.model.horizon import Horizons, RootView
from kubectl_spy.extras.spans.model.leaves import Leaf, events_about, leaves
from kubectl_spy.extras.spans.model.present import Present
from kubectl_spy.extras.spans.model.span import Span
from kubectl_spy.extras.spans.model.track import Track

_LAG = 1.0
"""Seconds to wait before spans are final: records of other streams may be late."""
_RATE = 1000  # spans that may be checked in a second
_GONE_FACTOR = 10  # gone objects in unfinished traces may exceed `keep` by this factor
_SPAN_FACTOR = 10  # spans of finished traces may exceed `keep` by this factor
_MOST_SPANS = 50_000
_EARLY = 60.0  # seconds by which an Event may come before its object


class SpanLog:
    """Folds records of whole objects into the spans of all that the roots led to.

    With *emits*, spans are added to `finished` when they become final. These times
    follow from the records alone, whenever `finished` is called.

    *keep* bounds memory: that many deleted objects are kept, and ten times as many
    spans of traces that are over. *most* bounds the spans of all traces. None keeps
    everything.
    """

    def __init__(
        self,
        scope: Scope,
        *,
        emits: bool = False,
        keep: int | None = None,
        most: int = _MOST_SPANS,
    ) -> None:
        self._scope = scope
        self.time = 0.0  # when the last record was observed
        self._relations = Relations()
        self._tracks: dict[str, Track] = {}
        self._causes = Causes(self._tracks, self._relations)
        self._emits = emits
        self._keep = keep
        self._most = most
        self._roots: dict[str, None] = {}
        self._gone: dict[str, None] = {}  # deleted objects, the oldest first
        self._events = EventStore(self._relations.__contains__, each_time=True)
        self._clocks = Clocks()
        self._lost: dict[Selection, float] = {}  # when its connection was last lost
        self._present = Present(scope)
        self._emission = Emission()
        self._begun = False
        self._next_check = inf  # when spans may become final
        self._idle_until = 0.0  # no check before: checks must not take all the time
        self._unchecked = 0  # records since it was last checked what to drop
        self._horizons = Horizons(self._tracks, self._relations)
        self.objects_left_out = 0  # dropped objects, whose spans are not in `spans`
        # Caches, valid until something happens that concerns them.
        self._leaves: dict[str, tuple[float, list[ObservedEvent], list[Leaf]]] = {}
        """By object, with the difference of clocks and the Events they came from."""
        self._placed: list[Placed] | None = None
        self._views: dict[str, RootView] = {}

    @property
    def spans_left_out(self) -> int:
        """Spans of older traces that were dropped: they are no longer in `spans`."""
        return self._horizons.dropped_spans

    # Records in

    def observe(self, item: Item) -> None:
        """Take in what happened."""
        if self._begun:
            self._emit_final(item.time)
        self._placed = None
        self.time = max(self.time, item.time)
        self._present.observe(item)
        if self._emits:
            self._begin(item.time)
            check = max(item.time + _LAG, self._idle_until)
            self._next_check = min(self._next_check, check)
        if not isinstance(item, ChangeRecord):
            return
        lost_at = self._lost.get(item.selection) if item.listed else None
        if item.of_stream:
            self._lost[item.selection] = item.time if item.since is None else item.since
        elif is_event(item.gvk):
            self._events.observe(item, lost_at)
        else:
            self._observe_object(item, lost_at)
        if self._keep is None:
            return
        if self._scope.coverage.complete:
            self._events.trim()
        self._unchecked += 1
        if self._unchecked > self._keep * _SPAN_FACTOR and not self._emits:
            self._drop_traces(self._all(item.time), item.time)

    def _observe_object(self, record: ChangeRecord, lost_at: float | None) -> None:
        uid = record.identity
        entry = entry_of(record)
        if entry is not None:
            if self._relations.observe(record):
                self._causes.moved()
            if uid not in self._tracks:
                self._tracks[uid] = Track(
                    uid,
                    record.gvk,
                    record.namespace,
                    record.name,
                    initial=record.initial or record.listed,
                    first_seen=record.time,
                )
                for name in (uid, *self._relations.aliases(uid)):
                    self._events.join(name)
        elif uid not in self._tracks:
            return
        if self._scope.is_root(record):
            self._roots[uid] = None
        self._tracks[uid].observe(record, entry, self._clocks, lost_at)
        self._leaves.pop(uid, None)
        self._gone.pop(uid, None)
        if record.gone:
            self._gone[uid] = None
            if not self._emits and self._keep is not None:
                full = len(self._gone) > self._keep
                if full and self._unchecked > self._keep // _SPAN_FACTOR:
                    self._drop_traces(self._all(record.time), record.time)
                self._drop_gone(unfinished=set())

    # Spans out

    def begin_at(self, roots: Iterable[str]) -> None:
        """Make these uids the roots of `spans`, and no others."""
        self._roots = {uid: None for uid in roots if uid in self._tracks}
        self._placed = None

    def spans(self, now: float) -> list[Span]:
        """Return all spans as of *now*, by their start.

        A span that goes on has no end. A cause begins no later than its effects, and
        ends no sooner.
        """
        return [each.span for each in self._present.judged(self._all(now))]

    def finished(self, now: float | None = None) -> list[Span]:
        """Return the spans that became final since the last call, each once.

        *now* is by default when the last record was observed. A span that grows after
        it was emitted comes again when its trace has ended again, with a higher
        `revision`.
        """
        at = self.time if now is None else now
        if not self._begun:
            self._emits = True
            self._begin(self.time, known=True)
        self._emit_final(at - _LAG)
        return self._emission.take()

    def flush(self, now: float) -> list[Span]:
        """Return all spans that `finished` has not, final or not."""
        finished = self._emission.take()
        judged = self._present.judged(self._all(now))
        return finished + list(self._emission.changed(judged))

    def _begin(self, time: float, *, known: bool = False) -> None:
        """Start to emit spans once all first lists are complete, or *known* to be."""
        if not self._begun and (known or self._scope.coverage.complete):
            self._begun = True
            self._next_check = time + _LAG

    def _emit_final(self, time: float) -> None:
        """Emit what became final before *time*, step by step.

        Nothing changes between two records, so it does not matter when this is called.
        """
        while self._next_check < time:
            at = self._next_check
            placed = self._all(at)
            if self._emission.add_final(placed, at):
                self._clocks.fix()
                self._placed = None
            self._idle_until = at + max(_LAG, len(placed) / _RATE)
            next_final = self._emission.next_final(placed, at)
            self._next_check = max(next_final, self._idle_until)
            self._drop_traces(placed, at)
            if self._keep is not None and len(self._gone) > self._keep:
                unfinished = self._emission.unfinished_objects(placed)
                forced = self._drop_gone(unfinished)
                self._emission.add(each for each in placed if each.uid in forced)

    def _all(self, now: float) -> list[Placed]:
        if self._placed is None:
            self._views = {}
            roots = self._causes.tops(self._roots)
            placed = (each for uid in roots for each in self._of_root(uid))
            self._placed = sorted(placed, key=order)
        return [
            each._replace(span=each.span._replace(start=now))
            if each.span.end is None and each.span.start > now
            else each
            for each in self._placed
        ]

    def _of_root(self, uid: str) -> Iterator[Placed]:
        root, tracks, clocks = self._tracks[uid], self._tracks, self._clocks
        places = self._causes.under(uid)
        events = {
            each: events_about(
                tracks[each], self._events, tracks, self._relations, clocks
            )
            for each in places
        }
        found = [
            with_cause(leaf, uid, tracks, places, clocks)
            for each in places
            for leaf in self._leaves_of(tracks[each], events[each])
        ]
        traces = episodes(
            root,
            found,
            clocks,
            self._emission,
            origins(root, tracks, places, events[uid], clocks),
            self._horizons.of.get(uid),
        )
        traces.sort(key=lambda each: each.start)
        self._views[uid] = RootView(traces, frozenset(places))
        assembly = Assembly(root, tracks, places, events)
        for episode in traces:
            yield from assembly.spans(episode, last=episode.start == traces[-1].start)

    def _leaves_of(self, track: Track, events: list[ObservedEvent]) -> list[Leaf]:
        difference = self._clocks.difference
        known = self._leaves.get(track.uid)
        if known is None or known[:2] != (difference, events):
            found = list(leaves(track, events, self._clocks))
            known = self._leaves[track.uid] = difference, events, found
        return known[2]

    # Bounds of memory

    def _drop_traces(self, placed: list[Placed], at: float) -> None:
        if self._keep is None:
            return
        most = self._keep * _SPAN_FACTOR
        excess = len(placed) - most
        too_many = excess > most
        if not too_many and not self._emits and len(self._gone) > self._keep:
            # Drop whole traces before single objects: without some of its objects, a
            # trace may look like a part of another one.
            too_many, excess = True, len(placed) // _SPAN_FACTOR
        if not too_many and self._unchecked <= most:
            return
        self._unchecked = 0
        if too_many:
            unfinished = set[TraceKey]()
            if self._emits:
                unfinished = self._emission.unfinished(placed)
            dropped, forced = self._horizons.drop(
                self._views, placed, unfinished, excess=excess, at=at, most=self._most
            )
            if self._emits:
                self._emission.add(forced)
            self._emission.forget(dropped)
            self._clocks.fix()
        gone = self._horizons.trim(
            self._views, self._events, self._clocks, unrelated=at - _EARLY
        )
        for uid in gone:
            self._drop_object(uid)
        self._leaves.clear()
        self._placed = None

    def _drop_gone(self, unfinished: set[str]) -> set[str]:
        """Drop deleted objects above `keep`, the oldest first.

        Those in *unfinished* traces stay, but not too many of them. Return the uids of
        those dropped nevertheless.
        """
        forced: set[str] = set()
        if self._keep is None:
            return forced
        for uid in list(self._gone):
            if len(self._gone) <= self._keep:
                break
            if uid in unfinished:
                if len(self._gone) <= self._keep * _GONE_FACTOR:
                    continue
                forced.add(uid)
            self._drop_object(uid)
        return forced

    def _drop_object(self, uid: str) -> None:
        self._gone.pop(uid, None)
        self._roots.pop(uid, None)
        self._leaves.pop(uid, None)
        self._placed = None
        if self._tracks.pop(uid, None) is not None:
            self.objects_left_out += 1
            self._causes.moved()
            for name in self._relations.forget(uid):
                self._events.forget(name)
