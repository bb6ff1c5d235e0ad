"""The state of each object over time: its phase, what is wrong with it, since when."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from kubectl_spy.core.answer.idle import at_rest, idle_workload
from kubectl_spy.core.answer.model import Model, troubles
from kubectl_spy.core.answer.wellness import Wellness
from kubectl_spy.core.causes.suspects import Suspect
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.cluster.references import event_object, subject
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict
from kubectl_spy.core.objects import BUILT_IN_GROUPS, GroupVersionKind

_SPELLS = 20  # the most phases to remember of an object
IDLE = frozenset({"ScaledDown", "Paused", "Suspended"})
"""Phases of objects that are well and run nothing."""
_READY = (Verdict.OK, Verdict.WARNING)


class Spell(NamedTuple):
    """A stretch of time in one phase."""

    phase: str
    seconds: float | None  # how long it took, or None if its beginning is not known


@dataclass(slots=True)
class Interval:
    """The time in which an object is in its phase, and the phases before."""

    phase: str
    since: float | None
    first: float  # when the object was seen first, or 0 if it was there already
    before: list[Spell] = field(default_factory=list)

    def enter(self, phase: str, now: float) -> None:
        """Begin another phase."""
        lasted = None if self.since is None else max(now - self.since, 0.0)
        self.before.append(Spell(self.phase, lasted))
        del self.before[:-_SPELLS]
        self.phase, self.since = phase, now


def began(entry: Entry, diagnosis: Diagnosis) -> Interval:
    """Return the first interval of an object: what changed in the watch began then."""
    if entry.initial:
        return Interval(diagnosis.phase, diagnosis.since, 0.0)
    return Interval(diagnosis.phase, entry.time, entry.time)


class Wrong(NamedTuple):
    """An object that fails, is stuck, or is in a crash loop."""

    entry: Entry
    diagnosis: Diagnosis
    findings: list[Finding]  # those that say that it fails or is stuck


T = TypeVar("T")
Steps = Generator[None, None, T]
"""What is done step by step, so that a screen answers keys meanwhile."""


def finished(steps: Steps[T]) -> T:
    """Return what *steps* return at their end."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value


class Warned(NamedTuple):
    """Something that does not count against its object, and since when it is so."""

    of: Entry
    finding: Finding
    since: float
    seen: float  # when it was first seen
    before: int  # the number of writes before that; 0 if it was so from the beginning
    by: tuple[Suspect, ...] = ()
    bound: bool = False  # whether it was so already before `since`

    @property
    def began(self) -> float:
        """When it was first seen, or by the object if it was so from the beginning."""
        return self.seen if self.before else self.since


