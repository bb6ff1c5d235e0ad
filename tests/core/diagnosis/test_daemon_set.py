"""What a trace says of DaemonSets."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.render.findings import text as text_of
from tests.builders import pod_of, reported, workload
from tests.core.diagnosis.workloads import is_ok, phases, roles, roots, texts
from tests.tracing import diagnosis

TARGET = ("workloads", "DaemonSet/agent")
GENERATION = "deprecated.daemonset.template.generation"


def daemon_set(*, spec: dict[str, Any] | None = None, **status: Any) -> Any:
    """Return a DaemonSet that is fine on three nodes, but for what is given."""
    counts = (
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    )
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "50%"}}
    return workload(
        "DaemonSet",
        "agent",
        metadata={"annotations": {GENERATION: "2"}},
        spec={"updateStrategy": rolling, **(spec or {})},
        **dict[str, Any](dict.fromkeys(counts, 3)) | status,
    )


def on_node(name: str, node: str, *, ready: bool = True, template: str = "2") -> Any:
    labels = {"pod-template-generation": template}
    pod = pod_of("agent", name, ready=ready, labels=labels)
    return {**pod, "spec": {"nodeName": node}}


def test_a_daemon_set_is_complete_when_all_numbers_agree() -> None:
    oks = 0
    for _, node, document in roots(*TARGET):
        if is_ok(node):
            oks += 1
            status = document["status"]
            assert status["observedGeneration"] == document["metadata"]["generation"]
            assert status["numberReady"] == status["desiredNumberScheduled"] == 1
            assert status["numberAvailable"] == status["updatedNumberScheduled"] == 1
    assert oks
    assert phases(*TARGET) == ["Waiting", "ScalingUp", "Unavailable", "Complete"]


def test_pods_are_named_by_their_nodes() -> None:
    assert roles(*TARGET, 10) == ["agent-nmk6b: node1"]


def test_pods_that_are_not_ready_come_first_and_then_by_node() -> None:
    unplaced = pod_of("agent", "z", ready=False)
    field = {"key": "metadata.name", "operator": "In", "values": ["node-9"]}
    terms = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    unplaced["spec"] = {"affinity": {"nodeAffinity": required}}
    told = diagnosis(
        daemon_set(),
        on_node("a", "node-2"),
        on_node("b", "node-1", template="1"),
        unplaced,
    )
    assert [each.role for each in told.children or ()] == [
        "node-9",
        "node-1, to be updated",
        "node-2",
    ]


def test_an_update_says_what_is_left_and_how_many_go_at_a_time() -> None:
    told = diagnosis(daemon_set(updatedNumberScheduled=1))
    assert (told.phase, told.verdict) == ("Updating", Verdict.WAITING)
    assert told.summary == "ready on 3 of 3 nodes, updated on 1"
    assert texts(told) == ["still to update: 2 nodes (2 at a time: maxUnavailable 2)"]
    surge = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}
    told = diagnosis(
        daemon_set(spec={"updateStrategy": surge}, updatedNumberScheduled=2)
    )
    assert texts(told) == ["still to update: 1 node (1 at a time: maxSurge 1)"]


def test_on_delete_says_that_somebody_has_to() -> None:
    spec = {"updateStrategy": {"type": "OnDelete"}}
    told = diagnosis(daemon_set(spec=spec, updatedNumberScheduled=2))
    # Nothing more happens by itself: that is what `--for ready` says, too.
    assert (told.phase, told.verdict) == ("Outdated", Verdict.OK)
    assert told.findings[0].verdict is Verdict.WAITING
    assert texts(told) == [
        "the old revision is on 1 node: a Pod is updated when somebody deletes it"
        " (OnDelete)"
    ]


def test_a_node_without_a_pod_is_reported_with_the_cause() -> None:
    refused = (
        'Error creating: pods "agent-x" is forbidden: violates PodSecurity '
        '"baseline:latest": host namespaces (hostNetwork=true)'
    )
    told = diagnosis(
        daemon_set(currentNumberScheduled=2),
        reported("FailedCreate", refused, about="agent"),
    )
    assert told.verdict is Verdict.FAILING
    assert texts(told) == [
        "cannot create Pods: Pod Security baseline:latest forbids it: host namespaces"
        " (hostNetwork=true)",
        "1 node is still without a Pod",
    ]
    assert told.findings[0].final


def test_a_daemon_set_without_nodes_is_ok_and_says_so() -> None:
    none = daemon_set()
    none["status"] = dict.fromkeys(none["status"], 0) | {"observedGeneration": 1}
    told = diagnosis(none)
    assert (told.phase, told.summary) == ("NoNodes", "no node is to run it")
    assert is_ok(told)


def test_a_misscheduled_pod_is_reported_and_is_no_failure() -> None:
    told = diagnosis(daemon_set(numberMisscheduled=1))
    assert (told.phase, told.verdict) == ("Complete", Verdict.OK)
    assert [(each.verdict, text_of(each)) for each in told.findings] == [
        (
            Verdict.WAITING,
            "a Pod runs on 1 node that should not have one; it is deleted, unless all"
            " that is against it is a taint NoSchedule",
        )
    ]


def test_a_pod_that_is_made_for_no_known_node_says_so() -> None:
    told = diagnosis(daemon_set(), pod_of("agent", "a", ready=False))
    assert [each.role for each in told.children or ()] == ["no node yet"]
    odd = pod_of("agent", "a")
    fields = [{"key": "metadata.name", "values": None}, {"key": "other"}]
    terms = {"nodeSelectorTerms": [{"matchFields": fields}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    odd["spec"] = {"affinity": {"nodeAffinity": required}}
    told = diagnosis(daemon_set(), odd)
    assert [each.role for each in told.children or ()] == ["no node yet"]
