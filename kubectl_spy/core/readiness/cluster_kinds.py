"""Readiness rules for built-in kinds without Pods of their own.

They follow kstatus where it has rules:
https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/status/core.go
"""

from __future__ import annotations

from kubectl_spy.core.fields import flag, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.conditions import (
    Readiness,
    believed,
    current,
    failed,
    in_progress,
    in_words,
    is_true,
    status_conditions,
)
from kubectl_spy.core.readiness.polarity import SCALING_DISABLED
from kubectl_spy.core.wording import both_ends, many


def cron_job(obj: JSON) -> Readiness:
    """A CronJob is always current. Its Jobs are judged by themselves."""
    if flag(obj, "spec", "suspend") is True:
        return current("it is suspended")
    return current(both_ends(f"its schedule is {text(obj, 'spec', 'schedule')}"))


def service(obj: JSON) -> Readiness:
    """A Service is current. One of type LoadBalancer needs an external address.

    For kstatus the cluster IP is enough, which comes at once.
    """
    if text(obj, "spec", "type") != "LoadBalancer":
        return current("it exists")
    addresses = [
        text(each, "ip") or text(each, "hostname")
        for each in mappings(obj, "status", "loadBalancer", "ingress")
    ]
    if not any(addresses):
        return in_progress("its load balancer has no address yet")
    return current(both_ends(f"its address is {', '.join(filter(None, addresses))}"))


def sync_failure(obj: JSON) -> Readiness | None:
    """Return the failure of a PodDisruptionBudget's controller, or None.

    The controller writes no observedGeneration then.
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/disruption/disruption.go
    """
    for each in status_conditions(obj):
        if each.type == "DisruptionAllowed" and each.reason == "SyncFailed":
            return failed(each)
    return None


def pod_disruption_budget(obj: JSON) -> Readiness:
    """A PodDisruptionBudget is current once its controller has computed it."""
    count = number(obj, "status", "disruptionsAllowed")
    if count:
        return current(f"{many(count, 'disruption')} allowed")
    if not number(obj, "status", "expectedPods"):
        return current("no disruption is allowed: it has no Pods to count")
    healthy = number(obj, "status", "currentHealthy")
    desired = number(obj, "status", "desiredHealthy")
    return current(f"no disruption is allowed: {healthy} healthy, {desired} wanted")


def autoscaler(obj: JSON) -> Readiness:
    """A HorizontalPodAutoscaler is current if it can scale, and has scaled."""
    conditions = believed(obj)
    active = conditions.get("ScalingActive")
    if active and active.reason == SCALING_DISABLED:
        return current(str(active))
    if text(obj, "apiVersion") != "autoscaling/v1":  # which has no conditions
        for name in ("AbleToScale", "ScalingActive"):
            if not is_true(conditions, name):
                return in_progress(in_words(conditions, name))
    there = number(obj, "status", "currentReplicas")
    desired = number(obj, "status", "desiredReplicas")
    if there != desired or not there:
        return in_progress(f"{there} of {desired} desired replicas")
    return current(f"{there} replicas, as desired")
