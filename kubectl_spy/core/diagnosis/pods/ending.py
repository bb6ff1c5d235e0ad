"""Why a Pod ends or ended: deletion, eviction, disruption, deadlines, lost nodes."""

from __future__ import annotations

import re

from kubectl_spy.core.cluster.events import FATES, ClusterEvent
from kubectl_spy.core.cluster.inventory import Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict, said
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.fields import condition, mapping, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl

_USUAL = 30  # the default grace period, in seconds
_SHOWN = 3  # the most containers to name
_PATIENCE = 30.0  # seconds that a kubelet may need after the grace period to report

_LONGEST = 1e9  # a grace period, in seconds, that counts as endless

_FAILURES = {
    "Evicted": ("eviction", "evicted by its node"),
    "DeadlineExceeded": ("deadline", "ran longer than activeDeadlineSeconds allows"),
    "Preempting": ("eviction", "removed for a Pod that the node needs more"),
    "NodeShutdown": ("eviction", "ended, for its node was shut down"),
    "Terminated": ("eviction", "ended, for its node was shut down"),
    "Shutdown": ("eviction", "ended, for its node was shut down"),
    "NodeLost": ("node", "its node does not answer any more"),
    "NodeAffinity": ("node", "its node refused it: the labels do not fit any more"),
    "UnexpectedAdmissionError": ("node", "its node refused it"),
}
"""Values of status.reason of a Pod that failed:
https://github.com/kubernetes/kubernetes/tree/v1.36.0/pkg/kubelet"""

_PREEMPTED = re.compile(
    r"^Preempted by (?P<kind>\w+) (?P<uid>\S+) on node (?P<node>\S+)"
)
_DISRUPTIONS = {
    "PreemptionByScheduler": "preempted: a Pod of higher priority needs its place",
    "DeletionByTaintManager": "removed for a taint of its node",
    "EvictionByEvictionAPI": "evicted through the API, as by kubectl drain",
    "DeletionByPodGC": "removed because its node is gone",
    "TerminationByKubelet": "ended by its node: eviction, shutdown or preemption",
}
"""Reasons of the condition DisruptionTarget:
https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
"""


def findings(pod: SeenPod) -> list[Finding]:
    """Return why the Pod ends, why it failed as a whole, and how its node is."""
    return [*_failed(pod), *_disrupted(pod), *_deleted(pod), *_node(pod)]


def deletion_began(pod: SeenPod) -> float | None:
    """Return when the deletion was requested.

    The deletionTimestamp is the end of the grace period:
    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination
    """
    until = moment(pod.document, "metadata", "deletionTimestamp")
    if until is None or _grace(pod) > until:
        return None
    return until - _grace(pod)


def failure(pod: SeenPod) -> str:
    """Return why the Pod failed as a whole, with any restartPolicy, or ""."""
    if not pod.ended:
        return ""
    target = condition(pod.document, "DisruptionTarget")
    disrupted = target.get("status") == "True"
    return _reason(pod)[1] or (_disruption(target) if disrupted else "")


def _reason(pod: SeenPod) -> tuple[str, str]:
    """Return the topic and the text for status.reason."""
    reason = text(pod.document, "status", "reason")
    if reason.startswith("OutOf"):
        return "node", f"its node refused it: out of {reason[5:].lower()}"
    return _FAILURES.get(reason, ("pod", message_line(reason, 80)))


def _disruption(target: dict[str, JSON]) -> str:
    reason = text(target, "reason")
    other = f"about to be removed ({message_line(reason, 80)})"
    return _DISRUPTIONS.get(reason) or other


def _failed(pod: SeenPod) -> list[Finding]:
    reason = text(pod.document, "status", "reason")
    message = message_line(text(pod.document, "status", "message"))
    about, told = _reason(pod)
    if not told or (pod.phase != "Failed" and reason != "NodeLost"):
        return []
    verdict = Verdict.WAITING if pod.deleting else Verdict.FAILING
    if reason == "NodeLost":
        verdict = Verdict.FAILING
    return [
        said(
            about,
            verdict,
            f"{told}: {message}" if message else told,
            pod.describe(),
            final=pod.phase == "Failed" and not pod.deleting,
        )
    ]


def fate(event: ClusterEvent, seen: Inventory) -> str:
    """Return who removes a Pod, by an Event, or "" if the Pod stays.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/scheduler/framework/preemption/executor.go
    """
    message = message_line(event.message)
    if event.reason == "TaintManagerEviction":
        taint = _DISRUPTIONS["DeletionByTaintManager"]
        return "" if message.startswith("Cancelling") else taint
    if event.reason != "Preempted":
        return f"{_FAILURES[event.reason][1]}: {message}"
    by = event.related
    if found := _PREEMPTED.match(message):
        preemptor = seen.entry(found["uid"])
        by = f"{found['kind']} {preemptor.name}" if preemptor else by
        by = by or f"{found['kind']} {found['uid']}"
        return f"preempted by {by} on node {found['node']}"
    return f"preempted: {message}"


def disrupted_by(pod: SeenPod) -> str:
    """Return who removes the Pod, by its condition and its Events, or ""."""
    target = condition(pod.document, "DisruptionTarget")
    if target.get("status") != "True":
        return ""
    fates = [each for each in pod.events if each.reason in FATES]
    if fates and fates[-1].reason == "Preempted":
        return fate(fates[-1], pod.seen)
    told, message = _disruption(target), message_line(text(target, "message"))
    return f"{told}: {message}" if message else told


