"""Decides whether an object is ready, and if not, whether it can become so.

The rules are those of kstatus, which kpt, Helm and Flux use: rules for the kind, or
else for the conditions that any object may have.
https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus

They differ where kstatus is less strict:

- No object is CURRENT before its controller has seen the last spec. That is so while
  `observedGeneration` is behind, or missing for a kind that always has it.
- A Job is CURRENT once it is complete, not while it runs. A failed Pod is FAILED.
- A custom resource without a known condition is UNKNOWN. With a spec and without a
  status it is IN_PROGRESS, if its kind has a status. Without a spec it is CURRENT.
- Objects of built-in kinds without rules are CURRENT as soon as they exist.
"""

from __future__ import annotations

from collections.abc import Callable

from kubectl_spy.core.fields import mapping, number, text
from kubectl_spy.core.objects import BUILT_IN_GROUPS, JSON
from kubectl_spy.core.readiness import cluster_kinds, workloads
from kubectl_spy.core.readiness.conditions import (
    UNOBSERVED,
    Readiness,
    State,
    believable,
    current,
    failed,
    in_progress,
    status_conditions,
)
from kubectl_spy.core.wording import both_ends

__all__ = ["Readiness", "State", "readiness"]

_BUDGET = ("policy", "PodDisruptionBudget")
_WITH_PODS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
_RULES: dict[tuple[str, str], Callable[[JSON], Readiness]] = {
    ("", "Pod"): workloads.pod,
    ("", "ReplicationController"): workloads.replica_set,
    ("apps", "Deployment"): workloads.deployment,
    ("apps", "ReplicaSet"): workloads.replica_set,
    ("apps", "StatefulSet"): workloads.stateful_set,
    ("apps", "DaemonSet"): workloads.daemon_set,
    ("batch", "Job"): workloads.job,
    ("batch", "CronJob"): cluster_kinds.cron_job,
    ("", "PersistentVolumeClaim"): cluster_kinds.persistent_volume_claim,
    ("", "PersistentVolume"): cluster_kinds.persistent_volume,
    ("", "Service"): cluster_kinds.service,
    ("", "Namespace"): cluster_kinds.namespace,
    ("", "Node"): cluster_kinds.node,
    _BUDGET: cluster_kinds.pod_disruption_budget,
    ("autoscaling", "HorizontalPodAutoscaler"): cluster_kinds.autoscaler,
    (
        "apiextensions.k8s.io",
        "CustomResourceDefinition",
    ): cluster_kinds.custom_resource_definition,
}
_OBSERVING = frozenset(("apps", kind) for kind in _WITH_PODS) | {
    ("", "ReplicationController"),
    _BUDGET,
}
"""Kinds whose controllers always write observedGeneration."""
_GOOD = ("Ready", "Available", "Established", "Succeeded", "Complete", "Completed")
"""Conditions that are enough if true, the most specific first."""
_ENDS = frozenset({"Succeeded", "Complete", "Completed"})  # of objects that run once


def readiness(obj: JSON, *, has_status: bool = True) -> Readiness:
    """Return the readiness of *obj*, a whole object with apiVersion and kind.

    *has_status* says whether its kind has a status, by discovery. This raises nothing,
    whatever *obj* holds.

    >>> readiness({"apiVersion": "v1", "kind": "ConfigMap"}).state
    <State.CURRENT: 'current'>
    """
    if not isinstance(obj, dict):
        return Readiness(State.UNKNOWN, "it is no object")
    group = text(obj, "apiVersion").rpartition("/")[0]
    kind = group, text(obj, "kind")
    if text(obj, "metadata", "deletionTimestamp"):
        return Readiness(State.TERMINATING, _terminating(obj))
    rule = _RULES.get(kind)
    if rule is workloads.pod and text(obj, "status", "phase") in workloads.ENDED:
        return rule(obj)  # what has ended sees no new spec any more
    if kind == _BUDGET and (failure := cluster_kinds.sync_failure(obj)) is not None:
        return failure
    if (behind := _behind(obj, always=kind in _OBSERVING)) is not None:
        return behind
    return _standard(obj) or (
        rule(obj) if rule else _other(obj, group not in BUILT_IN_GROUPS, has_status)
    )


def _terminating(obj: JSON) -> str:
    finalizers = mapping(obj, "metadata").get("finalizers")
    if not isinstance(finalizers, list):
        finalizers = []
    names = ", ".join(each for each in finalizers if isinstance(each, str))
    return both_ends(
        f"it is being deleted; {names} must agree" if names else "it is being deleted"
    )


def _behind(obj: JSON, *, always: bool) -> Readiness | None:
    """Return that the controller has not seen the last spec, or None."""
    generation = number(obj, "metadata", "generation")
    observed = number(obj, "status", "observedGeneration", default=UNOBSERVED)
    if observed == UNOBSERVED:
        if always and generation > 0:
            return in_progress("its controller has not seen it yet")
        return None
    if observed < generation:
        return in_progress(
            f"its controller has seen generation {observed}, not {generation} yet"
        )
    return None


def _standard(obj: JSON) -> Readiness | None:
    """Return the readiness by the conditions Reconciling and Stalled, or None.

    A controller that sets Stalled usually does not try again before the spec changes
    (Flux), or has waited long enough, as after a Deployment's progress deadline.
    """
    for condition in status_conditions(obj):
        if condition.true and believable(obj, condition):
            if condition.type == "Reconciling":
                return in_progress(condition.explanation)
            if condition.type == "Stalled":
                return failed(condition.explanation, final=True)
    return None


def _other(obj: dict[str, JSON], custom: bool, has_status: bool) -> Readiness:
    conditions = {each.type: each for each in reversed(list(status_conditions(obj)))}
    bad = conditions.get("Failed")
    if bad and bad.true and believable(obj, bad):
        return failed(str(bad))
    for name in _GOOD:
        condition = conditions.get(name)
        if condition is None:
            continue
        if not believable(obj, condition):
            return in_progress(f"its condition {name} is about an earlier spec")
        if condition.true:
            return current(str(condition), final=name in _ENDS)
        if name in _ENDS and text(obj, "status", "completionTime"):
            # Tekton sets "Unknown" while it runs, and "False" when it has failed.
            return failed(str(condition), final=True)
        return in_progress(str(condition))
    if not custom:
        return current("it exists")
    if obj.get("status"):
        return Readiness(State.UNKNOWN, "its status has no Ready condition")
    if has_status and obj.get("spec") is not None:
        return in_progress("no controller has written a status yet")
    return current("it exists, and its kind has no status")
