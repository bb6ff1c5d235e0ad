"""kstatus's own table, and the six objects of it about which we say something else.

The objects are written anew after the cases of
https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/status/status_compute_test.go
"""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.readiness.readiness import State, readiness
from tests.builders import manifest

CURRENT, IN_PROGRESS, FAILED = State.CURRENT, State.IN_PROGRESS, State.FAILED


def when(*conditions: str, **status: Any) -> dict[str, Any]:
    """Return a status with conditions given as `Ready=False:Reason`."""
    found = []
    for each in conditions:
        kind, _, rest = each.partition("=")
        value, _, reason = rest.partition(":")
        found.append({"type": kind, "status": value, "reason": reason})
    return {"conditions": found, **status}


def seen(*conditions: str, **status: Any) -> dict[str, Any]:
    """Return the status of an object whose controller has seen its generation 1."""
    return when(*conditions, observedGeneration=1, **status)


LOOPS = [{"name": "web", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]
UNSCHEDULED = "PodScheduled=False:Unschedulable"
SET = {"replicas": 4, "currentReplicas": 4, "readyReplicas": 4}
DAEMONS = {
    "desiredNumberScheduled": 4,
    "currentNumberScheduled": 4,
    "updatedNumberScheduled": 4,
    "numberAvailable": 4,
    "numberReady": 4,
}
ONE = dict.fromkeys(
    ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), 1
)
FOUR = dict.fromkeys(
    ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"), 4
)
NEW = "Progressing=True:NewReplicaSetAvailable"
RUNS_JOB = {"startTime": "2019-06-04T01:17:13Z", "succeeded": 3, "active": 2}

TABLE: list[tuple[str, Any, Any, State]] = [
    ("Pod", None, None, IN_PROGRESS),
    ("Pod", None, when("Ready=True", phase="Running"), CURRENT),
    ("Pod", None, when("Ready=False:PodCompleted", phase="Succeeded"), CURRENT),
    ("Pod", None, when(UNSCHEDULED, phase="Pending"), IN_PROGRESS),
    ("Pod", None, when(phase="Running", containerStatuses=LOOPS), FAILED),
    ("PersistentVolumeClaim", None, None, IN_PROGRESS),
    ("PersistentVolumeClaim", None, {"phase": "Bound"}, CURRENT),
    ("StatefulSet", None, None, IN_PROGRESS),
    ("StatefulSet", None, seen(currentReplicas=1), IN_PROGRESS),
    ("StatefulSet", 4, seen(**{**SET, "readyReplicas": 2}), IN_PROGRESS),
    ("StatefulSet", 4, seen(**{**SET, "currentReplicas": 2}), IN_PROGRESS),
    ("StatefulSet", 4, seen(**{**SET, "replicas": 8}), IN_PROGRESS),
    ("DaemonSet", None, None, IN_PROGRESS),
    ("DaemonSet", None, seen(currentReplicas=1), IN_PROGRESS),
    ("DaemonSet", None, seen(**DAEMONS), CURRENT),
    ("DaemonSet", None, when(**DAEMONS, observedGeneration=0), IN_PROGRESS),
    ("DaemonSet", None, seen(**{**DAEMONS, "numberReady": 2}), IN_PROGRESS),
    ("DaemonSet", None, seen(**{**DAEMONS, "numberAvailable": 2}), IN_PROGRESS),
    ("Deployment", None, None, IN_PROGRESS),
    ("Deployment", None, seen(NEW, "Available=True", **ONE), CURRENT),
    ("Deployment", None, seen("Progressing=False:x", **ONE), IN_PROGRESS),
    ("Deployment", None, seen("Available=True", **ONE), CURRENT),
    ("Deployment", None, seen(NEW, "Available=False", **ONE), IN_PROGRESS),
    ("ReplicaSet", None, None, IN_PROGRESS),
    ("ReplicaSet", 4, seen("ReplicaFailure=False", **FOUR), CURRENT),
    ("ReplicaSet", 4, seen(**FOUR), CURRENT),
    ("ReplicaSet", 4, seen(**{**FOUR, "availableReplicas": 2}), IN_PROGRESS),
    ("ReplicaSet", 4, seen(**{**FOUR, "readyReplicas": 2}), IN_PROGRESS),
    ("ReplicaSet", 4, seen("ReplicaFailure=True", **FOUR), IN_PROGRESS),
    ("PodDisruptionBudget", None, {"observedGeneration": 0}, IN_PROGRESS),
    ("PodDisruptionBudget", None, {"observedGeneration": 1}, CURRENT),
    ("Widget", None, None, CURRENT),
    ("Widget", None, {"observedGeneration": 0}, IN_PROGRESS),
    ("Widget", None, when("Ready=True:AllOk"), CURRENT),
    ("Widget", None, seen("Ready=False:NotReadyYet"), IN_PROGRESS),
    ("Job", None, None, IN_PROGRESS),
    ("Job", None, when("Complete=True", succeeded=1), CURRENT),
    ("Job", None, when("Failed=True:JobFailed", succeeded=3, failed=1), FAILED),
    ("CronJob", None, None, CURRENT),
    ("CronJob", None, {}, CURRENT),
    ("Service", None, None, CURRENT),
    ("Service", {"type": "NodePort"}, None, CURRENT),
    ("Service", {"type": "LoadBalancer"}, None, IN_PROGRESS),
    ("Secret", None, None, CURRENT),
    ("ConfigMap", None, None, CURRENT),
    ("CustomResourceDefinition", None, None, IN_PROGRESS),
    (
        "CustomResourceDefinition",
        None,
        when("NamesAccepted=True:NoConflicts", "Established=False:Installing"),
        IN_PROGRESS,
    ),
    ("CustomResourceDefinition", None, when("NamesAccepted=False:Some"), FAILED),
    (
        "CustomResourceDefinition",
        None,
        when("NamesAccepted=True:NoConflicts", "Established=True:Initial"),
        CURRENT,
    ),
]