def _disrupted(pod: SeenPod) -> list[Finding]:
    told = disrupted_by(pod)
    if not told:
        return []
    if text(pod.document, "status", "reason") in _FAILURES:
        return []  # said already, and better
    target = condition(pod.document, "DisruptionTarget")
    failed = pod.phase == "Failed" and not pod.deleting
    return [
        said(
            "disruption",
            Verdict.FAILING if failed else Verdict.WAITING,
            told,
            since=moment(target, "lastTransitionTime"),
            final=failed,
        )
    ]


def _deleted(pod: SeenPod) -> list[Finding]:
    if not pod.deleting:
        return []
    since = deletion_began(pod)
    listed_there = mapping(pod.document, "metadata").get("finalizers")
    holders = listed_there if isinstance(listed_there, list) else []
    finalizers = [message_line(each) for each in holders if isinstance(each, str)]
    over = not any(each.running is not None for each in pod.containers)
    # The kubelet ends a grace period when the containers have stopped.
    if finalizers and (over or pod.ended or not _grace(pod)):
        told = f"deleted, but held by finalizer {listed(finalizers)}"
        remedy = advice("whoever set the finalizer must remove it")
        return [said("deletion", Verdict.WAITING, told, remedy, since)]
    if _overdue(pod):
        told = f"still there after its grace period of {_grace(pod)}s"
        told += f": node {pod.node} may be unreachable" if pod.node else ""
        remedy = kubectl("get node {}", pod.node) if pod.node else pod.describe()
        return [said("deletion", Verdict.FAILING, told, remedy, since)]
    told, remedy = _takes(pod)
    stops = [each.said for each in pod.events if each.reason == "FailedKillPod"]
    if stops and not over:
        told += f", but its node cannot stop it: {message_line(stops[-1])}"
    if finalizers:
        told += f", held by finalizer {listed(finalizers)}"
    return [said("deletion", Verdict.WAITING, told, remedy, since)]


def _takes(pod: SeenPod) -> tuple[str, Remedy]:
    """Return how long the deletion may take, if long, and what it waits for.

    First come the preStop hooks, then SIGTERM, and after the grace period SIGKILL:
    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination
    """
    running = [each for each in pod.containers if each.running is not None]
    hooks = [each for each in running if mapping(each.spec, "lifecycle").get("preStop")]
    grace = _grace(pod)
    if not running or (grace <= _USUAL and not hooks):
        return "being deleted", NO_REMEDY
    own = number(pod.document, "spec", "terminationGracePeriodSeconds", default=_USUAL)
    by = "terminationGracePeriodSeconds" if own == grace else "as the deletion asks for"
    waits = " and ".join(map(_stopping, running[:_SHOWN]))
    remedy = NO_REMEDY
    if grace > _USUAL:
        shorter = (
            "lower terminationGracePeriodSeconds, or let container {} end on SIGTERM"
        )
        remedy = advice(shorter, (hooks or running)[0].name)
    return f"being deleted, may take {grace}s ({by}): {waits}", remedy


def _stopping(container: Container) -> str:
    hook = mapping(container.spec, "lifecycle", "preStop")
    if not hook:
        return f"container {container.name} runs until it ends on SIGTERM"
    command = mapping(hook, "exec").get("command")
    words = command if isinstance(command, list) else []
    shown = " ".join(each for each in words if isinstance(each, str))
    if sleep := number(hook, "sleep", "seconds"):
        shown = f"sleep {sleep}"
    named = f" ({message_line(shown, 80)})" if shown else ""
    return f"container {container.name} has a preStop hook{named} that runs first"


def _overdue(pod: SeenPod) -> bool:
    """Return whether nothing happened to the Pod for longer than its grace period.

    Both times are by our clock, because a cluster's clock may be wrong.
    """
    grace = min(_grace(pod), _LONGEST)
    return not pod.seen.is_before(pod.entry.time + grace + _PATIENCE)


def _grace(pod: SeenPod) -> int:
    asked = number(pod.document, "metadata", "deletionGracePeriodSeconds", default=30)
    return max(asked, 0)


def _node(pod: SeenPod) -> list[Finding]:
    """Return that the node is not ready: then the Pod's status is old."""
    if not pod.node or (pod.ended and not pod.deleting):
        return []
    entry = pod.seen.named("", "Node", None, pod.node)
    if entry is not None:
        ready = condition(entry.document, "Ready")
        if ready.get("status") not in ("False", "Unknown"):
            return []
        told = f"node {pod.node} is not ready"
        why = text(ready, "message") or text(ready, "reason")
        since = moment(ready, "lastTransitionTime")
    else:
        ready = condition(pod.document, "Ready")
        reports = [each for each in pod.events if each.reason == "NodeNotReady"]
        if not reports or ready.get("status") == "True":
            return []
        if text(ready, "reason"):
            return []  # the kubelet has written since, so it is there
        told, why, since = f"node {pod.node} is not ready", "", reports[-1].last
    told += f": {message_line(why)}" if why else ""
    remedy = kubectl("describe node {}", pod.node)
    # The node controller makes the Pod unready some seconds after its node.
    verdict = Verdict.WAITING if is_ready(pod.entry) else Verdict.FAILING
    return [said("node", verdict, told, remedy, since)]
