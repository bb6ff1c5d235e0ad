"""Turns watch events into change records: it keeps the last version of each object.

Objects are identified by uid. An object that is deleted and created again under its
old name is another object. resourceVersions are compared for equality only:
https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kubectl_spy.core.changes import managers
from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.known import (
    Compact,
    Parsed,
    compacted,
    expanded,
    patch_since,
    set_aside,
)
from kubectl_spy.core.changes.projection import without_noise
from kubectl_spy.core.changes.record import (
    ChangeRecord,
    ChangeType,
    Horizon,
    Item,
    Listed,
    OfStream,
    Refused,
    Watched,
    stream_gap,
)
from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent
from kubectl_spy.core.patch.list_keys import ListKeys, TypeKeys
from kubectl_spy.core.times import showable


@dataclass(slots=True)
class _LastVersion:
    """The last version of one object."""

    name: str
    namespace: str | None
    resource_version: str
    document: Compact | Parsed
    stamps: managers.Stamps
    epoch: int  # the stream's epoch of this version; a later one means a possible gap
    recorded: str  # the resourceVersion of the object's last record


@dataclass(slots=True)
class _Stream:
    """The objects of one selection."""

    selection: Selection
    keys: ListKeys
    present: dict[str, _LastVersion] = field(default_factory=dict)
    departed: dict[str, _LastVersion] = field(default_factory=dict)
    names: dict[tuple[str | None, str], str] = field(default_factory=dict)
    """The uid by namespace and name."""
    listed: set[str] | None = None  # the uids in the current list
    past: bool = False  # whether that shows a past version, and changes since follow
    synced: bool = False  # whether a first list was complete
    ended: tuple[str, str] = ("", "")
    """The uid and resourceVersion of the last DELETED, which a server may repeat."""
    epoch: int = 0  # grows whenever versions may have been missed
    suspect_since: float | None = None
    """Since when versions may be missing, if a new list shows a difference."""

    def kept(self, document: JSON) -> Compact | Parsed:
        """Return *document* as it is kept: parsed for a selection of one object."""
        return compacted(document) if self.selection.name is None else Parsed(document)


class History:
    """Turns the watch events of any number of streams into records of whole objects.

    *coverage* takes in what is known of whole streams. *noise* keeps managedFields and
    resourceVersion, which change with each version.
    """

    def __init__(
        self, coverage: Coverage | None = None, *, noise: bool = False
    ) -> None:
        self.coverage = coverage or Coverage()
        self._noise = noise
        self._streams: dict[int, _Stream] = {}
        self.keys = TypeKeys()
        self._seq = 0
        self._observed = 0.0
        self.time = 0.0  # of the last event, in seconds since the epoch

    def items(self, event: WatchEvent) -> Iterator[Item]:
        """Yield the records of *event*, and what it says of its whole selection."""
        yield from self.observe(event)
        item = self._of_stream(event)
        if item is not None and self.coverage.observe(item):
            yield item

    def _of_stream(self, event: WatchEvent) -> OfStream | None:
        """Return what *event* says of its whole selection."""
        match event.type:
            case EventType.SYNCED:
                there = len(self._streams[id(event.selection)].present)
                objects = there if event.objects is None else event.objects
                return Listed(event.selection, objects, self.time)
            case EventType.REFUSED:
                forbidden = event.forbidden
                return Refused(event.selection, event.reason, self.time, forbidden)
            case EventType.HORIZON:
                past: Horizon = event.past
                return past._replace(time=self.time)
            case EventType.LOST | EventType.BACK:
                back = event.type is EventType.BACK
                return Watched(event.selection, back, event.reason, self.time)
        return None

    def observe(self, event: WatchEvent) -> Iterator[ChangeRecord]:
        """Yield the records of *event*: none, and no `seq`, if only noise changed."""
        # The wall clock may be set back, but the times of records never decrease. They
        # have microseconds, as in a recording, so a replay prints the same digits.
        if event.time != self._observed:  # events that came together have one time
            self._observed = event.time
            self.time = max(self.time, round(event.time, 6))
        time = self.time
        stream = self._streams.get(id(event.selection))
        if stream is None:
            keys = self.keys.of(event.selection)
            stream = self._streams[id(event.selection)] = _Stream(event.selection, keys)
        match event.type:
            case EventType.MODIFIED | EventType.ADDED | EventType.LISTED:
                yield from self._version(stream, event, time)
            case EventType.LISTING:
                yield from self._listing(stream, event, time)
            case EventType.SYNCED:
                yield from self._synced(stream, time)
            case EventType.UNREADABLE:
                stream.epoch += 1
                if stream.listed is not None:
                    # The line may be about any object. Do not report one as deleted.
                    stream.listed.update(stream.present)
                yield self._stream_gap(stream, event.since, time)
            case EventType.DELETED:
                yield from self._deleted(stream, event, time)

    def advance(self, now: float) -> float:
        """Note that nothing came up to *now*. Return the earliest time of an event."""
        self.time = max(self.time, round(now, 6))
        return self.time

    def holds(self, selection: Selection) -> bool:
        """Return whether the object that *selection* names exists, in any stream."""
        name = selection.namespace, selection.name or ""
        resource = selection.resource.group_resource
        return any(
            name in each.names
            for each in self._streams.values()
            if each.selection.resource.group_resource == resource
        )

    def present(self) -> Iterator[ChangeRecord]:
        """Yield all present objects, as ADDED records without seq and managers.

        The resourceVersion is that of the object's last record, where the next patch
        starts.
        """
        for stream in self._streams.values():
            for uid, known in stream.present.items():
                yield ChangeRecord(
                    seq=0,
                    time=self.time,
                    type=ChangeType.ADDED,
                    selection=stream.selection,
                    gvk=stream.selection.resource.gvk,
                    namespace=known.namespace,
                    name=known.name,
                    uid=_public(uid),
                    resource_version=known.recorded,
                    document=expanded(known.document),
                )

    def _listing(
        self, stream: _Stream, event: WatchEvent, time: float
    ) -> Iterator[ChangeRecord]:
        again = stream.listed is not None and not stream.past
        stream.listed, stream.past = set(), bool(event.version)
        if again or (not stream.synced and (event.since is None or stream.past)):
            return  # the first list, or one that broke off and began again
        stream.epoch += stream.synced or bool(stream.present)
        if event.lost:
            yield self._stream_gap(stream, event.since, time)
        else:
            stream.suspect_since = time if event.since is None else event.since

    def _synced(self, stream: _Stream, time: float) -> Iterator[ChangeRecord]:
        listed = stream.listed if stream.listed is not None else set()
        for uid in [uid for uid in stream.present if uid not in listed]:
            yield from self._confirmed_gap(stream, time)
            yield self._gone(stream, uid, time, inferred=True)
        stream.listed, stream.past = None, False
        stream.synced, stream.suspect_since = True, None

    def _version(
        self, stream: _Stream, event: WatchEvent, time: float
    ) -> Iterator[ChangeRecord]:
        obj = event.object or {}
        metadata = obj.get("metadata") or {}
        name, namespace = metadata.get("name", ""), metadata.get("namespace")
        uid = metadata.get("uid") or f"{namespace}/{name}"
        listing = event.type is EventType.LISTED
        if stream.listed is not None:
            stream.listed.add(uid)
        known = stream.present.get(uid)
        if known is not None:
            if listing and self._is_other(stream, known, obj):
                yield from self._confirmed_gap(stream, time)
            yield from self._change(stream, uid, known, event, time)
            return
        if stream.names.get((namespace, name), uid) != uid:
            # The DELETED of the old object was missed: names are unique.
            yield from self._confirmed_gap(stream, time)
            old = stream.names[namespace, name]
            yield self._gone(stream, old, time, inferred=True)
        departed = stream.departed.pop(uid, None)
        if departed is not None:
            stream.present[uid] = departed
            stream.names[namespace, name] = uid
            if listing:
                yield from self._confirmed_gap(stream, time)
            yield from self._change(stream, uid, departed, event, time, returned=True)
            return
        # `TargetFilter` may have held back an object of the first list.
        late = stream.listed is None and not stream.epoch
        initial = listing and (not stream.synced or late)
        if not initial:
            yield from self._confirmed_gap(stream, time)
        stream.keys.look_in(obj)
        document = obj if self._noise else without_noise(obj)
        stamps = managers.stamps(obj)
        resource_version = metadata.get("resourceVersion", "")
        stream.names[namespace, name] = uid
        stream.present[uid] = _LastVersion(
            name=name,
            namespace=namespace,
            resource_version=resource_version,
            document=stream.kept(document),
            stamps=stamps,
            epoch=stream.epoch,
            recorded=resource_version,
        )
        yield ChangeRecord(
            seq=self._next(),
            time=time,
            type=ChangeType.ADDED,
            selection=stream.selection,
            gvk=stream.selection.resource.gvk,
            namespace=namespace,
            name=name,
            uid=_public(uid),
            resource_version=resource_version,
            initial=initial,
            listed=(listing or stream.past) and not initial,
            managers=() if initial else tuple(managers.newer({}, stamps)),
            document=document,
            written=_written_by(event, time),
            edited=managers.last_edit(obj) if listing else None,
            bound=event.bound,
            first=event.first,
        )

    def _change(
        self,
        stream: _Stream,
        uid: str,
        known: _LastVersion,
        event: WatchEvent,
        time: float,
        *,
        returned: bool = False,
    ) -> Iterator[ChangeRecord]:
        """Yield the record of a new version of a known object, if that is one."""
        obj = event.object or {}
        resource_version = obj["metadata"].get("resourceVersion", "")
        if not returned and not self._is_other(stream, known, obj):
            known.epoch = stream.epoch
            return
        # Only MODIFIED follows the version before. A list brings the last version, and
        # a server sends ADDED for an object that this watch does not know.
        follows = event.type is EventType.MODIFIED
        missed = returned or not follows or known.epoch != stream.epoch
        known.resource_version = resource_version
        known.epoch = stream.epoch
        stamps = managers.stamps(obj)
        before, known.stamps = known.stamps, stamps
        document = obj if self._noise else without_noise(obj)
        kept = stream.kept(document)
        stream.keys.look_in(obj)
        patch = patch_since(known.document, kept, document, stream.keys)
        known.document = kept
        if not patch and not returned:
            return
        previous, known.recorded = known.recorded, resource_version
        yield ChangeRecord(
            seq=self._next(),
            time=time,
            type=ChangeType.GAP if missed else ChangeType.MODIFIED,
            selection=stream.selection,
            gvk=stream.selection.resource.gvk,
            namespace=known.namespace,
            name=known.name,
            uid=_public(uid),
            resource_version=resource_version,
            listed=event.type is EventType.LISTED or stream.past,
            previous=previous,
            managers=tuple(
                managers.writers(before, stamps, obj, patch, single=not missed)
            ),
            document=document,
            patch=tuple(patch),
            written=_written_by(event, time),
            bound=event.bound,
        )

    def _is_other(
        self, stream: _Stream, known: _LastVersion, obj: dict[str, JSON]
    ) -> bool:
        """Return whether *obj* is a new version, by resourceVersion, or by content."""
        resource_version = obj["metadata"].get("resourceVersion")
        if resource_version:
            return bool(resource_version != known.resource_version)
        document = obj if self._noise else without_noise(obj)
        return stream.kept(document) != known.document

    def _deleted(
        self, stream: _Stream, event: WatchEvent, time: float
    ) -> Iterator[ChangeRecord]:
        metadata = (event.object or {}).get("metadata") or {}
        name, namespace = metadata.get("name", ""), metadata.get("namespace")
        uid = metadata.get("uid") or f"{namespace}/{name}"
        resource_version = metadata.get("resourceVersion", "")
        if uid in stream.present:
            known = stream.present[uid]
            gone = self._gone(stream, uid, time, resource_version=resource_version)
            yield gone._replace(bound=True) if event.bound else gone
            known.resource_version = resource_version
        elif uid not in stream.departed and stream.ended != (uid, resource_version):
            yield self._departure(stream, time, uid, namespace, name, resource_version)
        stream.ended = uid, resource_version

    def _gone(
        self,
        stream: _Stream,
        uid: str,
        time: float,
        *,
        resource_version: str | None = None,
        inferred: bool = False,
    ) -> ChangeRecord:
        """Remove an object, and set it aside if it may have left a selector."""
        known = stream.present.pop(uid)
        stream.names.pop((known.namespace, known.name), None)
        if stream.selection.narrowed:
            set_aside(stream.departed, uid, known)
        if resource_version is None:
            resource_version = known.resource_version
        version = known.namespace, known.name, resource_version
        return self._departure(stream, time, uid, *version, inferred=inferred)

    def _departure(
        self,
        stream: _Stream,
        time: float,
        uid: str,
        namespace: str | None,
        name: str,
        resource_version: str,
        *,
        inferred: bool = False,
    ) -> ChangeRecord:
        return ChangeRecord(
            seq=self._next(),
            time=time,
            type=ChangeType.LEFT if stream.selection.narrowed else ChangeType.DELETED,
            selection=stream.selection,
            gvk=stream.selection.resource.gvk,
            namespace=namespace,
            name=name,
            uid=_public(uid),
            resource_version=resource_version,
            inferred=inferred,
            listed=stream.past,
        )

    def _confirmed_gap(self, stream: _Stream, time: float) -> Iterator[ChangeRecord]:
        """Yield a GAP of the stream, if this is the first difference in a new list."""
        if stream.suspect_since is not None:
            since, stream.suspect_since = stream.suspect_since, None
            yield self._stream_gap(stream, since, time)

    def _stream_gap(
        self, stream: _Stream, since: float | None, until: float
    ) -> ChangeRecord:
        since = until if since is None else since
        return stream_gap(stream.selection, since, until, seq=self._next())

    def _next(self) -> int:
        self._seq += 1
        return self._seq


def _written_by(event: WatchEvent, time: float) -> float | None:
    """Return the latest time, by our clock, at which a listed Pod's status was written.

    It is None for a watch event, which was written when it came.
    """
    if event.lag is None or event.object is None:
        return None
    written = managers.status_written(event.object)
    if written is None:
        return None
    return round(showable(min(written + event.lag, time)), 6)


def _public(identity: str) -> str:
    """Return the uid in *identity*, or "" if that is a namespace and name."""
    return "" if "/" in identity else identity
