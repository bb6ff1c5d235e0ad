"""Finds which objects belong to the roots, as each object changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.inventory import owner_uids
from kubectl_spy.core.cluster.references import (
    Labels,
    Reference,
    Selector,
    labels,
    references,
    selected,
)
from kubectl_spy.core.cluster.subjects import aliases

_GONE = 10_000
"""The most gone objects to remember. Events about them may still come."""
_EVER = 100
"""The most references of an object to remember. Above that only current ones count."""
_Key = TypeVar("_Key")
_Name = tuple[str | None, Reference]
"""A namespace, and the kind and name of an object in it."""


@dataclass(slots=True)
class _Relative:
    """The names of an object, and all references that it ever had."""

    name: _Name
    aliases: tuple[str, ...]
    """Other names than its uid that Events may use."""
    owners: set[str] = field(default_factory=set)
    names: frozenset[_Name] = frozenset()
    selectors: frozenset[Selector] = frozenset()
    labels: frozenset[Labels] = frozenset()

    def is_selected(self, by: _Relative) -> bool:
        """Return whether a selector matches the Pod, or did before."""
        return any(
            selector.selects(labels)
            for selector in by.selectors
            for labels in self.labels
        )


class Kin:
    """Finds what the roots and their members own, name or select.

    Membership is permanent, also for deleted or orphaned objects. So an object needs a
    look only when it changes itself.
    """

    def __init__(self) -> None:
        self._relatives: dict[str, _Relative] = {}
        self._members: set[str] = set()
        self._aliases: dict[str, dict[str, None]] = {}
        """The members by those names."""
        self._gone: dict[str, None] = {}
        self._owned: dict[str, dict[str, None]] = {}
        self._called: dict[_Name, dict[str, None]] = {}
        self._namers: dict[_Name, dict[str, None]] = {}
        self._labelled: dict[str | None, dict[str, None]] = {}
        """The Pods by namespace."""
        self._selecting: dict[str | None, dict[str, None]] = {}
        """The objects that select Pods, by namespace."""

    def __contains__(self, name: str) -> bool:
        """Return whether the object with this uid or name belongs to the roots."""
        return name in self._members or name in self._aliases

    def observe(self, record: ChangeRecord, *, root: bool) -> list[str]:
        """Take in a version of an object.

        Return the new members, by all names that Events may use.
        """
        uid = record.identity
        self._gone.pop(uid, None)
        related = self._relate(uid, record)
        gone = record.gone
        found: list[str] = []
        if uid in self._members:
            if related:
                found = self._join(self._below(uid))
        elif (root and not gone) or self._belongs(uid):
            found = self._join([uid])
        if gone:
            self._gone[uid] = None
            if len(self._gone) > _GONE:
                self._forget(next(iter(self._gone)))
        return found

    def _relate(self, uid: str, record: ChangeRecord) -> bool:
        """Add the references of this version. Return whether there are new ones."""
        gvk, namespace, document = record.gvk, record.namespace, record.document
        known = self._relatives.get(uid)
        if known is None:
            name = namespace, Reference(gvk.group, gvk.kind, record.name)
            also = aliases(gvk, namespace, record.name, document)
            known = self._relatives[uid] = _Relative(name, also)
            self._called.setdefault(name, {})[uid] = None
        for owner in owner_uids(document):
            known.owners.add(owner)
            self._owned.setdefault(owner, {})[uid] = None
        names = frozenset((namespace, each) for each in references(gvk, document))
        names = _ever(known.names, names)
        selectors = _ever(known.selectors, _some(selected(gvk, document)))
        related = names != known.names or selectors != known.selectors
        for name in names - known.names:
            self._namers.setdefault(name, {})[uid] = None
        for name in known.names - names:
            _drop(self._namers, name, uid)
        if selectors:
            self._selecting.setdefault(namespace, {})[uid] = None
        known.names, known.selectors = names, selectors
        known.labels = _ever(known.labels, _some(labels(gvk, document)))
        if known.labels:
            self._labelled.setdefault(namespace, {})[uid] = None
        return related

    def _belongs(self, uid: str) -> bool:
        known = self._relatives[uid]
        above = (*known.owners, *self._namers.get(known.name, ()))
        if any(each in self._members for each in above):
            return True
        return bool(known.labels) and any(
            each in self._members and known.is_selected(self._relatives[each])
            for each in self._selecting.get(known.name[0], ())
        )

    def _join(self, uids: Iterable[str]) -> list[str]:
        found: list[str] = []
        pending = list(uids)
        while pending:
            uid = pending.pop()
            if uid in self._members:
                continue
            self._members.add(uid)
            found.append(uid)
            for alias in self._relatives[uid].aliases:
                self._aliases.setdefault(alias, {})[uid] = None
                found.append(alias)
            pending += self._below(uid)
        return found

    def _below(self, uid: str) -> Iterator[str]:
        """Yield what an object owns, names or selects."""
        known = self._relatives[uid]
        yield from self._owned.get(uid, ())
        for name in known.names:
            yield from self._called.get(name, ())
        if known.selectors:
            for pod in self._labelled.get(known.name[0], ()):
                if self._relatives[pod].is_selected(known):
                    yield pod

    def _forget(self, uid: str) -> None:
        """Forget an object that is long gone."""
        del self._gone[uid]
        known = self._relatives.pop(uid)
        self._members.discard(uid)
        for alias in known.aliases:
            _drop(self._aliases, alias, uid)
        self._owned.pop(uid, None)
        for owner in known.owners:
            _drop(self._owned, owner, uid)
        for name in known.names:
            _drop(self._namers, name, uid)
        _drop(self._called, known.name, uid)
        for among in (self._labelled, self._selecting):
            _drop(among, known.name[0], uid)


def _ever(before: frozenset[_Key], now: frozenset[_Key]) -> frozenset[_Key]:
    return before | now if len(before) < _EVER else now


def _some(found: _Key | None) -> frozenset[_Key]:
    return frozenset() if found is None else frozenset({found})


def _drop(index: dict[_Key, dict[str, None]], key: _Key, uid: str) -> None:
    uids = index.get(key, {})
    uids.pop(uid, None)
    if not uids:
        index.pop(key, None)
