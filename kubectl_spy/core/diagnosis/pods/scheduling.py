"""Explains why a Pod has no node yet."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.finding import (
    Fact,
    Finding,
    advised,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.pods import unschedulable
from kubectl_spy.core.diagnosis.pods.missing import missing
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import mappings, moment, text
from kubectl_spy.core.remedy import Remedy

_DEVICES = "resource.k8s.io"


def findings(pod: SeenPod) -> list[Finding]:
    """Return why a Pod has no node. It is no failure: an autoscaler may add one."""
    if pod.node or pod.ended or pod.deleting:
        return []
    scheduled = pod.condition("PodScheduled")
    since = moment(scheduled, "lastTransitionTime")
    reason = text(scheduled, "reason")
    message = text(scheduled, "message")
    remedy: Remedy | None = None
    if reason == "SchedulingGated":
        of = _gates(pod)
    elif reason == "Unschedulable":
        of = unschedulable.reason_of(pod, message)
        remedy = unschedulable.remedy(pod, message)
        if absent := missing(message, pod.namespace):
            of = fact("Unschedulable", missing=absent.fact)
            remedy = absent.remedy
    elif message:
        of, remedy = fact("NotScheduled", message=message_line(message)), pod.describe()
    else:
        scheduler = text(pod.document, "spec", "schedulerName")
        named = "" if scheduler == "default-scheduler" else message_line(scheduler, 63)
        of = fact("WaitsForScheduler", scheduler=named)
    if claims := [] if message else _claims(pod):
        return claims
    # Since 1.35 the scheduler also names the node while it binds volumes there.
    # https://github.com/kubernetes/enhancements/tree/master/keps/sig-scheduling/5278-nominated-node-name-for-expectation
    node = text(pod.document, "status", "nominatedNodeName")
    role = "nominated" if reason == "Unschedulable" else "chosen"
    of = of._replace(args={**of.args, **({role: node} if node else {})})
    return [stating(of, "scheduling", remedy=remedy, since=since)]


def _claims(pod: SeenPod) -> list[Finding]:
    """Return missing ResourceClaims, for which the scheduler waits without a message.

    https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
    """
    made = {
        text(each, "name"): text(each, "resourceClaimName")
        for each in mappings(pod.document, "status", "resourceClaimStatuses")
    }
    found = []
    for each in mappings(pod.document, "spec", "resourceClaims"):
        name = text(each, "name")
        claim = text(each, "resourceClaimName")
        template = text(each, "resourceClaimTemplateName")
        refused = [
            event.message
            for event in pod.events
            if event.message.startswith(f"PodResourceClaim {name}: ")
        ]
        absent: Fact | None = None
        if claim and _lacks(pod, "ResourceClaim", claim):
            absent = _absent(pod, "ResourceClaim", claim)
        elif (
            template
            and name not in made
            and _lacks(pod, "ResourceClaimTemplate", template)
        ):
            absent = _absent(pod, "ResourceClaimTemplate", template)
        elif template and name not in made and refused:
            known = missing(refused[-1], pod.namespace)
            refusal = message_line(refused[-1])
            absent = known.fact if known else None
            absent = absent or fact("ResourceClaimRefused", name=name, message=refusal)
        if absent:
            about, remedy = f"resourceClaim/{name}", advised(absent)
            found.append(
                finding(
                    "Unschedulable",
                    about,
                    missing=absent,
                    remedy=remedy or pod.describe(),
                )
            )
    return found


def _lacks(pod: SeenPod, kind: str, name: str) -> bool:
    where = pod.entry.namespace
    return not pod.seen.unseen(_DEVICES, kind, where) and (
        pod.seen.named(_DEVICES, kind, where, name) is None
    )


def _absent(pod: SeenPod, kind: str, name: str) -> Fact:
    return fact("ObjectMissing", kind=kind, name=name, namespace=pod.namespace)


def _gates(pod: SeenPod) -> Fact:
    """Return the scheduling gates of the Pod.

    https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/
    """
    named = (
        text(each, "name") for each in mappings(pod.document, "spec", "schedulingGates")
    )
    gates = tuple(message_line(gate) for gate in named if gate)
    return fact("SchedulingGated", gates=gates)
