"""The last version of every object, the links between them, and their Events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from kubectl_spy.core.changes.coverage import homes_of, type_name
from kubectl_spy.core.changes.record import (
    ChangeRecord,
    Horizon,
    Item,
    Listed,
    Probed,
    Refused,
    Watched,
)
from kubectl_spy.core.cluster.clocks import Clocks
from kubectl_spy.core.cluster.entry import Entry as Entry
from kubectl_spy.core.cluster.entry import entry_of as entry_of
from kubectl_spy.core.cluster.event_store import EventStore
from kubectl_spy.core.cluster.events import FATES, ClusterEvent, is_event
from kubectl_spy.core.cluster.query_cache import Note, QueryCache
from kubectl_spy.core.cluster.references import called, owner_uids
from kubectl_spy.core.cluster.relations import Relations, drop
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.cluster.target_filter import LIST_OVERDUE
from kubectl_spy.core.fact import Fact
from kubectl_spy.core.fields import mapping, text

_LISTS: Note = ("lists",)
_TIME: Note = ("time",)
_LABELLED = frozenset({"EndpointSlice", "Pod"})
"""Kinds of which there are many, and that are looked up by their labels."""
_GONE = 1_000  # the most gone objects of which the Events are kept
_EVENTS = 50  # the most Events to keep of one object
_FATES = 1_000  # the most Pods of which to keep who removed them


class Inventory(QueryCache):
    """Keeps the objects of records. Diagnoses ask it.

    It notes what each diagnosis asks, so that a diagnosis is made again only if an
    answer has changed.
    """

    def __init__(self, scope: Scope | None = None) -> None:
        super().__init__()
        self._scope = scope or Scope()
        self._clocks = Clocks()
        self._began = float("inf")
        self._entries: dict[str, Entry] = {}
        self._order: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        """What each object owns, as it came, and by kind, age and name."""
        self._kinds: dict[tuple[str, str], dict[str, None]] = {}
        self._labelled: dict[Note, dict[str, None]] = {}  # by kind, namespace, label
        self._answers: dict[str, dict[Note, None]] = {}
        """What a change of each object touches."""
        self._relations = Relations(owners_only=True)
        self._events = EventStore(self._relations.__contains__, most=_EVENTS)
        self._fates: dict[tuple[str, str], ClusterEvent] = {}
        self._gone: dict[str, Entry] = {}
        self._probed: dict[str, dict[tuple[int, str], Probed]] = {}

    # Changes

    def observe(self, item: Item | Probed) -> None:
        """Take in an item."""
        self._clocks.observe(item.time)
        self._began = min(self._began, item.time)
        self._version += 1
        self._touch((_TIME,))
        match item:
            case Listed() | Refused() | Watched() | Horizon():
                self._scope.coverage.observe(item)
                self._touch((_LISTS,))
            case Probed():
                port = item.port, item.protocol
                self._probed.setdefault(item.uid, {})[port] = item
                self._touch((("probed", item.uid),))
            case ChangeRecord() if not item.of_stream:
                self._change(item)

    def pass_time(self, until: float) -> bool:
        """Advance to the next time at which a diagnosis may change, up to *until*."""
        if not self._clocks.pass_to_next(until):
            return False
        self._version += 1
        self._touch((_TIME,))
        return True

    def _change(self, record: ChangeRecord) -> None:
        uid = record.identity
        if is_event(record.gvk):
            event = self._events.observe(record)
            if event is not None:
                self._report(event)
            return
        known = self._entries.pop(uid, None)
        entry = entry_of(record, known)
        if known is not None:
            self._made.pop(uid, None)
            self._touch(self._answers[uid])
            if entry is not None and _is_alike(entry, known):
                self._clocks.read(record)
                self._entries[uid] = entry
                return
            self._remove(known)
        if entry is None:
            self._clocks.forget(uid)
            self._order.pop(uid, None)
            if known is not None:
                self._gone[uid] = known
                self._trim()
            return
        self._clocks.read(record)
        self._entries[uid] = entry
        self._gone.pop(uid, None)
        self._relations.observe(record)
        for name in (uid, *self._relations.aliases(uid)):
            if self._events.join(name):
                self._touch((("about", name),))
        self._answers[uid] = dict.fromkeys(self._answers_of(entry))
        self._touch(self._answers[uid])
        self._kinds.setdefault((record.gvk.group, record.gvk.kind), {})[uid] = None
        for label in _labels(entry):
            self._labelled.setdefault(label, {})[uid] = None

    def _remove(self, entry: Entry) -> None:
        del self._answers[entry.uid]
        self._kinds[entry.gvk.group, entry.gvk.kind].pop(entry.uid, None)
        for label in _labels(entry):
            drop(self._labelled, label, entry.uid)

    def _trim(self) -> None:
        """Forget the oldest deleted objects, unless they still have dependents."""
        if len(self._gone) <= _GONE:
            return
        # Check two for each new one, so that the number falls again to the limit.
        for uid in list(islice(self._gone, 2)):
            gone = self._gone.pop(uid)
            if self._has_living_dependents(uid):
                self._gone[uid] = gone
            else:
                self._forget(gone)

    def _forget(self, gone: Entry) -> None:
        for name in self._relations.forget(gone.uid):
            self._events.forget(name)
            for kind in ("about", "name", "uid", "owned"):
                self._changed.pop((kind, name), None)

    def _report(self, event: ClusterEvent) -> None:
        if event.subject in self._relations:
            self._touch((("about", event.subject),))
        elif (
            self._scope.coverage.complete
            or self._clocks.time - self._began > LIST_OVERDUE
        ):
            self._events.trim()
        # Keep the latest that says who removed a Pod. It may be gone before the watch.
        pod = event.namespace, event.name
        known = self._fates.get(pod, event)
        if event.kind == "Pod" and event.reason in FATES and known.order <= event.order:
            self._fates[pod] = event
            self._touch((("fate", *pod),))
            if len(self._fates) > _FATES:
                del self._fates[min(self._fates, key=lambda it: self._fates[it].order)]

    def _answers_of(self, entry: Entry) -> Iterator[Note]:
        yield "uid", entry.uid
        yield "name", self._relations.aliases(entry.uid)[0]
        for namespace in {None, entry.namespace}:
            yield "kind", entry.gvk.kind, namespace
        yield from _labels(entry)
        for owner in owner_uids(entry.document):
            yield "owned", owner

    # Answers

    def __contains__(self, uid: str) -> bool:
        """Return whether an object exists, or is not forgotten yet."""
        return uid in self._relations

    @property
    def time(self) -> float:
        """The time of the last record, in seconds since the epoch."""
        return self._clocks.time

    def is_before(self, time: float) -> bool:
        """Return whether *time* is still to come. The diagnosis is made again then."""
        if not self._clocks.is_before(time):
            return False
        self._note(*_TIME)
        return True

    def has_reached(self, pod: str, time: float) -> bool:
        """Return whether the clock of a Pod's node has certainly passed *time*."""
        return not self.is_before(self._clocks.ours(pod, time))

    def entry(self, uid: str) -> Entry | None:
        """Return the object with this *uid*, or None."""
        self._note("uid", uid)
        return self._entries.get(uid)

    def entries(self) -> Iterable[Entry]:
        """Return all objects."""
        return self._entries.values()

    def named(
        self, group: str, kind: str, namespace: str | None, name: str
    ) -> Entry | None:
        """Return the object of that kind and name, or None."""
        full = called(group, kind, namespace, name)
        self._note("name", full)
        uids = reversed(self._relations.called(full))
        return next((self._entries[uid] for uid in uids if uid in self._entries), None)

    def every(self, group: str, kind: str, namespace: str | None = None) -> list[Entry]:
        """Return all objects of a kind, by name. *namespace* None is all namespaces."""
        self._note("kind", kind, namespace)
        entries = map(self._entries.__getitem__, self._kinds.get((group, kind), ()))
        return sorted(
            (each for each in entries if namespace in (None, each.namespace)),
            key=lambda each: (each.namespace or "", each.name),
        )

    def labelled(
        self, kind: str, namespace: str | None, labels: Mapping[str, str]
    ) -> list[Entry]:
        """Return the objects of a kind in a namespace that have all *labels*, by name.

        The kind is one of a few (see `_LABELLED`).
        """
        known = [("label", kind, namespace, *each) for each in labels.items()]
        rarest = min(known, key=lambda each: len(self._labelled.get(each, ())))
        self._note(*rarest)
        found = set.intersection(*(set(self._labelled.get(it, ())) for it in known))
        return sorted(map(self._entries.__getitem__, found), key=lambda it: it.name)

    def owned(self, uid: str, kind: str | None = None) -> list[Entry]:
        """Return what the object owns, by kind, age and name."""
        self._note("owned", uid)
        there = tuple(it for it in self._relations.owned(uid) if it in self._entries)
        known = self._order.get(uid)
        if known is None or known[0] != there:
            entries = map(self._entries.__getitem__, there)
            known = there, tuple(each.uid for each in _ordered(entries, None))
            self._order[uid] = known
        found = map(self._entries.__getitem__, known[1])
        return [each for each in found if kind in (None, each.gvk.kind)]

    def released(self, uid: str, kind: str) -> list[Entry]:
        """Return the existing objects that it once owned, but no longer owns."""
        self._note("kind", kind, None)
        owned = set(self._relations.owned(uid))
        once = (each for each in self._relations.ever_owned(uid) if each not in owned)
        return _ordered(map(self._entries.get, once), kind)

    def gone(self, uid: str, kind: str) -> list[Entry]:
        """Return what the object owned, and is gone, by age and name."""
        self._note("owned", uid)
        return _ordered(map(self._gone.get, self._relations.ever_owned(uid)), kind)

    def remains(self, uid: str) -> Entry | None:
        """Return an object, or a deleted one that still has dependents."""
        entry = self._entries.get(uid)
        if entry is None and self._has_living_dependents(uid):
            return self._gone.get(uid)
        return entry

    def orphaned_owners(self, uid: str) -> list[Entry]:
        """Return the deleted objects owned by *uid* that still have dependents."""
        gone = (each for each in self._relations.owned(uid) if each in self._gone)
        return _ordered(map(self.remains, gone), None)

    def _has_living_dependents(self, uid: str) -> bool:
        pending, known = [uid], {uid}
        while pending:
            for each in self._relations.owned(pending.pop()):
                if each in self._entries:
                    return True
                if each not in known:
                    known.add(each)
                    pending.append(each)
        return False

    def fate(self, namespace: str | None, name: str) -> ClusterEvent | None:
        """Return the Event that says who removed the Pod of that name, or None."""
        self._note("fate", namespace or "", name)
        return self._fates.get((namespace or "", name))

    def events(self, uid: str) -> tuple[ClusterEvent, ...]:
        """Return the Events about the object, the latest last."""
        names = (
            (uid,) if uid not in self._entries else (*self._relations.aliases(uid), uid)
        )
        for name in names:
            self._note("about", name)
        found = [
            it.latest for each in names for it in self._events.about(each).values()
        ]
        if len(found) > 1:
            found.sort(key=lambda each: each.order)
        return tuple(found)

    def probed(self, uid: str) -> dict[tuple[int, str], Probed]:
        """Return the answers of the Service's ports, by number and protocol."""
        self._note("probed", uid)
        return self._probed.get(uid, {})

    def unwatched(self, until: float) -> set[str]:
        """Return the kinds of which writes before a time may have been missed."""
        return self._scope.coverage.lost_kinds(until)

    def partly_known(self, until: float) -> dict[str, str]:
        """Return the types, by kind, of which not all up to a time is known."""
        coverage = self._scope.coverage
        holes = coverage.holes(self._began, until)
        types = {name for hole in holes if hole.time is not None for name in hole.types}
        homes = homes_of(coverage.selections)
        names = {
            each.resource.gvk.kind: type_name(each, homes)
            for each in coverage.selections
        }
        return {kind: name for kind, name in names.items() if name in types}

    def unseen(
        self,
        group: str,
        kind: str,
        namespace: str | None = None,
        labels: str | None = None,
        name: str | None = None,
        *,
        owned: bool = False,
    ) -> Fact | None:
        """Return why objects of a kind may be missing, or None if all are known.

        With the label selector *labels* only objects that match it count, with *name*
        only one, with *owned* those that belong to the object that asks.
        """
        self._note(*_LISTS)
        return self._scope.missing(group, kind, namespace, labels, name, owned=owned)


def _is_alike(entry: Entry, known: Entry) -> bool:
    """Return whether both versions have the same name, labels and owners.

    A patch that leaves the metadata alone shares it.
    """
    same = entry.document.get("metadata") is known.document.get("metadata")
    return same and (entry.gvk, entry.namespace) == (known.gvk, known.namespace)


def _labels(entry: Entry) -> Iterator[Note]:
    """Yield the labels of an object, if it is looked up by them."""
    if entry.gvk.kind in _LABELLED:
        for key, value in mapping(entry.document, "metadata", "labels").items():
            if isinstance(value, str):
                yield "label", entry.gvk.kind, entry.namespace, key, value


def _ordered(known: Iterable[Entry | None], kind: str | None) -> list[Entry]:
    return sorted(
        (each for each in known if each and kind in (None, each.gvk.kind)),
        key=lambda each: (
            each.gvk.kind,
            text(each.document, "metadata", "creationTimestamp"),
            each.name,
            each.uid,
        ),
    )