OTHERWISE: list[tuple[str, Any, Any, State, State]] = [
    ("Pod", None, when("Ready=False", phase="Failed"), CURRENT, FAILED),
    # There it is FAILED when it is 15 s old: that takes a clock.
    ("Pod", None, when(UNSCHEDULED, phase="Pending"), FAILED, IN_PROGRESS),
    ("StatefulSet", 4, seen(**SET), CURRENT, IN_PROGRESS),
    ("Widget", None, when("Some=False"), CURRENT, State.UNKNOWN),
    (
        "Job",
        {"completions": 10},
        when("Failed=False", **RUNS_JOB),
        CURRENT,
        IN_PROGRESS,
    ),
    (
        "Service",
        {"type": "LoadBalancer", "clusterIP": "192.0.2.1"},
        None,
        CURRENT,
        IN_PROGRESS,
    ),
]


def thing(kind: str, spec: Any, status: Any) -> dict[str, Any]:
    """Return an object of generation 1; a number for its spec is replicas."""
    spec = {"replicas": spec} if isinstance(spec, int) else spec
    version = "policy/v1beta1" if kind == "PodDisruptionBudget" else ""
    members = {"metadata": {"generation": 1}, "spec": spec, "status": status}
    return manifest(kind, "it", None, version=version, **members)


@pytest.mark.parametrize(("kind", "spec", "status", "state"), TABLE)
def test_readiness_agrees_with_kstatus(
    kind: str, spec: Any, status: Any, state: State
) -> None:
    assert readiness(thing(kind, spec, status)).state is state


@pytest.mark.parametrize(("kind", "spec", "status", "theirs", "ours"), OTHERWISE)
def test_readiness_differs_from_kstatus_towards_waiting(
    kind: str, spec: Any, status: Any, theirs: State, ours: State
) -> None:
    assert readiness(thing(kind, spec, status)).state is ours
    assert theirs is CURRENT or ours is IN_PROGRESS
