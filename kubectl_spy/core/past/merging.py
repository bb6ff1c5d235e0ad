"""Puts the writes that several sources tell of into one order, each once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.fields import generation
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.past.owners import MANAGED_FIELDS
from kubectl_spy.core.past.subject import Subject
from kubectl_spy.core.past.times import SECOND


def merged(
    evidence: Iterable[tuple[Subject, EarlierWrite]], since: float
) -> list[EarlierWrite]:
    """Return the writes from *since* up to where the server's memory begins, in order.

    One that may have been made before comes first, with both of its times.

    A write that only says who wrote is left out if another tells of the same second
    and manager what was changed.
    """
    found: dict[str, list[EarlierWrite]] = defaultdict(list)
    for subject, write in evidence:
        until = min(write.until, subject.horizon)
        lives = until - subject.created >= SECOND  # its creation it tells itself
        if lives and since <= until and write.time < subject.horizon:
            found[write.identity].append(write._replace(until=until))
    kept = [each for writes in found.values() for each in _once(writes)]
    order = sorted(kept, key=lambda each: (each.time, each.until, each.name))
    return sorted(order, key=lambda each: max(each.time, since))


def _once(writes: Sequence[EarlierWrite]) -> Iterator[EarlierWrite]:
    """Yield the *writes* of one object without those that another tells more of.

    Two are the same if the second and a manager agree, or if in the time of the one the
    other gave the same fields the same values.
    """
    exact: set[tuple[int, str]] = set()  # seconds in which a manager made known changes
    made: defaultdict[tuple[str, bytes], list[EarlierWrite]] = defaultdict(list)
    for each in writes:
        for step in each.patch:
            made[step.path, dumps(step.value)].append(each)
        if each.patch and each.time == each.until:
            exact |= {(int(each.time), name) for name in each.managers}
    for each in writes:
        if not each.patch:
            near = range(int(each.time - SECOND), int(each.time + SECOND) + 1)
            if exact.isdisjoint((at, name) for at in near for name in each.managers):
                yield each
            continue
        path, value = each.patch[0].path, dumps(each.patch[0].value)
        if not any(_says_more(it, each) for it in made[path, value]):
            yield each


def _says_more(other: EarlierWrite, write: EarlierWrite) -> bool:
    """Return whether *other* made all changes of *write*, in a part of its time.

    In the same second, the one that is certain says more.
    """
    wide, wider = other.until - other.time, write.until - write.time
    closer = (wide, other.approximate) < (wider, write.approximate)
    within = write.time - SECOND <= other.time and other.until <= write.until + SECOND
    strange = write.managers and {*write.managers}.isdisjoint(other.managers)
    if not closer or not within or (wide == wider and strange):
        return False
    made = {(step.path, dumps(step.value)) for step in other.patch}
    return all((step.path, dumps(step.value)) in made for step in write.patch)


def known(subject: Subject, evidence: Iterable[EarlierWrite]) -> tuple[int, int] | None:
    """Return how many writes of its spec are known before the horizon, and of how many.

    Each write of a spec counts one generation, and its creation is the first. A
    Deployment counts annotations, too. None if the object does not count.
    https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#metadata
    """
    count = generation(subject.document, "metadata", "generation")
    if not count:
        return None
    paths = [
        [*(step.path for step in each.patch), *each.fields]
        for each in evidence
        if each.uid == subject.uid and each.origin != MANAGED_FIELDS
    ]
    found = sum(any(it.startswith("/spec") for it in of) for of in paths)
    return min(found + 1, count), count
