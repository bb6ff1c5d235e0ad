"""Goes on into the time that the server no longer remembers, by what tells of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.core.past.merging import known, merged
from kubectl_spy.core.past.remembered import Past
from kubectl_spy.core.past.subject import Mask, Subject
from kubectl_spy.core.wording import many
from kubectl_spy.sources.past.asking import Asking
from kubectl_spy.sources.past.listing import Fetch

_NAMED = 3  # objects whose count of writes is said


def earlier_events(
    pasts: Sequence[Past],
    since: float,
    fetch: Fetch,
    mask: Mask,
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
        evidence += Asking(namespace, since, fetch, mask, say).evidence(within)
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
    named = [each for each in subjects if each.selection.name][:_NAMED]
    uids = {each.uid for each in named}
    writes = merged((each for each in evidence if each[0].uid in uids), 0.0)
    for subject in named:
        count = known(subject, writes)
        if count is not None and count[1] > 1:
            what = f"{subject.selection.resource.gvk.printed}/{subject.name}"
            of = f"{count[0]} of {count[1]} writes of its spec"
            yield f"{what}: {of} are known before that, by its generation"
