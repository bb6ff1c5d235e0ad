"""Begins a live run with what the server remembers, in the order in which it happened.

What each watch remembers comes on its own, so it is held back until all have come, or
nothing comes any more: the past of one type never holds up that of others.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import replace
from itertools import chain, islice

from kubectl_spy.core.changes.coverage import Coverage, homes_of, type_name
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.record import Listed
from kubectl_spy.core.fields import text
from kubectl_spy.core.objects import JSON, EventType, Selection, WatchEvent
from kubectl_spy.core.past.merging import known, merged
from kubectl_spy.core.past.remembered import SILENT, Past, Remembered
from kubectl_spy.core.past.subject import Mask, Subject
from kubectl_spy.core.past.together import together
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.errors import Overdue, TimedOut
from kubectl_spy.render.denials import known_since
from kubectl_spy.sources.past.asking import Asking, Fetch

LATE = "it did not come in time"
_BATCH = 64  # events to show at once
_NAMED = 4  # types to name with their times; more are counted


class PastFirst:
    """Yields the batches of *source*, and before them the past of all selections.

    *say* gets the lines about what could be had. With *at_once* the past is one batch.
    *further* is the time that was asked for, what reads and masks what else tells of
    it, and what raises TimedOut in between; without what reads, only what is listed
    here tells. *heard* says when bytes last came for some selections, *failures* why
    requests of them failed. After *patience* seconds of silence the others are shown.
    What comes later is a list of then, unless it ends *once* all is listed: then only
    the *needed* selections are waited for.
    """

    def __init__(
        self,
        source: Iterable[Iterable[WatchEvent]],
        selections: Sequence[Selection],
        *,
        say: Callable[[str], None],
        at_once: bool,
        heard: Callable[[Collection[Selection]], float],
        failures: Callable[[], Mapping[Selection, str]],
        patience: float,
        once: bool,
        needed: Sequence[Selection],
        further: tuple[float, Fetch | None, Mask, Callable[[], None]] | None = None,
    ) -> None:
        self._further = further
        self._source = source
        self._missing = dict.fromkeys(selections)
        self._pasts: dict[Selection, Past | None] = dict.fromkeys(selections)
        self._say = say
        self._at_once = at_once
        self._heard = heard
        self._failures = failures
        self._patience = patience
        self._once = once
        self._needed = needed

    def __iter__(self) -> Iterator[Iterable[WatchEvent]]:
        source = iter(self._source)
        held: list[WatchEvent] = []
        over: Overdue | TimedOut | None = None
        try:
            self._gather(source, held)
        except (Overdue, TimedOut) as error:
            over = error
        failures, default = self._failures(), SILENT
        if isinstance(over, TimedOut):
            default = LATE
        whys = {each: failures.get(each, default) for each in self._pasts}
        if self._once and not over:
            held += (_refused(each, whys[each]) for each in self._unlisted)
        came = filter(None, self._pasts.values())
        pasts = [
            replace(each, reason=whys[each.selection]) if each.pending else each
            for each in came
        ]
        # A type that is silent has no objects here. It is only named.
        lacking = [_without(each, whys[each]) for each in self._unlisted]
        for line in _told([*pasts, *lacking]):
            self._say(line)
        began = min((each.since for each in pasts), default=0.0)
        horizons = [
            WatchEvent(EventType.HORIZON, each.selection, began, past=each.as_item())
            for each in (*pasts, *lacking)
        ]
        earlier: Sequence[WatchEvent] = ()
        if self._further is not None and pasts and not over:
            earlier = earlier_events(pasts, *self._further, say=self._say)
        past = chain(horizons, together(pasts, earlier))
        if self._at_once:
            yield chain(past, held)
        else:
            while batch := list(islice(past, _BATCH)):
                yield batch
            yield held
        if over:
            raise over
        yield from map(self._late, source)

    @property
    def _unlisted(self) -> list[Selection]:
        return [each for each in self._missing if self._pasts[each] is None]

    def _gather(
        self, source: Iterator[Iterable[WatchEvent]], held: list[WatchEvent]
    ) -> None:
        """Take what is remembered, until all has come. What is else goes to *held*."""
        came = time.monotonic()
        for events in source:
            for event in events:
                if event.type is EventType.HORIZON:
                    self._pasts[event.selection] = event.past
                else:
                    held.append(event)
                if _answers(event):
                    self._missing.pop(event.selection, None)
                    came = time.monotonic()
            if not self._missing:
                return
            silence = time.monotonic() - max(came, self._heard(self._missing))
            waits = self._once and any(each in self._needed for each in self._unlisted)
            if silence > self._patience and any(self._pasts.values()) and not waits:
                return

    def _late(self, events: Iterable[WatchEvent]) -> Iterator[WatchEvent]:
        """Yield *events*. A late past becomes a list: later changes were shown."""
        for event in events:
            if event.type is not EventType.HORIZON:
                yield event
                continue
            before = self._pasts[event.selection]
            self._pasts[event.selection] = event.past
            yield from event.past.last_list(event.time, before and before.until)


def _answers(event: WatchEvent) -> bool:
    """Return whether *event* is the last one before the live ones."""
    if event.type is EventType.HORIZON:
        return not event.past.pending
    return event.type in (EventType.SYNCED, EventType.REFUSED)


def _without(selection: Selection, why: str) -> Past:
    return Remembered(selection, 0.0).past(time.time(), reason=why)


def _refused(selection: Selection, why: str) -> WatchEvent:
    resource = selection.resource.group_resource
    refused = WatchEvent(EventType.REFUSED, selection, time.time())
    return refused._replace(reason=f"cannot list {resource}: {why}")


def _told(pasts: Sequence[Past]) -> Iterator[str]:
    """Yield the lines on how far back each type is known."""
    had = [past for past in pasts if not past.reason]
    if had:
        known = Coverage()
        for past in had:
            known.observe(Listed(past.selection, 0, past.until))
            known.observe(past.as_item())
        began = min(past.since for past in had)
        since = known_since(known, began, time.time() + 1)
        yield f"{since}: {many(sum(len(past.versions) for past in had), 'write')}"
    homes = homes_of(past.selection for past in pasts)
    reasons: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for past in pasts:
        name = type_name(past.selection, homes)
        if past.reason:
            reasons[f"without the past of {{}}: {past.reason}"][name] = None
        elif past.cut:
            reasons["older writes of {} are left out, to save memory"][name] = None
    for reason, types in reasons.items():
        yield f"note: {reason.replace('{}', in_brief(list(types), _NAMED), 1)}"


# Goes on into the time that the server no longer remembers, by what tells of it.

_OBJECTS = 3  # objects whose count of writes is said


def earlier_events(
    pasts: Sequence[Past],
    since: float,
    fetch: Fetch | None,
    mask: Mask,
    check: Callable[[], None],
    *,
    say: Callable[[str], None],
) -> list[WatchEvent]:
    """Return the writes since a time that *pasts* do not hold, in order.

    *say* gets what could not be had, and how many writes are known.
    """
    spaces: defaultdict[str, list[Subject]] = defaultdict(list)
    subjects: dict[str, Subject] = {}
    for past in pasts:
        for subject in past.subjects():
            spaces[subject.namespace or ""].append(subject)
            subjects[subject.uid] = subject
    evidence: list[tuple[Subject, EarlierWrite]] = []
    held = _Listed(pasts)
    for namespace, within in spaces.items():
        asking = Asking(namespace, since, fetch, mask, say, check, held)
        evidence += asking.evidence(within)
    writes = merged(evidence, since)
    if writes:
        origins = list(dict.fromkeys(each.origin for each in writes))
        say(
            f"before that, {many(len(writes), 'write')} marked ≈ as told by "
            f"{' and '.join(filter(None, (', '.join(origins[:-1]), origins[-1])))}"
        )
    for line in _counted(subjects.values(), evidence):
        say(line)
    return [
        WatchEvent(
            *(EventType.PAST, each.selection, max(each.time, since)),
            object=subjects[each.uid].document,
            past=each,
        )
        for each in writes
    ]


class _Listed:
    """Tells the objects of *pasts* as they were last, by type and namespace."""

    def __init__(self, pasts: Sequence[Past]) -> None:
        whole = (each for each in pasts if each.selection.holds_all(None))
        self._pasts = {each.selection.resource.group_resource: each for each in whole}
        self._found: dict[str, defaultdict[str, list[JSON]]] = {}

    def __call__(self, resource: str, namespace: str) -> list[JSON] | None:
        past = self._pasts.get(resource)
        if past is None or past.selection.namespace not in (None, namespace):
            return None
        if resource not in self._found:
            spaces = self._found[resource] = defaultdict(list)
            for obj in past.last():
                spaces[text(obj, "metadata", "namespace")].append(obj)
        return self._found[resource][namespace]


def _counted(
    subjects: Iterable[Subject], evidence: Sequence[tuple[Subject, EarlierWrite]]
) -> Iterator[str]:
    named = [each for each in subjects if each.selection.name][:_OBJECTS]
    uids = {each.uid for each in named}
    writes = merged((each for each in evidence if each[0].uid in uids), 0.0)
    for subject in named:
        count = known(subject, writes)
        if count is not None and count[1] > 1:
            what = f"{subject.selection.resource.gvk.printed}/{subject.name}"
            of = f"{count[0]} of {count[1]} writes of its spec"
            yield f"{what}: {of} are known before that, by its generation"
