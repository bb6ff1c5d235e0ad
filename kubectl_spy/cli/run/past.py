"""Begins a live run with what the server remembers, in the order in which it happened.

What each watch remembers comes on its own, so it is held back until all have come.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.past.merging import known, merged
from kubectl_spy.core.past.remembered import Past
from kubectl_spy.core.past.subject import Mask, Subject
from kubectl_spy.core.past.together import together
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.sinks.recorder import Recorder
from kubectl_spy.sources.past.asking import Asking, Fetch

_BATCH = 64  # events to show at once
_NAMED = 4  # types to name with their times; more are counted


class PastFirst:
    """Yields the batches of *source*, and before them the past of all selections.

    *say* gets the lines about what could be had. With *at_once* the past is one batch.
    *further* is the time that was asked for, what reads and masks what else tells of
    it, and what raises TimedOut in between.
    """

    def __init__(
        self,
        source: Iterable[Iterable[WatchEvent]],
        selections: Sequence[Selection],
        *,
        say: Callable[[str], None],
        at_once: bool,
        recorder: Recorder | None = None,
        further: tuple[float, Fetch, Mask, Callable[[], None]] | None = None,
    ) -> None:
        self._further = further
        self._source = source
        self._recorder = recorder
        self._numbers = {id(each): number for number, each in enumerate(selections)}
        self._missing = {id(each) for each in selections if not each.narrowed}
        self._say = say
        self._at_once = at_once

    def __iter__(self) -> Iterator[Iterable[WatchEvent]]:
        source = iter(self._source)
        pasts: list[Past] = []
        held: list[WatchEvent] = []
        for events in source:
            for event in events:
                if event.type is EventType.HORIZON:
                    pasts.append(event.past)
                else:
                    held.append(event)
                if event.type in (EventType.HORIZON, EventType.REFUSED):
                    self._missing.discard(id(event.selection))
            if not self._missing:
                break
        pasts.sort(key=lambda past: self._numbers[id(past.selection)])
        for line in horizon(pasts):
            self._say(line)
        if self._recorder is not None:
            for each in pasts:
                self._recorder.remembered(each)
        past = together(pasts, self._earlier(pasts))
        if self._at_once:
            yield chain(past, held)
        else:
            while batch := list(islice(past, _BATCH)):
                yield batch
            yield held
        yield from source

    def _earlier(self, pasts: Sequence[Past]) -> Sequence[WatchEvent]:
        if self._further is None or not pasts:
            return ()
        return earlier_events(pasts, *self._further, say=self._say)


def horizon(pasts: Sequence[Past]) -> Iterator[str]:
    """Yield the lines on how far back each type is known."""
    had = [past for past in pasts if not past.reason]
    whole = [past for past in had if past.reaches]
    if whole:
        writes = many(sum(len(past.versions) for past in whole), "write")
        since = _moment(min(past.since for past in whole))
        yield f"exact since {since}: {_types(whole)} ({writes}, no other was made)"
    partly = [past for past in had if not past.reaches and past.began is not None]
    if partly:
        yield f"exact: {in_brief(list(map(_partly, partly)), _NAMED)}"
    if none := [past for past in had if not past.reaches and past.began is None]:
        yield f"nothing is remembered of {_types(none)}: only how they are now"
    reasons: dict[str, list[Past]] = {}
    for past in pasts:
        if past.reason:
            reasons.setdefault(past.reason, []).append(past)
    for reason, lacking in reasons.items():
        yield f"note: no past of {_types(lacking)}: {reason}"


def _partly(past: Past) -> str:
    since = past.since if past.cut else past.began or 0.0
    cut = ", older ones left out to save memory" if past.cut else ""
    return f"{_type(past)} since {_moment(since)} ({many(past.writes, 'write')}{cut})"


def _moment(when: float) -> str:
    """Return *when* to the second, with its day if that is not today."""
    day, clock = day_and_clock(when)
    today, _ = day_and_clock(time.time())
    return clock[:8] if day == today else f"{day} {clock[:8]}"


def _types(pasts: Sequence[Past]) -> str:
    return in_brief(list(dict.fromkeys(map(_type, pasts))), _NAMED)


def _type(past: Past) -> str:
    return past.selection.resource.group_resource


# Goes on into the time that the server no longer remembers, by what tells of it.

_OBJECTS = 3  # objects whose count of writes is said


def earlier_events(
    pasts: Sequence[Past],
    since: float,
    fetch: Fetch,
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
    for namespace, within in spaces.items():
        asking = Asking(namespace, since, fetch, mask, say, check)
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
