"""Which writes may have caused a failure, the most likely one first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubectl_spy.core.causes.categories import Category, category_of
from kubectl_spy.core.causes.failure_message import NAMED, FailureMessage
from kubectl_spy.core.causes.needs import MAKERS, needs, pod_spec
from kubectl_spy.core.causes.writes import Change, Key, Write, Writes, key_of
from kubectl_spy.core.changes.record import ChangeType
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.diagnosis.services.seen_service import labels_of
from kubectl_spy.core.fields import moment, text
from kubectl_spy.core.jsontext import dumps

_AT_CREATION = "LimitRange"
"""A kind that counts only when a Pod is created.
https://kubernetes.io/docs/concepts/policy/limit-range/"""
_SECOND = 1.0  # times of what nobody saw are exact to the second
_CHOOSES = ("nodeSelector", "affinity", "topologySpreadConstraints")
"""Where a Pod names labels of nodes."""


class Suspect(NamedTuple):
    """A write that may have caused a failure."""

    write: Write
    lag: float  # seconds from the write to the failure
    certain: bool  # whether the failure names what was written, and nothing else fits

    def precedes(self, failure: float) -> bool:
        """Return whether nobody saw it, and it may have come before a failure."""
        edit = self.write.edit
        return bool(edit.source) and edit.earliest <= failure + _SECOND


class Case(NamedTuple):
    """A failure, as far as it matters for its cause."""

    chain: tuple[Entry, ...]
    """The failing object and its controllers, the top last."""
    finding: Finding
    related: tuple[Entry, ...]  # the Services and claims that it depends on
    began: float
    before: int  # the number of writes before it began
    alike: tuple[str, ...]  # the uids of all objects that fail alike
    well: int = 0
    """The number of writes before the top controller was last healthy."""
    steady: int = 0  # the same, before it was last healthy for some time
    watched: bool = True  # whether no write of the chain may have been missed


def suspects(case: Case, writes: Writes) -> list[Suspect]:
    """Return the writes that may have caused the failure, the most likely first.

    Sort by how well the failure's message fits the write, then the latest first.
    """
    if not case.before:
        return []  # nothing was written before it
    category, message = category_of(case.finding), FailureMessage(case.finding)
    every = {
        write.number: (write, own, near)
        for write, own, near in _candidates(case, category, message, writes)
        if write.number < case.before
    }
    found: list[tuple[int, Write]] = []
    replaced: set[tuple[Key, str]] = set()  # by later writes that may be the cause
    for number in sorted(every, reverse=True):
        write, own, near = every[number]
        meant = category.meant(write, own=own)
        if meant is None:
            continue
        key = key_of(write.record)
        fields = {(key, "/".join(each.path)) for each in meant}
        if (key, "") in replaced or (fields and fields <= replaced):
            continue
        fit = message.fit(write, meant, category, own=own, near=near)
        if fit is not None and _concerns(write, case, message):
            replaced |= {(key, "")} if write.whole else fields
            found.append((fit, message.in_words(write)))
    ranked = sorted(found, key=lambda each: -each[0])
    alone = len({key_of(write.record) for _, write in ranked}) == 1
    sure = alone and message.sure
    # A Pod may have the amounts of a limit range from elsewhere.
    sure = sure and ranked[0][1].record.gvk.kind != _AT_CREATION
    sure = sure and ranked[0] == found[0]  # the latest
    # Of what nobody saw it is not known who wrote it, nor what else meanwhile.
    record = ranked[0][1].record if ranked else None
    missed = record is None or record.listed or record.type is ChangeType.GAP
    sure = sure and case.watched and not missed
    lags = (max(case.began - write.edit.time, 0.0) for _, write in ranked)
    return [
        Suspect(
            *(write, lag),
            certain=fit == NAMED and sure and not (place or write.edit.source),
        )
        for place, ((fit, write), lag) in enumerate(zip(ranked, lags, strict=True))
    ]


def _candidates(
    case: Case, category: Category, message: FailureMessage, writes: Writes
) -> Iterator[tuple[Write, bool, bool]]:
    """Yield the writes that may matter: (write, own, near).

    *own* is a write of the failing object or of its controllers. *near* is a write that
    may affect the failing container itself.
    """
    failing, top = case.chain[0], case.chain[-1]

    bare = top.gvk.kind == "Pod"  # its containers restart some time after a write
    born = writes.count if failing is top else writes.born(case.alike)
    born = born if failing.gvk.kind == "Pod" else writes.count

    def late(write: Write) -> bool:
        """Return whether *write* came after the failing Pod."""
        if write.edit.source and failing.initial:  # nobody saw which came first
            made = moment(failing.document, "metadata", "creationTimestamp")
            return made is not None and write.edit.earliest > made + _SECOND
        return write.number >= born

    for entry in case.chain:
        for write in writes.of(key_of(entry)):
            proven = write.number < (case.steady if category.late else case.well)
            proven = proven and (write.whole or not (category.late or bare))
            if not (proven or (late(write) and write.template)):
                yield write, True, True
    for near in (False, True):
        container = message.container if near else ""
        for key in _needed((*case.chain, *case.related), container):
            if key[0] in category.kinds:
                yield from ((write, False, near) for write in writes.of(key))
    for kind in category.everywhere:
        for write in writes.of_kind(kind, failing.namespace):
            scaled = text(write.record.document, "spec", "scaleTargetRef", "name")
            if not (kind == _AT_CREATION and late(write)) and scaled in ("", top.name):
                yield write, False, True
    for each in case.related:
        if each.gvk.kind in category.kinds and each is not top:
            yield from ((write, False, True) for write in writes.of(key_of(each)))
        yield from ((write, False, True) for write in _behind(each, writes))


def _concerns(write: Write, case: Case, message: FailureMessage) -> bool:
    """Return False for a write of a Node that the failure's message cannot mean.

    Pods choose nodes by labels.
    https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
    """
    about_nodes = category_of(case.finding).name == "scheduling"
    if write.record.gvk.kind != "Node" or not about_nodes:
        return True
    spec = pod_spec(case.chain[0].document)
    chosen = dumps([spec.get(each) for each in _CHOOSES]).decode()

    def concerned(change: Change) -> bool:
        last = change.path[-1]
        if change.path[:2] == ("metadata", "labels"):
            return dumps(last).decode() in chosen
        word = change.new if last == "key" else last  # the key of a taint
        return bool(change.new and word) and message.says(word or "")

    return write.deletes or any(map(concerned, write.changes()))


def _needed(chain: Iterable[Entry], container: str) -> Iterator[Key]:
    for entry in chain:
        space = entry.namespace or ""
        for kind, names in needs(entry, container).items():
            for name in names:
                yield kind, space, name
                yield kind, "", name


def _behind(service: Entry, writes: Writes) -> Iterator[Write]:
    """Yield the writes of what a Service selects. A claim selects no Pods."""
    wanted = labels_of(service.document, "spec", "selector").items()
    if wanted:
        for kind in MAKERS:
            for write in writes.of_kind(kind, service.namespace):
                if wanted <= write.labels:
                    yield write
