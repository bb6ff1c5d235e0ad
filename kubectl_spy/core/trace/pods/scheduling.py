"""Why a Pod has no node yet, in the scheduler's words made short."""

from __future__ import annotations

import re

from kubectl_spy.core.fields import condition, mapping, mappings, moment, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice
from kubectl_spy.core.trace.picture import Finding, Verdict
from kubectl_spy.core.trace.pods.missing import missing
from kubectl_spy.core.trace.pods.seen_pod import SeenPod
from kubectl_spy.core.trace.wording import brief, listed, one_line

_UNAVAILABLE = re.compile(r"^0/(?P<nodes>\d+) nodes are available: (?P<why>.*)$", re.S)
_AFTERWARDS = re.compile(
    r"[.,]?\s*(?:no new claims to deallocate,\s*)?\bpreemption: .*$"
    r"|[.,]?\s*no new claims to deallocate[.,]?\s*$",
    re.S,
)
"""What the scheduler tried after it found no node: it says nothing of the reason."""
_NEXT = re.compile(r", (?=\d+ )")
_COUNTED = re.compile(r"^(?P<nodes>\d+) (?:node\(s\) )?(?P<why>.+)$", re.S)

_REMEDIES = (
    ("Insufficient ", "lower resources.requests of the Pod, or add nodes"),
    ("Too many pods", "add nodes, or let some Pods go"),
    ("taint", "tolerate the taint, or remove it from nodes"),
    ("unschedulable", "kubectl uncordon a node"),
    ("anti-affinity", "relax podAntiAffinity, or add nodes"),
    ("topology spread", "relax topologySpreadConstraints, or add nodes"),
    ("free ports", "do without hostPort, or add nodes"),
    ("PersistentVolumeClaim", "look at the Pod's PersistentVolumeClaims"),
    ("volume node affinity", "the volume is in another zone: add a node there"),
)


def findings(pod: SeenPod) -> list[Finding]:
    """Return what keeps a Pod that has no node from getting one.

    It is never failing: nodes come and go, and an autoscaler adds some.
    """
    if pod.node or pod.ended or pod.deleting:
        return []
    scheduled = condition(pod.document, "PodScheduled")
    since = moment(scheduled, "lastTransitionTime")
    reason = text(scheduled, "reason")
    message = text(scheduled, "message")
    if reason == "SchedulingGated":
        told, remedy = _gates(pod)
    elif reason == "Unschedulable":
        told, remedy = unschedulable(message), _remedy(pod, message)
        if absent := missing(message, pod.namespace):
            told, remedy = f"cannot be scheduled: {absent.text}", absent.remedy
    elif message:
        told, remedy = f"not scheduled: {one_line(message)}", pod.describe()
    else:
        told, remedy = _unseen_by_scheduler(pod), NO_REMEDY
    nominated = text(pod.document, "status", "nominatedNodeName")
    if nominated:
        told += f"; other Pods are being removed from {nominated} to make room"
    return [Finding("scheduling", Verdict.WAITING, told, remedy, since)]


def unschedulable(message: str) -> str:
    """Return the scheduler's message without what it tried, and how often it counts.

    >>> unschedulable("0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had "
    ...     "untolerated taint {a: b}. preemption: 0/3 nodes are available: 3 No ...")
    'none of 3 nodes fits: insufficient cpu (1), had untolerated taint {a: b} (2)'
    """
    message = brief(message)
    found = _UNAVAILABLE.match(message)
    if found is None:
        return f"no node fits: {one_line(message) or 'the scheduler does not say why'}"
    nodes = found["nodes"]
    if nodes == "0":
        return "the cluster has no nodes"
    reasons = _NEXT.split(_AFTERWARDS.sub("", found["why"]))
    parts = [_part(each, nodes) for each in reasons if each.strip(" .")]
    fits = (
        "the only node does not fit" if nodes == "1" else f"none of {nodes} nodes fits"
    )
    return one_line(f"{fits}: {', '.join(parts)}" if parts else fits)


def _part(reason: str, nodes: str) -> str:
    reason = reason.strip(" .\n")
    found = _COUNTED.match(reason)
    why = found["why"] if found else reason
    if re.match(r"[A-Z][a-z]", why):
        why = why[0].lower() + why[1:]
    return f"{why} ({found['nodes']})" if found and nodes != "1" else why


def _remedy(pod: SeenPod, message: str) -> Remedy:
    why = _AFTERWARDS.sub("", brief(message))
    # First what most nodes have against it.
    reasons = sorted(_NEXT.split(why.partition(": ")[2]), key=_weight, reverse=True)
    for reason in reasons:
        for mark, remedy in _REMEDIES:
            if mark in reason:
                return advice(remedy)
        if "affinity/selector" in reason or "node selector" in reason:
            return _selector(pod)
    return pod.describe()


def _weight(reason: str) -> int:
    found = _COUNTED.match(reason)
    return int(found["nodes"][:9]) if found else 0


def _selector(pod: SeenPod) -> Remedy:
    selector = mapping(pod.document, "spec", "nodeSelector")
    labels = [f"{key}={text(selector, key)}" for key in selector]
    if not labels:
        return advice(
            "compare spec.affinity.nodeAffinity with kubectl get nodes --show-labels"
        )
    return advice(
        "label a node, or correct nodeSelector: kubectl get nodes -l {}",
        ",".join(labels),
    )


def _gates(pod: SeenPod) -> tuple[str, Remedy]:
    """Say who holds the Pod back.

    https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/
    """
    named = (
        text(each, "name") for each in mappings(pod.document, "spec", "schedulingGates")
    )
    gates = [gate for gate in named if gate]
    held = f"held back by scheduling gate {listed(gates)}" if gates else "held back"
    if len(gates) > 1:
        held = held.replace("gate ", "gates ", 1)
    return one_line(held), advice(
        "its controller removes the gate from spec.schedulingGates"
    )


def _unseen_by_scheduler(pod: SeenPod) -> str:
    scheduler = text(pod.document, "spec", "schedulerName")
    if scheduler in ("", "default-scheduler"):
        return "waits for the scheduler"
    return f"waits for the scheduler {one_line(scheduler)}"
