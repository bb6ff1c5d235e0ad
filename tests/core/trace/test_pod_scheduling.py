"""What keeps a Pod from getting a node, in the scheduler's words made short."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.trace.picture import Diagnosis, Finding, Verdict
from tests.core.trace.pods import a_pod, container
from tests.tracing import diagnosis, found

WAITING = Verdict.WAITING


def unscheduled(message: str, reason: str = "Unschedulable", **spec: Any) -> Diagnosis:
    scheduled = {"status": "False", "reason": reason, "message": message}
    pod = a_pod(
        container(),
        phase="Pending",
        conditions={"PodScheduled": scheduled},
        spec={"nodeName": "", **spec},
    )
    return diagnosis(pod)


def about(result: Diagnosis, what: str) -> Finding:
    (finding,) = [each for each in result.findings if each.about == what]
    return finding


PREEMPTION = (
    ". preemption: 0/3 nodes are available: 1 No preemption victims found for incoming "
    "pod, 2 Preemption is not helpful for scheduling."
)


@pytest.mark.parametrize(
    ("message", "text", "remedy"),
    [
        (
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had "
            "untolerated taint "
            "{node-role.kubernetes.io/control-plane: }" + PREEMPTION,
            "none of 3 nodes fits: insufficient cpu (1), had untolerated taint "
            "{node-role.kubernetes.io/control-plane: } (2)",
            "tolerate the taint, or remove it from nodes",
        ),
        (
            "0/3 nodes are available: 3 Insufficient memory. no new claims to "
            "deallocate" + PREEMPTION.replace(".", ",", 1),
            "none of 3 nodes fits: insufficient memory (3)",
            "lower resources.requests of the Pod, or add nodes",
        ),
        (
            "0/3 nodes are available: 1 node(s) had taint {a: b}, that the pod didn't "
            "tolerate, 2 Too many pods.",
            "none of 3 nodes fits: had taint {a: b}, that the pod didn't tolerate (1), "
            "too many pods (2)",
            "add nodes, or let some Pods go",
        ),
        (
            "0/2 nodes are available: pod has unbound immediate "
            "PersistentVolumeClaims. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful.",
            "none of 2 nodes fits: pod has unbound immediate PersistentVolumeClaims",
            "look at the Pod's PersistentVolumeClaims",
        ),
        (
            '0/1 nodes are available: persistentvolumeclaim "data" not found. '
            "preemption: "
            "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
            "cannot be scheduled: PersistentVolumeClaim data does not exist",
            "create PersistentVolumeClaim data in namespace shop",
        ),
        (
            "0/1 nodes are available: 1 node(s) were unschedulable.",
            "the only node does not fit: were unschedulable",
            "kubectl uncordon a node",
        ),
        (
            "0/2 nodes are available: 2 node(s) didn't match Pod's node "
            "affinity/selector.",
            "none of 2 nodes fits: didn't match Pod's node affinity/selector (2)",
            "compare spec.affinity.nodeAffinity with kubectl get nodes --show-labels",
        ),
        (
            "no nodes available to schedule pods",
            "no node fits: no nodes available to schedule pods",
            "kubectl describe pod web-0 -n shop",
        ),
        (
            "0/0 nodes are available: .",
            "the cluster has no nodes",
            "kubectl describe pod web-0 -n shop",
        ),
        (
            "",
            "no node fits: the scheduler does not say why",
            "kubectl describe pod web-0 -n shop",
        ),
    ],
)
def test_the_scheduler_s_message_is_distilled_into_its_parts(
    message: str, text: str, remedy: str
) -> None:
    result = unscheduled(message)
    finding = about(result, "scheduling")
    assert (finding.text, finding.remedy) == (text, remedy)
    # An autoscaler may bring a node.
    assert (result.phase, result.verdict) == ("Pending", WAITING)


def test_a_node_selector_is_shown_as_the_search_for_its_nodes() -> None:
    message = (
        "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
    )
    result = unscheduled(message, nodeSelector={"disk": "ssd", "zone": "a b"})
    assert about(result, "scheduling").remedy == (
        "label a node, or correct nodeSelector: kubectl get nodes -l "
        "'disk=ssd,zone=a b'"
    )


@pytest.mark.parametrize(
    ("gates", "text"),
    [
        (["a.example.com/quota"], "held back by scheduling gate a.example.com/quota"),
        (["a/x", "b/y"], "held back by scheduling gates a/x and b/y"),
        ([], "held back"),
    ],
)
def test_scheduling_gates_are_named(gates: list[str], text: str) -> None:
    named = [{"name": each} for each in gates]
    result = unscheduled(
        "Scheduling is blocked", "SchedulingGated", schedulingGates=named
    )
    assert result.phase == "SchedulingGated"
    assert found(result, "scheduling") == (WAITING, text)


def test_other_answers_and_other_schedulers_are_told() -> None:
    assert found(
        unscheduled("running PreBind: oh", "SchedulerError"), "scheduling"
    ) == (
        WAITING,
        "not scheduled: running PreBind: oh",
    )
    pod = a_pod(phase="Pending", spec={"nodeName": "", "schedulerName": "batch"})
    assert found(diagnosis(pod), "scheduling")[1] == "waits for the scheduler batch"


def test_the_node_that_is_being_cleared_for_it_is_named() -> None:
    pod = a_pod(phase="Pending", spec={"nodeName": ""}, nominatedNodeName="node-7")
    assert found(diagnosis(pod), "scheduling")[1] == (
        "waits for the scheduler; other Pods are being removed from node-7 to make room"
    )


@pytest.mark.parametrize(
    ("bound", "remedy"),
    [
        ("2026-11-21T15:00:00Z", "kubectl get node nowhere"),
        ("2026-11-21T15:04:04Z", ""),  # a second ago
        ("", ""),
    ],
)
def test_a_pod_that_no_node_takes_up_says_how_to_look_for_the_node(
    bound: str, remedy: str
) -> None:
    """As with one whose spec.nodeName is a node that there is not."""
    scheduled = {"PodScheduled": {"status": "True", "lastTransitionTime": bound}}
    told = diagnosis(
        a_pod(
            container(),
            phase="Pending",
            conditions=scheduled,
            spec={"nodeName": "nowhere"},
        )
    )
    assert found(told, "kubelet")[0] is Verdict.WAITING
    assert [each.remedy for each in told.findings if each.about == "kubelet"] == [
        remedy
    ]
