"""Whether a container that was restarted runs for long enough, by the node's clock."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.core.trace.trace import Trace
from tests.builders import ALL_PODS, pod
from tests.core.diagnosis.pods import NODE, READY, a_pod, container, event
from tests.tracing import START, diagnosis, inventory, selection_of

Object = dict[str, Any]
OK, WAITING = Verdict.OK, Verdict.WAITING
PODS = selection_of("v1", "Pod")


def day(time: str) -> str:
    return f"2026-11-21T{time}Z"


def restarted(at: str, name: str = "web-0", node: str = NODE) -> Object:
    """Return a Pod that is ready and has to run for 30 seconds to be fine."""
    before = {"startedAt": day("12:00:00"), "finishedAt": day("12:00:10")}
    state = {"running": {"startedAt": day(at)}}
    app = container(state=state, last=before, ready=True, restarts=1)
    its: Object = {"name": name, "uid": name}
    return a_pod(app, conditions=READY, metadata=its, spec={"nodeName": node})


def heartbeat(at: str, name: str = NODE) -> Object:
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": day(at)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": f"node-{name}", "resourceVersion": "1"},
        "status": {"conditions": [ready]},
    }


def reported(at: str, host: str = NODE) -> Object:
    """Return an Event that the kubelet of a node made of some other object."""
    told = event("Pulled", "Container image is there", about="other", first=day(at))
    return told | {"source": {"component": "kubelet", "host": host}}


@pytest.mark.parametrize(
    ("started", "others", "verdict"),
    [
        # The records are of 15:04:05: the node's clock is behind ours, or ahead.
        ("14:54:00", (), WAITING),
        ("14:54:00", (heartbeat("14:54:25"),), WAITING),
        ("14:54:00", (heartbeat("14:54:30"),), OK),
        ("15:14:00", (), WAITING),
        ("15:14:00", (heartbeat("15:14:30"),), OK),
        # What other clocks show says nothing.
        ("14:54:00", (heartbeat("15:04:00", "node-2"),), WAITING),
        ("14:54:00", (restarted("15:04:00", "web-1", "node-2"),), WAITING),
        ("14:54:00", (reported("15:04:00", "node-2"),), WAITING),
        # Of its own, all that the kubelet reports.
        ("14:54:00", (restarted("14:54:31", "web-1"),), OK),
        ("14:54:00", (reported("14:54:31"),), OK),
    ],
)
def test_how_long_a_container_runs_its_own_node_tells(
    started: str, others: tuple[Object, ...], verdict: Verdict
) -> None:
    assert diagnosis(restarted(started), *others).verdict is verdict


def test_a_pod_is_judged_anew_only_until_its_container_runs_long_enough() -> None:
    """However wrong its clock is: it was seen to run for 30 seconds."""
    seen, history = inventory(restarted("14:00:00")), History()
    entry = seen.entry("web-0")
    assert entry is not None
    found = []

    def judge(entry: Entry, seen: Inventory) -> Verdict:
        verdict = diagnose(entry, seen).verdict
        found.append(verdict.value)
        return verdict

    for number in range(8):
        other = WatchEvent(
            EventType.ADDED, ALL_PODS, START + 10 * number, pod(f"other-{number}")
        )
        for record in history.observe(other):
            seen.observe(record)
        seen.once(judge, entry)
    assert found == ["waiting", "waiting", "waiting", "ok"]


def test_time_alone_settles_it_and_stops_where_a_picture_changes() -> None:
    trace = Trace(Scope((), (PODS,), lambda record: True))
    for number, name in enumerate(("web-0", "web-1")):
        arrival = WatchEvent(
            EventType.ADDED, PODS, START + 10 * number, restarted("14:00:00", name)
        )
        for record in History().observe(arrival):
            trace.observe(record)
    assert [each.verdict for each in trace.picture().roots] == [WAITING, WAITING]
    seen = []
    while trace.pass_time(START + 1000):
        picture = trace.picture()
        seen.append((picture.time - START, [each.verdict for each in picture.roots]))
    # What the clock of the node has shown once, it shows for both.
    assert seen == [(30, [OK, OK])]
    assert not trace.pass_time(START + 5000)
