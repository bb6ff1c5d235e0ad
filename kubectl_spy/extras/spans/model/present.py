"""What fails now, as all objects together say: the errors of spans that go on.

What is over is fixed by the versions of its own object. So neither the order of streams
nor what happens later changes it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from kubectl_spy.core.answer.answer import worst
from kubectl_spy.core.answer.failure import Trouble
from kubectl_spy.core.answer.idle import idle_workload
from kubectl_spy.core.answer.model import Model, Taken, grace_period
from kubectl_spy.core.answer.timeline import Timeline
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.diagnosis.finding import Fact, Finding
from kubectl_spy.extras.spans.model.assembly import Placed
from kubectl_spy.extras.spans.model.span import SpanKind

_UNSEEN = 10_000  # the most items to take in before it is looked what they changed


class Present:
    """Follows the state of all objects. Diagnoses are made only on demand."""

    def __init__(self, scope: Scope) -> None:
        self._model = Model(scope)
        self._timeline = Timeline(self._model)
        self._latest: dict[str, ChangeRecord] = {}
        """The last versions of objects that the model has in an older one."""
        self._unseen = 0

    def observe(self, item: Taken) -> None:
        """Take in what happened."""
        if isinstance(item, ChangeRecord) and not item.of_stream:
            if not item.gone and item.identity in self._model:
                self._latest[item.identity] = item
                return
            latest = self._latest.pop(item.identity, None)
            if latest is not None:
                self._model.observe(latest)
        self._model.observe(item)
        self._unseen += 1
        if self._unseen > _UNSEEN:  # what may have changed is kept until a look
            self._look()

    def judged(self, spans: Iterable[Placed]) -> Iterator[Placed]:
        """Yield *spans*, unfinished ones with the current error of their object.

        That of the root is what fails at the deepest place below it, as in `trace`.
        """
        own, below = self._failing()
        for each in spans:
            if each.span.end is None and each.span.kind is not SpanKind.EVENT:
                error = own.get(each.uid, "")
                if not each.depth:
                    error = below.get(each.uid, error)
                yield each._replace(span=each.span._replace(error=error))
            else:
                yield each

    def _failing(self) -> tuple[dict[str, Fact], dict[str, Fact]]:
        """Return what is wrong with each object, and below each top, by uid."""
        self._look()
        own: dict[str, Fact] = {}
        tops: defaultdict[str, list[Trouble]] = defaultdict(list)
        for uid, (entry, diagnosis, findings) in self._timeline.wrong.items():
            found = [each for each in findings if _is_failure(each)]
            if not found:
                continue
            own[uid] = found[0].fact
            if chain := self._model.chain(entry):
                tops[chain[-1].uid] += (Trouble(chain, diagnosis, it) for it in found)
        below = {uid: worst(every)[1][0].finding.fact for uid, every in tops.items()}
        return own, below

    def _look(self) -> None:
        for each in self._latest.values():
            self._model.observe(each)
        self._latest.clear()
        self._unseen = 0
        self._timeline.look()
        self._timeline.passed()


def _is_failure(finding: Finding) -> bool:
    """Return whether *finding* fails at once: no grace period, no idle workload."""
    return not grace_period(finding) and idle_workload(finding) is None
