"""Readiness rules for Pods and their controllers.

They follow kstatus, and `kubectl rollout status` where kstatus is less strict:
https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/status/core.go
https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go

Each function takes an object whose controller has seen its last spec.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.fields import flag, mapping, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.conditions import (
    Readiness,
    State,
    believed,
    current,
    failed,
    in_progress,
    in_words,
    is_true,
)
from kubectl_spy.core.wording import both_ends


def deployment(obj: JSON) -> Readiness:
    """A Deployment is failed where `kubectl rollout status` gives up.

    As there, the counts decide, not the condition Progressing: it may lag behind, and
    is missing without a deadline.
    """
    conditions = believed(obj)
    progressing = conditions.get("Progressing")
    if progressing and progressing.reason == "ProgressDeadlineExceeded":
        return failed(progressing.explanation, final=True)
    desired = number(obj, "spec", "replicas", default=1)
    replicas, updated, ready, available = (
        number(obj, "status", name)
        for name in (
            "replicas",
            "updatedReplicas",
            "readyReplicas",
            "availableReplicas",
        )
    )
    paused = flag(obj, "spec", "paused") is True
    if updated < desired:
        rest = ", and it is paused" if paused else ""
        return in_progress(f"{updated} of {desired} replicas are updated{rest}")
    if replicas > updated:
        return in_progress(f"{replicas - updated} old replicas are still there")
    if replicas > desired:
        return in_progress(f"{replicas - desired} replicas too many are still there")
    if available < updated:
        return in_progress(f"{available} of {updated} updated replicas are available")
    if ready < desired:
        return in_progress(f"{ready} of {desired} replicas are ready")
    if progressing and progressing.status == "False":
        return in_progress(progressing.explanation)
    if not is_true(conditions, "Available"):
        return in_progress(in_words(conditions, "Available"))
    if not desired:
        return current("scaled to 0 replicas")
    return current(f"{available} of {desired} updated replicas are available")


def replica_set(obj: JSON) -> Readiness:
    """A ReplicaSet or ReplicationController is in progress during a ReplicaFailure.

    The controller could not create or delete a Pod, and tries again.
    """
    conditions = believed(obj)
    if is_true(conditions, "ReplicaFailure"):
        return in_progress(conditions["ReplicaFailure"].explanation)
    desired = number(obj, "spec", "replicas", default=1)
    return _counted(
        obj,
        desired,
        fullyLabeledReplicas="labelled",
        readyReplicas="ready",
        availableReplicas="available",
    )


def stateful_set(obj: JSON) -> Readiness:
    """A StatefulSet is current if its Pods are ready and of the right revision.

    With the strategy OnDelete a user replaces Pods, so their revision does not count.
    Unlike in kstatus they must be ready.
    """
    desired = number(obj, "spec", "replicas", default=1)
    wanted = {"replicas": "created", "readyReplicas": "ready"}
    if "availableReplicas" in mapping(obj, "status"):
        wanted["availableReplicas"] = "available"
    counted = _counted(obj, desired, **wanted)
    if counted.state is not State.CURRENT:
        return counted
    if text(obj, "spec", "updateStrategy", "type") == "OnDelete":
        return current(f"{counted.message}; they are updated when deleted")
    # https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#partitions
    partition = number(obj, "spec", "updateStrategy", "rollingUpdate", "partition")
    updated = number(obj, "status", "updatedReplicas")
    if partition > 0:
        among = max(desired - partition, 0)
        if updated < among:
            return in_progress(f"{updated} of {among} replicas are updated")
        return current(f"{counted.message}, {updated} of them updated")
    if text(obj, "status", "currentRevision") != text(obj, "status", "updateRevision"):
        return in_progress(f"{updated} of {desired} replicas are updated")
    if updated < desired:
        return in_progress(f"{updated} of {desired} replicas are updated")
    up_to_date = number(obj, "status", "currentReplicas")
    if up_to_date < desired:
        return in_progress(f"{up_to_date} of {desired} replicas are of its revision")
    return counted


def daemon_set(obj: JSON) -> Readiness:
    """A DaemonSet is current if all its Pods are updated and available."""
    desired = number(obj, "status", "desiredNumberScheduled", default=-1)
    if desired < 0:
        return in_progress("its controller has not counted the nodes yet")
    wanted = {"currentNumberScheduled": "scheduled"}
    if text(obj, "spec", "updateStrategy", "type") != "OnDelete":
        wanted["updatedNumberScheduled"] = "updated"
    wanted |= {"numberReady": "ready", "numberAvailable": "available"}
    for name, what in wanted.items():
        if (count := number(obj, "status", name)) < desired:
            return in_progress(f"{count} of {desired} Pods are {what}")
    return current(f"{desired} of {desired} Pods are available")


def job(obj: JSON) -> Readiness:
    """A Job is done when the condition Complete or Failed says so.

    FailureTarget and SuccessCriteriaMet come before the last Pods end:
    https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup
    """
    conditions = believed(obj)
    succeeded = number(obj, "status", "succeeded")
    parallelism = number(obj, "spec", "parallelism", default=1)
    completions = number(obj, "spec", "completions", default=parallelism)
    if is_true(conditions, "Failed"):
        return failed(conditions["Failed"].said or "it has failed", final=True)
    if is_true(conditions, "Complete"):
        return current(f"{succeeded} of {completions} completions", final=True)
    for ending in ("FailureTarget", "SuccessCriteriaMet"):
        if is_true(conditions, ending):
            reason = conditions[ending].reason
            return in_progress(f"{ending} ({reason}): its last Pods are ending")
    if is_true(conditions, "Suspended"):
        return in_progress("it is suspended")
    if not text(obj, "status", "startTime"):
        return in_progress("it has not started yet")
    active, bad = number(obj, "status", "active"), number(obj, "status", "failed")
    failures = f", {bad} failed" if bad else ""
    done = f"{succeeded} of {completions} completions"
    return in_progress(f"{done}, {active} Pods active{failures}")


def _counted(obj: JSON, desired: int, **wanted: str) -> Readiness:
    what = "there"
    for name, what in wanted.items():
        if (count := number(obj, "status", name)) < desired:
            return in_progress(f"{count} of {desired} replicas are {what}")
    replicas = number(obj, "status", "replicas")
    if replicas > desired:
        return in_progress(f"{replicas - desired} replicas too many are still there")
    if not desired:
        return current("scaled to 0 replicas")
    return current(f"{desired} of {desired} replicas are {what}")


ENDED = frozenset({"Succeeded", "Failed"})  # the final phases
_HARMLESS = frozenset({"ContainerCreating", "PodInitializing", ""})
"""Reasons of waiting containers that are normal."""


def pod(obj: JSON) -> Readiness:
    """A Pod is current if it is ready, or has succeeded.

    For kstatus a Pod that cannot be scheduled for 15 seconds is FAILED. Here it is in
    progress: that rule needs a clock, and an autoscaler may take minutes to add a node.
    """
    phase = text(obj, "status", "phase")
    if phase == "Succeeded":
        return current("it has completed", final=True)
    if phase == "Failed":
        why = filter(
            None, (text(obj, "status", "reason"), text(obj, "status", "message"))
        )
        said = _reasons(obj) or both_ends(": ".join(why)) or "it has ended in failure"
        return failed(said, final=True)
    conditions = believed(obj)
    if phase == "Running" and is_true(conditions, "Ready"):
        return current("it is running and ready")
    crashing = [
        f"{name} ({restarts} restarts)"
        for name, reason, restarts in _waiting(obj)
        if reason == "CrashLoopBackOff"
    ]
    if crashing:
        return failed(both_ends(f"CrashLoopBackOff: {', '.join(crashing)}"))
    for name, reason, _ in _waiting(obj):
        if reason not in _HARMLESS:
            return in_progress(both_ends(f"{reason}: {name}"))
    scheduled = conditions.get("PodScheduled")
    if scheduled and scheduled.status == "False":
        return in_progress(str(scheduled))
    if phase == "Running":
        return in_progress(in_words(conditions, "Ready"))
    return in_progress(f"it is {both_ends(phase)}" if phase else "it has no phase yet")


def _waiting(obj: JSON) -> Iterator[tuple[str, str, int]]:
    """Yield the name, reason and restarts of each waiting container."""
    for statuses in ("initContainerStatuses", "containerStatuses"):
        for each in mappings(obj, "status", statuses):
            if "waiting" in mapping(each, "state"):
                reason = text(each, "state", "waiting", "reason")
                yield text(each, "name"), reason, number(each, "restartCount")


def _reasons(obj: JSON) -> str:
    """Return how containers of *obj* failed: `main: Error, exit code 3`."""
    ended = []
    for statuses in ("initContainerStatuses", "containerStatuses"):
        for each in mappings(obj, "status", statuses):
            code = number(each, "state", "terminated", "exitCode")
            if code:
                reason = text(each, "state", "terminated", "reason") or "ended"
                ended.append(f"{text(each, 'name')}: {reason}, exit code {code}")
    return both_ends("; ".join(ended))
