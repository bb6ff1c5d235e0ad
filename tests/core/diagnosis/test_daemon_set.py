"""What a trace says of DaemonSets."""

from __future__ import annotations

from typing import Any

from tests.builders import pod_of, reported, workload
from tests.core.diagnosis.cases import Row, Rules, check, rows
from tests.core.diagnosis.workloads import phases, roles
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


def test_a_recorded_daemon_set_starts_and_names_its_nodes() -> None:
    assert phases(*TARGET) == ["Waiting", "ScalingUp", "Unavailable", "Complete"]
    assert roles(*TARGET, 10) == ["agent-nmk6b: node1"]


def placed(name: str, *fields: dict[str, Any]) -> Any:
    """Return a Pod that is made for a node and has not got there."""
    terms = {"nodeSelectorTerms": [{"matchFields": list(fields)}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    pod = pod_of("agent", name, ready=False)
    return pod | {"spec": {"affinity": {"nodeAffinity": required}}}


ON_NODE_9 = {"key": "metadata.name", "operator": "In", "values": ["node-9"]}
SURGE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}
ON_DELETE = {"type": "OnDelete"}
NONE = daemon_set()
NONE["status"] = dict.fromkeys(NONE["status"], 0) | {"observedGeneration": 1}
REFUSED = reported(
    "FailedCreate",
    'Error creating: pods "agent-x" is forbidden: violates PodSecurity'
    ' "baseline:latest": host namespaces (hostNetwork=true)',
    about="agent",
)
DAEMON_SETS: Rules = {
    "Pods that are not ready come first and then by node": (
        *(daemon_set(), on_node("a", "node-2"), on_node("b", "node-1", template="1")),
        placed("z", ON_NODE_9),
        "> node-9; node-1, to be updated; node-2",
    ),
    "an update says what is left and how many go at a time": (
        daemon_set(updatedNumberScheduled=1),
        "Updating waiting",
        "= ready on 3 of 3 nodes, updated on 1",
        "rollout: NodesToUpdate nodes=2 unavailable=2",
        "no others",
    ),
    "an update may surge": (
        daemon_set(spec={"updateStrategy": SURGE}, updatedNumberScheduled=2),
        "rollout: NodesToUpdate nodes=1 surge=1",
        "no others",
    ),
    # Nothing more happens by itself: that is what `--for ready` says, too.
    "OnDelete says that somebody has to": (
        daemon_set(spec={"updateStrategy": ON_DELETE}, updatedNumberScheduled=2),
        "Outdated ok",
        "rollout: UpdatesOnDelete nodes=1",
        "no others",
    ),
    "a node without a Pod is reported with the cause": (
        *(daemon_set(currentNumberScheduled=2), REFUSED),
        "ScalingUp failing",
        "creation: CreationRefused what=Pods why=(PodSecurityForbids "
        "level=baseline:latest message=host namespaces (hostNetwork=true))",
        "rollout: NodesWithoutPod nodes=1",
        "no others",
    ),
    "a DaemonSet without nodes is fine and says so": (
        NONE,
        "NoNodes ok",
        "= no node is to run it",
    ),
    "a misscheduled Pod is reported and is no failure": (
        daemon_set(numberMisscheduled=1),
        "Complete ok",
        "misscheduled: Misscheduled nodes=1",
        "no others",
    ),
    "a Pod that is made for no known node says so": (
        *(daemon_set(), pod_of("agent", "a", ready=False)),
        "> no node yet",
    ),
    "a Pod that is made for odd nodes has none yet": (
        daemon_set(),
        placed("a", {"key": "metadata.name", "values": None}, {"key": "other"}),
        "> no node yet",
    ),
}


@rows(DAEMON_SETS)
def test_daemon_sets_say_what_they_wait_for(row: Row) -> None:
    check(row)


def test_a_refusal_is_final() -> None:
    told = diagnosis(daemon_set(currentNumberScheduled=2), REFUSED)
    assert told.findings[0].final
