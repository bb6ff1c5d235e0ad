"""The graph of the cluster's objects: which object belongs to which other one.

It needs no order: an edge may come before the objects that it joins.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.references import (
    Labels,
    Selector,
    aliases,
    labels_of,
    owner_uids,
    references,
)

_GONE = 10_000  # The most gone objects to remember. Events about them may still come.
_EVER = 100
"""The most references of an object to remember. Above that only current ones count."""
_Item = TypeVar("_Item")
_Value = TypeVar("_Value")


class _References(NamedTuple):
    """The references of an object in all its versions, and the labels of a Pod."""

    namespace: str | None = None
    targets: frozenset[str | Selector] = frozenset()
    labels: frozenset[Labels] = frozenset()


_NONE = _References()


class Relations:
    """What owns, names or selects what, by uid, and which objects have a name.

    Relations are permanent, also those of deleted or orphaned objects, until `forget`.
    With *owners_only* references by name and labels are left out.
    """

    def __init__(self, *, owners_only: bool = False) -> None:
        self._owners_only = owners_only
        self._aliases: dict[str, tuple[str, ...]] = {}
        self._called: dict[str, tuple[str, ...]] = {}
        self._owners: dict[str, tuple[str, ...]] = {}
        self._owned: dict[str, dict[str, bool]] = {}
        """By owner: each object that it ever owned, and whether that is current."""
        self._references: dict[str, _References] = {}
        self._referring: dict[Hashable, dict[tuple[str, str | Selector], None]] = {}
        """References by name, or by namespace and one label."""
        self._pods: dict[str | None, dict[str, None]] = {}  # the Pods by namespace

    def __contains__(self, name: str) -> bool:
        """Return whether there is an object with this uid or name."""
        return name in self._aliases or name in self._called

    def observe(self, record: ChangeRecord) -> bool:
        """Take in a version of an object. Return whether it has a new relation."""
        uid, document = record.identity, record.document
        new = uid not in self._aliases
        if new:
            gvk, namespace, name = record.gvk, record.namespace, record.name
            self._aliases[uid] = aliases(gvk, namespace, name, document)
            for alias in self._aliases[uid]:
                self._called[alias] = (*self.called(alias), uid)
        before, now = self.owners(uid), owner_uids(document)
        if before != now:
            for owner in set(before).difference(now):
                self._owned[owner][uid] = False
            self._owners[uid] = tuple(dict.fromkeys((*before, *now)))
        for owner in now:
            self._owned.setdefault(owner, {})[uid] = True
        new = new or len(self.owners(uid)) > len(before)
        return (not self._owners_only and self._refer(uid, record)) or new

    def _refer(self, uid: str, record: ChangeRecord) -> bool:
        gvk, namespace, document = record.gvk, record.namespace, record.document
        before = self._references.get(uid, _NONE)
        targets = _ever(before.targets, references(gvk, namespace, document))
        labels = _ever(before.labels, labels_of(gvk, document))
        if (targets, labels) == before[1:]:
            return False
        self._references[uid] = _References(namespace, targets, labels)
        for each in targets - before.targets:
            self._referring.setdefault(_key(each), {})[uid, each] = None
        for each in before.targets - targets:
            drop(self._referring, _key(each), (uid, each))
        if labels:
            self._pods.setdefault(namespace, {})[uid] = None
        return True

    def aliases(self, uid: str) -> tuple[str, ...]:
        """Return the names of an object (see `references`)."""
        return self._aliases.get(uid, ())

    def called(self, name: str) -> tuple[str, ...]:
        """Return the uids of all objects that had this name, in the order they came."""
        return self._called.get(name, ())

    def owners(self, uid: str) -> tuple[str, ...]:
        """Return the uids of all owners that an object ever had."""
        return self._owners.get(uid, ())

    def owned(self, uid: str) -> Iterator[str]:
        """Yield what an object owns, by the last version of what it owns."""
        return (each for each, now in self._owned.get(uid, {}).items() if now)

    def ever_owned(self, uid: str) -> Iterable[str]:
        """Return what an object owns or ever owned."""
        return self._owned.get(uid, ())

    def referred(self, uid: str) -> Iterator[str]:
        """Yield what an object names or selects, or ever did."""
        known = self._references.get(uid, _NONE)
        selectors = [each for each in known.targets if isinstance(each, Selector)]
        for target in known.targets.difference(selectors):
            yield from self.called(str(target))
        for pod in self._pods.get(known.namespace, ()) if selectors else ():
            labels = self._references[pod].labels
            if any(each.selects(version) for each in selectors for version in labels):
                yield pod

    def referring(self, uid: str) -> Iterator[str]:
        """Yield the uids of what ever named or selected an object. Some come twice."""
        namespace, _, labels = self._references.get(uid, _NONE)
        for alias in self.aliases(uid):
            yield from (other for other, _ in self._referring.get(alias, ()))
        for version in labels:
            for label in (None, *version):
                for other, target in self._referring.get((namespace, label), ()):
                    if isinstance(target, Selector) and target.selects(version):
                        yield other

    def forget(self, uid: str) -> list[str]:
        """Forget an object. Return its uid and names, but for those of other objects.

        What it owns still names it as an owner.
        """
        forgotten = [uid]
        for alias in self._aliases.pop(uid, ()):
            rest = tuple(each for each in self._called.pop(alias) if each != uid)
            if rest:
                self._called[alias] = rest
            else:
                forgotten.append(alias)
        for owner in self._owners.pop(uid, ()):
            drop(self._owned, owner, uid)
        known = self._references.pop(uid, _NONE)
        for target in known.targets:
            drop(self._referring, _key(target), (uid, target))
        drop(self._pods, known.namespace, uid)
        return forgotten


class Members:
    """What the roots and their members own, name or select.

    Membership is permanent, also for deleted or orphaned objects. So an object needs a
    look only when its own relations change.
    """

    def __init__(self) -> None:
        self._relations = Relations()
        self._members: set[str] = set()
        self._gone: dict[str, None] = {}

    def __contains__(self, name: str) -> bool:
        """Return whether the object with this uid or name belongs to the roots."""
        return name in self._members or any(
            uid in self._members for uid in self._relations.called(name)
        )

    def observe(self, record: ChangeRecord, *, root: bool) -> list[str]:
        """Take in a version. Return new members, by all names that Events may use."""
        uid, relations = record.identity, self._relations
        self._gone.pop(uid, None)
        related = relations.observe(record)
        found: list[str] = []
        if uid in self._members:
            if related:
                found = self._join(self._below(uid))
        elif (root and not record.gone) or (related and self._belongs(uid)):
            found = self._join([uid])
        if record.gone:
            self._gone[uid] = None
            if len(self._gone) > _GONE:
                oldest = next(iter(self._gone))
                del self._gone[oldest]
                self._members.discard(oldest)
                relations.forget(oldest)
        return found

    def _belongs(self, uid: str) -> bool:
        above = self._relations.owners(uid), self._relations.referring(uid)
        return any(each in self._members for some in above for each in some)

    def _below(self, uid: str) -> Iterator[str]:
        yield from self._relations.ever_owned(uid)
        yield from self._relations.referred(uid)

    def _join(self, uids: Iterable[str]) -> list[str]:
        found: list[str] = []
        pending = list(uids)
        while pending:
            uid = pending.pop()
            if uid not in self._members:
                self._members.add(uid)
                found += (uid, *self._relations.aliases(uid))
                pending += self._below(uid)
        return found


def _ever(before: frozenset[_Item], found: Iterable[_Item]) -> frozenset[_Item]:
    now = frozenset(found)
    if len(before) >= _EVER:
        return now
    return before if now <= before else before | now


def _key(target: str | Selector) -> Hashable:
    """Return the name, or the namespace and a label that all selected Pods have."""
    if isinstance(target, Selector):
        return target.namespace, min(target.labels, default=None)
    return target


def drop(index: dict[Any, dict[_Item, _Value]], key: Hashable, item: _Item) -> None:
    """Remove *item* from those of a *key*, and the key with its last one."""
    items = index.get(key, {})
    items.pop(item, None)
    if not items:
        index.pop(key, None)
