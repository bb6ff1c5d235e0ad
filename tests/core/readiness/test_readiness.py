"""Whether an object is what its spec asks for, and whether it ever will be."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.readiness.readiness import Readiness, State, readiness
from tests.builders import STREAMS, VERSIONS, manifest, recorded_lines
from tests.examples import examples
from tests.json_documents import hostile_json

CURRENT, IN_PROGRESS, FAILED = State.CURRENT, State.IN_PROGRESS, State.FAILED
TERMINATING, UNKNOWN = State.TERMINATING, State.UNKNOWN


def thing(
    kind: str, status: Any = None, spec: Any = None, **metadata: Any
) -> dict[str, Any]:
    return manifest(kind, "it", None, metadata=metadata, spec=spec, status=status)


def when(*conditions: str, **status: Any) -> dict[str, Any]:
    """Return a status with conditions given as `Ready=False:Reason:message`."""
    found = []
    for each in conditions:
        kind, _, rest = each.partition("=")
        value, *said = rest.split(":", 2)
        condition = {"type": kind, "status": value}
        condition |= dict(zip(("reason", "message"), said, strict=False))
        found.append(condition)
    return {"conditions": found, **status}


AVAILABLE = "Available=True:MinimumReplicasAvailable"
COMPLETE = "Progressing=True:NewReplicaSetAvailable"
UPDATED = "Progressing=True:ReplicaSetUpdated"
REFUSED = "Progressing=False:ReplicaSetCreateError:quota exceeded"
EXCEEDED = "Progressing=False:ProgressDeadlineExceeded:it has timed out"


def deployment(
    *conditions: str,
    desired: int | None = 3,
    counts: tuple[int, int, int, int] = (3, 3, 3, 3),
    observed: int | None = 2,
    **spec: Any,
) -> dict[str, Any]:
    """Return one with *counts* of all, updated, ready and available replicas."""
    names = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    status = when(*(conditions or (AVAILABLE, COMPLETE)))
    status |= {name: n for name, n in zip(names, counts, strict=True) if n}
    if observed is not None:
        status["observedGeneration"] = observed
    spec = {"progressDeadlineSeconds": 600, **spec}
    if desired is not None:
        spec["replicas"] = desired
    return thing("Deployment", status, spec, generation=2)


DEPLOYMENTS = [
    (deployment(), CURRENT, "3 of 3 updated replicas are available"),
    (
        deployment(observed=1),
        IN_PROGRESS,
        "its controller has seen generation 1, not 2",
    ),
    (deployment(observed=None), IN_PROGRESS, "its controller has not seen it yet"),
    (deployment(counts=(3, 1, 3, 3)), IN_PROGRESS, "1 of 3 replicas are updated"),
    (
        deployment(counts=(3, 1, 3, 3), paused=True),
        IN_PROGRESS,
        "1 of 3 replicas are updated, and it is paused",
    ),
    (deployment(counts=(4, 3, 4, 3)), IN_PROGRESS, "1 old replicas are still there"),
    (deployment(counts=(5, 5, 5, 5)), IN_PROGRESS, "2 replicas too many"),
    (deployment(counts=(3, 3, 3, 2)), IN_PROGRESS, "2 of 3 updated replicas are avail"),
    (deployment(counts=(3, 3, 2, 3)), IN_PROGRESS, "2 of 3 replicas are ready"),
    (deployment(AVAILABLE), CURRENT, "3 of 3"),
    (deployment(AVAILABLE, UPDATED), CURRENT, "3 of 3"),
    (deployment(AVAILABLE, REFUSED), IN_PROGRESS, "quota exceeded"),
    (deployment(AVAILABLE, paused=True), CURRENT, "3 of 3"),
    (deployment(AVAILABLE, progressDeadlineSeconds=2**31 - 1), CURRENT, "3 of 3"),
    (deployment(COMPLETE), IN_PROGRESS, "it is not Available yet"),
    (deployment(desired=0, counts=(0, 0, 0, 0)), CURRENT, "scaled to 0 replicas"),
    (deployment(desired=None, counts=(1, 1, 1, 1)), CURRENT, "1 of 1"),
    (deployment(EXCEEDED, counts=(3, 1, 2, 2)), FAILED, "it has timed out"),
    (deployment(EXCEEDED, observed=1), IN_PROGRESS, "its controller has seen"),
]

ROLLING = {"replicas": 3, "readyReplicas": 3, "availableReplicas": 3}
STATEFUL = {
    **ROLLING,
    "observedGeneration": 1,
    "currentReplicas": 3,
    "updatedReplicas": 3,
    "currentRevision": "a",
    "updateRevision": "a",
}
ON_DELETE = {"replicas": 3, "updateStrategy": {"type": "OnDelete"}}
PARTITION = {"replicas": 3, "updateStrategy": {"rollingUpdate": {"partition": 2}}}
DAEMONS = {
    "observedGeneration": 1,
    "desiredNumberScheduled": 2,
    "currentNumberScheduled": 2,
    "updatedNumberScheduled": 2,
    "numberReady": 2,
    "numberAvailable": 2,
}


def stateful(spec: Any = None, **status: Any) -> dict[str, Any]:
    return thing(
        "StatefulSet", {**STATEFUL, **status}, spec or {"replicas": 3}, generation=1
    )


def daemons(spec: Any = None, **status: Any) -> dict[str, Any]:
    return thing("DaemonSet", {**DAEMONS, **status}, spec or {}, generation=1)


def replicas(*conditions: str, **status: Any) -> dict[str, Any]:
    counts = {**ROLLING, "fullyLabeledReplicas": 3, "observedGeneration": 1}
    status = {**when(*conditions), **counts, **status}
    return thing("ReplicaSet", status, {"replicas": 3}, generation=1)


SETS = [
    (replicas(), CURRENT, "3 of 3 replicas are available"),
    (replicas(availableReplicas=2), IN_PROGRESS, "2 of 3 replicas are available"),
    (replicas(readyReplicas=0), IN_PROGRESS, "0 of 3 replicas are ready"),
    (replicas(fullyLabeledReplicas=1), IN_PROGRESS, "1 of 3 replicas are labelled"),
    (replicas(replicas=4), IN_PROGRESS, "1 replicas too many are still there"),
    (
        replicas("ReplicaFailure=True:FailedCreate:quota exceeded", readyReplicas=2),
        IN_PROGRESS,
        "quota exceeded",
    ),
    (replicas("ReplicaFailure=True:FailedDelete:webhook"), IN_PROGRESS, "webhook"),
    (replicas("ReplicaFailure=False:x"), CURRENT, "3 of 3"),
    (stateful(), CURRENT, "3 of 3 replicas are available"),
    (stateful(observedGeneration=0), IN_PROGRESS, "generation 0, not 1"),
    (stateful(replicas=2), IN_PROGRESS, "2 of 3 replicas are created"),
    (stateful(readyReplicas=2), IN_PROGRESS, "2 of 3 replicas are ready"),
    (stateful(availableReplicas=2), IN_PROGRESS, "2 of 3 replicas are available"),
    (
        stateful(updateRevision="b", updatedReplicas=1),
        IN_PROGRESS,
        "1 of 3 replicas are updated",
    ),
    (stateful(updatedReplicas=1), IN_PROGRESS, "1 of 3 replicas are updated"),
    (stateful(currentReplicas=1), IN_PROGRESS, "1 of 3 replicas are of its revision"),
    (stateful(ON_DELETE, updateRevision="b"), CURRENT, "they are updated when deleted"),
    (stateful(ON_DELETE, readyReplicas=1), IN_PROGRESS, "1 of 3 replicas are ready"),
    (
        stateful(PARTITION, updateRevision="b", updatedReplicas=1),
        CURRENT,
        "3 of 3 replicas are available, 1 of them updated",
    ),
    (
        stateful(PARTITION, updateRevision="b", updatedReplicas=0),
        IN_PROGRESS,
        "0 of 1 replicas are updated",
    ),
    (daemons(), CURRENT, "2 of 2 Pods are available"),
    (daemons(observedGeneration=0), IN_PROGRESS, "generation 0"),
    (daemons(currentNumberScheduled=1), IN_PROGRESS, "1 of 2 Pods are scheduled"),
    (daemons(updatedNumberScheduled=1), IN_PROGRESS, "1 of 2 Pods are updated"),
    (daemons({**ON_DELETE}, updatedNumberScheduled=1), CURRENT, "2 of 2 Pods"),
    (daemons(numberReady=1), IN_PROGRESS, "1 of 2 Pods are ready"),
    (daemons(numberAvailable=None), IN_PROGRESS, "0 of 2 Pods are available"),
    (daemons(desiredNumberScheduled=None), IN_PROGRESS, "has not counted the nodes"),
]


def waiting(name: str, reason: str, restarts: int = 0) -> dict[str, Any]:
    state = {"waiting": {"reason": reason}}
    return {"name": name, "restartCount": restarts, "state": state}


LOOPING = when(
    "Ready=False:ContainersNotReady",
    phase="Running",
    containerStatuses=[waiting("web", "CrashLoopBackOff", 4)],
)
EXITED = {"state": {"terminated": {"exitCode": 9, "reason": "Error"}}, "name": "main"}
PODS = [
    (thing("Pod", when("Ready=True", phase="Running")), CURRENT, "running and ready"),
    (thing("Pod", when("Ready=False:X:y", phase="Running")), IN_PROGRESS, "Ready is F"),
    (thing("Pod", {"phase": "Running"}), IN_PROGRESS, "it is not Ready yet"),
    (thing("Pod", {"phase": "Pending"}), IN_PROGRESS, "it is Pending"),
    (thing("Pod", {}), IN_PROGRESS, "it has no phase yet"),
    (thing("Pod", {"phase": "Succeeded"}), CURRENT, "it has completed"),
    (
        thing("Pod", {"phase": "Failed", "containerStatuses": [{"name": "x"}, EXITED]}),
        FAILED,
        "main: Error, exit code 9",
    ),
    (
        thing(
            "Pod", {"phase": "Failed", "reason": "Evicted", "message": "low on\ndisk"}
        ),
        FAILED,
        "Evicted: low on disk",
    ),
    (thing("Pod", LOOPING), FAILED, "CrashLoopBackOff: web (4 restarts)"),
    (
        thing(
            "Pod",
            {
                "phase": "Pending",
                "initContainerStatuses": [waiting("init", "CrashLoopBackOff", 1)],
            },
        ),
        FAILED,
        "CrashLoopBackOff: init (1 restarts)",
    ),
    (
        thing(
            "Pod",
            {
                "phase": "Pending",
                "containerStatuses": [waiting("web", "ImagePullBackOff")],
            },
        ),
        IN_PROGRESS,
        "ImagePullBackOff: web",
    ),
    (
        thing(
            "Pod", when("PodScheduled=False:Unschedulable:0/1 nodes", phase="Pending")
        ),
        IN_PROGRESS,
        "PodScheduled is False (Unschedulable: 0/1 nodes)",
    ),
    (
        thing("Pod", {"phase": "Succeeded", "observedGeneration": 1}, generation=2),
        CURRENT,
        "it has completed",
    ),
    (
        thing(
            "Pod",
            when("Ready=True", phase="Running", observedGeneration=1),
            generation=2,
        ),
        IN_PROGRESS,
        "generation 1, not 2",
    ),
]

STARTED = {"startTime": "2026-11-21T15:04:05Z"}
JOBS = [
    (thing("Job", {}), IN_PROGRESS, "it has not started yet"),
    (
        thing("Job", {**STARTED, "active": 2, "failed": 1}, {"completions": 3}),
        IN_PROGRESS,
        "0 of 3 completions, 2 Pods active, 1 failed",
    ),
    (
        thing("Job", when("SuccessCriteriaMet=True:CompletionsReached", **STARTED)),
        IN_PROGRESS,
        "SuccessCriteriaMet (CompletionsReached): its last Pods are ending",
    ),
    (
        thing("Job", when("FailureTarget=True:BackoffLimitExceeded", **STARTED)),
        IN_PROGRESS,
        "FailureTarget (BackoffLimitExceeded): its last Pods are ending",
    ),
    (
        thing("Job", when("Complete=True", succeeded=2), {"parallelism": 2}),
        CURRENT,
        "2 of 2 completions",
    ),
    (
        thing(
            "Job", when("FailureTarget=True:x", "Failed=True:BackoffLimitExceeded:no")
        ),
        FAILED,
        "BackoffLimitExceeded: no",
    ),
    (
        thing("Job", when("Complete=False", **STARTED)),
        IN_PROGRESS,
        "0 of 1 completions",
    ),
    (thing("Job", when("Suspended=True")), IN_PROGRESS, "it is suspended"),
    (thing("CronJob", {}, {"schedule": "* * * * *"}), CURRENT, "its schedule is * *"),
    (thing("CronJob", {}, {"suspend": True}), CURRENT, "it is suspended"),
]

BALANCED = {
    "loadBalancer": {"ingress": [{"ip": "192.0.2.1"}, {"hostname": "lb.example"}]}
}
STALE = {"type": "Ready", "status": "True", "observedGeneration": 1}
SCALING = ("AbleToScale=True", "ScalingActive=True")
OTHERS = [
    (
        thing("PersistentVolumeClaim", {"phase": "Pending"}),
        IN_PROGRESS,
        "it is Pending",
    ),
    (
        thing("PersistentVolumeClaim", {"phase": "Bound"}, {"volumeName": "pv1"}),
        CURRENT,
        "it is bound to pv1",
    ),
    (thing("PersistentVolumeClaim", {"phase": "Lost"}), FAILED, "its volume is lost"),
    (thing("PersistentVolume", {"phase": "Available"}), CURRENT, "it is Available"),
    (thing("PersistentVolume", {"phase": "Failed"}), FAILED, "its phase is Failed"),
    (thing("PersistentVolume", {}), IN_PROGRESS, "it is not available yet"),
    (
        thing("Service", {"loadBalancer": {}}, {"type": "ClusterIP"}),
        CURRENT,
        "it exists",
    ),
    (
        thing("Service", {"loadBalancer": {}}, {"type": "LoadBalancer"}),
        IN_PROGRESS,
        "its load balancer has no address yet",
    ),
    (
        thing("Service", BALANCED, {"type": "LoadBalancer"}),
        CURRENT,
        "its address is 192.0.2.1, lb.example",
    ),
    (thing("Namespace", {"phase": "Active"}), CURRENT, "it is Active"),
    (thing("Namespace", {"phase": "Terminating"}), IN_PROGRESS, "it is being deleted"),
    (thing("Namespace"), IN_PROGRESS, "it is not Active yet"),
    (thing("Node", when("Ready=True")), CURRENT, "it is ready"),
    (thing("Node", when("Ready=True"), {"unschedulable": True}), CURRENT, "cordoned"),
    (thing("Node", when("Ready=False:KubeletNotReady")), IN_PROGRESS, "Ready is False"),
    (
        thing("Node", when("Ready=Unknown:NodeStatusUnknown")),
        FAILED,
        "Ready is Unknown",
    ),
    (
        thing("PodDisruptionBudget", {"disruptionsAllowed": 1}, generation=1),
        IN_PROGRESS,
        "its controller has not seen it yet",
    ),
    (
        thing("PodDisruptionBudget", {"observedGeneration": 1}, generation=1),
        CURRENT,
        "no disruption is allowed: it has no Pods to count",
    ),
    (
        thing(
            "PodDisruptionBudget",
            {"expectedPods": 2, "desiredHealthy": 2, "currentHealthy": 2},
        ),
        CURRENT,
        "no disruption is allowed: 2 healthy, 2 wanted",
    ),
    (
        thing("PodDisruptionBudget", {"disruptionsAllowed": 1}),
        CURRENT,
        "1 disruption allowed",
    ),
    (
        thing(
            "PodDisruptionBudget",
            when("DisruptionAllowed=False:SyncFailed:no"),
            generation=1,
        ),
        FAILED,
        "SyncFailed: no",
    ),
    (thing("HorizontalPodAutoscaler", {}), IN_PROGRESS, "it is not AbleToScale yet"),
    (
        thing(
            "HorizontalPodAutoscaler", when("AbleToScale=True", "ScalingActive=False")
        ),
        IN_PROGRESS,
        "ScalingActive is False",
    ),
    (
        thing("HorizontalPodAutoscaler", when("ScalingActive=False:ScalingDisabled")),
        CURRENT,
        "ScalingDisabled",
    ),
    (
        thing(
            "HorizontalPodAutoscaler",
            when(*SCALING, currentReplicas=2, desiredReplicas=3),
        ),
        IN_PROGRESS,
        "2 of 3 desired replicas",
    ),
    (
        thing(
            "HorizontalPodAutoscaler",
            when(*SCALING, currentReplicas=2, desiredReplicas=2),
        ),
        CURRENT,
        "2 replicas, as desired",
    ),
    (
        {
            **thing("HorizontalPodAutoscaler", {"currentReplicas": 1}),
            "apiVersion": "autoscaling/v1",
        },
        IN_PROGRESS,
        "1 of 0 desired replicas",
    ),
    (
        thing("Node", {"conditions": [{**STALE}]}, generation=2),
        IN_PROGRESS,
        "it is not Ready yet",
    ),
    (thing("CustomResourceDefinition"), IN_PROGRESS, "it is not Established yet"),
    (
        thing("CustomResourceDefinition", when("Established=False:Installing")),
        IN_PROGRESS,
        "Installing",
    ),
    (
        thing("CustomResourceDefinition", when("NamesAccepted=False:Conflict")),
        FAILED,
        "NamesAccepted is False (Conflict)",
    ),
    (
        thing("CustomResourceDefinition", when("Established=False:NotAccepted")),
        FAILED,
        "NotAccepted",
    ),
    (
        thing(
            "CustomResourceDefinition", when("NamesAccepted=True", "Established=True")
        ),
        CURRENT,
        "it is established",
    ),
    (thing("ConfigMap"), CURRENT, "it exists"),
    (thing("Secret"), CURRENT, "it exists"),
    (thing("ServiceAccount"), CURRENT, "it exists"),
    (thing("Role"), CURRENT, "it exists"),
    (thing("APIService", when("Available=False:Missing")), IN_PROGRESS, "Available is"),
]

ANY = [
    (thing("Widget", when("Ready=True:Ready"), {}), CURRENT, "Ready is True (Ready)"),
    (thing("Widget", when("Ready=False:Building"), {}), IN_PROGRESS, "(Building)"),
    (thing("Widget", when("Available=True"), {}), CURRENT, "Available is True"),
    (
        thing("Widget", when("Available=True", "Ready=False"), {}),
        IN_PROGRESS,
        "Ready is False",
    ),
    (thing("Widget", when("Ready=True", "Stalled=True:x:stuck"), {}), FAILED, "stuck"),
    (
        thing("Widget", when("Ready=True", "Reconciling=True:Busy"), {}),
        IN_PROGRESS,
        "Busy",
    ),
    (
        thing("Widget", when("Failed=True:Broken"), {}),
        FAILED,
        "Failed is True (Broken)",
    ),
    (thing("Widget", when("Succeeded=True"), {}), CURRENT, "Succeeded is True"),
    (
        thing("Widget", when("Succeeded=Unknown"), {}),
        IN_PROGRESS,
        "Succeeded is Unknown",
    ),
    (
        thing("Widget", when("Succeeded=False:Failed", completionTime="now"), {}),
        FAILED,
        "Succeeded is False (Failed)",
    ),
    (
        thing("Widget", when("Ready=True", observedGeneration=1), {}, generation=2),
        IN_PROGRESS,
        "generation 1, not 2",
    ),
    (
        thing("Widget", {"conditions": [STALE]}, {}, generation=2),
        IN_PROGRESS,
        "its condition Ready is about an earlier spec",
    ),
    (thing("Widget", {"phase": "Fine"}, {}), UNKNOWN, ""),
    (
        thing("Widget", when("Ready=True", "Degraded=True:Disk")),
        FAILED,
        "Degraded is True (Disk)",
    ),
    (
        thing("Widget", when("Completed=True", phase="Error", message="no quota")),
        FAILED,
        "its phase is Error: no quota",
    ),
    (
        thing("Widget", {"observedGeneration": "7"}, {}, generation=8),
        IN_PROGRESS,
        "its controller has seen generation 7, not 8 yet",
    ),
    (
        thing("CertificateSigningRequest", when("Denied=True:Policy")),
        FAILED,
        "Denied is True (Policy)",
    ),
    (
        thing("APIService", when("Available=False:MissingEndpoints")),
        IN_PROGRESS,
        "Available is False (MissingEndpoints)",
    ),
    (
        thing("VolumeAttachment", {"attachError": {"message": "no such disk"}}),
        FAILED,
        "attachError: no such disk",
    ),
    (thing("Widget", None, {}), IN_PROGRESS, "no controller has written a status yet"),
    (thing("Widget", {}, {}), IN_PROGRESS, "no controller has written a status yet"),
    (thing("Widget"), CURRENT, "it exists, and its kind has no status"),
    (thing("ConfigMap", deletionTimestamp="now"), TERMINATING, "it is being deleted"),
    (
        thing("Pod", LOOPING, deletionTimestamp="now", finalizers=["a/b", "c"]),
        TERMINATING,
        "it is being deleted; a/b, c must agree",
    ),
]

TABLE = [*DEPLOYMENTS, *SETS, *PODS, *JOBS, *OTHERS, *ANY]


@pytest.mark.parametrize(("obj", "state", "message"), TABLE)
def test_readiness_follows_the_status(
    obj: dict[str, Any], state: State, message: str
) -> None:
    before = copy.deepcopy(obj)
    found = readiness(obj)
    assert (found.state, message in found.message) == (state, True), found
    assert obj == before


def test_a_kind_without_a_status_waits_for_nobody_to_write_one() -> None:
    assert readiness(thing("Widget", None, {}), has_status=False).state is CURRENT


FINAL = [
    (deployment(EXCEEDED), True),
    (deployment(), False),
    (thing("Pod", {"phase": "Failed"}), True),
    (thing("Pod", {"phase": "Succeeded"}), True),
    (thing("Pod", LOOPING), False),
    (thing("Job", when("Failed=True")), True),
    (thing("Job", when("Complete=True")), True),
    (thing("Job", when("FailureTarget=True")), False),
    (thing("Widget", when("Stalled=True"), {}), True),
    (thing("Widget", when("Succeeded=True"), {}), True),
    (thing("Widget", when("Ready=True"), {}), False),
    (thing("PersistentVolumeClaim", {"phase": "Lost"}), True),
    (thing("ConfigMap"), False),
]


@pytest.mark.parametrize(("obj", "final"), FINAL)
def test_terminal_failures_are_final(obj: dict[str, Any], final: bool) -> None:
    assert readiness(obj).final is final


def test_a_message_is_one_short_line() -> None:
    long = when("Ready=False:Because:" + "very\n long " * 1000)
    message = readiness(thing("Widget", long, {})).message
    assert "\n" not in message
    assert len(message) < 300


def recorded() -> Iterator[tuple[str, dict[str, Any], Readiness]]:
    """Yield every version of every object in the recorded streams."""
    for path in sorted(STREAMS.glob("*.ndjson.gz")):
        for line in recorded_lines(path):
            if "list" in line:
                listed = line["list"]
                kind = listed["kind"].removesuffix("List")
                typed = {"apiVersion": listed["apiVersion"], "kind": kind}
                for item in listed["items"]:
                    yield path.name, {**typed, **item}, readiness({**typed, **item})
            elif line["event"]["type"] in ("ADDED", "MODIFIED"):
                obj = line["event"]["object"]
                yield path.name, obj, readiness(obj)


def test_recorded_objects_are_not_current_too_early() -> None:
    """By rules of our own here, plainer than those that are tested."""
    seen: set[tuple[str, State]] = set()
    for name, obj, found in recorded():
        kind, status, spec = obj["kind"], obj.get("status", {}), obj.get("spec", {})
        seen.add((kind, found.state))
        assert found.message, (name, obj)
        if found.state is not CURRENT:
            continue
        metadata = obj["metadata"]
        if "observedGeneration" in status and kind != "Pod":
            assert status["observedGeneration"] == metadata["generation"]
        if kind in ("Deployment", "StatefulSet", "ReplicaSet"):
            counts = {status.get(key, 0) for key in ("replicas", "readyReplicas")}
            assert counts == {spec["replicas"]}
        if kind == "Pod" and not found.final:
            assert all(each["ready"] for each in status["containerStatuses"])
        if kind == "Job":
            assert "completionTime" in status
        if kind == "Widget":
            assert status["conditions"][0]["status"] == "True"
    assert {
        ("Deployment", CURRENT),
        ("Deployment", IN_PROGRESS),
        ("ReplicaSet", CURRENT),
        ("StatefulSet", CURRENT),
        ("StatefulSet", IN_PROGRESS),
        ("DaemonSet", CURRENT),
        ("Job", CURRENT),
        ("Job", FAILED),
        ("Job", IN_PROGRESS),
        ("Pod", CURRENT),
        ("Pod", FAILED),
        ("Pod", IN_PROGRESS),
        ("Pod", TERMINATING),
        ("Service", IN_PROGRESS),
        ("Service", CURRENT),
        ("Widget", CURRENT),
        ("Widget", IN_PROGRESS),
        ("Node", CURRENT),
        ("Secret", CURRENT),
    } <= seen


def test_a_final_state_does_not_change() -> None:
    ended: dict[str, Readiness] = {}
    for _, obj, found in recorded():
        uid = obj["metadata"]["uid"]
        if uid in ended and found.state is not TERMINATING:
            assert found.state is ended[uid].state
        if found.final:
            ended[uid] = found
    assert len(ended) > 5


KINDS = sorted({*VERSIONS, "Pod", "Service", "Node", "Namespace", "ConfigMap"})
NAMES = (
    *("metadata", "spec", "status", "conditions", "type", "reason", "message", "phase"),
    *("generation", "observedGeneration", "replicas", "readyReplicas", "Ready", "True"),
    *("containerStatuses", "state", "waiting", "loadBalancer", "ingress", "finalizers"),
    *("deletionTimestamp", "updateStrategy", "rollingUpdate", "partition", "Failed"),
)


@given(st.sampled_from(KINDS), hostile_json(*NAMES))
@examples(300)
def test_odd_objects_have_a_readiness(kind: str, junk: Any) -> None:
    typed = {"apiVersion": VERSIONS.get(kind, "v1"), "kind": kind}
    for obj in (
        junk,
        {**typed, "status": junk},
        {**typed, **junk} if isinstance(junk, dict) else typed,
        {**typed, "metadata": junk, "spec": junk, "status": junk},
        {**typed, "status": {"conditions": junk, "containerStatuses": junk}},
        {**typed, "status": {"conditions": [junk], "containerStatuses": [junk]}},
        {"apiVersion": junk, "kind": junk, "status": {"conditions": [junk]}},
    ):
        found = readiness(obj)
        assert isinstance(found.state, State)
        assert "\n" not in found.message