class Timeline:
    """Follows the states of all objects. `look` costs as much as has changed."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._intervals: dict[str, Interval] = {}
        self._said: dict[str, tuple[object, float]] = {}
        """What is said of each object, and since when."""
        self._heard: dict[str, int] = {}  # the writes before an object's last record
        self._listed: set[str] = set()  # what a first list showed since the last look
        self.wellness = Wellness()
        self.wrong: dict[str, Wrong] = {}
        """What fails, is stuck or is in a crash loop, by uid."""
        self.warnings: dict[str, list[Warned]] = {}
        """What is ready, and should be looked at, by uid."""
        self.waiting: dict[str, tuple[Entry, Diagnosis]] = {}
        """What is neither well nor fails, by uid."""
        self.at_rest: set[str] = set()
        """Uids of Services whose Pods somebody may not want: they were never seen."""
        self.unjudged: dict[str, GroupVersionKind] = {}
        """Kinds of custom resources whose status no rule reads, by uid."""
        self.looked = 0.0  # when the last look was

    def hear(self, record: ChangeRecord) -> None:
        """Note that a record is about an object."""
        uid = record.identity
        if record.gvk.kind == "Event":
            uid = subject(event_object(record.document))
        elif record.initial:
            self._listed.add(uid)
        self._heard[uid] = self._model.writes.count

    def look(self) -> list[str]:
        """See which states have changed. Return the uids of the objects judged anew."""
        return finished(self.looking())

    def looking(self) -> Steps[list[str]]:
        """Look, a step for each object."""
        renewed = []
        for uid, entry, diagnosis in self._model.renewed():
            renewed.append(uid)
            yield
            self.wrong.pop(uid, None)
            self.waiting.pop(uid, None)
            self.at_rest.discard(uid)
            self.unjudged.pop(uid, None)
            before = self.warnings.pop(uid, ())
            if entry is None or diagnosis is None:
                self._intervals.pop(uid, None)
                self._said.pop(uid, None)
                self.wellness.forget(uid)
                continue
            self._follow(entry, diagnosis)
            found = [
                each
                for each in troubles(entry, diagnosis)
                if idle_workload(each) is None or self.wellness.has_been_fine(uid)
            ]
            if not found and any(map(idle_workload, diagnosis.findings)):
                diagnosis = at_rest(diagnosis, meant=False)
                self.at_rest.add(uid)
            if diagnosis.verdict is Verdict.UNJUDGED and _tells(entry):
                self.unjudged[uid] = entry.gvk
            elif diagnosis.verdict is Verdict.WAITING:
                self.waiting[uid] = entry, diagnosis
            elif diagnosis.verdict is Verdict.WARNING:
                self.warnings[uid] = self._warned(entry, diagnosis, before)
            if found or diagnosis.restarts:
                self.wrong[uid] = Wrong(entry, diagnosis, found)
            fine = diagnosis.verdict in _READY and diagnosis.phase not in IDLE
            self.wellness.note(uid, fine=fine and uid not in self.wrong)
        return renewed

    def passed(self) -> None:
        """Note that all was seen that had changed until now."""
        self.looked = self._model.time
        self._heard.clear()
        self._listed.clear()

    def interval(self, uid: str) -> Interval | None:
        """Return the phase of an object at the last look, and those before."""
        return self._intervals.get(uid)

    def is_initial(self, entry: Entry) -> bool:
        """Return whether an object is as a first list showed it since the last look."""
        return not entry.changed and entry.uid in self._listed

    def is_new(self, record: ChangeRecord) -> bool:
        """Return whether *record* is of what a list showed since the last look."""
        return not record.initial and record.identity in self._listed

    def said(self, uid: str) -> float:
        """Return when what is said of an object changed last; 0 if it never did."""
        return self._said.get(uid, (None, 0.0))[1]

    def heard(self, uid: str) -> int:
        """Return the number of writes before the last record about an object."""
        return self._heard.get(uid, self._model.writes.count)

    def _follow(self, entry: Entry, diagnosis: Diagnosis) -> None:
        known = self._intervals.get(entry.uid)
        said = diagnosis.phase, diagnosis.summary
        if known is None:
            self._said[entry.uid] = said, 0.0 if entry.initial else entry.time
        elif self._said[entry.uid][0] != said:
            self._said[entry.uid] = said, self._model.time
        if known is None:
            self._intervals[entry.uid] = began(entry, diagnosis)
        elif known.phase != diagnosis.phase:
            known.enter(diagnosis.phase, self._model.time)

    def _warned(
        self, entry: Entry, diagnosis: Diagnosis, before: Iterable[Warned]
    ) -> list[Warned]:
        known = {each.finding.about: each for each in before}
        initial = self.is_initial(entry)
        count = 0 if initial else self.heard(entry.uid)
        found: list[Warned] = []
        for each in diagnosis.findings:
            if each.verdict is Verdict.WARNING:
                since = min(each.since or entry.time, entry.time)
                new = Warned(entry, each, since, entry.time, count)
                new = new._replace(bound=initial and each.since is None)
                found.append(
                    known.get(each.about, new)._replace(of=entry, finding=each)
                )
        return found


def _tells(entry: Entry) -> bool:
    """Return whether an object has a status that a rule might read."""
    custom = entry.gvk.group not in BUILT_IN_GROUPS
    return custom and bool(entry.document.get("status"))
