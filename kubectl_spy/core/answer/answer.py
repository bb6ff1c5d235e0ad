"""What failed, from when until when: of each top object, over all of its Pods."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from kubectl_spy.core.answer.failure import (
    Failure,
    Likeness,
    Trouble,
    in_general,
    in_kind,
)
from kubectl_spy.core.answer.idle import at_rest, idle_workload, is_scaled_on_purpose
from kubectl_spy.core.answer.model import Model, grace_period
from kubectl_spy.core.answer.timeline import Steps, Timeline, Warned, finished
from kubectl_spy.core.answer.wellness import LastHealthy
from kubectl_spy.core.causes.categories import category_of
from kubectl_spy.core.causes.needs import needs, related
from kubectl_spy.core.causes.suspects import Case, suspects
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import (
    Diagnosis,
    Fact,
    Verdict,
    fact,
)
from kubectl_spy.core.remedy import NO_REMEDY

_TYPES = 3  # types that are named as known in part
_SHORT = 2.0  # seconds of trouble that a rollout passes through
_SOON = 60.0  # seconds after which what fails again, not well between, fails anew
_PROVEN = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Pod"})
"""Kinds that are well only if their Pods are."""


class Answer:
    """Follows what fails, over all objects below a top.

    It *remembers* what is over, for `found`, or not: a watch may go on for days.
    """

    def __init__(self, model: Model, *, remembers: bool = True) -> None:
        self._model = model
        self._remembers = remembers
        self._writes = model.writes
        self.timeline = Timeline(model)
        self._wellness = self.timeline.wellness
        self.open: dict[str, Failure] = {}  # by the uid of the top
        self._last_of: dict[str, Failure] = {}
        """The last one of each top that is over, and may go on again."""
        self._settled: dict[str, list[Failure]] = {}
        """The earlier ones, by the uid of the top. What failed again alike is one."""
        self.gap = False

    def of(self, uid: str) -> Failure | None:
        """Return how the object, or something below it, failed at the last look."""
        return self.open.get(uid)

    def look(self) -> int:
        """See what fails now, and what no longer does. Return the diagnoses made."""
        return finished(self.looking())

    def looking(self) -> Steps[int]:
        """Look, a step for each object."""
        now = self._model.time
        renewed = yield from self.timeline.looking()
        if renewed:
            troubled = yield from self._compare(now)
            self._wellness.look(renewed, troubled, now, self._writes.count)
            for uid in renewed:
                if self._model.entry(uid) is None:  # another one has another uid
                    self._settle(uid)
        self.timeline.passed()
        return len(renewed)

    def judged(self, uid: str, diagnosis: Diagnosis) -> Diagnosis:
        """Return a *diagnosis*. What somebody may want so is no failure."""
        if not any(map(idle_workload, diagnosis.findings)):
            return diagnosis
        if uid in self.timeline.at_rest:
            return at_rest(diagnosis, meant=False)
        if any(each.of.uid == uid for each in self.meant()):
            return at_rest(diagnosis, meant=True)
        return diagnosis

    def meant(self) -> Iterator[Warned]:
        """Yield what does not run because somebody wants it so."""
        for each in self.open.values():
            if each.meant and each.of is not None:
                what = each.finding._replace(verdict=Verdict.WARNING, remedy=NO_REMEDY)
                began, by = each.since, tuple(each.by)
                yield Warned(each.of, what, began, began, each.before, by, each.bound)

    def caused(self, warned: Warned) -> Warned:
        """Return *warned* with the writes that may have caused it."""
        chain = (warned.of,)
        near = related(warned.of, warned.finding, self._model)
        alike = (warned.of.uid,)
        case = Case(chain, warned.finding, near, warned.seen, warned.before, alike)
        return warned._replace(by=tuple(suspects(case, self._writes)))

    def _compare(self, now: float) -> Steps[set[str]]:
        """Begin and end failures. Return the tops below which something fails."""
        by_top: defaultdict[str, list[Trouble]] = defaultdict(list)
        looping, crashing = set(), set()
        for entry, diagnosis, found in self.timeline.wrong.values():
            yield
            chain = self._model.chain(entry)
            if not chain:
                continue
            by_top[chain[-1].uid] += (Trouble(chain, diagnosis, it) for it in found)
            if not found:
                looping.add(chain[-1].uid)
            if diagnosis.restarts > 1:
                crashing.add(chain[-1].uid)
        for uid, every in by_top.items():
            real = [each for each in every if not grace_period(each.finding)]
            known = self.open.get(uid)
            if real or (known is not None and not grace_period(known.finding)):
                by_top[uid] = real  # what else hangs may pass
        for uid in [each for each in self.open if not by_top.get(each)]:
            failure = self.open[uid]
            failure.quiet = failure.quiet or self._last(uid, failure.of, now)
            if uid not in crashing:
                failure.until = failure.quiet
                self._settle(uid)
                self._last_of[uid] = self.open.pop(uid)
        for uid, troubles_ in by_top.items():
            if troubles_:
                self._go_on(uid, troubles_, now)
                yield
        lasting = {uid for uid, each in self.open.items() if grace_period(each.finding)}
        return looping | (by_top.keys() - lasting)

    def _go_on(self, uid: str, found: list[Trouble], now: float) -> None:
        likeness, group = worst(found)
        first = group[0]
        failing, top = first.chain[0], first.chain[-1]
        failure = self.open.get(uid)
        if failure is not None and failure.likeness != likeness:
            waited = grace_period(failure.finding) == math.inf
            asleep = failure.meant and first.finding.code != failure.finding.code
            if waited or asleep:
                failure = None  # it waited for something else
        if failure is None:
            failure = self._again(uid, likeness, now)
        if failure is None:
            initial = self.timeline.is_initial(failing)
            began = min(
                self._last(each.chain[0].uid, each.chain[0], now) for each in group
            )
            before = max(self.timeline.heard(each.chain[0].uid) for each in group)
            failure = Failure(top, began, before, initial, self.gap)
            self.open[uid] = failure
        failure.quiet = None
        if failing is top and failure.of not in (None, top):
            return  # what its Pods said tells more
        failure.pods = max(failure.pods, len({each.chain[0].uid for each in group}))
        known = failure.likeness == likeness
        failure.top, failure.of, failure.likeness = top, failing, likeness
        failure.phase, failure.finding = first.diagnosis.phase, first.finding
        if failure.initial:
            failure.why_not = self._unknown(failure, first)
        # A write that nobody saw may be why an object of the first list fails.
        earlier = failure.initial and self._writes.earlier > 0
        if known or (failure.initial and not earlier):
            return
        before = self._writes.count if earlier else failure.before
        last_healthy = LastHealthy()
        if top.gvk.kind in _PROVEN:
            last_healthy = self._wellness.last_healthy(top.uid, failure.began)
        case = Case(
            first.chain,
            first.finding,
            # Without a write before it, nothing is suspected.
            related(failing, first.finding, self._model) if before else (),
            failure.began,
            before,
            tuple(each.chain[0].uid for each in group),
            last_healthy.writes,
            last_healthy.steady,
            not self._model.unwatched(failure.began)
            & {it.gvk.kind for it in first.chain},
        )
        found_by = suspects(case, self._writes)
        if earlier:
            found_by = [each for each in found_by if each.precedes(failure.since)]
        failure.by = found_by or failure.by
        # What wakes up has no Pods yet.
        failure.meant = failure.meant or is_scaled_on_purpose(
            first.finding, failure.by, failing, self._model
        )
        failure.why_not = None if failure.by else self._unknown(failure, first)

    def _again(self, uid: str, likeness: Likeness, now: float) -> Failure | None:
        """Return the last failure of a top if it is alike, recent, not well since.

        One that began before the recording goes on with another text.
        """
        failure = self._last_of.get(uid)
        if failure is None or failure.likeness[:2] != likeness[:2]:
            return None
        if failure.likeness != likeness and not failure.initial:
            return None
        until = failure.until or 0.0
        if now - until > _SOON or self._wellness.last_healthy(uid, now).until > until:
            return None
        failure.until, self.open[uid] = None, self._last_of.pop(uid)
        return failure

    def _settle(self, uid: str) -> None:
        """Take the last failure of a top as one that cannot go on again."""
        failure = self._last_of.pop(uid, None)
        if failure is None or not self._remembers or not _counts(failure, math.inf):
            return
        # A recording has too many documents.
        failure.top = failure.top._replace(document={})
        failure.of = failure.of and failure.of._replace(document={})
        _merge(self._settled.setdefault(uid, []), failure)

    def _unknown(self, failure: Failure, trouble: Trouble) -> Fact:
        """Return why it cannot be told what caused a failure."""
        partly = self._model.partly_known(failure.began)
        if failure.initial:
            own = {each.gvk.kind for each in trouble.chain}
            history = tuple(each for kind, each in partly.items() if kind in own)
            return fact("FailedFromTheBeginning", history=history[:_TYPES])
        if failure.gap:
            return fact("GapBefore")
        space = failure.top.namespace
        names = needs(trouble.chain[0])
        category = category_of(trouble.finding)
        lacking = [
            kind
            for kind in ("ConfigMap", "Secret", "Node", "ResourceQuota")
            if kind in category.kinds
            and (names.get(kind) or kind in category.everywhere)
            and self._model.unseen("", kind, space)
        ]
        return fact(
            "NoChangeExplains",
            changes=failure.before or None,
            unwatched=tuple(lacking),
            partly=tuple(partly.values())[:_TYPES],
        )

    def _last(self, uid: str, entry: Entry | None, now: float) -> float:
        """Return when the object was last heard of, but not before the last look."""
        times = [] if entry is None else [entry.time]
        times += [each.seen for each in self._model.events(uid) if each.seen]
        latest = max(times, default=now)
        return latest if self.timeline.looked < latest <= now else now

    def found(self, now: float) -> list[Failure]:
        """Return what failed up to *now*, in order. What failed again alike is one."""
        over = self._last_of.values() if self._remembers else ()
        found = {uid: list(map(replace, each)) for uid, each in self._settled.items()}
        every = [each for each in (*over, *self.open.values()) if _counts(each, now)]
        for each in sorted(every, key=_order):
            _merge(found.setdefault(each.top.uid, []), replace(each))
        return sorted(chain.from_iterable(found.values()), key=_order)


def _merge(known: list[Failure], new: Failure) -> None:
    """Add the *new* failure of a top to those *known*, or to the last one alike."""
    alike = (it for it in reversed(known) if it.likeness == new.likeness)
    last = next(alike, None)
    first = [[each.write for each in it.by[:1]] for it in (last or new, new)]
    if last is None or first[0] != first[1]:
        known.append(new)
        return
    last.until, last.pods = new.until, max(last.pods, new.pods)
    last.of, last.phase, last.finding = new.of, new.phase, new.finding
    last.times += new.times


def worst(found: list[Trouble]) -> tuple[Likeness, list[Trouble]]:
    """Return what most of the deepest objects have alike, and these, by their names."""
    if len(found) == 1:
        return _likeness(found[0]), found
    alike: defaultdict[Likeness, list[Trouble]] = defaultdict(list)
    deepest = max(len(each.chain) for each in found)
    for each in found:
        if len(each.chain) == deepest:
            alike[_likeness(each)].append(each)
    likeness, group = min(
        alike.items(), key=lambda it: (-len(it[1]), it[1][0].chain[0].name)
    )
    return likeness, sorted(group, key=lambda each: each.chain[0].name)


def _likeness(trouble: Trouble) -> Likeness:
    """Return a value that is equal for failures that are alike.

    A container that ends again and again is alike in all states of its crash loop.
    """
    entry, finding = trouble.chain[0], trouble.finding
    about = in_general(finding.about, entry.name)
    category = category_of(finding)
    if category.late:
        return entry.gvk.kind, about, category.name
    return entry.gvk.kind, about, in_kind(finding.fact, entry.name)


def _counts(failure: Failure, now: float) -> bool:
    """Return whether it is no trouble that soon passes, or that is meant."""
    if failure.meant:
        return False
    lasts = grace_period(failure.finding)
    if failure.until is None:
        return now - failure.since >= lasts
    return not lasts and failure.until - failure.began >= _SHORT


def _order(failure: Failure) -> tuple[float, str, str, str]:
    top = failure.top
    return failure.began, top.gvk.kind, top.namespace or "", top.name


# How often to look at what fails: not at each record.

_EVERY, _AT_LEAST_EVERY = 1.0, 10.0  # seconds between two looks
_MANY, _RECORDS = 100, 2
"""A look that makes so many diagnoses is worth so many records for each, so that the
time that looks take stays in proportion to the records."""


class Pace:
    """Says when to look again, by the clock of the records and their number."""

    def __init__(self) -> None:
        self.last: float | None = None  # the time of the last look
        self._records = 0  # since then
        self._enough = 0  # how many are worth the next one

    def count(self) -> None:
        """Count a record."""
        self._records += 1

    def is_due(self, time: float) -> bool:
        """Return whether to look at *time*, after the first look."""
        if self.last is None or time - self.last < _EVERY:
            return False
        return self._records >= self._enough or time - self.last >= _AT_LEAST_EVERY

    def looked(self, time: float, made: int) -> None:
        """Note a look at *time* that *made* so many diagnoses."""
        self.last, self._records = time, 0
        self._enough = _RECORDS * made if made >= _MANY else 0
