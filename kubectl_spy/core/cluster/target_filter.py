"""Selects the events of the target objects, and of all that they own.

An object belongs to its owners, by the uids in its ownerReferences, and an Event to its
object. Several streams run at once, so a child may come before its parent. Events of an
object that may still belong are held back. Events of members overtake them. Those that
are released together stay in the order of their stream.
https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.cluster.references import Reference, aliases, owners_of
from kubectl_spy.core.cluster.relations import drop
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent

# Orders the events of objects that are held back no longer.

Numbered = tuple[int, WatchEvent]
"""An event, and how many came before it."""


class Released(NamedTuple):
    """The events of an object; *owner* is the uid of what released it, or ""."""

    uid: str
    owner: str
    events: list[Numbered]


def in_order(released: Sequence[Released]) -> list[WatchEvent]:
    """Return the events of *released*, in which owners come first.

    Those of one stream stay in their order: a recorder resumes from the last one. No
    event comes before the first one of its owner, whatever the order of the stream.
    """
    if len(released) == 1:
        return [event for _, event in released[0].events]
    streams: dict[int, list[tuple[int, int]]] = {}  # numbers and places, the next last
    events: dict[int, WatchEvent] = {}
    for place, each in enumerate(released):
        for number, event in each.events:
            events[number] = event
            streams.setdefault(id(event.selection), []).append((number, place))
    for waiting in streams.values():
        waiting.sort(reverse=True)
    ordered: list[WatchEvent] = []
    begun = {""}
    ready: list[tuple[int, int]] = []  # the numbers of next events, and their streams
    blocked: dict[str, list[int]] = {}  # streams, by the owner that comes before

    def offer(stream: int) -> None:
        if waiting := streams[stream]:
            number, place = waiting[-1]
            owner = released[place].owner
            if owner in begun:
                heappush(ready, (number, stream))
            else:
                blocked.setdefault(owner, []).append(stream)

    for stream in streams:
        offer(stream)
    while ready:
        stream = heappop(ready)[1]
        number, place = streams[stream].pop()
        ordered.append(events[number])
        uid = released[place].uid
        begun.add(uid)
        for each_stream in (stream, *blocked.pop(uid, ())):
            offer(each_stream)
    # An owner came after what it owns, in one stream.
    left = sorted(
        (place, number) for each in streams.values() for number, place in each
    )
    return ordered + [events[number] for _, number in left]


_HELD_FOR = 180.0
"""Seconds to hold back an object. After that it does not belong.

This is longer than two waits of a stream that failed.
"""
LIST_OVERDUE = 3600.0
"""Seconds to hold back an object while a first list is missing.

