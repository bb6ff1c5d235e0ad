"""Chooses the roots of a trace of everything: what fails, the most important first."""

from __future__ import annotations

from collections.abc import Container, Iterator

from kubectl_spy.core.answer.answer import Answer
from kubectl_spy.core.answer.hanging import hanging
from kubectl_spy.core.answer.model import Model
from kubectl_spy.core.diagnosis.kinds.registry import rules_of

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
        self.more = 0
        """How many failing roots are not shown."""
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
        roots = apart(self._seen, [*self._ranked, *before])
        self._shown = dict.fromkeys(roots[:_MOST])
        kinds = answer.timeline.unjudged.items()
        self.unjudged = sorted({each.printed for uid, each in kinds if uid in asked})
        self.more = sum(uid in tops for uid in roots[_MOST:])
        return roots[:_MOST]


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
