"""Which writes may have caused a failure, the most likely one first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubectl_spy.core.causes.needs import MAKERS, Category, category_of, needs, pod_spec
from kubectl_spy.core.causes.writes import Key, Write, Writes, key_of
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.diagnosis.services.seen_service import labels_of
from kubectl_spy.core.fields import text
from kubectl_spy.core.jsontext import dumps

_REFERENCES = re.compile(
    r"(^|/)(configMap|secret|(configMap|secret)(Ref|KeyRef)|imagePullSecrets/[0-9]+)/name$"
    r"|/(claimName|secretName|serviceAccountName|priorityClassName|image)$"
)
"""Fields whose values may be plain words and yet are certain in a message."""
_AT_CREATION = "LimitRange"
"""A kind that counts only when a Pod is created.
https://kubernetes.io/docs/concepts/policy/limit-range/"""
_CHOOSES = ("nodeSelector", "affinity", "topologySpreadConstraints")
"""Where a Pod names labels of nodes."""
_PORTS = frozenset({"port", "containerPort", "targetPort"})


class Suspect(NamedTuple):
    """A write that may have caused a failure."""

    write: Write
    lag: float  # seconds from the write to the failure
    certain: bool  # whether the failure itself names what it did, and nothing else fits


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
    """The number of writes before the last time at which the top was well."""
    steady: int = 0  # the same, if it was well for some time


def suspects(case: Case, writes: Writes) -> list[Suspect]:
    """Return the writes that may have caused the failure, the most likely first.

    Those that its message names come first, then the latest.
    """
    category = category_of(case.finding)
    fits = {
        write.number: (_names(write, category, case.finding.text, own), write)
        for write, own in _candidates(case, category, writes)
        if write.number < case.before
        and category.explains(write, own=own)
        and _concerns(write, case.chain[0])
    }
    ranked = sorted(fits.values(), key=lambda each: (not each[0], -each[1].number))
    alone = len({key_of(write.record) for _, write in ranked}) == 1
    latest = bool(ranked) and ranked[0][1].number == max(fits)
    sure = alone and latest and category.sure.search(case.finding.text) is not None
    # A Pod may have the amounts of a limit range from elsewhere.
    sure = sure and ranked[0][1].record.gvk.kind != _AT_CREATION
    lags = (max(case.began - write.edit.time, 0.0) for _, write in ranked)
    return [
        Suspect(write, lag, named and sure and not place)
        for place, ((named, write), lag) in enumerate(zip(ranked, lags, strict=True))
    ]


def _candidates(
    case: Case, category: Category, writes: Writes
) -> Iterator[tuple[Write, bool]]:
    """Yield writes of what fails and its controllers, with True, and what they need."""
    failing, top = case.chain[0], case.chain[-1]

    bare = top.gvk.kind == "Pod"  # its containers restart some time after a write
    born = writes.count if failing is top else writes.born(case.alike)
    born = born if failing.gvk.kind == "Pod" else writes.count

    def late(write: Write) -> bool:
        """Return whether *write* came after the failing Pod."""
        return write.number >= born

    for entry in case.chain:
        for write in writes.of(key_of(entry)):
            proven = write.number < (case.steady if category.late else case.well)
            proven = proven and (write.whole or not (category.late or bare))
            if not (proven or (late(write) and write.template)):
                yield write, True
    for key in _needed((*case.chain, *case.related)):
        if key[0] in category.kinds:
            yield from ((write, False) for write in writes.of(key))
    for kind in category.everywhere:
        for write in writes.of_kind(kind, failing.namespace):
            scaled = text(write.record.document, "spec", "scaleTargetRef", "name")
            if not (kind == _AT_CREATION and late(write)) and scaled in ("", top.name):
                yield write, False
    for each in case.related:
        if each.gvk.kind in category.kinds and each is not top:
            yield from ((write, False) for write in writes.of(key_of(each)))
        yield from ((write, False) for write in _behind(each, writes))


def _concerns(write: Write, failing: Entry) -> bool:
    """Return whether *write* may matter for *failing*: Pods choose nodes by labels.

    https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
    """
    if write.record.gvk.kind != "Node" or write.whole:
        return True
    spec = pod_spec(failing.document)
    chosen = dumps([spec.get(each) for each in _CHOOSES]).decode()
    return any(
        path[:2] != ("metadata", "labels") or dumps(path[-1]).decode() in chosen
        for path, _ in write.values()
    )


def _needed(chain: Iterable[Entry]) -> Iterator[Key]:
    for entry in chain:
        space = entry.namespace or ""
        for kind, names in needs(entry).items():
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


def _names(write: Write, category: Category, told: str, own: bool) -> bool:
    """Return whether the failure's text *told* names what *write* set or deleted."""
    record = write.record
    if not own:
        object_ = rf"\b{_plain(record.gvk.kind)} {re.escape(record.name)}\b"
        if re.search(object_, _plain(told)):
            return write.whole or any(
                _is_in(path[-1], told) for path, _ in write.values() if path
            )
        if record.gvk.kind in category.first and not write.deletes:
            return True
    if write.deletes:
        return not own and record.gvk.kind in category.first
    pattern = category.fields if own else re.compile("")
    return any(
        _tells(path, value) and _is_in(value, told)
        for path, value in write.values()
        if value and pattern.match("/".join(path)) and "env" not in path[:-2]
    )


def _tells(path: tuple[str, ...], value: str) -> bool:
    """Return whether no message has *value* by chance."""
    if value.isdecimal():
        return path[-1] in _PORTS
    special = re.search(r"[A-Za-z]", value) and re.search(r"[^A-Za-z ]", value)
    refers = _REFERENCES.search("/".join(path))
    return refers is not None or (
        len(value) > 2 and bool(special) and path[-1] != "name"
    )


def _is_in(word: str, told: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(word)}(?![\w/-])", told) is not None


def _plain(told: str) -> str:
    """Return *told* with kinds as they are called in sentences."""
    return told.replace("ResourceQuota", "quota").replace(
        "service account", "ServiceAccount"
    )
