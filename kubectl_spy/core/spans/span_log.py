"""Records in, spans out: the fold behind `kubectl spy spans`.

What is asked of it is worked out of what each object and each Event went through, and
not of the order in which they were told between each other: the same records give the
same spans, ids and times, whichever stream runs ahead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType, Item
from kubectl_spy.core.cluster.events import EVENT_GROUPS
from kubectl_spy.core.cluster.inventory import Inventory
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.cluster.subjects import aliases
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.spans.assembly import Assembly, Placed, order
from kubectl_spy.core.spans.causes import Causes
from kubectl_spy.core.spans.clocks import Clocks
from kubectl_spy.core.spans.episodes import episodes
from kubectl_spy.core.spans.horizon import Horizons, Shown
from kubectl_spy.core.spans.leaves import Leaf, leaves
from kubectl_spy.core.spans.lineage import origins, with_cause
from kubectl_spy.core.spans.reports import Report, Reports
from kubectl_spy.core.spans.span import Span
from kubectl_spy.core.spans.telling import Telling
from kubectl_spy.core.spans.track import Track

_LAG = 1.0
"""Seconds by which records, and looks, may be late: then all of a time is known."""
_PACE = 1000
"""How many spans may be looked through in a second."""
_LONG = 10
"""Times as many objects as are to be kept are, while their traces are not over."""
_SPANS = 10
"""Times as many spans as objects are kept of traces that are over."""
_MOST = 50_000
"""Spans that are kept at most, whether their traces are over or not."""
_EARLY = 60.0
"""Seconds by which an Event may come before its object."""


class SpanLog:
    """Folds records of whole objects into the spans of what the roots led to.

    With *tells* it notes the spans that are final as records come in, for `finished`:
    each at a time that follows from the records alone, whenever it is asked. *keep* is
    how many objects that are gone are kept, and ten times as many spans of traces that
    are over; *most* is how many are in any case. None is that everything is kept.
    """

    def __init__(
        self,
        scope: Scope,
        *,
        tells: bool = False,
        keep: int | None = None,
        most: int = _MOST,
    ) -> None:
        self._scope = scope
        self._inventory = Inventory(scope)
        self._tells = tells
        self._keep = keep
        self._most = most
        self._tracks: dict[str, Track] = {}
        self._gone: dict[str, None] = {}
        self._reports = Reports()
        self._clocks = Clocks()
        self._lost: dict[Selection, float] = {}
        """Since when it had not been watched what a list then shows, if it was so."""
        self._roots: dict[str, None] = {}
        self._telling = Telling()
        self._begun = False
        self._due = math.inf
        """When something may become final."""
        self._rests = 0.0
        """Until when that is not looked for."""
        self._swept = 0.0
        self._leaves: dict[str, tuple[float, list[Report], list[Leaf]]] = {}
        """What happened to an object, by which difference of clocks, and with which
        reports; until more happens to it."""
        self._known: list[Placed] | None = None
        """The spans, until something happens."""
        self._shown: dict[str, Shown] = {}
        """What each root shows, as of then."""
        self._horizons = Horizons()
        self._unlooked = 0
        """Records since it was looked what may be let go."""
        self.left_out = 0
        """Objects that were let go, and whose spans are not among `spans` any more."""

    @property
    def spans_left_out(self) -> int:
        """How many spans of older traces were let go, and are not in `spans`."""
        return self._horizons.spans

    @property
    def time(self) -> float:
        """When the last record was observed."""
        return self._inventory.time

    def observe(self, item: Item) -> None:
        """Take in what happened."""
        if self._begun:
            self._settle(item.time)
        self._known = None
        self._inventory.observe(item)
        if self._tells:
            self._begin(item.time)
            self._due = min(self._due, max(item.time + _LAG, self._rests))
        if not isinstance(item, ChangeRecord):
            return
        if item.of_stream:
            self._lost[item.selection] = item.time if item.since is None else item.since
        elif item.gvk.kind == "Event" and item.gvk.group in EVENT_GROUPS:
            self._reports.observe(item, self._since(item))
        else:
            self._track(item)
        if self._keep is None:
            return
        if item.time > self._swept + _EARLY:
            self._sweep(item.time)
        self._unlooked += 1
        if self._unlooked > self._keep * _SPANS and not self._tells:
            self._shorten(self._placed(item.time), item.time)

    def _since(self, record: ChangeRecord) -> float | None:
        """Return since when nobody had looked at what a list shows again."""
        return self._lost.get(record.selection) if record.listed else None

    def _track(self, record: ChangeRecord) -> None:
        uid = record.identity
        entry = self._inventory.entry(uid)
        track = self._tracks.get(uid)
        gone = record.type in (ChangeType.DELETED, ChangeType.LEFT)
        if track is None:
            if gone or entry is None:
                return
            track = Track(
                uid,
                record.gvk,
                record.namespace,
                record.name,
                record.initial or record.listed,
                record.time,
                aliases(record.gvk, record.namespace, record.name, entry.document),
            )
            self._tracks[uid] = track
            self._reports.expect(track)
        if self._scope.is_root(record):
            self._roots[uid] = None
        track.observe(
            record, None if gone else entry, self._clocks, self._since(record)
        )
        self._leaves.pop(uid, None)
        self._gone.pop(uid, None)
        if gone:
            self._gone[uid] = None
            if not self._tells and self._keep is not None:
                full = len(self._gone) > self._keep
                if full and self._unlooked > self._keep // _SPANS:
                    self._shorten(self._placed(record.time), record.time)
                self._let_go(set())

    def _sweep(self, time: float) -> None:
        """Let go Events of what is never shown; objects may come after theirs."""
        if self._scope.complete:
            self._reports.sweep(self._tracks.values(), before=self._swept)
            self._swept = time

    def _let_go(self, busy: set[str]) -> list[str]:
        """Forget what is long gone, unless it is *busy*; return what was all the same.

        *busy* are the uids of objects in traces of which something is not told yet.
        """
        if self._keep is None:
            return []
        forced: list[str] = []
        spare = len(self._gone) - self._keep
        for uid in list(self._gone) if spare > 0 else ():
            if uid in busy:
                if len(self._gone) <= self._keep * _LONG:
                    continue
                forced.append(uid)
            self._forget(uid)
            spare -= 1
            if not spare:
                break
        return forced

    def _forget(self, uid: str) -> None:
        self._gone.pop(uid, None)
        track = self._tracks.pop(uid, None)
        if track is not None:
            self.left_out += 1
            self._reports.forget(track)
        self._roots.pop(uid, None)
        self._leaves.pop(uid, None)
        self._known = None

    def _shorten(self, placed: list[Placed], at: float) -> None:
        """Let go of the oldest traces, if there are too many spans."""
        if self._keep is None:
            return
        most = self._keep * _SPANS
        excess = len(placed) - most
        too_many = excess > most
        if not too_many and not self._tells and len(self._gone) > self._keep:
            # The objects of whole traces go first: without some of it, one trace may
            # look like a part of another one.
            too_many, excess = True, len(placed) // _SPANS
        if not too_many and self._unlooked <= most:
            return
        self._unlooked = 0
        let_go = set[tuple[str, str]]()
        if too_many:
            untold = self._telling.untold(placed) if self._tells else set()
            let_go, unfinished = self._horizons.let_go(
                self._shown,
                placed,
                self._tracks,
                untold,
                excess=excess,
                at=at,
                most=self._most,
            )
            if self._tells:
                self._telling.note_all(unfinished)
            self._telling.forget(let_go)
            self._clocks.settle()
        gone = self._horizons.trim(
            self._shown, self._tracks, self._reports, self._clocks, aside=at - _EARLY
        )
        for uid in gone:
            self._forget(uid)
        self._leaves.clear()
        self._known = None

    def spans(self, now: float) -> list[Span]:
        """Return all spans as of *now*, in the order in which they began.

        What is not over has no end. What caused something begins no later than it, and
        ends no sooner.
        """
        return [each.span for each in self._placed(now)]

    def finished(self, now: float | None = None) -> list[Span]:
        """Return the spans that have become final since this was asked last.

        *now* None is when the last record was observed. Each comes once. If one that
        came has become longer after all, it comes again, with a higher `revision`, when
        its trace has ended again.
        """
        at = self.time if now is None else now
        if not self._begun:
            self._tells = True
            self._begin(self.time, known=True)
        self._settle(at - _LAG)
        return self._telling.take()

    def flush(self, now: float) -> list[Span]:
        """Return what `finished` has not: what goes on, and what may yet have grown."""
        told = self._telling.take()
        return told + self._telling.all(self._placed(now))

    def _begin(self, time: float, *, known: bool = False) -> None:
        """Begin to tell, as soon as all there is is known."""
        if not self._begun and (known or self._scope.complete):
            self._begun = True
            self._due = time + _LAG

    def _settle(self, time: float) -> None:
        """Note what became final before *time*, in the steps in which it did.

        Between two records nothing changes: so it is no matter when this is called.
        """
        while self._due < time:
            at = self._due
            placed = self._placed(at)
            if self._telling.note(placed, at):
                self._clocks.settle()
                self._known = None
            self._rests = at + max(_LAG, len(placed) / _PACE)
            self._due = max(self._telling.due(placed, at), self._rests)
            self._shorten(placed, at)
            if self._keep is not None and len(self._gone) > self._keep:
                busy = self._telling.busy(placed)
                forced = set(self._let_go(busy))
                self._telling.note_all(each for each in placed if each.uid in forced)

    def _placed(self, now: float) -> list[Placed]:
        """Return the spans in their places."""
        if self._known is None:
            causes = Causes(self._tracks)
            found: list[Placed] = []
            shown: dict[str, Shown] = {}
            for uid in causes.tops(self._roots):
                found += self._of_root(self._tracks[uid], causes, shown)
            found.sort(key=order)
            self._known = found
            self._shown = shown
        return [
            each._replace(span=each.span._replace(start=now))
            if each.span.end is None and each.span.start > now
            else each
            for each in self._known
        ]

    def _of_root(
        self, root: Track, causes: Causes, shown: dict[str, Shown]
    ) -> Iterator[Placed]:
        places = causes.under(root.uid)
        reports = {
            uid: self._reports.of(self._tracks[uid], self._clocks) for uid in places
        }
        happened: list[Leaf] = []
        for uid in places:
            happened += (
                with_cause(each, root.uid, self._tracks, places, self._clocks)
                for each in self._happened(self._tracks[uid], reports[uid])
            )
        assembly = Assembly(root, self._tracks, places, reports)
        horizon = self._horizons.of.get(root.uid)
        came = origins(root, self._tracks, places, reports[root.uid], self._clocks)
        traces = episodes(root, happened, self._clocks, self._telling, came, horizon)
        shown[root.uid] = Shown(traces, frozenset(places))
        latest = max((each.start for each in traces), default=0.0)
        for episode in traces:
            yield from assembly.spans(episode, last=episode.start == latest)

    def _happened(self, track: Track, reports: list[Report]) -> list[Leaf]:
        difference = self._clocks.difference
        known = self._leaves.get(track.uid)
        if known is None or known[:2] != (difference, reports):
            happened = list(leaves(track, reports, self._clocks))
            known = self._leaves[track.uid] = difference, reports, happened
        return known[2]
