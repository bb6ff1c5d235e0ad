"""What the revisions of a workload tell of its past: the Pod template of each.

A Deployment keeps them as ReplicaSets, others as ControllerRevisions.
https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-back-a-deployment
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.managers import owners_of
from kubectl_spy.core.fields import mapping, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.past.events import scaled, scaled_up
from kubectl_spy.core.past.subject import Mask, Subject, between
from kubectl_spy.core.past.times import SECOND
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.operation import PatchOperation

REPLICA_SET = "ReplicaSet"
CONTROLLER_REVISION = "ControllerRevision"
_DEPLOYMENT = "deployment.kubernetes.io/"
_HASH = "pod-template-hash"
_TEMPLATE = ("spec", "template")
_NEAR = 2 * SECOND
"""Writes of a template so close to each other may have each other's time.

A ReplicaSet is made a moment after the write, and both times are whole seconds.
"""
_NUMBERS = re.compile(r"[0-9]{1,18}")


class Use(NamedTuple):
    """The write with which a workload began to use a Pod template."""

    number: int  # of the revision; 0 if it is not known
    time: float  # the earliest time at which it may have been made
    until: float  # the latest
    name: str  # of what keeps the template
    template: JSON


def of_replica_sets(
    subject: Subject, sets: Sequence[JSON], events: Sequence[JSON], mask: Mask
) -> Iterator[EarlierWrite]:
    """Yield the writes of a Deployment that its ReplicaSets tell of.

    A ReplicaSet is made when its template is first used. Only the numbers say when it
    was used again: its managedFields change with each scaling.
    """
    newest = _revision(subject.document)
    own = [each for each in sets if subject.made(each)]
    uses: list[Use] = []
    for each in own:
        created = moment(each, "metadata", "creationTimestamp")
        if created is None:
            continue
        numbers = sorted(set(_history(each)) | {_revision(each)})
        name, template = text(each, "metadata", "name"), _without_hash(each)
        for place, of in enumerate(numbers):
            if not 0 < of <= newest or (place and of == newest and not subject.settled):
                continue  # later, or perhaps later, than the memory begins
            if not place:
                uses.append(Use(of, created, created, name, template))
                continue
            again = scaled_up(subject.uid, name, created, events)
            if again is None or of != numbers[-1]:
                uses.append(Use(of, created, subject.observed, name, template))
            else:
                uses.append(Use(of, again, again, name, template))
    uses.sort(key=lambda each: each.number)
    yield from _changes(subject, _bounded(subject, uses), REPLICA_SET, mask)
    yield from _scaled(subject, own, uses, events, mask)


def of_controller_revisions(
    subject: Subject, revisions: Sequence[JSON], mask: Mask
) -> Iterator[EarlierWrite]:
    """Yield the writes of a StatefulSet or DaemonSet that its revisions tell of.

    One that is used again gets a new number, which its managedFields have the time of.
    """
    uses: list[Use] = []
    for each in filter(subject.made, revisions):
        of = number(each, "revision")
        created = moment(each, "metadata", "creationTimestamp")
        if created is None:
            continue
        template = dict(mapping(each, "data", "spec", "template"))
        template.pop("$patch", None)
        name = text(each, "metadata", "name")
        numbered = (it for it in owners_of(each) if it.owns(each, ("revision",)))
        last = max((it.time or 0.0 for it in numbered), default=created)
        again = of > 1 and last > created + SECOND  # the first one was never 2
        uses.append(Use(0 if again else of, created, created, name, template))
        if again:
            uses.append(Use(of, last, last, name, template))
    uses.sort(key=lambda each: each.time)
    placed = list(enumerate(uses, 1))
    complete = len(uses) == max((each.number for each in uses), default=0)
    if complete and all(each.number in (0, place) for place, each in placed):
        # None was pruned: they are numbered in this order.
        uses = [each._replace(number=place) for place, each in placed]
    yield from _changes(subject, uses, CONTROLLER_REVISION, mask)


def _changes(
    subject: Subject, uses: Sequence[Use], origin: str, mask: Mask
) -> Iterator[EarlierWrite]:
    """Yield the write that led to each of *uses*, which are in order.

    What it changed is known if the revision before is there.
    """
    if uses and uses[0].number != 1:
        yield _only_told(subject, uses[0], origin)
    for before, use in pairwise(uses):
        if not use.number or use.number != before.number + 1:
            yield _only_told(subject, use, origin)
            continue
        one, other = (_as_subject(subject, each.template) for each in (before, use))
        patch = between(one, other, subject.selection.resource, mask)
        exact = use.time == use.until
        yield subject.write(
            *(use.time, use.until, origin, _source(origin, use)),
            managers=_writers(subject, use, uses, patch) if exact else (),
            patch=patch,
            approximate=True,  # it may be several writes, as of a paused Deployment
        )


def _writers(
    subject: Subject, use: Use, uses: Sequence[Use], patch: Sequence[PatchOperation]
) -> tuple[str, ...]:
    """Return who wrote the template then: who owns what it set, or the only one.

    Of writes close to each other, only those are told apart that set different fields.
    """
    paths = [pointer.parse(each.path) for each in patch if each.op != "remove"]
    span = use.time - _NEAR, use.time + _NEAR
    near = [it for it in uses if span[0] <= it.time and it.until <= span[1]]
    near.remove(use)
    for each in near:
        if each.number > use.number:  # whoever owns what it set again is another
            again = operations_between(use.template, each.template)
            taken = [(*_TEMPLATE, *pointer.parse(step.path)) for step in again]
            paths = [path for path in paths if path not in taken]
    owners = subject.writer_at(paths, use.time)
    if near:
        return owners if len(owners) == 1 else ()
    others = owners or subject.writer_at([_TEMPLATE], use.time)
    return others if owners or len(others) == 1 else ()


def _only_told(subject: Subject, use: Use, origin: str) -> EarlierWrite:
    """Return the write of a template of which the one before is not known."""
    values = use.time, use.until, origin, _source(origin, use)
    return subject.write(*values, fields=(pointer.join(_TEMPLATE),), approximate=True)


def _bounded(subject: Subject, uses: Sequence[Use]) -> list[Use]:
    """Return *uses*, which are in order, with closer bounds of their times."""
    found: list[Use] = []
    for use in uses:
        if found:
            time = max(use.time, found[-1].time)
            use = use._replace(time=time, until=max(time, use.until))
        found.append(use)
    for place in range(len(found) - 1, 0, -1):
        use, before = found[place], found[place - 1]
        if before.until > use.until:
            found[place - 1] = before._replace(until=max(before.time, use.until))
    last = found[-1] if found else None
    if last and last.until > last.time and last.number == _revision(subject.document):
        found[-1] = last._replace(until=_until(subject, found[-2:]))
    elif last and found[1:] and _was_paused(subject, last):
        found[-1] = last._replace(time=found[-2].time)
    return found


def _until(subject: Subject, uses: Sequence[Use]) -> float:
    """Return when the last of *uses* was written at the latest.

    Whoever owns what it set wrote it then, or wrote again since. Nobody owns what it
    removed.
    """
    before, last = uses[0], uses[-1]
    owners: Iterator[tuple[str, float]] = iter(())
    if before.number + 1 == last.number:
        steps = operations_between(before.template, last.template)
        paths = [pointer.parse(each.path) for each in steps if each.op != "remove"]
        owners = subject.writers((*_TEMPLATE, *path) for path in paths)
    until = max((time for _, time in owners), default=last.until)
    return min(last.until, max(last.time, until))


def _was_paused(subject: Subject, last: Use) -> bool:
    """Return whether the newest template may be older than its rollout.

    That of a paused Deployment is rolled out later. Then nobody who owns it wrote at
    that time or since, as after a removal, which leaves nothing.
    """
    if not subject.settled or last.number != _revision(subject.document):
        return False
    wrote = [time for _, time in subject.writers([_TEMPLATE])]
    return bool(wrote) and max(wrote) < last.time - SECOND


def _scaled(
    subject: Subject,
    sets: Sequence[JSON],
    uses: Sequence[Use],
    events: Sequence[JSON],
    mask: Mask,
) -> Iterator[EarlierWrite]:
    """Yield how the number of replicas differed from rollout to rollout.

    A ReplicaSet keeps the number that its Deployment had when it was last scaled.
    """
    newest = _revision(subject.document)
    old = sorted((it for it in sets if 0 < _revision(it) < newest), key=_revision)
    kept: list[tuple[int, str, int, float]] = []
    for each in old:
        word = text(each, "metadata", "annotations", f"{_DEPLOYMENT}desired-replicas")
        if _NUMBERS.fullmatch(word):
            last = max((it.time or 0.0 for it in owners_of(each)), default=0.0)
            name = text(each, "metadata", "name")
            kept.append((_revision(each), name, int(word), last or subject.horizon))
    now = mapping(subject.document, "spec").get("replicas")
    if type(now) is int and subject.settled:
        kept.append((newest, "", now, subject.observed))
    began = {each.number: each.time for each in uses}
    for (of, name, before, _), (_, _, after, until) in pairwise(kept):
        # It was scaled down, and got its number, in the rollout of the next revision.
        time = began.get(of + 1, began.get(of))
        if before == after or time is None:
            continue
        seen = scaled(subject.uid, (before, after), (time, until), events)
        is_last = until == subject.observed
        yield subject.write(
            *((time, until) if seen is None else (seen, seen)),
            REPLICA_SET,
            f"{REPLICA_SET} {name}, desired-replicas",
            managers=_scalers(subject) if is_last else (),
            patch=[subject.scaled(before, after, mask)],
            approximate=True,
        )


def _scalers(subject: Subject) -> tuple[str, ...]:
    """Return who owns the number of replicas. Writes of /scale have no time."""
    path = "spec", "replicas"
    document = subject.document
    owning = [it for it in owners_of(document) if it.owns(document, path)]
    return (owning[0].manager,) if len(owning) == 1 else ()


def _as_subject(subject: Subject, template: JSON) -> dict[str, JSON]:
    """Return the object of *subject* with nothing but a Pod *template*."""
    about = {name: subject.document.get(name) for name in ("apiVersion", "kind")}
    metadata = {"name": subject.name, "namespace": subject.namespace}
    return {**about, "metadata": metadata, "spec": {"template": template}}


def _source(origin: str, use: Use) -> str:
    return f"{origin} {use.name}" + (f", revision {use.number}" if use.number else "")


def _without_hash(replica_set: JSON) -> dict[str, JSON]:
    """Return the Pod template, without the label that the controller adds to it."""
    template = mapping(replica_set, "spec", "template")
    metadata = mapping(template, "metadata")
    labels = {**mapping(metadata, "labels")}
    labels.pop(_HASH, None)
    return {**template, "metadata": {**metadata, "labels": labels}}


def _revision(document: JSON) -> int:
    annotation = f"{_DEPLOYMENT}revision"
    word = text(document, "metadata", "annotations", annotation)
    return int(word) if _NUMBERS.fullmatch(word) else 0


def _history(replica_set: JSON) -> Iterator[int]:
    annotation = f"{_DEPLOYMENT}revision-history"
    words = text(replica_set, "metadata", "annotations", annotation).split(",")
    yield from (int(each) for each in words if _NUMBERS.fullmatch(each.strip()))
