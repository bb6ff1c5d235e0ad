"""Folds what an API server replays of one type into its past since a time.

A watch from an old resourceVersion brings each write since then, oldest first, for as
long as the server's watch cache holds them. What is older than that time only gives the
objects as they were then.
https://kubernetes.io/docs/reference/using-api/api-concepts/#the-resourceversion-parameter
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import NamedTuple

from kubectl_spy.core.changes.record import Horizon
from kubectl_spy.core.jsontext import dumps, loads
from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent
from kubectl_spy.core.past.subject import Subject
from kubectl_spy.core.past.times import (
    Moment,
    WriteTime,
    created,
    deleted,
    last_written,
    moments,
    written,
)

# Keeps many similar documents in little memory.

_LEVEL = 1  # of zlib: five times as fast as the default, for a tenth more bytes


class Packing:
    """Packs documents of one type.

    The first one is the dictionary of the others (RFC 1950, FDICT): a version of a Pod
    then takes some 300 bytes instead of 5,000.
    """

    def __init__(self) -> None:
        self._dictionary = b""

    def pack(self, document: JSON) -> bytes:
        """Return *document* in few bytes."""
        text = dumps(document)
        self._dictionary = self._dictionary or bytes(text)
        packer = zlib.compressobj(_LEVEL, zdict=self._dictionary)
        return packer.compress(text) + packer.flush()

    def unpack(self, packed: bytes) -> JSON:
        """Return the document in *packed*, anew each time."""
        return loads(zlib.decompressobj(zdict=self._dictionary).decompress(packed))


MOST_VERSIONS = 120_000
"""Versions of a type to keep. A watch cache holds 102,400 at most.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/apiserver/pkg/storage/cacher/watch_cache.go
"""
MOST_BYTES = 96 << 20  # of packed versions of a type
SILENT = "the server is silent"
_PART = 8  # of the versions, one in so many is given up at once


class ReplayedVersion(NamedTuple):
    """A version that the server replayed."""

    kind: EventType
    uid: str
    number: int
    """Its resourceVersion, which one etcd counts in order; 0 if it is no number.

    https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version
    """
    write_time: WriteTime
    packed: bytes


class Shown(NamedTuple):
    """A version since the time from which on the past is shown."""

    kind: EventType
    moment: Moment
    number: int
    packed: bytes
    first: bool  # whether the one before it is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What was remembered of a selection, and what it began with."""

    selection: Selection
    since: float  # the time from which on it is shown
    writes: int  # how many writes were replayed, also of before *since*
    began: float | None  # the time of the first of them
    whole: bool  # whether no older write was forgotten
    cut: bool  # whether older versions were given up, to save memory
    reason: str  # why nothing could be had, or ""
    there: tuple[bytes, ...]  # the objects at that time, packed
    versions: tuple[Shown, ...]
    packing: Packing
    until: float  # when it was asked for
    pending: bool = False  # whether only its list has come yet

    def as_item(self) -> Horizon:
        """Return how far back the server remembered."""
        exact, first = self.horizon, self.began
        of = self.selection, self.since, exact, self.writes, first
        return Horizon(*of, self.reaches, self.reason)

    @property
    def reaches(self) -> bool:
        """Whether all since the time that was asked for is known."""
        early = self.began is not None and self.began <= self.since
        return not self.reason and not self.cut and (self.whole or early)

    def first_list(self) -> Iterator[WatchEvent]:
        """Yield the objects as they were then, as a list."""
        of = self.selection, self.since
        yield WatchEvent(EventType.LISTING, *of)
        for packed in self.there:
            yield WatchEvent(EventType.LISTED, *of, self.packing.unpack(packed))
        if not self.is_late:
            yield self.end_of_list()

    def last_list(self, time: float, since: float | None) -> Iterator[WatchEvent]:
        """Yield the objects as they were last, as a list at *time*.

        *since* is when they were listed before, or None.
        """
        of = self.selection, time
        yield WatchEvent(EventType.LISTING, *of, since=since)
        for obj in self.last():
            yield WatchEvent(EventType.LISTED, *of, obj)
        yield WatchEvent(EventType.SYNCED, *of)

    def last(self) -> Iterator[JSON]:
        """Yield the objects as they were last."""
        found: dict[str, JSON] = {}
        versions = ((each.kind, each.packed) for each in self.versions)
        for kind, packed in chain(zip(repeat(None), self.there), versions):
            obj = self.packing.unpack(packed)
            found[_uid(obj)] = None if kind is EventType.DELETED else obj
        return filter(None, found.values())

    @property
    def horizon(self) -> float:
        """From when on all writes are known."""
        if self.reaches or self.cut:
            return self.since
        return self.until if self.reason or self.began is None else self.began

    def subjects(self) -> Iterator[Subject]:
        """Yield the objects that may have been written before the horizon."""
        # What has no number was not written since: it is as it was at the horizon.
        found = [(packed, True) for packed in self.there]
        found += [
            (each.packed, not each.number) for each in self.versions if each.first
        ]
        seen: set[str] = set()
        for packed, settled in () if self.reaches else found:
            document = self.packing.unpack(packed)
            if (uid := _uid(document)) not in seen:
                seen.add(uid)
                yield Subject(self.selection, document, self.horizon, settled)

    @property
    def is_late(self) -> bool:
        """Whether objects may have been there at that time that are forgotten."""
        return self.selection.asked and not (self.reaches or self.reason or self.cut)

    @property
    def listed_at(self) -> float:
        """When the list of the objects that were there is complete.

        Of what was deleted before the horizon nothing is known.
        """
        return max(self.since, self.horizon) if self.is_late else self.since

    def end_of_list(self) -> WatchEvent:
        """Return the end of the first list."""
        return WatchEvent(EventType.SYNCED, self.selection, self.listed_at)

    def event(self, shown: Shown) -> WatchEvent:
        """Return the event of a version."""
        return WatchEvent(
            EventType.LISTED if shown.first else shown.kind,
            self.selection,
            shown.moment.time,
            self.packing.unpack(shown.packed),
            bound=shown.moment.bound,
            first=shown.first,
        )


