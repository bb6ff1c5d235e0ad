"""The objects, their diagnoses and the writes of clients, as far as they were seen."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator

from kubectl_spy.core.causes.writes import Write, Writes
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.record import ChangeRecord, Item, Probed
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.query_cache import Note
from kubectl_spy.core.cluster.references import LEVELS, controller_of
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.diagnosis.finding import (
    FINE,
    Diagnosis,
    Finding,
    Verdict,
    finding,
)
from kubectl_spy.core.diagnosis.kinds.registry import rules_of
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.findings import code_of

_OF_OBJECTS = frozenset({"uid", "owned", "about"})
"""Notes on one object, which they name: itself, what it owns, Events about it."""
_OF_PODS = {"Service": "pods", "PodDisruptionBudget": "pods"}
"""Findings about the Pods of an object, which fail by themselves."""


Taken = Item | Probed


class Model(Inventory):
    """An inventory that knows which diagnoses may have changed, and who wrote what."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self.writes = Writes()
        self._news: dict[Note, None] = {}
        self._asking: defaultdict[Note, dict[str, None]] = defaultdict(dict)
        self._asked: dict[str, set[Note]] = {}
        self._changed_of = set[str]()
        """Uids and names of objects that changed, or something about or below them,
        before the last call of `renewed`."""

    def take(self, item: Taken | EarlierWrite) -> Write | None:
        """Take in *item*. Return the write of a client that it shows, if it does."""
        if isinstance(item, EarlierWrite):
            return self.writes.tell(item, self)
        write = None
        if isinstance(item, ChangeRecord) and not item.of_stream:
            write = self.writes.observe(item, self)
        self.observe(item)
        return write

    def _touch(self, notes: Iterable[Note]) -> None:
        super()._touch(notes)
        self._news.update(dict.fromkeys(notes))

    def renew(self) -> None:
        """Take all diagnoses as ones that may have changed."""
        self._news |= dict.fromkeys(("uid", uid) for uid in self._entries)

    def renewed(self) -> Iterator[tuple[str, Entry | None, Diagnosis | None]]:
        """Yield each object that may have another diagnosis than at the last call.

        The entry and the diagnosis are None if it is gone.
        """
        self._check()
        news, self._news = self._news, {}
        uids: dict[str, None] = {}
        for note in news:
            if note[0] == "uid":
                uids[str(note[1])] = None
            uids.update(self._asking.get(note, ()))
        named = (str(note[1]) for note in news if note[0] in _OF_OBJECTS)
        self._changed_of = {*named, *uids}
        for uid in uids:
            entry = self._entries.get(uid)
            diagnosis, notes = None, set[Note]()
            if entry is not None:
                rules = rules_of(entry)
                diagnosis = self.once(rules, entry)
                notes = self._made[uid][rules].notes
            self._ask(uid, notes)
            yield uid, entry, diagnosis

    def _ask(self, uid: str, notes: set[Note]) -> None:
        """Note what a diagnosis depends on, which is mostly the same as before."""
        before = self._asked.pop(uid, set())
        if notes:
            self._asked[uid] = notes
        if notes != before:
            for note in before - notes:
                self._asking[note].pop(uid, None)
            for note in notes - before:
                self._asking[note][uid] = None

    def changed(self) -> set[str]:
        """Return the uids of objects that look other since the last `renewed`.

        They are what had changed when it was called.
        """
        names = self._changed_of
        called = (self._relations.called(name) for name in names)
        return {*names, *(uid for uids in called for uid in uids)}

    def tops(self) -> list[str]:
        """Return the uids of the objects that have no owner whose failure theirs is."""
        chains = map(self.chain, list(self._entries.values()))
        return list(dict.fromkeys(each[-1].uid for each in chains if each))

    def chain(self, entry: Entry) -> tuple[Entry, ...]:
        """Return an object and its controllers, or () if its failure is not theirs."""
        found = [entry]
        while len(found) < LEVELS:
            owner = self.entry(text(controller_of(found[-1].document), "uid"))
            if owner is None:
                break
            children = self.once(_counted, owner)
            if children is not None and found[-1].uid not in children:
                # What holds up the deletion of its owner counts for that.
                if not _is_deleted(entry):
                    return ()
                if not _is_deleted(owner):
                    break
            found.append(owner)
        return tuple(found)


def _is_deleted(entry: Entry) -> bool:
    return bool(mapping(entry.document, "metadata").get("deletionTimestamp"))


def _counted(entry: Entry, model: Inventory) -> frozenset[str] | None:
    """Return the uids of the children whose failure is the object's; None is all."""
    children = model.once(rules_of(entry), entry).children
    if children is None:
        return None
    return frozenset(each.uid for each in children if each.counts)


def troubles(entry: Entry, diagnosis: Diagnosis) -> list[Finding]:
    """Return the findings that say that an object fails, or that it is stuck."""
    other = _OF_PODS.get(entry.gvk.kind)
    found = [
        each
        for each in diagnosis.findings
        if each.about != other and (each.verdict is Verdict.FAILING or _is_stuck(each))
    ]
    if not found and other is None and diagnosis.verdict is Verdict.FAILING:
        phase, summary = diagnosis.phase, diagnosis.summary
        return [finding("Failed", "", phase=phase, summary=summary)]
    return [] if diagnosis.verdict in FINE else found


def _is_stuck(finding: Finding) -> bool:
    """Return whether *finding* waits for somebody: nothing else may help."""
    if finding.verdict is not Verdict.WAITING:
        return False
    grace = code_of(finding.code).grace
    return grace is not None and (bool(finding.remedy) or grace == math.inf)


def grace_period(finding: Finding) -> float:
    """Return how many seconds what *finding* tells is no failure.

    0 is said of what has failed, even if it did not last. A condition that waits is no
    failure at any age, but its failure begins when it began to wait.
    """
    if finding.verdict is Verdict.FAILING:
        return 0.0
    return code_of(finding.code).grace or 0.0
