"""Out of all that happens in a namespace, what belongs to the objects asked for.

An object belongs to those its ownerReferences name, by uid, and so on upwards; an Event
to the object it is about. Streams run side by side, so a child may come before its
parent: what may yet turn out to belong is held back until that is known.
https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent

_HELD_FOR = 60.0
"""Seconds for which an object is held back; then it is taken not to belong.

Its owner is of a type that nobody watches, mostly, and may never be seen.
"""
_MEMBERS = 100_000
"""Members that are remembered, those that are gone included."""


@dataclass(slots=True)
class _Stream:
    uids: set[str] = field(default_factory=set)
    listed: set[str] | None = None
    """What the list under way has held so far."""


class Family:
    """Lets through the events of *roots*, and of what belongs to their objects."""

    def __init__(self, roots: tuple[Selection, ...]) -> None:
        self._roots = {id(selection) for selection in roots}
        self._streams: dict[int, _Stream] = {}
        self._members: dict[str, int] = {}
        """By which stream each comes; an object that two streams hold comes by one."""
        self._owners: dict[str, tuple[str, ...]] = {}
        """Of everything seen; () belongs to nobody."""
        self._held: dict[str, WatchEvent] = {}
        self._waiting: dict[str, set[str]] = {}
        """uids held back, by those of the owners they wait for."""

    def admit(self, event: WatchEvent) -> Iterator[WatchEvent]:
        """Yield *event* if it is of the family, and what it shows to be of it."""
        stream = self._streams.setdefault(id(event.selection), _Stream())
        if event.object is None:
            if event.type is EventType.LISTING:
                stream.listed = set()
            elif event.type is EventType.SYNCED:
                self._forget_absent(stream)
            yield event
            return
        uid = _uid(event.object)
        if not uid:
            return
        if stream.listed is not None:
            stream.listed.add(uid)
        self._let_go(event.time)
        here = id(event.selection)
        if self._members.get(uid, here) != here:
            return
        if here in self._roots:
            yield from self._join(uid, event)
            return
        stream.uids.add(uid)
        self._wait_no_more(uid)
        self._owners[uid] = owners = owners_of(event.object)
        if event.type is EventType.DELETED:
            stream.uids.discard(uid)
            yield from self._leave(uid, event)
        elif uid in self._members or any(each in self._members for each in owners):
            yield from self._join(uid, event)
        elif self._may_belong(uid):
            self._hold(uid, event)
        else:
            self._release(uid)

    def _join(self, uid: str, event: WatchEvent) -> Iterator[WatchEvent]:
        """Yield *event*, of a member now, and everything that waited for it."""
        self._held.pop(uid, None)
        yield event
        if uid in self._members:
            return
        self._members[uid] = id(event.selection)
        if len(self._members) > _MEMBERS:
            self._members.pop(next(iter(self._members)))
        for child in sorted(self._waiting.pop(uid, ())):
            held = self._held.get(child)
            if held is not None:
                yield from self._join(child, held)

    def _leave(self, uid: str, event: WatchEvent) -> Iterator[WatchEvent]:
        owners = self._owners.pop(uid, ())
        held = self._held.pop(uid, None)
        if uid in self._members or any(each in self._members for each in owners):
            if held is None:
                yield event
            return
        self._release(uid)

    def _may_belong(self, uid: str) -> bool:
        """Whether some owner, however far up, has not been seen yet."""
        pending, seen = [uid], {uid}
        while pending:
            owners = self._owners.get(pending.pop())
            if owners is None:
                return True
            for owner in owners:
                if owner not in seen:
                    seen.add(owner)
                    pending.append(owner)
        return False

    def _hold(self, uid: str, event: WatchEvent) -> None:
        self._held.pop(uid, None)  # the newest stands last
        self._held[uid] = event
        for owner in self._owners[uid]:
            self._waiting.setdefault(owner, set()).add(uid)

    def _let_go(self, now: float) -> None:
        while self._held:
            uid, event = next(iter(self._held.items()))
            if now - event.time < _HELD_FOR:
                return
            self._held.pop(uid)
            self._wait_no_more(uid)

    def _wait_no_more(self, uid: str) -> None:
        for owner in self._owners.get(uid, ()):
            children = self._waiting.get(owner, set())
            children.discard(uid)
            if not children:
                self._waiting.pop(owner, None)

    def _release(self, uid: str) -> None:
        """Forget what was held back of a stranger, and of what waited for it alone."""
        pending = [uid]
        while pending:
            stranger = pending.pop()
            self._held.pop(stranger, None)
            pending += [
                child
                for child in self._waiting.pop(stranger, ())
                if child in self._held and not self._may_belong(child)
            ]

    def _forget_absent(self, stream: _Stream) -> None:
        listed, stream.listed = stream.listed or set(), None
        for uid in stream.uids - listed:
            self._wait_no_more(uid)
            self._owners.pop(uid, None)
            self._release(uid)
        stream.uids &= listed


def owners_of(obj: dict[str, JSON]) -> tuple[str, ...]:
    """Return the uids of what *obj* belongs to: its owners, or what an Event is about.

    >>> owners_of({"kind": "Event", "involvedObject": {"uid": "u1"}})
    ('u1',)
    """
    about = None
    if obj.get("kind") == "Event":
        # core/v1 and events.k8s.io/v1 have their own names for the same thing.
        about = obj.get("involvedObject") or obj.get("regarding")
    metadata = obj.get("metadata")
    references = metadata.get("ownerReferences") if isinstance(metadata, dict) else None
    named = [about, *(references if isinstance(references, list) else ())]
    uids = (each.get("uid") for each in named if isinstance(each, dict))
    return tuple(dict.fromkeys(uid for uid in uids if isinstance(uid, str) and uid))


def _uid(obj: dict[str, JSON]) -> str:
    metadata = obj.get("metadata")
    uid = metadata.get("uid") if isinstance(metadata, dict) else None
    return uid if isinstance(uid, str) else ""
