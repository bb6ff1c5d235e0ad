"""Decides whether an object is ready, and if not, whether it can become so.

The rules are those of kstatus, which kpt, Helm and Flux use: rules for the kind, or
else for the conditions that any object may have.
https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus

They differ where kstatus is less strict:

- No object is CURRENT before its controller has seen the last spec. That is so while
  `observedGeneration` is behind, or missing for a kind that always has it.
- A Job is CURRENT once it is complete, not while it runs. A failed Pod is FAILED.
- A good condition does not outvote what contradicts it: a condition that should be
  false, or a phase such as Failed. Then the object is FAILED.
- A custom resource without a known condition is UNKNOWN. With a spec and without a
  status it is IN_PROGRESS, if its kind has a status. Without a spec it is CURRENT.
- Objects of built-in kinds without rules are CURRENT as soon as they exist, if their
  status does not say otherwise.

`Readiness.judged` tells whether a rule said so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kubectl_spy.core.fields import generation, mapping, text
from kubectl_spy.core.objects import BUILT_IN_GROUPS, JSON
from kubectl_spy.core.readiness import cluster_kinds, reported, workloads
from kubectl_spy.core.readiness.conditions import (
    UNOBSERVED,
    Readiness,
    State,
    believable,
    current,
    failed,
    in_progress,
    status_conditions,
    there,
)
from kubectl_spy.core.wording import both_ends

if TYPE_CHECKING:
    from kubectl_spy.knowledge.form import Kind

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
    ("", "Service"): cluster_kinds.service,
    _BUDGET: cluster_kinds.pod_disruption_budget,
    ("autoscaling", "HorizontalPodAutoscaler"): cluster_kinds.autoscaler,
}
_OBSERVING = frozenset(("apps", kind) for kind in _WITH_PODS) | {
    ("", "ReplicationController"),
    _BUDGET,
}
"""Kinds whose controllers always write observedGeneration."""
_GOOD = ("Ready", "Available", "Established", "Succeeded", "Complete")
"""Conditions that are enough if true, the most specific first.

Completed is none of them: what has completed may have failed (Argo Workflows).
"""
_ENDS = frozenset({"Succeeded", "Complete"})  # of objects that run once


GRACE = 60.0
"""Seconds for which a new object may lack a status, or a condition may tell a failure,
before it counts. Nothing here reads a clock: who does compares with this."""


def has_rules(group: str, kind: str) -> bool:
    """Return whether there are rules for a kind, besides those for all kinds."""
    return (group, kind) in _RULES


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
    if (standard := _standard(obj)) is not None:
        return standard
    if rule:
        return rule(obj)
    # Most objects are of kinds with rules above: their first line waits for no import.
    from kubectl_spy.core.readiness.entries import by_entry
    from kubectl_spy.knowledge.kinds import known

    entry = known(*kind)
    return by_entry(obj, entry) or _other(
        obj, entry, group not in BUILT_IN_GROUPS, has_status
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
    wanted = generation(obj, "metadata", "generation")
    observed = generation(obj, "status", "observedGeneration", default=UNOBSERVED)
    if observed == UNOBSERVED:
        if always and wanted > 0:
            return in_progress("its controller has not seen it yet")
        return None
    if observed < wanted:
        return in_progress(
            f"its controller has seen generation {observed}, not {wanted} yet"
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


def _other(
    obj: dict[str, JSON], entry: Kind, custom: bool, has_status: bool
) -> Readiness:
    conditions = {each.type: each for each in reversed(list(status_conditions(obj)))}
    if (wrong := reported.contradiction(obj, entry.conditions)) is not None:
        return wrong
    for name in _GOOD:
        if entry.conditions.get(name, "good") != "good":
            continue
        condition = conditions.get(name)
        if condition is None:
            continue
        if not believable(obj, condition):
            return in_progress(f"its condition {name} is about an earlier spec")
        if condition.true:
            return current(condition, final=name in _ENDS)
        if name in _ENDS and text(obj, "status", "completionTime"):
            # Tekton sets "Unknown" while it runs, and "False" when it has failed.
            return failed(condition, final=True)
        return in_progress(condition)
    if (lacking := reported.lacking(obj, entry.conditions)) is not None:
        return lacking
    if not custom:
        return there("it exists")
    if obj.get("status"):
        return Readiness(State.UNKNOWN, reported.texts(obj), judged=False)
    if has_status and obj.get("spec") is not None:
        why = "no controller has written a status yet"
        return Readiness(State.IN_PROGRESS, why, judged=bool(entry.health))
    return there("it exists, and its kind has no status")
