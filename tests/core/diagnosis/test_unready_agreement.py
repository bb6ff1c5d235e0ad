"""A Pod, its owner, its Service and its Ingress say the same of why it is not ready."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.core.trace.picture import Node
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.render.findings import text as text_of
from tests.builders import (
    APP,
    CREATING,
    READY,
    UNREADY,
    Object,
    a_pod,
    container,
    endpoint,
    endpoint_slice,
    node,
    obj,
    over,
    reported,
    running,
    service,
    waiting,
    workload,
)
from tests.core.trace.test_event_order import at
from tests.examples import examples
from tests.recordings import items_of
from tests.tracing import all_listed, diagnosis, found, selections_for

FAILING, WAITING = Verdict.FAILING, Verdict.WAITING
OWNER = workload("ReplicaSet", "web", spec={"replicas": 1}, replicas=1)
BACKEND = {"service": {"name": "web", "port": {"number": 80}}}
INGRESS = obj("Ingress", uid="ingress", spec={"defaultBackend": BACKEND})
SIDES = (OWNER, service(), INGRESS, endpoint_slice(endpoint("web-0", ready=False)))
KINDS = selections_for(
    [*SIDES, *({"apiVersion": "v1", "kind": each} for each in ("Pod", "Node", "Event"))]
)


def nodes(*objects: Object) -> list[Node]:
    """Return all nodes of a picture in which every object but Events is a root."""
    trace = Trace(Scope((), tuple(KINDS.values()), lambda it: it.gvk.kind != "Event"))
    for item in items_of(History(), all_listed(KINDS, objects)):
        trace.observe(item)
    return list(trace.picture().all())


def seen_from_all_sides(pod: Object, *others: Object) -> None:
    """Check that all who speak of *pod* agree, and say what it says itself."""
    owners = [{"uid": "web", "kind": "ReplicaSet", "controller": True}]
    pod["metadata"] |= {"labels": {"app": "web"}, "ownerReferences": owners}
    bare = "Node" not in {each["kind"] for each in others}
    others += (node("node-1"),) if bare else ()
    alone, drawn = diagnosis(pod, *others), nodes(pod, *SIDES, *others)
    own = [each for each in drawn if each.uid == "pod-uid"]
    assert len(own) == 2  # under the Service, and under its owner
    for each in own:
        assert (each.verdict, each.findings) == (alone.verdict, alone.findings)
    side = {each.uid: each for each in drawn}
    verdict, told = found(side["uid-shop-web"], "pods")
    if ready_of(pod):
        assert (verdict, told) == (Verdict.OK, "1 of 1 Pods ready")
        return
    assert verdict is alone.verdict
    assert side["web"].verdict is not Verdict.OK
    backend, _ = found(side["ingress"], "backend/everything else")
    assert backend is side["uid-shop-web"].verdict
    assert alone.verdict is not FAILING or backend is FAILING
    said = told.removeprefix("0 of 1 Pods ready; web-0: ")
    assert any(text_of(each).startswith(said) for each in alone.findings), said
    if pod["spec"]["nodeName"] and bare:
        _, proxies = found(proxied(pod, *others), "proxy")
        assert proxies.endswith(f"not ready on node-1: {said}"), proxies


def proxied(pod: Object, *others: Object) -> Diagnosis:
    """Return what a Service says where kube-proxy is in the state of *pod*."""
    its = {**pod["metadata"], "name": "kube-proxy-x", "namespace": "kube-system"}
    return diagnosis(service(), {**pod, "metadata": its}, *others)


def ready_of(pod: Object) -> bool:
    return any(
        (each["type"], each["status"]) == ("Ready", "True")
        for each in pod["status"]["conditions"]
    )


MARKED = {"ContainersReady": "True", "Ready": "False"}


@pytest.mark.parametrize("ready", ["Unknown", "False", "True", ""])
def test_a_pod_of_a_lost_node_is_not_ready_for_anybody(ready: str) -> None:
    """It may be lost, come back, or be unknown, as without the right to list nodes."""
    pod = a_pod(container(state=running(), ready=True), conditions=MARKED)
    others = [node("node-1", ready)] if ready else []
    seen_from_all_sides(pod, *others)
    told = diagnosis(pod, *others, unseen={} if ready else {"Node": "may not list"})
    lost = ready in ("Unknown", "False")
    assert told.verdict is (FAILING if lost else WAITING)
    assert found(told, "container/app") == (
        Verdict.UNKNOWN,
        "by its kubelet's last report: running, ready",
    )
    why = "node node-1 is not ready"
    marked = "not ready: the node controller marked it, as node-1 was not ready"
    assert found(told, *(["node"] if lost else ["ready"])) == (
        told.verdict,
        why if lost else marked,
    )


def test_a_pod_that_is_still_ready_on_a_lost_node_is_ready_for_all() -> None:
    pod = a_pod(container(state=running(), ready=True), conditions=READY)
    others = [node("node-1", "Unknown")]
    seen_from_all_sides(pod, *others)
    told = diagnosis(pod, *others)
    assert told.verdict is Verdict.OK
    assert found(told, "node") == (WAITING, "node node-1 is not ready")


PROBES = st.fixed_dictionaries(
    {"exec": st.just({"command": ["true"]})},
    optional={
        "periodSeconds": st.integers(1, 20),
        "failureThreshold": st.integers(1, 5),
        "initialDelaySeconds": st.integers(0, 60),
        "timeoutSeconds": st.integers(1, 30),
    },
)


@st.composite
def probed(draw: st.DrawFn) -> tuple[Object, list[Object]]:
    """Return a Pod whose probes fail any number of times at any time."""
    asked: Object = {
        f"{each}Probe": draw(PROBES)
        for each in ("startup", "readiness", "liveness")
        if draw(st.booleans())
    }
    ready = draw(st.booleans())
    app = container(
        state=running(startedAt=at(0)),
        last=draw(st.sampled_from([None, over(1)])),
        restarts=draw(st.integers(0, 3)),
        ready=ready,
        started=ready or draw(st.booleans()),
        **asked,
    )
    events = []
    for number in range(draw(st.integers(0, 12))):
        which = draw(st.sampled_from(["Readiness", "Liveness", "Startup"]))
        port = draw(st.integers(40_000, 40_003))
        combined = draw(st.sampled_from(["", "(combined from similar events): "]))
        answer = f"read tcp 10.0.0.1:{port}->10.0.0.3:80: read: reset"
        message = f"{combined}{which} probe failed: {answer}"
        if draw(st.integers(0, 9)) == 0:
            message = f"Container app failed {which.lower()} probe, will be restarted"
        first = draw(st.integers(-30, 200))
        told = reported(
            "Killing" if "will be" in message else "Unhealthy",
            message,
            field=APP,
            first=at(first),
            last=at(first + draw(st.integers(0, 100))),
        )
        told["metadata"]["uid"] = f"e{number}"
        events.append(told | {"count": draw(st.integers(1, 30))})
    return a_pod(app, conditions=READY if ready else UNREADY), events


@examples(150)
@given(probed())
def test_all_agree_at_every_count_and_time(made: tuple[Object, list[Object]]) -> None:
    pod, events = made
    seen_from_all_sides(pod, *events)


GATED = {"readinessGates": [{"conditionType": "example.com/lb"}]}
UNSCHEDULED = {"status": "False", "reason": "Unschedulable", "message": "0/3 nodes"}
MESH = container("mesh", waiting("ImagePullBackOff"), restartPolicy="Always")
IN_ALL_WAYS = [
    a_pod(container(state=waiting("ContainerCreating")), conditions=CREATING),
    a_pod(container(state=waiting("CrashLoopBackOff"), last=over(3), restarts=7)),
    a_pod(container(state=waiting("ImagePullBackOff", "no such image"))),
    a_pod(container(state=waiting("CreateContainerError"))),
    a_pod(container(state={"terminated": over(137, "OOMKilled")}, restarts=2)),
    a_pod(container(state={"terminated": over(0, "Completed")})),
    a_pod(container(), init=(container("setup", state=running()),)),
    a_pod(container(), init=(container("setup", state=running()), MESH)),
    a_pod(container(state=running(), startupProbe={"tcpSocket": {"port": 80}})),
    a_pod(container(state=running()), container("b", state=waiting("ErrImagePull"))),
    a_pod(container(state=running(), ready=True), conditions=UNREADY),
    a_pod(
        container(state=running(), ready=True),
        conditions=UNREADY | {"ContainersReady": "True"},
        spec=GATED,
    ),
    a_pod(conditions={"PodScheduled": UNSCHEDULED}, spec={"nodeName": ""}),
    a_pod(container(), phase="Pending", spec={"nodeName": ""}),
    a_pod(container(), phase="Pending"),
    a_pod(phase="Unknown", conditions={"Ready": "Unknown"}),
    a_pod(container(state=running(), ready=True), conditions=READY),
]


@pytest.mark.parametrize("pod", IN_ALL_WAYS)
@pytest.mark.parametrize("lost", [False, True])
def test_all_agree_whatever_keeps_a_pod(pod: Object, lost: bool) -> None:
    seen_from_all_sides(pod, *([node("node-1", ready="Unknown")] if lost else []))


PROBE = {"exec": {"command": ["true"]}}
"""With the defaults: every 10 s, 3 failures."""


def readiness(
    times: Sequence[tuple[float, float, int]], **spec: Any
) -> tuple[Verdict, str]:
    """Return what is said of a probe that failed from, until and how often."""
    started = spec.pop("started", True)
    spec = {"readinessProbe": PROBE, **spec}
    app = container(state=running(startedAt=at(0)), started=started, **spec)
    events = [
        reported("Unhealthy", f"Readiness probe failed: {number}", field=APP)
        | {"firstTimestamp": at(first), "lastTimestamp": at(last), "count": count}
        for number, (first, last, count) in enumerate(times)
    ]
    return found(
        diagnosis(a_pod(app, conditions=UNREADY), *events), "probe/app/readiness"
    )


@pytest.mark.parametrize(
    ("times", "verdict"),
    [
        ([(5, 25, 3)], FAILING),  # three of three
        ([(5, 15, 2)], WAITING),
        ([(5, 5, 1), (15, 15, 1), (25, 25, 1)], FAILING),  # each with its own message
        ([(2, 4, 5)], WAITING),  # more often than the period: it belongs to a start
        ([(90, 100, 2)], FAILING),  # eight more must have failed, or three in a row
        ([(100, 100, 1)], FAILING),  # the kubelet reports less often after a while
        ([(-300, 5, 40)], WAITING),  # most of these are of the run before
        ([(-300, 60, 40)], FAILING),
    ],
)
def test_a_readiness_probe_fails_after_its_threshold_of_failures(
    times: list[tuple[float, float, int]], verdict: Verdict
) -> None:
    assert readiness(times)[0] is verdict


def test_the_time_of_a_startup_probe_is_none_of_the_readiness_probes() -> None:
    slow = {**PROBE, "failureThreshold": 30}
    assert readiness([(95, 95, 1)], startupProbe=slow)[0] is WAITING
    assert readiness([(95, 116, 3)], startupProbe=slow)[0] is FAILING
    assert readiness([(-9, 95, 30)], startupProbe=slow)[0] is WAITING
    assert readiness([(-9, 400, 2)], startupProbe=slow)[0] is FAILING


def test_settings_of_any_size_are_read() -> None:
    huge = dict.fromkeys(("periodSeconds", "initialDelaySeconds"), 10**400)
    assert readiness([(5, 25, 3)], readinessProbe=PROBE | huge)[0] is WAITING
