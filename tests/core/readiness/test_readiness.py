"""Whether an object is what its spec asks for, and whether it ever will be."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.readiness.readiness import Readiness, State, readiness
from tests.builders import STREAMS, VERSIONS, manifest, recorded_lines
from tests.examples import examples
from tests.json_documents import hostile_json

CURRENT, IN_PROGRESS, FAILED = State.CURRENT, State.IN_PROGRESS, State.FAILED
TERMINATING = State.TERMINATING
Build = Callable[..., dict[str, Any]]


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
    return {**({"conditions": found} if found else {}), **status}


def of(kind: str, usual: Any = None, usual_spec: Any = None) -> Build:
    """Return what builds a *kind* from conditions, and what differs in its status."""

    def build(*conditions: str, spec: Any = None, new: int = 0, **status: Any) -> Any:
        status = {**when(*conditions), **(usual or {}), **status}
        its = spec if usual_spec is None else usual_spec | (spec or {})
        return thing(kind, status, its, **({"generation": new} if new else {}))

    return build


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


HALF = (3, 1, 3, 3)
NEVER = 2**31 - 1
DEPLOYMENTS = [
    (deployment(), "current: 3 of 3 updated replicas are available"),
    (
        deployment(observed=1),
        "in progress: its controller has seen generation 1, not 2",
    ),
    (deployment(observed=None), "in progress: its controller has not seen it yet"),
    (deployment(counts=HALF), "in progress: 1 of 3 replicas are updated"),
    (
        deployment(counts=HALF, paused=True),
        "in progress: 3 replicas are updated, and it is paused",
    ),
    (deployment(counts=(4, 3, 4, 3)), "in progress: 1 old replicas are still there"),
    (deployment(counts=(5, 5, 5, 5)), "in progress: 2 replicas too many"),
    (deployment(counts=(3, 3, 3, 2)), "in progress: 2 of 3 updated replicas are avail"),
    (deployment(counts=(3, 3, 2, 3)), "in progress: 2 of 3 replicas are ready"),
    (deployment(AVAILABLE), "current: 3 of 3"),
    (deployment(AVAILABLE, UPDATED), "current: 3 of 3"),
    (deployment(AVAILABLE, REFUSED), "in progress: quota exceeded"),
    (deployment(AVAILABLE, paused=True), "current: 3 of 3"),
    (deployment(AVAILABLE, progressDeadlineSeconds=NEVER), "current: 3 of 3"),
    (deployment(COMPLETE), "in progress: it is not Available yet"),
    (deployment(desired=0, counts=(0, 0, 0, 0)), "current: scaled to 0 replicas"),
    (deployment(desired=None, counts=(1, 1, 1, 1)), "current: 1 of 1"),
    (deployment(EXCEEDED, counts=(3, 1, 2, 2)), "failed: it has timed out"),
    (deployment(EXCEEDED, observed=1), "in progress: its controller has seen"),
]

ROLLING = {
    **dict.fromkeys(("replicas", "readyReplicas", "availableReplicas"), 3),
    "observedGeneration": 1,
}
COUNTS = dict.fromkeys(("currentReplicas", "updatedReplicas"), 3)
REVISIONS = {"currentRevision": "a", "updateRevision": "a"}
ON_DELETE = {"updateStrategy": {"type": "OnDelete"}}
PARTITION = {"updateStrategy": {"rollingUpdate": {"partition": 2}}}
SCHEDULED = ("desired", "current", "updated")
DAEMONS = {
    **dict.fromkeys((f"{each}NumberScheduled" for each in SCHEDULED), 2),
    **dict.fromkeys(("numberReady", "numberAvailable"), 2),
    "observedGeneration": 1,
}
THREE = {"replicas": 3}
_stateful = of("StatefulSet", {**ROLLING, **COUNTS, **REVISIONS}, THREE)
_replicas = of("ReplicaSet", {**ROLLING, "fullyLabeledReplicas": 3}, THREE)
_daemons = of("DaemonSet", DAEMONS)
stateful, replicas, daemons = (
    partial(each, new=1) for each in (_stateful, _replicas, _daemons)
)
SETS = [
    (replicas(), "current: 3 of 3 replicas are available"),
    (replicas(availableReplicas=2), "in progress: 2 of 3 replicas are available"),
    (replicas(readyReplicas=0), "in progress: 0 of 3 replicas are ready"),
    (replicas(fullyLabeledReplicas=1), "in progress: 1 of 3 replicas are labelled"),
    (replicas(replicas=4), "in progress: 1 replicas too many are still there"),
    (
        replicas("ReplicaFailure=True:FailedCreate:full", readyReplicas=2),
        "in progress: full",
    ),
    (replicas("ReplicaFailure=True:FailedDelete:webhook"), "in progress: webhook"),
    (replicas("ReplicaFailure=False:x"), "current: 3 of 3"),
    (stateful(), "current: 3 of 3 replicas are available"),
    (stateful(observedGeneration=0), "in progress: generation 0, not 1"),
    (stateful(replicas=2), "in progress: 2 of 3 replicas are created"),
    (stateful(readyReplicas=2), "in progress: 2 of 3 replicas are ready"),
    (stateful(availableReplicas=2), "in progress: 2 of 3 replicas are available"),
    (
        stateful(updateRevision="b", updatedReplicas=1),
        "in progress: 1 of 3 replicas are updated",
    ),
    (stateful(updatedReplicas=1), "in progress: 1 of 3 replicas are updated"),
    (stateful(currentReplicas=1), "in progress: 1 of 3 replicas are of its revision"),
    (
        stateful(spec=ON_DELETE, updateRevision="b"),
        "current: they are updated when deleted",
    ),
    (
        stateful(spec=ON_DELETE, readyReplicas=1),
        "in progress: 1 of 3 replicas are ready",
    ),
    (
        stateful(spec=PARTITION, updateRevision="b", updatedReplicas=1),
        "current: 3 of 3 replicas are available, 1 of them updated",
    ),
    (
        stateful(spec=PARTITION, updateRevision="b", updatedReplicas=0),
        "in progress: 0 of 1 replicas are updated",
    ),
    (daemons(), "current: 2 of 2 Pods are available"),
    (daemons(observedGeneration=0), "in progress: generation 0"),
    (daemons(currentNumberScheduled=1), "in progress: 1 of 2 Pods are scheduled"),
    (daemons(updatedNumberScheduled=1), "in progress: 1 of 2 Pods are updated"),
    (daemons(spec=ON_DELETE, updatedNumberScheduled=1), "current: 2 of 2 Pods"),
    (daemons(numberReady=1), "in progress: 1 of 2 Pods are ready"),
    (daemons(numberAvailable=None), "in progress: 0 of 2 Pods are available"),
    (daemons(desiredNumberScheduled=None), "in progress: has not counted the nodes"),
]


def waiting(name: str, reason: str, restarts: int = 0) -> list[dict[str, Any]]:
    state = {"waiting": {"reason": reason}}
    return [{"name": name, "restartCount": restarts, "state": state}]


pod, job, cron_job = of("Pod"), of("Job"), of("CronJob")
CRASHING = waiting("web", "CrashLoopBackOff", 4)
LOOPING = when("Ready=False:Not", phase="Running", containerStatuses=CRASHING)
INIT_LOOPS = waiting("init", "CrashLoopBackOff", 1)
NO_IMAGE = waiting("web", "ImagePullBackOff")
EXITED = {"state": {"terminated": {"exitCode": 9, "reason": "Error"}}, "name": "main"}
ENDED = [{"name": "x"}, EXITED]
EVICTED = {"reason": "Evicted", "message": "low on\ndisk"}
UNFIT = "PodScheduled=False:Unschedulable:0/1 nodes"
PODS = [
    (pod("Ready=True", phase="Running"), "current: running and ready"),
    (pod("Ready=False:X:y", phase="Running"), "in progress: Ready is F"),
    (pod(phase="Running"), "in progress: it is not Ready yet"),
    (pod(phase="Pending"), "in progress: it is Pending"),
    (pod(), "in progress: it has no phase yet"),
    (pod(phase="Succeeded"), "current: it has completed"),
    (pod(phase="Failed", containerStatuses=ENDED), "failed: main: Error, exit code 9"),
    (pod(phase="Failed", **EVICTED), "failed: Evicted: low on disk"),
    (pod(**LOOPING), "failed: CrashLoopBackOff: web (4 restarts)"),
    (
        pod(phase="Pending", initContainerStatuses=INIT_LOOPS),
        "failed: CrashLoopBackOff: init (1 restarts)",
    ),
    (
        pod(phase="Pending", containerStatuses=NO_IMAGE),
        "in progress: ImagePullBackOff: web",
    ),
    (
        pod(UNFIT, phase="Pending"),
        "in progress: PodScheduled is False (Unschedulable: 0/1 nodes)",
    ),
    (pod(phase="Succeeded", observedGeneration=1, new=2), "current: it has completed"),
    (
        pod("Ready=True", phase="Running", observedGeneration=1, new=2),
        "in progress: generation 1, not 2",
    ),
]

STARTED = {"startTime": "2026-11-21T15:04:05Z"}
ENDING = "its last Pods are ending"
BOTH_FAILED = ("FailureTarget=True:x", "Failed=True:BackoffLimitExceeded:no")
JOBS = [
    (job(), "in progress: it has not started yet"),
    (
        job(spec={"completions": 3}, active=2, failed=1, **STARTED),
        "in progress: 0 of 3 completions, 2 Pods active, 1 failed",
    ),
    (
        job("SuccessCriteriaMet=True:CompletionsReached", **STARTED),
        f"in progress: SuccessCriteriaMet (CompletionsReached): {ENDING}",
    ),
    (
        job("FailureTarget=True:BackoffLimitExceeded", **STARTED),
        f"in progress: FailureTarget (BackoffLimitExceeded): {ENDING}",
    ),
    (
        job("Complete=True", spec={"parallelism": 2}, succeeded=2),
        "current: 2 of 2 completions",
    ),
    (job(*BOTH_FAILED), "failed: BackoffLimitExceeded: no"),
    (job("Complete=False", **STARTED), "in progress: 0 of 1 completions"),
    (job("Suspended=True"), "in progress: it is suspended"),
    (cron_job(spec={"schedule": "* * * * *"}), "current: its schedule is * *"),
    (cron_job(spec={"suspend": True}), "current: it is suspended"),
]

claim, volume = of("PersistentVolumeClaim"), of("PersistentVolume")
service, namespace, node = of("Service"), of("Namespace"), of("Node")
budget, scaler = of("PodDisruptionBudget"), of("HorizontalPodAutoscaler")
definition, api_service = of("CustomResourceDefinition"), of("APIService")
widget, request = of("Widget"), of("CertificateSigningRequest")
ADDRESSES = {"ingress": [{"ip": "192.0.2.1"}, {"hostname": "lb.example"}]}
BALANCER = {"type": "LoadBalancer"}
HEALTHY = {"expectedPods": 2, "desiredHealthy": 2, "currentHealthy": 2}
STALE = {"type": "Ready", "status": "True", "observedGeneration": 1}
SCALING = ("AbleToScale=True", "ScalingActive=True")
OLD_SCALER = {**scaler(currentReplicas=1), "apiVersion": "autoscaling/v1"}
OTHERS = [
    (claim(phase="Pending"), "in progress: it is Pending"),
    (claim(phase="Bound", spec={"volumeName": "pv1"}), "current: it is bound to pv1"),
    (claim(phase="Lost"), "failed: its volume is lost"),
    (volume(phase="Available"), "current: it is Available"),
    (volume(phase="Failed"), "failed: its phase is Failed"),
    (volume(), "in progress: it is not available yet"),
    (service(loadBalancer={}, spec={"type": "ClusterIP"}), "current: it exists"),
    (
        service(loadBalancer={}, spec=BALANCER),
        "in progress: its load balancer has no address yet",
    ),
    (
        service(loadBalancer=ADDRESSES, spec=BALANCER),
        "current: its address is 192.0.2.1, lb.example",
    ),
    (namespace(phase="Active"), "current: it is Active"),
    (namespace(phase="Terminating"), "in progress: it is being deleted"),
    (thing("Namespace"), "in progress: it is not Active yet"),
    (node("Ready=True"), "current: it is ready"),
    (node("Ready=True", spec={"unschedulable": True}), "current: cordoned"),
    (node("Ready=False:KubeletNotReady"), "in progress: Ready is False"),
    (node("Ready=Unknown:NodeStatusUnknown"), "failed: Ready is Unknown"),
    (node(conditions=[STALE], new=2), "in progress: it is not Ready yet"),
    (
        budget(disruptionsAllowed=1, new=1),
        "in progress: its controller has not seen it yet",
    ),
    (
        budget(observedGeneration=1, new=1),
        "current: no disruption is allowed: it has no Pods to count",
    ),
    (budget(**HEALTHY), "current: no disruption is allowed: 2 healthy, 2 wanted"),
    (budget(disruptionsAllowed=1), "current: 1 disruption allowed"),
    (budget("DisruptionAllowed=False:SyncFailed:no", new=1), "failed: SyncFailed: no"),
    (scaler(), "in progress: it is not AbleToScale yet"),
    (
        scaler("AbleToScale=True", "ScalingActive=False"),
        "in progress: ScalingActive is False",
    ),
    (scaler("ScalingActive=False:ScalingDisabled"), "current: ScalingDisabled"),
    (
        scaler(*SCALING, currentReplicas=2, desiredReplicas=3),
        "in progress: 2 of 3 desired replicas",
    ),
    (
        scaler(*SCALING, currentReplicas=2, desiredReplicas=2),
        "current: 2 replicas, as desired",
    ),
    (OLD_SCALER, "in progress: 1 of 0 desired replicas"),
    (thing("CustomResourceDefinition"), "in progress: it is not Established yet"),
    (definition("Established=False:Installing"), "in progress: Installing"),
    (
        definition("NamesAccepted=False:Conflict"),
        "failed: NamesAccepted is False (Conflict)",
    ),
    (definition("Established=False:NotAccepted"), "failed: NotAccepted"),
    (
        definition("NamesAccepted=True", "Established=True"),
        "current: it is established",
    ),
    (thing("ConfigMap"), "current: it exists"),
    (thing("Secret"), "current: it exists"),
    (thing("ServiceAccount"), "current: it exists"),
    (thing("Role"), "current: it exists"),
    (
        api_service("Available=False:MissingEndpoints"),
        "in progress: Available is False (MissingEndpoints)",
    ),
]

FINALIZED = {"deletionTimestamp": "now", "finalizers": ["a/b", "c"]}
ANY = [
    (widget("Ready=True:Ready", spec={}), "current: Ready is True (Ready)"),
    (widget("Ready=False:Building", spec={}), "in progress: (Building)"),
    (widget("Available=True", spec={}), "current: Available is True"),
    (widget("Available=True", "Ready=False", spec={}), "in progress: Ready is False"),
    (widget("Ready=True", "Stalled=True:x:stuck", spec={}), "failed: stuck"),
    (widget("Ready=True", "Reconciling=True:Busy", spec={}), "in progress: Busy"),
    (widget("Failed=True:Broken", spec={}), "failed: Failed is True (Broken)"),
    (widget("Succeeded=True", spec={}), "current: Succeeded is True"),
    (widget("Succeeded=Unknown", spec={}), "in progress: Succeeded is Unknown"),
    (
        widget("Succeeded=False:Failed", completionTime="now", spec={}),
        "failed: Succeeded is False (Failed)",
    ),
    (
        widget("Ready=True", observedGeneration=1, spec={}, new=2),
        "in progress: generation 1, not 2",
    ),
    (
        widget(conditions=[STALE], spec={}, new=2),
        "in progress: its condition Ready is about an earlier spec",
    ),
    (widget(phase="Fine", spec={}), "unknown: "),
    (widget("Ready=True", "Degraded=True:Disk"), "failed: Degraded is True (Disk)"),
    (
        widget("Completed=True", phase="Error", message="no quota"),
        "failed: its phase is Error: no quota",
    ),
    (
        widget(observedGeneration="7", spec={}, new=8),
        "in progress: its controller has seen generation 7, not 8 yet",
    ),
    (request("Denied=True:Policy"), "failed: Denied is True (Policy)"),
    (
        thing("VolumeAttachment", {"attachError": {"message": "no such disk"}}),
        "failed: attachError: no such disk",
    ),
    (thing("Widget", None, {}), "in progress: no controller has written a status yet"),
    (widget(spec={}), "in progress: no controller has written a status yet"),
    (thing("Widget"), "current: it exists, and its kind has no status"),
    (thing("ConfigMap", deletionTimestamp="now"), "terminating: it is being deleted"),
    (
        thing("Pod", LOOPING, **FINALIZED),
        "terminating: it is being deleted; a/b, c must agree",
    ),
]

TABLE = [*DEPLOYMENTS, *SETS, *PODS, *JOBS, *OTHERS, *ANY]


@pytest.mark.parametrize(("obj", "expected"), TABLE)
def test_readiness_follows_the_status(obj: dict[str, Any], expected: str) -> None:
    before = copy.deepcopy(obj)
    found = readiness(obj)
    state, message = expected.split(": ", 1)
    assert (found.state.value, message in found.message) == (state, True), found
    assert obj == before


def test_a_kind_without_a_status_waits_for_nobody_to_write_one() -> None:
    assert readiness(thing("Widget", None, {}), has_status=False).state is CURRENT


FINAL = [
    (deployment(EXCEEDED), True),
    (deployment(), False),
    (pod(phase="Failed"), True),
    (pod(phase="Succeeded"), True),
    (pod(**LOOPING), False),
    (job("Failed=True"), True),
    (job("Complete=True"), True),
    (job("FailureTarget=True"), False),
    (widget("Stalled=True", spec={}), True),
    (widget("Succeeded=True", spec={}), True),
    (widget("Ready=True", spec={}), False),
    (claim(phase="Lost"), True),
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
        counted = ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas")
        if kind in ("Deployment", "StatefulSet", "ReplicaSet"):
            its = counted[: 3 if kind == "ReplicaSet" else 4]
            assert {status.get(each, 0) for each in its} == {spec["replicas"]}
            assert status.get("currentRevision") == status.get("updateRevision")
        if kind == "DaemonSet":
            names = set(DAEMONS) - {"observedGeneration"}
            assert {status[each] for each in names} == {1}
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
