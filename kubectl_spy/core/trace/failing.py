"""Chooses the roots of a trace of everything: what fails, and what is not well."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from kubectl_spy.core.answer.answer import Answer
from kubectl_spy.core.answer.failure import in_general, in_kind
from kubectl_spy.core.answer.hanging import hanging
from kubectl_spy.core.answer.model import Model
from kubectl_spy.core.answer.unwell import unwell
from kubectl_spy.core.diagnosis.finding import FINE, Finding
from kubectl_spy.core.diagnosis.kinds.registry import rules_of
from kubectl_spy.core.trace.picture import Node

_MOST = 20  # roots to show
_DAY = 86_400.0  # seconds, longer than grace periods


class FailingRoots:
    """The failing objects, and those shown earlier that have recovered.

    An object that stands under another one is no root.
    """

    def __init__(self, seen: Model) -> None:
        self._seen = seen
        self._shown: dict[str, None] = {}
        self._failing: tuple[str, ...] = ()
        self._ranked: tuple[str, ...] = ()
        self.most = _MOST
        self.more = 0
        """How many failing roots are not shown."""
        self.unwell: set[str] = set()
        """The uids of what does not fail, but was well and is no more."""
        self.unjudged: list[str] = []
        """The kinds that no rule judges."""

    def choose(self, answer: Answer, asked: Container[str]) -> list[str]:
        """Return the uids of the roots to show, among those that were *asked* for."""
        # What waits for somebody stands here before its grace period is over.
        failures = answer.found(self._seen.time + _DAY)
        tops = dict.fromkeys(each.top.uid for each in failures)
        failing = tuple(uid for uid in tops if uid in asked)
        if failing != self._failing:
            weights = hanging(self._seen, failing)
            ranked = sorted(failing, key=lambda uid: -weights.get(uid, 0))
            self._failing, self._ranked = failing, tuple(ranked)
        before = (uid for uid in self._shown if uid not in failing and uid in asked)
        now = self._seen.time
        others = [it.of.uid for it in unwell(self._seen, answer.timeline, now, tops)]
        self.unwell = set(others)
        waiting = (uid for uid in others if uid in asked)
        ordered = dict.fromkeys((*self._ranked, *waiting, *before))
        roots = apart(self._seen, list(ordered))
        self._shown = dict.fromkeys(roots[: self.most])
        kinds = answer.timeline.unjudged.items()
        self.unjudged = sorted({each.printed for uid, each in kinds if uid in asked})
        self.more = sum(uid in tops for uid in roots[self.most :])
        return roots[: self.most]


def apart(seen: Model, uids: list[str]) -> list[str]:
    """Return *uids* without those that stand under another one of them.

    Of those that stand under each other, the first stays.
    """
    under: set[str] = set()
    for uid in uids:
        if uid in under:
            continue
        pending = set(_below(seen, uid)) - under
        while pending:
            under |= pending
            pending = {it for each in pending for it in _below(seen, each)} - under
        under.discard(uid)
    return [each for each in uids if each not in under]


def _below(seen: Model, uid: str) -> Iterator[str]:
    entry = seen.entry(uid)
    if entry is None:
        return
    children = seen.once(rules_of(entry), entry).children
    if children is None:
        yield from (each.uid for each in seen.owned(uid))
    else:
        yield from (each.uid for each in children)


# Siblings of a tree, and failures, that are alike.

_FEW = 5  # the most siblings that are OK and are shown one by one


def kind_of(node: Node, finding: Finding | None) -> object:
    """Return a value that is equal for failures that are alike."""
    if finding is None:
        return node.gvk.kind, node.phase
    about = in_general(finding.about, node.name)
    return node.gvk.kind, about, in_kind(finding.fact, node.name)


def kinds(node: Node) -> tuple[str, ...]:
    """Return for each finding a text that is equal for findings that are alike."""
    return node.kinds or tuple(repr(kind_of(node, each)) for each in node.findings)


def likeness(node: Node) -> str:
    """Return a text that is equal for siblings that are alike."""
    if node.likeness:
        return node.likeness
    if node.children or not (node.findings or node.verdict in FINE):
        return node.uid or node.name
    own = node.gvk, node.namespace, node.role, node.phase, node.verdict
    return repr((own, kinds(node)))


def groups(siblings: Sequence[Node]) -> list[list[Node]]:
    """Return *siblings* in order, those that are alike together.

    They have the same kind and phase, findings that are alike, and nothing below them.
    Up to five that are OK stay alone.
    """
    alike: dict[str, list[Node]] = {}
    for node in siblings:
        alike.setdefault(likeness(node), []).append(node)
    found: list[list[Node]] = []
    for group in alike.values():
        alone = group[0].verdict in FINE and len(group) <= _FEW
        found += [[each] for each in group] if alone else [group]
    return found


def names_of(group: Sequence[Node]) -> str:
    """Return the first and the last name of a *group*, without their common beginning.

    Names that end in a number stay whole.

    >>> from types import SimpleNamespace as N
    >>> names_of([N(name="api-67bb-zw800"), N(name="api-67bb-zw814")])
    'zw800 … zw814'
    """
    names = [each.name for each in group]
    sizes = min(map(len, names)), max(map(len, names))
    first, last = (
        pick(each for each in names if len(each) == size)
        for pick, size in zip((min, max), sizes, strict=True)
    )
    before, dash, end = first.rpartition("-")
    start = "" if end.isdecimal() else before + dash
    # What the first and the last in the alphabet begin with, all begin with.
    alike = min(names).startswith(start) and max(names).startswith(start)
    shared = len(start) if alike else 0
    return f"{first[shared:]} … {last[shared:]}"