Its owner may be in that list. But a server may refuse the list for ever.
"""
_GONE = 10_000  # The most gone members to remember. Events about them may still come.


@dataclass(slots=True)
class _Stream:
    uids: set[str] = field(default_factory=set)
    listed: set[str] | None = None  # the uids of the current list so far
    count: int = 0  # how many objects it held so far, also those that pass elsewhere


class TargetFilter:
    """Passes on the events of *roots*, and of all that belongs to their objects.

    *others* are the streams that may bring such objects. Objects for which *also* is
    true pass, too. *coverage* tells later which of them were listed.
    """

    def __init__(
        self,
        roots: Sequence[Selection],
        others: Sequence[Selection],
        coverage: Coverage | None = None,
        *,
        also: Callable[[JSON], bool] | None = None,
    ) -> None:
        self._roots = {id(selection) for selection in roots}
        self.coverage = coverage or Coverage((*roots, *others))
        self.overdue = 0  # objects dropped because a list was missing too long
        self._also = also
        self._kinds: dict[str, list[Selection]] = {}
        for selection in (*roots, *others):
            kind = selection.resource.gvk.kind
            self._kinds.setdefault(kind, []).append(selection)
        self._streams: dict[int, _Stream] = {}
        self._members: dict[str, int] = {}
        """The stream of each member. If two hold it, one brings it."""
        self._gone: dict[str, None] = {}
        self._owners: dict[str, tuple[Reference, ...]] = {}  # by uid; () is no owner
        self._held: dict[str, list[Numbered]] = {}
        self._number = 0  # of events of objects so far
        self._holding: Counter[int] = Counter()  # how many uids, by selection
        self._past: dict[int, bool] = {}  # whether a past version is listed
        self._marks: dict[int, WatchEvent] = {}
        """By selection: the event with its resourceVersion, until none is held back."""
        self._waiting: dict[str, dict[str, None]] = {}
        """The uids of held objects in order, by the owner that they wait for."""

    def holds_back(self, selection: Selection) -> bool:
        """Return whether events of *selection* are held back."""
        return self._holding[id(selection)] > 0

    def admit(self, event: WatchEvent) -> Iterator[WatchEvent]:
        """Yield *event* if it belongs, and held events that now belong.

        Its resourceVersion is passed on only when no event of its stream is held back:
        a recorder resumes from there.
        """
        here = id(event.selection)
        mark, reached = self._marks.get(here), event.reached
        if event.type is EventType.LISTING:
            self._past[here] = bool(event.version)
            self._marks.pop(here, None)
        elif mark and reached:
            self._marks[here] = mark._replace(version=reached)
        if reached and event.object is None and self.holds_back(event.selection):
            late = event.type is EventType.SYNCED and self._past[here]
            waits = event if late else event._replace(type=EventType.BOOKMARK)
            self._marks.setdefault(here, waits)
            passed = list(self._admit(event._replace(version="")))
            yield from () if late else passed
        else:
            yield from self._admit(event)
        for each in [*self._marks.values()]:
            if not self.holds_back(each.selection):
                yield self._marks.pop(id(each.selection))

    def _admit(self, event: WatchEvent) -> Iterator[WatchEvent]:
        stream = self._streams.setdefault(id(event.selection), _Stream())
        if event.object is None:
            if event.type is EventType.LISTING:
                stream.listed, stream.count = set(), 0
            elif event.type is EventType.SYNCED:
                self._forget_absent(stream)
                if event.selection.asked:
                    event = event._replace(objects=stream.count)
            yield event
            return
        self._number += 1
        uid = text(event.object, "metadata", "uid")
        self._let_go(event.time)
        stream.count += event.type is EventType.LISTED
        here = id(event.selection)
        if not uid or self._members.get(uid, here) != here:
            return
        if stream.listed is not None:
            stream.listed.add(uid)
        if event.type is EventType.DELETED:
            stream.uids.discard(uid)
        else:
            stream.uids.add(uid)
        owners = self._owners[uid] = owners_of(event.object)
        passes = here in self._roots or uid in self._members or self._belongs(owners)
        if passes or (self._also is not None and self._also(event.object)):
            yield from self._join(uid, event)
        elif self._may_belong(owners):
            self._hold(uid, event)
        else:
            self._release(uid)
        if event.type is EventType.DELETED:
            self._owners.pop(uid, None)

    def _join(self, uid: str, event: WatchEvent) -> list[WatchEvent]:
        """Return *event* of a member, and the held events of all that now belongs."""
        events = [*self._free(uid), (self._number, event)]
        released = [Released(uid, "", events)]
        for member in released:  # it grows
            self._wait_no_more(member.uid)
            last = member.events[-1][1]
            names = [member.uid, *_aliases(last)]
            for name in names:
                if last.type is EventType.DELETED:
                    self._depart(name)
                else:
                    self._members[name] = id(last.selection)
            for name in names:
                for child in self._waiting.pop(name, ()):
                    if child in self._held:
                        held = self._free(child)
                        released.append(Released(child, member.uid, held))
        return in_order(released)

    def _depart(self, uid: str) -> None:
        """Move a deleted member to those whose Events may still come."""
        self._members.pop(uid, None)
        self._gone[uid] = None
        if len(self._gone) > _GONE:
            self._gone.pop(next(iter(self._gone)))

    def _belongs(self, owners: tuple[Reference, ...]) -> bool:
        return any(one.uid in self._members or one.uid in self._gone for one in owners)

    def _may_belong(self, owners: tuple[Reference, ...]) -> bool:
        """Return whether an owner, at any level, may still come in a stream."""
        pending, seen = list(owners), {owner.uid for owner in owners}
        while pending:
            owner = pending.pop()
            above = self._owners.get(owner.uid)
            if above is None:
                if self._may_come(owner):
                    return True
                continue
            new = [each for each in above if each.uid not in seen]
            seen.update(each.uid for each in new)
            pending += new
        return False

    def _may_come(self, owner: Reference) -> bool:
        return any(
            owner.group in (selection.resource.gvk.group, None)
            and selection.name in (owner.name, None)
            for selection in self._kinds.get(owner.kind, ())
        )

    def _hold(self, uid: str, event: WatchEvent) -> None:
        self._holding[id(event.selection)] += uid not in self._held
        self._held.setdefault(uid, []).append((self._number, event))
        for owner in self._owners[uid]:
            self._waiting.setdefault(owner.uid, {})[uid] = None

    def _free(self, uid: str) -> list[Numbered]:
        """Remove and return the held events of an object."""
        events = self._held.pop(uid, [])
        for _, each in events[:1]:
            self._holding[id(each.selection)] -= 1
        return events

    def _let_go(self, now: float) -> None:
        listed = self.coverage.complete
        limit = _HELD_FOR if listed else LIST_OVERDUE
        while self._held:
            uid, events = next(iter(self._held.items()))
            if now - events[0][1].time < limit:
                return
            self._free(uid)
            self._wait_no_more(uid)
            self.overdue += not listed

    def _wait_no_more(self, uid: str) -> None:
        for owner in self._owners.get(uid, ()):
            drop(self._waiting, owner.uid, uid)

    def _release(self, uid: str) -> None:
        """Drop a stranger, and its held dependents that nothing else may own."""
        pending = [uid]
        while pending:
            stranger = pending.pop()
            self._free(stranger)
            self._wait_no_more(stranger)
            pending += [
                child
                for child in self._waiting.pop(stranger, ())
                if child in self._held
                and not self._may_belong(self._owners.get(child, ()))
            ]

    def _forget_absent(self, stream: _Stream) -> None:
        listed, stream.listed = stream.listed or set(), None
        for uid in stream.uids - listed:
            if uid in self._members:
                self._depart(uid)
            else:
                self._release(uid)
            self._owners.pop(uid, None)
        stream.uids &= listed


def _aliases(event: WatchEvent) -> tuple[str, ...]:
    gvk, metadata = event.selection.resource.gvk, mapping(event.object, "metadata")
    name, namespace = text(metadata, "name"), text(metadata, "namespace")
    return aliases(gvk, namespace, name, event.object)
