"""Records in, pictures out: the fold behind `kubectl spy trace`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_spy.core.objects import GroupVersionKind, Selection
from kubectl_spy.core.record import ChangeRecord, ChangeType, Listed, Probed, Refused
from kubectl_spy.core.trace.inventory import Entry, Inventory, Note
from kubectl_spy.core.trace.kinds.registry import diagnose
from kubectl_spy.core.trace.picture import (
    Child,
    Diagnosis,
    Finding,
    Node,
    Picture,
    Spell,
    Verdict,
)

_SPELLS = 20
"""Phases that are remembered of an object: one in a crash loop has ever more."""

Item = ChangeRecord | Listed | Refused | Probed


@dataclass(slots=True)
class _Phases:
    phase: str
    since: float | None
    first: float
    """When the object was seen first, or long ago, if it was there already."""
    before: list[Spell] = field(default_factory=list)


class _Known(NamedTuple):
    """What a kind said of an object, and what it asked for to say so."""

    diagnosis: Diagnosis
    notes: set[Note]
    version: int


class _Drawn(NamedTuple):
    """A node, and what it was made of."""

    of: tuple[object, ...]
    node: Node


class Trace:
    """Folds records of whole objects into pictures of *roots* and all under them.

    *is_root* says which records are of what was asked for; *roots* those that were
    asked for by their names, which may not be there yet.
    """

    def __init__(
        self,
        roots: Sequence[Selection],
        others: Sequence[Selection],
        is_root: Callable[[ChangeRecord], bool],
    ) -> None:
        self.seen = Inventory()
        self.seen.expect((*roots, *others))
        home = roots or [each for each in others if each.asked]
        namespaces = {each.namespace for each in home}
        self.namespace = namespaces.pop() if len(namespaces) == 1 else None
        """The one that all roots are in, if there is one."""
        self._named = [each for each in roots if each.name is not None]
        self._is_root = is_root
        self._roots: dict[str, Entry] = {}
        """Including those that are gone while something of theirs is left."""
        self._gone: set[str] = set()
        self._begun = False
        self._phases: dict[str, _Phases] = {}
        self._known: dict[str, _Known] = {}
        self._drawn: dict[str, _Drawn] = {}

    def observe(self, item: Item) -> None:
        """Take in what happened."""
        self.seen.observe(item)
        if not isinstance(item, ChangeRecord) or item.of_stream:
            return
        uid = item.uid or f"{item.gvk.kind}/{item.namespace}/{item.name}"
        if item.type in (ChangeType.DELETED, ChangeType.LEFT):
            if uid in self._roots:
                self._gone.add(uid)
            for kept in (self._phases, self._known, self._drawn):
                kept.pop(uid, None)
        elif self._is_root(item):
            entry = self.seen.entry(uid)
            if entry is not None:
                self._roots[uid] = entry
                self._begun = True
                self._gone.discard(uid)

    def asks_for(self, record: ChangeRecord) -> bool:
        """Return whether a record is of what was asked for."""
        return self._is_root(record)

    @property
    def ended(self) -> bool:
        """Whether there were roots, and none is left, nor anything of theirs.

        As of the last picture.
        """
        return self._begun and not self._roots

    @property
    def complete(self) -> bool:
        """Whether a picture shows all there is: everything was listed, or refused."""
        return self.seen.complete

    def picture(self) -> Picture:
        """Return what there is now."""
        nodes = []
        for uid, entry in list(self._roots.items()):
            if uid not in self._gone:
                nodes.append(self._node(Child(uid), frozenset()))
                continue
            node = self._departed(entry)
            if node.children:
                nodes.append(node)
            else:
                del self._roots[uid]
                self._gone.discard(uid)
        shown = [node for node in nodes if node is not None]
        for selection in self._named:
            if not any(_is(selection, node) for node in shown):
                shown.append(_absent(selection))
        return Picture(self.seen.time, tuple(shown))

    def _node(self, child: Child, above: frozenset[str]) -> Node | None:
        entry = self.seen.entry(child.uid)
        if entry is None or child.uid in above:  # owners that own each other
            return None
        return self._placed(entry, child, self._diagnosis(entry), above)

    def _diagnosis(self, entry: Entry) -> Diagnosis:
        known = self._known.get(entry.uid)
        if known is not None and self.seen.unchanged(known.notes, known.version):
            return known.diagnosis
        with self.seen.noting() as notes:
            diagnosis = diagnose(entry, self.seen)
            if diagnosis.children is None:
                diagnosis = diagnosis._replace(children=self._owned(entry))
        notes.add(("uid", entry.uid))
        self._known[entry.uid] = _Known(diagnosis, notes, self.seen.version)
        return diagnosis

    def _owned(self, entry: Entry) -> tuple[Child, ...]:
        return tuple(Child(each.uid) for each in self.seen.owned(entry.uid))

    def _departed(self, entry: Entry) -> Node:
        diagnosis = Diagnosis(
            "Deleted",
            Verdict.WAITING,
            "what it owned is left",
            children=self._owned(entry),
        )
        return self._placed(entry, Child(entry.uid), diagnosis, frozenset())

    def _placed(
        self, entry: Entry, child: Child, diagnosis: Diagnosis, above: frozenset[str]
    ) -> Node:
        below = above | {entry.uid}
        found = (self._node(each, below) for each in diagnosis.children or ())
        nodes = tuple(node for node in found if node is not None)
        phases = self._phase(entry, diagnosis)
        events = self.seen.events(entry.uid)
        of = (diagnosis, child, events, *nodes)
        drawn = self._drawn.get(entry.uid)
        if drawn is not None and _same(drawn.of, of):
            return drawn.node
        node = Node(
            uid=entry.uid,
            gvk=entry.gvk,
            namespace=entry.namespace,
            name=entry.name,
            role=child.role,
            counts=child.counts,
            phase=diagnosis.phase,
            verdict=diagnosis.verdict,
            summary=diagnosis.summary,
            since=phases.since,
            final=diagnosis.final,
            before=tuple(phases.before),
            findings=tuple(_dated(each, phases) for each in diagnosis.findings),
            events=events,
            children=nodes,
        )
        self._drawn[entry.uid] = _Drawn(of, node)
        return node

    def _phase(self, entry: Entry, diagnosis: Diagnosis) -> _Phases:
        """Return since when the object has been in its phase, and what was before."""
        known = self._phases.get(entry.uid)
        if known is None:
            # What comes while we look began now, whatever clock the cluster goes by.
            since = diagnosis.since if entry.initial else entry.time
            first = 0.0 if entry.initial else entry.time
            known = _Phases(diagnosis.phase, since, first)
            self._phases[entry.uid] = known
        elif known.phase != diagnosis.phase:
            now = self.seen.time
            lasted = None if known.since is None else max(now - known.since, 0.0)
            known.before.append(Spell(known.phase, lasted))
            del known.before[:-_SPELLS]
            known.phase, known.since = diagnosis.phase, now
        return known


def _dated(finding: Finding, phases: _Phases) -> Finding:
    """Return *finding*, not older than its object: clocks of clusters may be behind."""
    if finding.since is None or finding.since >= phases.first:
        return finding
    return finding._replace(since=phases.since)


def _same(old: tuple[object, ...], new: tuple[object, ...]) -> bool:
    """Return whether both hold the very same things: a child is cheap, or equal."""
    return len(old) == len(new) and all(
        one is other or (isinstance(one, Child) and one == other)
        for one, other in zip(old, new, strict=True)
    )


def asked_for(selections: Sequence[Selection]) -> Callable[[ChangeRecord], bool]:
    """Return what tells whether a record is of what *selections* ask for.

    An object that was asked for by its name may come by another stream, too.
    """
    named = [each for each in selections if each.name is not None and not each.narrowed]

    def asked(record: ChangeRecord) -> bool:
        return record.selection.asked or any(_is(each, record) for each in named)

    return asked


def _is(selection: Selection, it: Node | ChangeRecord) -> bool:
    return (
        selection.resource.gvk.kind == it.gvk.kind
        and selection.resource.gvk.group == it.gvk.group
        and selection.name == it.name
        and selection.namespace in (None, it.namespace)
    )


def _absent(selection: Selection) -> Node:
    gvk: GroupVersionKind = selection.resource.gvk
    return Node(
        uid="",
        gvk=gvk,
        namespace=selection.namespace,
        name=selection.name or "",
        role="",
        counts=True,
        phase="Absent",
        verdict=Verdict.WAITING,
        summary="it is not there",
        since=None,
        final=False,
        before=(),
        findings=(),
        events=(),
        children=(),
    )
