"""A watch of days forgets what is over and gone."""

from __future__ import annotations

import gc

from kubectl_spy.core.answer.failure import Failure
from kubectl_spy.core.answer.wellness import LastHealthy
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Listed
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.trace.trace import Trace
from tests.builders import PODS, pod
from tests.tracing import START, feed

ALL = Selection(resource=PODS, namespace="shop", asked=False)


def test_failures_of_gone_objects_are_forgotten() -> None:
    trace, history = Trace(Scope((), (ALL,))), History()
    trace.observe(Listed(ALL, 0, START))

    def tell(kind: str, number: int, at: float, phase: str) -> None:
        found = pod(f"web-{number}", rv=str(int(at)), phase=phase)
        event = WatchEvent(EventType[kind], ALL, START + at, found)
        feed(trace, [event], history)
        trace.picture()

    def held() -> int:
        gc.collect()
        return sum(isinstance(each, Failure | LastHealthy) for each in gc.get_objects())

    def run(first: int) -> int:
        for number in range(first, first + 50):
            at = 100.0 * number
            tell("ADDED", number, at, "Succeeded")
            tell("MODIFIED", number, at + 30, "Failed")
            assert held() > before
            tell("DELETED", number, at + 60, "Failed")
        return held()

    before = held()
    assert run(1) == run(51) == run(101) < before + 5
