"""Explains why a Pod has no node yet."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.finding import Finding, Verdict, said
from kubectl_spy.core.diagnosis.pods import unschedulable
from kubectl_spy.core.diagnosis.pods.missing import missing
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.fields import condition, mappings, moment, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice
from kubectl_spy.core.wording import plural

_DEVICES = "resource.k8s.io"


def findings(pod: SeenPod) -> list[Finding]:
    """Return why a Pod has no node. It is no failure: an autoscaler may add one."""
    if pod.node or pod.ended or pod.deleting:
        return []
    scheduled = condition(pod.document, "PodScheduled")
    since = moment(scheduled, "lastTransitionTime")
    reason = text(scheduled, "reason")
    message = text(scheduled, "message")
    if reason == "SchedulingGated":
        told, remedy = _gates(pod)
    elif reason == "Unschedulable":
        told = unschedulable.told(pod, message)
        remedy = unschedulable.remedy(pod, message)
        if absent := missing(message, pod.namespace):
            told, remedy = f"cannot be scheduled: {absent.text}", absent.remedy
    elif message:
        told, remedy = f"not scheduled: {message_line(message)}", pod.describe()
    else:
        told, remedy = _unseen_by_scheduler(pod), NO_REMEDY
    nominated = text(pod.document, "status", "nominatedNodeName")
    if nominated and reason == "Unschedulable":
        told += f"; other Pods are being removed from {nominated} to make room"
    elif nominated:
        # Since 1.35 the scheduler also names the node while it binds volumes there.
        # https://github.com/kubernetes/enhancements/tree/master/keps/sig-scheduling/5278-nominated-node-name-for-expectation
        told += f"; the scheduler has chosen {nominated} and prepares it for the Pod"
    claims = [] if message else _claims(pod)
    return claims or [said("scheduling", Verdict.WAITING, told, remedy, since)]


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
        told, remedy = "", NO_REMEDY
        if claim and _lacks(pod, "ResourceClaim", claim):
            told = f"ResourceClaim {claim} does not exist"
            remedy = _create(pod, "ResourceClaim", claim)
        elif (
            template
            and name not in made
            and _lacks(pod, "ResourceClaimTemplate", template)
        ):
            told = f"ResourceClaimTemplate {template} does not exist"
            remedy = _create(pod, "ResourceClaimTemplate", template)
        elif template and name not in made and refused:
            absent = missing(refused[-1], pod.namespace)
            told = f"its ResourceClaim {name} cannot be created: {refused[-1]}"
            told, remedy = absent or (told, pod.describe())
        if told:
            told = message_line(f"cannot be scheduled: {told}")
            about = f"resourceClaim/{name}"
            found.append(said(about, Verdict.WAITING, told, remedy))
    return found


def _lacks(pod: SeenPod, kind: str, name: str) -> bool:
    where = pod.entry.namespace
    return not pod.seen.unseen(_DEVICES, kind, where) and (
        pod.seen.named(_DEVICES, kind, where, name) is None
    )


def _create(pod: SeenPod, kind: str, name: str) -> Remedy:
    return advice("create {} {} in namespace {}", kind, name, pod.namespace)


def _gates(pod: SeenPod) -> tuple[str, Remedy]:
    """Return the scheduling gates of the Pod.

    https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/
    """
    named = (
        text(each, "name") for each in mappings(pod.document, "spec", "schedulingGates")
    )
    gates = [gate for gate in named if gate]
    held = "held back"
    if gates:
        held += f" by {plural(len(gates), 'scheduling gate')} {listed(gates)}"
    return message_line(held), advice(
        "its controller removes the gate from spec.schedulingGates"
    )


def _unseen_by_scheduler(pod: SeenPod) -> str:
    scheduler = text(pod.document, "spec", "schedulerName")
    if scheduler in ("", "default-scheduler"):
        return "waits for the scheduler"
    named = message_line(scheduler, 63)
    return f"waits for the scheduler that is named {named} (spec.schedulerName)"
