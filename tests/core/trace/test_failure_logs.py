"""Logs in a trace: shown of the last failed run only, and told once."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import ContainerRun, Logged
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.core.trace.narration import Narration
from kubectl_spy.core.trace.picture import Picture, failed_in
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.core.trace.transitions import Happening, transitions
from kubectl_spy.render.tracing.picture_json import picture_json
from tests.builders import a_pod, container, over, waiting
from tests.tracing import START, feed, selection_of

POD = selection_of("v1", "Pod")
RUN = ContainerRun("pod-uid", "shop", "web-0", "app", "c1")
LOG = Logged(RUN, ("no host",), False, START)


class Pods:
    """A trace of Pods, and what happens to them."""

    def __init__(self) -> None:
        self.trace = Trace(Scope((), (), lambda record: True))
        self._history = History()
        self._version = 0

    def put(self, pod: dict[str, Any]) -> Picture:
        self._version += 1
        pod["metadata"]["resourceVersion"] = str(self._version)
        event = WatchEvent(EventType.MODIFIED, POD, START + self._version, pod)
        feed(self.trace, [event], self._history)
        return self.trace.picture()


def failing(run: str, name: str = "web-0", **metadata: str) -> dict[str, Any]:
    last = over(3, containerID=run)
    state = waiting("CrashLoopBackOff")
    named = {"name": name, "uid": "pod-uid", **metadata}
    return a_pod(container(state=state, last=last, restarts=1), metadata=named)


def test_a_log_is_shown_as_long_as_its_run_is_the_last_one() -> None:
    pods = Pods()
    (run,) = failed_in(pods.put(failing("c1")), pods.trace.seen)
    assert run.of == RUN and run.previous
    pods.trace.log(LOG)
    key = "pod-uid", "container/app"
    assert pods.trace.picture().logs == {key: LOG}
    assert pods.put(failing("c2")).logs == {}
    pods.trace.log(LOG)  # late
    assert pods.trace.picture().logs == {}
    again = LOG._replace(run=RUN._replace(container_id="c2"))
    pods.trace.log(again)
    assert pods.trace.picture().logs == {key: again}
    fine = a_pod(container(state={"running": {}}, ready=True))
    assert pods.put(fine).logs == {}


def test_a_log_of_a_pod_that_is_not_there_is_not_kept() -> None:
    pods = Pods()
    pods.trace.log(LOG)
    assert pods.trace.picture().logs == {}
    assert pods.put(failing("c1")).logs == {}


def test_states_as_json_are_the_same_with_a_log() -> None:
    pods = Pods()
    before = pods.put(failing("c1"))
    pods.trace.log(LOG)
    after = pods.trace.picture()
    assert after.roots == before.roots and picture_json(
        after, Coverage()
    ) == picture_json(before, Coverage())


def test_equal_logs_are_shown_once() -> None:
    pods, narration = Pods(), Narration()
    told = []
    for run, line in (("c1", "at 10: no host"), ("c2", "at 20: no host"), ("c3", "?")):
        pods.put(failing(run))
        its = RUN._replace(container_id=run)
        pods.trace.log(LOG._replace(run=its, lines=(line,)))
        told += narration.observe(pods.trace.picture(), START + 99)
    logs = [each.log.lines for each in told if each.log]
    assert logs == [("at 10: no host",), ("?",)]


def test_a_log_is_a_transition_when_it_comes() -> None:
    pods = Pods()
    before = pods.put(failing("c1"))
    pods.trace.log(LOG)
    after = pods.trace.picture()
    (only,) = transitions(before, after)
    assert (only.happening, only.log, only.node.name) == (
        Happening.LOGGED,
        LOG,
        "web-0",
    )
    assert list(transitions(after, after)) == []
