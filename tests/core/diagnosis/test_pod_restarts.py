"""Whether a container that was restarted runs for long enough to be fine."""

from __future__ import annotations

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.core.trace.trace import Trace
from tests.builders import (
    ALL_PODS,
    NODE,
    OF_KUBELET,
    Object,
    a_pod,
    container,
    node,
    pod,
    ready_since,
    reported,
)
from tests.tracing import (
    START,
    diagnosed_in,
    diagnosis,
    entry_of,
    feed,
    inventory,
    selection_of,
)

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
    ready = ready_since(day(at))
    return a_pod(app, conditions=ready, metadata=its, spec={"nodeName": node})


def heartbeat(at: str, name: str = NODE) -> Object:
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": day(at)}
    return node(name, status={"conditions": [ready]})


def pulled(at: str, host: str = NODE) -> Object:
    """Return an Event that the kubelet of a node made of some other object."""
    told = reported("Pulled", "Container image is there", about="other", first=day(at))
    return told | {"source": {"component": "kubelet", "host": host}}


@pytest.mark.parametrize(
    "other",
    [heartbeat("15:04:00"), restarted("15:04:00", "web-1"), pulled("15:04:00")],
)
def test_only_its_pod_says_how_long_a_container_ran(other: Object) -> None:
    """Not every trace watches it: the verdict would depend on what was asked for."""
    assert diagnosis(restarted("14:54:00"), other).verdict is WAITING


@pytest.mark.parametrize(
    ("written", "lag", "ready", "verdict"),
    [
        # The list is of 15:04:05, by our clock; the container has to run for 30 s.
        ("15:03:34", 0.0, "14:54:00", OK),
        ("15:03:35", 0.0, "14:54:00", WAITING),
        # It was ready 16 s after its start, by the clock of its node.
        ("15:03:50", 0.0, "14:54:16", OK),
        ("15:03:51", 0.0, "14:54:16", WAITING),
        # The API server's clock is behind ours, or ahead.
        ("14:03:34", 3600.0, "14:54:00", OK),
        ("14:03:35", 3600.0, "14:54:00", WAITING),
        ("16:03:34", -3600.0, "14:54:00", OK),
        ("16:03:35", -3600.0, "14:54:00", WAITING),
        # The API server did not say what time it was, or when that was written.
        ("15:03:34", None, "14:54:00", WAITING),
        ("junk", 0.0, "14:54:00", WAITING),
        (7, 0.0, "14:54:00", WAITING),
    ],
)
def test_a_container_runs_at_least_since_its_status_was_written(
    written: str | int, lag: float | None, ready: str, verdict: Verdict
) -> None:
    """managedFields say when, by the API server's clock; a Date, what time it is."""
    its = restarted("14:54:00")
    its["status"]["conditions"][1]["lastTransitionTime"] = day(ready)
    time = written if written in (7, "junk") else day(str(written))
    early = {"manager": "me", "operation": "Update", "time": day("12:00:00")}
    status = {**early, "manager": "kubelet", "time": time, **OF_KUBELET}
    later = {**early, "subresource": "status", "time": day("15:04:00")}
    its["metadata"]["managedFields"] = [early, status, later]
    history, seen = History(), Inventory()
    listed = WatchEvent(EventType.LISTED, PODS, START, its, lag=lag)
    feed(seen, [listed], history)
    assert diagnosed_in(seen, "web-0").verdict is verdict


def test_a_pod_is_judged_anew_only_until_its_container_runs_long_enough() -> None:
    """However wrong its clock is: it was seen to run for 30 seconds."""
    seen, history = inventory(restarted("14:00:00")), History()
    entry = entry_of(seen, "web-0")
    found = []

    def judge(entry: Entry, seen: Inventory) -> Verdict:
        verdict = diagnose(entry, seen).verdict
        found.append(verdict.value)
        return verdict

    for number in range(8):
        other = WatchEvent(
            EventType.ADDED, ALL_PODS, START + 10 * number, pod(f"other-{number}")
        )
        feed(seen, [other], history)
        seen.once(judge, entry)
    assert found == ["waiting", "waiting", "waiting", "ok"]


def test_time_alone_settles_it_and_stops_where_a_picture_changes() -> None:
    trace = Trace(Scope((), (PODS,), lambda record: True))
    for number, name in enumerate(("web-0", "web-1")):
        arrival = WatchEvent(
            EventType.ADDED, PODS, START + 10 * number, restarted("14:00:00", name)
        )
        feed(trace, [arrival], History())
    assert [each.verdict for each in trace.picture().roots] == [WAITING, WAITING]
    seen = []
    while trace.pass_time(START + 1000):
        picture = trace.picture()
        seen.append((picture.time - START, [each.verdict for each in picture.roots]))
    assert seen == [(30, [OK, WAITING]), (40, [OK, OK])]
    assert not trace.pass_time(START + 5000)
