"""Why a Pod goes, or is gone."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.record import Listed
from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.render.findings import text as text_of
from tests.builders import (
    ALL_PODS,
    NODE,
    READY,
    UNREADY,
    a_pod,
    container,
    node,
    over,
    reported,
    running,
    waiting,
)
from tests.tracing import START, diagnosed_in, diagnosis, found, inventory

OK, WAITING, FAILING = Verdict.OK, Verdict.WAITING, Verdict.FAILING
DELETED = {
    "deletionTimestamp": "2026-11-21T15:05:00Z",
    "deletionGracePeriodSeconds": 30,
}
UP = container(state=running(), ready=True)


@pytest.mark.parametrize(
    ("reason", "message", "about", "text"),
    [
        (
            "Evicted",
            "The node was low on resource: memory. Container app was using 2Gi, "
            "request "
            "is 1Gi, has larger consumption of memory. ",
            "eviction",
            "Evicted: The node was low on resource: memory. "
            "Container app was "
            "using 2Gi, request is 1Gi, has larger consumption of memory.",
        ),
        (
            "DeadlineExceeded",
            "Pod was active on the node longer than the specified deadline",
            "deadline",
            "DeadlineExceeded (activeDeadlineSeconds): Pod was active on the node "
            "longer than the specified deadline",
        ),
        (
            "Terminated",
            "Pod was terminated in response to imminent node shutdown.",
            "eviction",
            "ended by the shutdown of its node: Pod was terminated in response to "
            "imminent node shutdown.",
        ),
        (
            "OutOfcpu",
            "Pod was rejected: Node didn't have enough resource: cpu",
            "node",
            "OutOfcpu: Pod was rejected: Node didn't have enough resource: cpu",
        ),
        ("Novel", "", "pod", "Novel"),
    ],
)
def test_a_pod_that_failed_as_a_whole_says_why_and_stays_so(
    reason: str, message: str, about: str, text: str
) -> None:
    pod = a_pod(phase="Failed", reason=reason, message=message)
    result = diagnosis(pod)
    assert (result.phase, result.verdict, result.final) == (reason, FAILING, True)
    assert found(result, about) == (FAILING, text)
    assert [each.final for each in result.findings] == [True]


@pytest.mark.parametrize(
    "state", [waiting("ContainerCreating"), waiting("PodInitializing"), running()]
)
def test_a_container_of_an_evicted_pod_waits_for_nothing(state: dict[str, Any]) -> None:
    """Its status is from before the eviction."""
    pod = a_pod(container(state=state), phase="Failed", reason="Evicted", message="low")
    result = diagnosis(pod)
    assert (result.phase, result.verdict) == ("Evicted", FAILING)
    assert [each.about for each in result.findings] == ["eviction"]
    stuck = container(state=waiting("ImagePullBackOff", "Back-off pulling image"))
    result = diagnosis(a_pod(stuck, phase="Failed", reason="DeadlineExceeded"))
    assert (result.phase, result.verdict) == ("DeadlineExceeded", FAILING)
    assert [each.about for each in result.findings] == ["deadline", "container/app"]


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (
            "PreemptionByScheduler",
            "preempted: a Pod of higher priority needs its place",
        ),
        ("EvictionByEvictionAPI", "evicted by the Eviction API, as kubectl drain does"),
        ("DeletionByTaintManager", "evicted for a NoExecute taint of its node"),
        ("Novel", "about to be removed (Novel)"),
    ],
)
def test_a_disruption_is_shown_before_the_pod_ends(reason: str, text: str) -> None:
    target = {"DisruptionTarget": {"status": "True", "reason": reason, "message": "m"}}
    for metadata, verdict in (({}, OK), (DELETED, WAITING)):
        result = diagnosis(a_pod(UP, conditions=READY | target, metadata=metadata))
        assert result.verdict is verdict
        assert found(result, "disruption") == (WAITING, f"{text}: m")


def test_a_disruption_is_reported_once() -> None:
    target = {"DisruptionTarget": {"status": "True", "reason": "TerminationByKubelet"}}
    pod = a_pod(phase="Failed", reason="Evicted", conditions=target)
    assert [each.about for each in diagnosis(pod).findings] == ["eviction"]


def test_a_pod_that_its_node_cannot_stop_says_so() -> None:
    stuck = reported("FailedKillPod", "error killing pod: device or resource busy")
    result = diagnosis(a_pod(UP, metadata=DELETED), stuck)
    assert found(result, "deletion")[1] == (
        "being deleted, but its node cannot stop it: error killing pod: "
        "device or resource busy"
    )


def test_a_deletion_began_a_grace_period_before_its_time() -> None:
    result = diagnosis(a_pod(UP, conditions=READY, metadata=DELETED))
    assert (result.phase, result.verdict) == ("Terminating", WAITING)
    assert found(result, "deletion") == (WAITING, "being deleted")
    assert [each.about for each in result.findings] == ["deletion"]
    # 15:05:00 is 55 seconds after the streams' clock starts.
    assert result.since == START + 55 - 30


def test_finalizers_that_hold_a_pod_are_named() -> None:
    held = DELETED | {"finalizers": ["example.com/a", "example.com/b"]}
    running_still = diagnosis(a_pod(UP, metadata=held))
    assert found(running_still, "deletion")[1] == (
        "being deleted, held by finalizers example.com/a and example.com/b"
    )
    gone = container(state={"terminated": over(0, "Completed")})
    stopped = diagnosis(a_pod(gone, phase="Succeeded", metadata=held))
    assert found(stopped, "deletion") == (
        WAITING,
        "deleted, but held by finalizers example.com/a and example.com/b",
    )


def test_a_crash_loop_of_a_pod_that_goes_is_no_failure() -> None:
    looping = container(state=waiting("CrashLoopBackOff"), last=over(1), restarts=3)
    result = diagnosis(a_pod(looping, conditions=UNREADY, metadata=DELETED))
    assert result.verdict is WAITING
    assert found(result, "container/app") == (OK, "does not run")


@pytest.mark.parametrize(("later", "verdict"), [(59, WAITING), (61, FAILING)])
def test_a_pod_past_its_grace_period_is_failing(later: float, verdict: Verdict) -> None:
    """By the clock of who watches alone: it is seen to stand still."""
    document = a_pod(UP, metadata=DELETED)
    seen = inventory(document)
    seen.observe(Listed(ALL_PODS, 1, START + later))
    result = diagnosed_in(seen, "pod-uid")
    assert result.verdict is verdict
    if verdict is FAILING:
        assert found(result, "deletion")[1] == (
            "still there after its grace period of 30s: node node-1 may be unreachable"
        )


def test_a_lost_node_reads_as_in_kubectl() -> None:
    lost = a_pod(UP, reason="NodeLost", message="Node node-1 is gone", metadata=DELETED)
    result = diagnosis(lost)
    assert (result.phase, result.verdict) == ("Unknown", FAILING)
    assert found(result, "node") == (
        FAILING,
        "NodeLost: its node does not answer any more: Node node-1 is gone",
    )


def with_ready(status: str) -> dict[str, Any]:
    ready = {"type": "Ready", "status": status, "message": "Kubelet stopped posting."}
    return node(NODE, status={"conditions": [ready]})


def test_an_unready_node_is_known_from_the_node() -> None:
    pod = a_pod(UP, conditions=READY)
    assert diagnosis(pod, with_ready("True")).verdict is OK
    told = "node node-1 is not ready: Kubelet stopped posting."
    assert found(diagnosis(pod, with_ready("Unknown")), "node") == (WAITING, told)
    pod = a_pod(UP, conditions=READY | {"Ready": "False"})
    assert found(diagnosis(pod, with_ready("Unknown")), "node") == (FAILING, told)


def test_an_unready_node_is_known_from_an_event() -> None:
    report = reported("NodeNotReady", "Node is not ready")
    result = diagnosis(a_pod(UP, conditions=UNREADY), report)
    assert found(result, "node") == (FAILING, "node node-1 is not ready")
    # The kubelet writes reasons: it is back.
    back = UNREADY | {"Ready": {"status": "False", "reason": "ContainersNotReady"}}
    assert diagnosis(a_pod(UP, conditions=back), report).verdict is WAITING
    assert diagnosis(a_pod(UP, conditions=READY), report).verdict is OK


def test_a_phase_that_is_unknown_is_unknown() -> None:
    assert diagnosis(a_pod(phase="Unknown")).verdict is Verdict.UNKNOWN


def ending(grace: int, **spec: Any) -> tuple[str, str]:
    """Return what is said of a Pod that is being deleted, and what helps."""
    deleted = DELETED | {"deletionGracePeriodSeconds": grace}
    app = container(state=running(), ready=True, **spec)
    whole = {"terminationGracePeriodSeconds": 240}
    (finding,) = diagnosis(a_pod(app, metadata=deleted, spec=whole)).findings
    return text_of(finding), finding.remedy


def test_a_long_grace_period_says_how_long_and_what_takes_it() -> None:
    assert ending(240) == (
        "being deleted, may take 240s (terminationGracePeriodSeconds): container app"
        " runs until it ends on SIGTERM",
        "",  # nothing is wrong before it is over
    )
    assert ending(30) == ("being deleted", "")
    assert "may take 60s (as the deletion asks for): " in ending(60)[0]


@pytest.mark.parametrize(
    ("hook", "named"),
    [
        ({"exec": {"command": ["sh", "-c", "sleep 20"]}}, " (sh -c sleep 20)"),
        ({"sleep": {"seconds": 25}}, " (sleep 25)"),
        ({"httpGet": {"path": "/drain", "port": 80}}, ""),
    ],
)
def test_a_running_prestop_hook_is_named(hook: dict[str, Any], named: str) -> None:
    told, remedy = ending(30, lifecycle={"preStop": hook})
    assert told == (
        "being deleted, may take 30s (as the deletion asks for): container app has a"
        f" preStop hook{named} that runs first"
    )
    assert remedy == ""