class Remembered:
    """Takes in what a server lists and replays of *selection*. Objects are masked.

    Only what was written since the time *since* is kept version by version, and no more
    than *most* versions.
    """

    def __init__(
        self, selection: Selection, since: float, *, most: int = MOST_VERSIONS
    ) -> None:
        self._selection = selection
        self._asked = since
        self._most = most
        self._packing = Packing()
        self._newest = 0  # the highest resourceVersion of what was listed
        self._listed: dict[str, tuple[bytes, float]] = {}
        """The objects as they are now, by uid, and when they were last written."""
        self.restart()

    def restart(self) -> None:
        """Forget what was replayed: it comes again."""
        self._since = self._asked
        self._bases: dict[str, bytes] = {}  # the objects as they were then, by uid
        self._befores: dict[str, bytes] = {}
        """Objects as they were before their first version that was replayed."""
        self._last: dict[str, bytes] = {}  # the last version of each, by uid
        self._versions: list[ReplayedVersion] = []
        self._size = 0
        self._writes = 0
        self._replayed = 0  # the highest resourceVersion of what was replayed
        self._began: float | None = None
        self._cut = False

    def see(self, events: Iterable[WatchEvent]) -> None:
        """Take in objects as they are now."""
        for event in events:
            obj = event.object or {}
            time = last_written(obj) or 0.0
            self._listed[_uid(obj)] = self._packing.pack(obj), time
            self._newest = max(self._newest, _number(obj))

    def observe(self, event: WatchEvent) -> None:
        """Take in the next version."""
        obj = event.object or {}
        uid, packed = _uid(obj), self._packing.pack(obj)
        write_time = self._write_time(event.type, uid, obj)
        self._writes += 1
        self._size += len(packed)
        self._replayed = max(self._replayed, _number(obj))
        self._versions.append(
            ReplayedVersion(event.type, uid, _number(obj), write_time, packed)
        )
        self._last[uid] = packed
        if write_time.time is None:
            return
        if self._began is None:
            self._began = write_time.time
        if write_time.time < self._since:
            self._fold(len(self._versions))
        elif len(self._versions) > self._most or self._size > MOST_BYTES:
            count = len(self._versions) // _PART + 1
            later = (each.write_time.time for each in self._versions[count:])
            self._since = next((each for each in later if each), write_time.time)
            self._cut = True
            self._fold(count)

    def lags(self, version: str) -> bool:
        """Return whether a replay after *version* lacks what the list before it has."""
        begin = int(version) if version.isdecimal() else self._newest
        return self._newest > max(begin, self._replayed)

    def lacking(self) -> Iterator[JSON]:
        """Yield the first versions of objects of which the one before is not known.

        The latest come first.
        """
        for version in reversed(self._firsts()):
            yield self._packing.unpack(version.packed)

    def before(self, obj: JSON) -> None:
        """Take in such an object as it was before its first version."""
        self._befores[_uid(obj)] = self._packing.pack(obj)

    def past(self, now: float, *, whole: bool = False, reason: str = "") -> Past:
        """Return the past at the time *now*.

        *whole* says that nothing older was forgotten, *reason* why nothing could be
        replayed.
        """
        if reason:
            self.restart()
        start = now if reason else self._since
        times = moments([each.write_time for each in self._versions], now)
        firsts = set(map(id, self._firsts()))
        there = list(self._bases.values())
        shown: list[Shown] = []

        def appears(packed: bytes, time: float) -> None:
            if time <= start:
                there.append(packed)
            else:
                shown.append(
                    Shown(EventType.LISTED, Moment(time), 0, packed, first=True)
                )

        for packed in self._befores.values():
            appears(packed, last_written(self._packing.unpack(packed)) or 0.0)
        for uid, (packed, time) in self._listed.items():
            if uid not in self._last:
                appears(packed, time)
        for version, moment in zip(self._versions, times, strict=True):
            first = id(version) in firsts
            if first and version.kind is EventType.DELETED:
                # Its last version comes with its deletion.
                obj = self._packing.unpack(version.packed)
                obj["metadata"].pop("resourceVersion", None)
                time = min(last_written(obj) or 0.0, moment.time)
                appears(self._packing.pack(obj), time)
                first = False
            kind, number, packed = version.kind, version.number, version.packed
            shown.append(Shown(kind, moment, number, packed, first))
        shown.sort(key=lambda each: each.moment.time)
        began = self._began
        return Past(
            selection=self._selection,
            since=start,
            writes=self._writes,
            began=times[0].time if began is None and times else began,
            whole=whole,
            cut=self._cut,
            reason=reason,
            there=tuple(there),
            versions=tuple(shown),
            packing=self._packing,
            until=now,
        )

    def _firsts(self) -> list[ReplayedVersion]:
        known = {*self._bases, *self._befores}
        found = []
        for version in self._versions:
            if version.uid not in known:
                known.add(version.uid)
                if version.kind is not EventType.ADDED:
                    found.append(version)
        return found

    def _write_time(self, kind: EventType, uid: str, obj: JSON) -> WriteTime:
        if kind is EventType.ADDED:
            return WriteTime(created(obj))
        after = last_written(obj) or 0.0
        if uid not in self._last:
            return WriteTime(None, after)
        before = self._packing.unpack(self._last[uid])
        if kind is EventType.DELETED:
            return WriteTime(deleted(before), after)
        return WriteTime(written(before, obj), after)

    def _fold(self, count: int) -> None:
        """Keep of the first *count* versions only what they led to."""
        for version in self._versions[:count]:
            self._size -= len(version.packed)
            if version.kind is EventType.DELETED:
                self._bases.pop(version.uid, None)
            else:
                self._bases[version.uid] = version.packed
        del self._versions[:count]


def _number(obj: JSON) -> int:
    word = str(obj["metadata"].get("resourceVersion", ""))
    return int(word) if word.isdecimal() else 0


def _uid(obj: JSON) -> str:
    metadata = obj["metadata"]
    name = f"{metadata.get('namespace')}/{metadata.get('name', '')}"
    return str(metadata.get("uid") or name)
