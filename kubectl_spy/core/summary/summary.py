"""Folds records into what mattered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from kubectl_spy.core.answer.answer import Answer, Pace
from kubectl_spy.core.answer.failure import Failure
from kubectl_spy.core.answer.hanging import hanging
from kubectl_spy.core.answer.model import Model
from kubectl_spy.core.answer.timeline import Steps, Warned, finished
from kubectl_spy.core.answer.unwell import Unwell, caused, unwell
from kubectl_spy.core.causes.writes import Write
from kubectl_spy.core.changes.contents import Contents
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.record import (
    Aside,
    ChangeRecord,
    ChangeType,
    Item,
    Logged,
    as_record,
)
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.diagnosis.finding import Diagnosis
from kubectl_spy.core.diagnosis.kinds.generic import names_in
from kubectl_spy.core.diagnosis.kinds.registry import can_judge, rules_of
from kubectl_spy.core.fields import mapping
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.readiness.readiness import GRACE
from kubectl_spy.core.summary.flaps import Flaps

# How many changes there are, by manager and field.

_GENERATIONS = {"/metadata/generation", "/status/observedGeneration"}

_KNOWN = 4096  # pointers that are cached


class Counts:
    """Counts changes. What a first list shows is none.

    Events are not counted: they would be most of the rest.
    """

    def __init__(self) -> None:
        self.managers: Counter[str] = Counter()
        self.fields: Counter[str] = Counter()
        """By pointer: at most 3 steps of it, and nothing below a list."""

    def note(self, record: ChangeRecord) -> None:
        """Take in a record."""
        if record.initial or record.of_stream or record.gvk.kind == "Event":
            return
        for manager in record.managers:  # `Counter.update` is slow for so few
            self.managers[manager] += 1
        for field in {_field(step.path) for step in record.patch} - _GENERATIONS:
            self.fields[field] += 1


def most_first(counts: dict[str, int]) -> dict[str, int]:
    """Return *counts* that are not 0, the highest first, then by name."""
    order = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return {name: count for name, count in order if count}


@lru_cache(_KNOWN)
def _field(path: str) -> str:
    kept: list[str] = []
    for token in pointer.parse(path)[:3]:
        if token.isdecimal() or token == "-":
            break
        kept.append(token)
    return pointer.join(tuple(kept))


class Summary:
    """Follows records, and says at the end what mattered in them.

    *concerns* says which records are of objects that were asked for.
    """

    def __init__(self, scope: Scope, concerns: Callable[[ChangeRecord], bool]) -> None:
        self.contents = Contents()
        self.counts = Counts()
        self.flaps = Flaps()
        self._shown: list[Write] = []
        self._model = Model(scope)
        self._answer = Answer(self._model)
        self._concerns = concerns
        self._asked: set[str] = set()  # the uids of objects that were asked for
        self._roots: dict[str, None] = {}  # those of targets
        self._scope = scope
        self.judged = False
        """Whether there was an object of a kind that a rule judges."""
        self._pace = Pace()
        self.began = self._now = 0.0  # the times of the first and of the last item
        self._logs: dict[tuple[str, str], Logged] = {}
        """The last log of each container, by the uid of its top."""
        self.diagnoses = 0
        """How many were made, which is what a summary takes most of its time for."""

    def take(self, item: Item | Aside) -> None:
        """Take in *item*, and show all of it."""
        finished(self.taking(item))

    def taking(self, item: Item | Aside) -> Steps[None]:
        """Take in *item*, step by step."""
        if isinstance(item, Logged):
            self.log(item)
        else:
            shown = None
            if isinstance(item, ChangeRecord):
                shown = item
            elif isinstance(item, EarlierWrite):
                shown = as_record(item)
            yield from self._observing(item, shown)

    def observe(
        self, item: Item | EarlierWrite, shown: ChangeRecord | None = None
    ) -> None:
        """Take in *item*. *shown* is what the window and the filters leave of it."""
        finished(self._observing(item, shown))

    def _observing(
        self, item: Item | EarlierWrite, shown: ChangeRecord | None
    ) -> Steps[None]:
        self.began = self.began or item.time
        yield from self._passing(item.time)
        if isinstance(item, EarlierWrite):
            write = self._model.take(item)
            if write is not None and shown is not None and self._concerns(shown):
                self._shown.append(write)
            return
        if not isinstance(item, ChangeRecord):
            self._model.take(item)
            return
        if self._pace.last is None and not item.initial:
            yield from self._looking()  # at what the first lists show
        if item.type is ChangeType.GAP:
            self._answer.gap = True
        well = self._answer.of(item.identity) and _is_of_spec(item)
        if well or self._answer.timeline.is_new(item):
            yield from self._looking()  # before the change
        write = self._model.take(item)
        named = not (item.of_stream or self._scope.everything)
        if named and self._scope.is_root(item):
            self._roots[item.identity] = None
        if not item.of_stream and self._concerns(item):
            self._asked.add(item.identity)
            self.judged = self.judged or can_judge(item.gvk, item.document)
            self._count(shown, write)
        elif item.of_stream and shown is not None:
            self.contents.note(shown)
        if not item.of_stream:
            self._answer.timeline.hear(item)
        self._pace.count()

    def log(self, logged: Logged) -> None:
        """Take in the log of a container that failed."""
        entry = self._model.entry(logged.run.uid)
        if entry is not None and (chain := self._model.chain(entry)):
            self._logs[chain[-1].uid, logged.run.container] = logged

    def _count(self, shown: ChangeRecord | None, write: Write | None) -> None:
        if shown is None:
            return
        self.contents.note(shown)
        self.counts.note(shown)
        if write is not None:
            self._shown.append(write)
        if not shown.initial and shown.gvk.kind != "Event":
            self.flaps.observe(shown)

    def pass_time(self, until: float) -> None:
        """Let time pass without a record, up to the time *until*."""
        if self._pace.last is None:  # nothing has changed since the first lists
            finished(self._looking())
        finished(self._passing(until))

    def _passing(self, until: float) -> Steps[None]:
        if self._is_due(until):
            yield from self._looking()
        while self._pace.last is not None and self._model.pass_time(until):
            if self._is_due(self._model.time):
                yield from self._looking()

    def _is_due(self, time: float) -> bool:
        """Return whether to look at what fails."""
        self._now = max(self._now, time)
        return self._pace.is_due(time)

    def _looking(self) -> Steps[None]:
        made = yield from self._answer.looking()
        self.diagnoses += made
        self._pace.looked(self._model.time, made)

    def failures(self, since: float = 0.0) -> list[Failure]:
        """Return what failed since a time, in order. Call it at the end.

        What still fails comes first, and most of all that on which most objects hang.
        """
        finished(self._looking())
        found = [
            each
            for each in self._answer.found(self._now)
            if (each.until is None or each.until >= since) and self._is_asked(each)
        ]
        for each in found:
            container = each.finding.about.partition("/")[2]
            each.log = self._logs.get((each.top.uid, container))
            each.by = [it._replace(write=self._turned_out(it.write)) for it in each.by]
        lasting = [each.top.uid for each in found if each.until is None]
        weights = hanging(self._model, lasting)
        return sorted(found, key=lambda each: -weights.get(each.top.uid, 0))

    def warnings(self) -> list[Warned]:
        """Return what somebody should look at, and has been so for a while, in order.

        Call it after `failures`.
        """
        found = (
            self._answer.caused(each)
            for uid, every in self._answer.timeline.warnings.items()
            if uid in self._asked
            for each in every
            if self._now - each.since >= GRACE
        )
        meant = (
            each
            for each in self._answer.meant()
            if each.of.uid in self._asked and self._now - each.since >= GRACE
        )
        return sorted(
            [*found, *meant], key=lambda it: (it.began, it.of.name, it.finding.about)
        )

    def unwell(self, failures: Iterable[Failure]) -> list[Unwell]:
        """Return what was asked for, was well and is no more, beside what fails."""
        tops = {each.top.uid for each in failures if each.until is None}
        model, timeline = self._model, self._answer.timeline
        found = unwell(model, timeline, self._now, tops)
        asked = (each for each in found if each.of.uid in self._asked)
        return [caused(each, model, timeline) for each in asked]

    def targets(self) -> Iterator[tuple[Entry, Diagnosis]]:
        """Yield what was asked for by name, and is there, with its diagnosis."""
        for uid in self._roots:
            if entry := self._model.entry(uid):
                yield entry, self._model.once(rules_of(entry), entry)

    def tops(self) -> list[str]:
        """Return the uids of the objects that fail by what is below them."""
        return self._model.tops()

    def unjudged(self) -> list[str]:
        """Return the kinds that were asked for and that no rule judges, at the end."""
        kinds = (
            each.printed
            for uid, each in self._answer.timeline.unjudged.items()
            if uid in self._asked
        )
        return sorted(set(kinds))

    @property
    def shown(self) -> list[Write]:
        """The writes to show."""
        return list(map(self._turned_out, self._shown))

    def _turned_out(self, write: Write) -> Write:
        """Return *write*; if it deleted what is still there, it says so."""
        entry = self._model.entry(write.record.identity)
        if not write.deletes or entry is None:
            return write
        left = names_in(mapping(entry.document, "metadata").get("finalizers"))
        held = f": finalizer {' and '.join(left)}" if left else ""
        what = (f"deletion asked for; still there{held}",)
        return write._replace(edit=write.edit._replace(what=what))

    def _is_asked(self, failure: Failure) -> bool:
        both = {failure.top.uid, *([failure.of.uid] if failure.of else ())}
        return bool(both & self._asked)


def _is_of_spec(record: ChangeRecord) -> bool:
    return any(step.path.startswith("/spec") for step in record.patch)
