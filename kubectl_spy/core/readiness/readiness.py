"""Whether an object is what its spec asks for, and if not, whether it ever will be.

The rules are kstatus's, the package that kpt, Helm and Flux wait by: for the kind of
object, or else for the conditions that any object may have.
https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus

They differ from it where it is more trusting than a person who waits would be:

- Nothing is CURRENT before its controller has seen the last spec, be it that
  `observedGeneration` is behind or, where a kind always has one, missing.
- A Job is CURRENT once it is complete, not while it runs; a failed Pod is FAILED.
- A custom resource whose status has no condition that we know is UNKNOWN. One that has
  a spec but no status is IN_PROGRESS, if its kind has a status at all: a controller has
  not come to it yet. Without a spec there is nothing to be done: CURRENT.
- What built-in kinds without rules of their own hold is CURRENT as soon as it exists.
"""

from __future__ import annotations

from collections.abc import Callable

from kubectl_spy.core.fields import mapping, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness import cluster_kinds, pods, workloads
from kubectl_spy.core.readiness.conditions import (
    UNOBSERVED,
    believable,
    status_conditions,
)
from kubectl_spy.core.readiness.state import (
    Readiness,
    State,
    current,
    failed,
    in_progress,
)
from kubectl_spy.core.wording import both_ends

__all__ = ["Readiness", "State", "readiness"]

_BUDGET = ("policy", "PodDisruptionBudget")
_RULES: dict[tuple[str, str], Callable[[JSON], Readiness]] = {
    ("", "Pod"): pods.pod,
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
_OBSERVING = frozenset(
    {
        ("", "ReplicationController"),
        ("apps", "Deployment"),
        ("apps", "ReplicaSet"),
        ("apps", "StatefulSet"),
        ("apps", "DaemonSet"),
        _BUDGET,
    }
)
"""Kinds whose controllers always write observedGeneration: without it, they did not."""
_BUILT_IN = frozenset({"", "apps", "autoscaling", "batch", "extensions", "policy"}) | {
    f"{group}.k8s.io"
    for group in (
        "admissionregistration",
        "apiextensions",
        "apiregistration",
        "authentication",
        "authorization",
        "certificates",
        "coordination",
        "discovery",
        "events",
        "flowcontrol.apiserver",
        "internal.apiserver",
        "metrics",
        "networking",
        "node",
        "rbac.authorization",
        "resource",
        "scheduling",
        "storage",
        "storagemigration",
    )
}
"""API groups that are no custom resources'; those may end in .k8s.io, too."""
_GOOD = ("Ready", "Available", "Established", "Succeeded", "Complete", "Completed")
"""Conditions that say it all when they are true, the most telling one first."""
_ENDS = frozenset({"Succeeded", "Complete", "Completed"})
"""Those of what runs once."""


def readiness(obj: JSON, *, has_status: bool = True) -> Readiness:
    """Return how far *obj* is; *has_status* is what discovery says of its kind.

    It is the whole object, with apiVersion and kind, as far as anyone can tell: nothing
    in it makes this raise.

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
    if rule is pods.pod and text(obj, "status", "phase") in pods.ENDED:
        return rule(obj)  # what has ended sees no new spec any more
    if kind == _BUDGET and (failure := cluster_kinds.sync_failure(obj)) is not None:
        return failure
    if (behind := _behind(obj, always=kind in _OBSERVING)) is not None:
        return behind
    return _standard(obj) or (
        rule(obj) if rule else _other(obj, group not in _BUILT_IN, has_status)
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
    """Return that the controller has not seen the last spec, where that is known."""
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
    """Return what the conditions say that kstatus gave the world.

    Who sets Stalled mostly does not try again before the spec changes (Flux), or has
    waited for long enough, as with the progress deadline of a Deployment.
    """
    for condition in status_conditions(obj):
        if condition.true and believable(obj, condition):
            if condition.type == "Reconciling":
                return in_progress(condition.explanation)
            if condition.type == "Stalled":
                return failed(condition.explanation, final=True)
    return None


def _other(obj: dict[str, JSON], custom: bool, has_status: bool) -> Readiness:
    """Tell of a kind that has no rules of its own."""
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
            # Tekton's: "Unknown" while it runs, "False" for good.
            return failed(str(condition), final=True)
        return in_progress(str(condition))
    if not custom:
        return current("it exists")
    if obj.get("status"):
        return Readiness(State.UNKNOWN, "its status has no Ready condition")
    if has_status and obj.get("spec") is not None:
        return in_progress("no controller has written a status yet")
    return current("it exists, and its kind has no status")
