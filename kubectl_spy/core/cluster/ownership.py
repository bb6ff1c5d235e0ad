"""Out of all that happens in a namespace, what belongs to the objects asked for.

An object belongs to those its ownerReferences name, by uid, and so on upwards; an Event
to the object it is about. Streams run side by side, so a child may come before its
parent: what may yet turn out to belong is held back until that is known.
https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_spy.core.cluster.subjects import aliases, subject
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent

_HELD_FOR = 180.0
"""Seconds for which an object is held back; then it is taken not to belong.

Longer than a stream of ours waits before it tries again, twice.
"""
LIST_OVERDUE = 3600.0
"""Seconds for which an object is held back while a first list is missing.

Its owner may be in that list; but a server may refuse the list as long as it runs.
"""
_GONE = 10_000
"""Members that are gone and remembered, for the Events that still come."""


class Reference(NamedTuple):
    """What an object says that it belongs to; *group* None is not said."""

    uid: str
    group: str | None
    kind: str
    name: str


@dataclass(slots=True)
class _Stream:
    uids: set[str] = field(default_factory=set)
    listed: set[str] | None = None
    """What the list under way has held so far."""


class Family:
    """Lets through the events of *roots*, and of what belongs to their objects.

    *others* are the streams in which that may come. Objects that *also* is true of
    pass as well.
    """

    def __init__(
        self,
        roots: Sequence[Selection],
        others: Sequence[Selection],
        *,
        also: Callable[[JSON], bool] | None = None,
    ) -> None:
        self._roots = {id(selection) for selection in roots}
        self._missing = {id(selection): selection for selection in (*roots, *others)}
        """Those that were neither listed nor refused yet."""
        self.overdue = 0
        """Objects that were let go because a list is missing for too long."""
        self._also = also
        self._kinds: dict[str, list[Selection]] = {}
        for selection in (*roots, *others):
            kind = selection.resource.gvk.kind
            self._kinds.setdefault(kind, []).append(selection)
        self._streams: dict[int, _Stream] = {}
        self._members: dict[str, int] = {}
        """By which stream each comes; an object that two streams hold comes by one."""
        self._gone: dict[str, None] = {}
        self._owners: dict[str, tuple[Reference, ...]] = {}
        """Of everything that is there; () belongs to nobody."""
        self._held: dict[str, list[WatchEvent]] = {}
        self._waiting: dict[str, dict[str, None]] = {}
        """uids held back as they came, by those of the owners they wait for."""

    @property
    def missing(self) -> tuple[Selection, ...]:
        """What was neither listed nor refused yet."""
        return tuple(self._missing.values())

    def admit(self, event: WatchEvent) -> Iterator[WatchEvent]:
        """Yield *event* if it is of the family, and what it shows to be of it."""
        stream = self._streams.setdefault(id(event.selection), _Stream())
        if event.object is None:
            if event.type is EventType.LISTING:
                stream.listed = set()
            elif event.type is EventType.SYNCED:
                self._forget_absent(stream)
            if event.type in (EventType.SYNCED, EventType.REFUSED):
                self._missing.pop(id(event.selection), None)
            yield event
            return
        uid = _uid(event.object)
        self._let_go(event.time)
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
            yield from self._join(uid, [event])
        elif self._may_belong(owners):
            self._hold(uid, event)
        else:
            self._release(uid)
        if event.type is EventType.DELETED:
            self._owners.pop(uid, None)

    def _join(self, uid: str, events: list[WatchEvent]) -> Iterator[WatchEvent]:
        """Yield what happened to a member, and to everything that waited for it."""
        events = self._held.pop(uid, []) + events
        self._wait_no_more(uid)
        yield from events
        last = events[-1]
        names = [uid, *_aliases(last)]
        for name in names:
            if last.type is EventType.DELETED:
                self._depart(name)
            else:
                self._members[name] = id(last.selection)
        for name in names:
            for child in self._waiting.pop(name, ()):
                if child in self._held:
                    yield from self._join(child, [])

    def _depart(self, uid: str) -> None:
        """Remember a member that is gone, or that only left this stream."""
        self._members.pop(uid, None)
        self._gone[uid] = None
        if len(self._gone) > _GONE:
            self._gone.pop(next(iter(self._gone)))

    def _belongs(self, owners: tuple[Reference, ...]) -> bool:
        return any(one.uid in self._members or one.uid in self._gone for one in owners)

    def _may_belong(self, owners: tuple[Reference, ...]) -> bool:
        """Whether some owner, however far up, is yet to come by one of the streams."""
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
        self._held.setdefault(uid, []).append(event)
        for owner in self._owners[uid]:
            self._waiting.setdefault(owner.uid, {})[uid] = None

    def _let_go(self, now: float) -> None:
        limit = LIST_OVERDUE if self._missing else _HELD_FOR
        while self._held:
            uid, events = next(iter(self._held.items()))
            if now - events[0].time < limit:
                return
            self._held.pop(uid)
            self._wait_no_more(uid)
            self.overdue += bool(self._missing)

    def _wait_no_more(self, uid: str) -> None:
        for owner in self._owners.get(uid, ()):
            children = self._waiting.get(owner.uid, {})
            children.pop(uid, None)
            if not children:
                self._waiting.pop(owner.uid, None)

    def _release(self, uid: str) -> None:
        """Forget what was held back of a stranger, and of what waited for it alone."""
        pending = [uid]
        while pending:
            stranger = pending.pop()
            self._held.pop(stranger, None)
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


def owners_of(obj: dict[str, JSON]) -> tuple[Reference, ...]:
    """Return what *obj* belongs to: its owners, or what an Event is about.

    >>> owners_of({"kind": "Event", "involvedObject": {"uid": "u1", "kind": "Pod"}})
    (Reference(uid='u1', group=None, kind='Pod', name=''),)
    """
    about = None
    if obj.get("kind") == "Event":
        # core/v1 and events.k8s.io/v1 have their own names for the same thing.
        about = obj.get("involvedObject") or obj.get("regarding")
    metadata = obj.get("metadata")
    references = metadata.get("ownerReferences") if isinstance(metadata, dict) else None
    named = [about, *(references if isinstance(references, list) else ())]
    found = [_reference(each) for each in named if isinstance(each, dict)]
    if isinstance(about, dict):
        found[0] = found[0]._replace(uid=subject(about))
    return tuple(dict.fromkeys(each for each in found if each.uid))


def _reference(value: dict[str, JSON]) -> Reference:
    uid, version = value.get("uid"), value.get("apiVersion")
    group = None
    if isinstance(version, str) and version:
        group = version.rpartition("/")[0]
    return Reference(
        uid if isinstance(uid, str) else "",
        group,
        str(value.get("kind") or ""),
        str(value.get("name") or ""),
    )


def _aliases(event: WatchEvent) -> tuple[str, ...]:
    """Return what Events may name the object by, beside its uid."""
    gvk, metadata = event.selection.resource.gvk, mapping(event.object, "metadata")
    name, namespace = text(metadata, "name"), text(metadata, "namespace")
    return aliases(gvk, namespace, name, event.object)


def _uid(obj: dict[str, JSON]) -> str:
    metadata = obj.get("metadata")
    uid = metadata.get("uid") if isinstance(metadata, dict) else None
    return uid if isinstance(uid, str) else ""
