"""Readiness rules for built-in kinds without Pods of their own.

They follow kstatus where it has rules:
https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/status/core.go
"""

from __future__ import annotations

from kubectl_spy.core.fields import flag, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.conditions import (
    Readiness,
    State,
    believed,
    current,
    failed,
    in_progress,
    is_true,
    status_conditions,
    told,
)
from kubectl_spy.core.readiness.reported import contradiction
from kubectl_spy.core.wording import both_ends, many


def cron_job(obj: JSON) -> Readiness:
    """A CronJob is always current. Its Jobs are judged by themselves."""
    if flag(obj, "spec", "suspend") is True:
        return current("it is suspended")
    return current(both_ends(f"its schedule is {text(obj, 'spec', 'schedule')}"))


def persistent_volume_claim(obj: JSON) -> Readiness:
    """A PersistentVolumeClaim is current if bound. A lost volume does not come back."""
    phase = text(obj, "status", "phase")
    if phase == "Bound":
        return current(both_ends(f"it is bound to {text(obj, 'spec', 'volumeName')}"))
    if phase == "Lost":
        return failed("its volume is lost", final=True)
    return in_progress(both_ends(f"it is {phase}" if phase else "it has no phase yet"))


def persistent_volume(obj: JSON) -> Readiness:
    phase = text(obj, "status", "phase")
    if phase == "Failed":
        return failed(both_ends(text(obj, "status", "message") or "it is Failed"))
    if phase in ("Available", "Bound", "Released"):
        return current(f"it is {phase}")
    return in_progress("it is not available yet")


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


def namespace(obj: JSON) -> Readiness:
    phase = text(obj, "status", "phase")
    if phase == "Terminating":
        return Readiness(State.TERMINATING, "it is being deleted")
    if phase == "Active":
        return current("it is Active")
    return in_progress("it is not Active yet")


def node(obj: JSON) -> Readiness:
    """A Node is current if Ready, and failed if its kubelet is silent ("Unknown")."""
    conditions = believed(obj)
    if (wrong := contradiction(obj)) is not None:
        return wrong
    if is_true(conditions, "Ready"):
        cordoned = flag(obj, "spec", "unschedulable") is True
        return current("it is ready, and cordoned" if cordoned else "it is ready")
    if "Ready" in conditions and conditions["Ready"].status == "Unknown":
        return failed(str(conditions["Ready"]))
    return in_progress(told(conditions, "Ready"))


def sync_failure(obj: JSON) -> Readiness | None:
    """Return the failure of a PodDisruptionBudget's controller, or None.

    The controller writes no observedGeneration then.
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/disruption/disruption.go
    """
    for each in status_conditions(obj):
        if each.type == "DisruptionAllowed" and each.reason == "SyncFailed":
            return failed(str(each))
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
    if active and active.reason == "ScalingDisabled":  # its target has 0 replicas
        return current(str(active))
    if text(obj, "apiVersion") != "autoscaling/v1":  # which has no conditions
        for name in ("AbleToScale", "ScalingActive"):
            if not is_true(conditions, name):
                return in_progress(told(conditions, name))
    there = number(obj, "status", "currentReplicas")
    desired = number(obj, "status", "desiredReplicas")
    if there != desired or not there:
        return in_progress(f"{there} of {desired} desired replicas")
    return current(f"{there} replicas, as desired")


def custom_resource_definition(obj: JSON) -> Readiness:
    conditions = believed(obj)
    accepted = conditions.get("NamesAccepted")
    if accepted and accepted.status == "False":
        return failed(str(accepted))
    established = conditions.get("Established")
    if established is None:
        return in_progress("it is not Established yet")
    if established.true:
        return current("it is established")
    if established.status == "False" and established.reason != "Installing":
        return failed(str(established))
    return in_progress(str(established))


def certificate_signing_request(obj: JSON) -> Readiness:
    """A CertificateSigningRequest is current once its certificate is there.

    The conditions Denied and Failed cannot be removed.
    https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#request-signing-process
    """
    conditions = believed(obj)
    for name in ("Denied", "Failed"):
        if is_true(conditions, name):
            return failed(str(conditions[name]), final=True)
    if text(obj, "status", "certificate"):
        return current("its certificate is issued")
    if is_true(conditions, "Approved"):
        return in_progress("it is approved, and its certificate is not issued yet")
    return in_progress("nobody has approved it yet")


def volume_attachment(obj: JSON) -> Readiness:
    """A VolumeAttachment is current once it is attached. What failed is tried again."""
    if (wrong := contradiction(obj)) is not None:
        return wrong
    if flag(obj, "status", "attached") is True:
        return current("it is attached")
    return in_progress("it is not attached yet")
