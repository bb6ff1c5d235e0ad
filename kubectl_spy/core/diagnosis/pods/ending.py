"""Why a Pod ends or ended: deletion, eviction, disruption, deadlines, lost nodes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kubectl_spy.core.cluster.events import FATES, ClusterEvent
from kubectl_spy.core.cluster.inventory import Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict, finding, stating
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fact import Arg, Fact, fact
from kubectl_spy.core.fields import condition, mapping, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import kubectl

_USUAL = 30  # the default grace period, in seconds
_SHOWN = 3  # the most containers to name
_PATIENCE = 30.0  # seconds that a kubelet may need after the grace period to report

_LONGEST = 1e9  # a grace period, in seconds, that counts as endless

_FAILURES = {
    "Evicted": ("eviction", "Evicted"),
    "DeadlineExceeded": ("deadline", "DeadlineExceeded"),
    "Preempting": ("eviction", "PreemptedByNode"),
    "NodeShutdown": ("eviction", "NodeShutDown"),
    "Terminated": ("eviction", "NodeShutDown"),
    "Shutdown": ("eviction", "NodeShutDown"),
    "NodeLost": ("node", "NodeLost"),
    "NodeAffinity": ("node", "NodeAffinityRefused"),
    "UnexpectedAdmissionError": ("node", "NodeRefused"),
}
"""Values of status.reason of a Pod that failed:
https://github.com/kubernetes/kubernetes/tree/v1.36.0/pkg/kubelet"""

_PREEMPTED = re.compile(
    r"^Preempted by (?P<kind>\w+) (?P<uid>\S+) on node (?P<node>\S+)"
)
_DISRUPTIONS = {
    "PreemptionByScheduler": "Preempted",
    "DeletionByTaintManager": "TaintEviction",
    "EvictionByEvictionAPI": "EvictedByRequest",
    "DeletionByPodGC": "NodeGone",
    "TerminationByKubelet": "EndedByNode",
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


def failure(pod: SeenPod) -> Fact | None:
    """Return why the Pod failed as a whole, with any restartPolicy, or None."""
    if not pod.ended:
        return None
    target = pod.condition("DisruptionTarget")
    if text(pod.document, "status", "reason"):
        return _reason(pod, "")[1]
    return _disruption(target, "") if target.get("status") == "True" else None


def _reason(pod: SeenPod, message: str) -> tuple[str, Fact]:
    """Return the topic and the fact for status.reason."""
    reason = text(pod.document, "status", "reason")
    if reason.startswith("OutOf"):
        resource = reason[5:].lower()
        return "node", fact("NodeOutOf", resource=resource, message=message)
    if reason in _FAILURES:
        about, code = _FAILURES[reason]
        return about, fact(code, message=message)
    return "pod", fact("PodFailed", reason=message_line(reason, 80), message=message)


def _disruption(target: dict[str, JSON], message: str) -> Fact:
    reason = text(target, "reason")
    if reason in _DISRUPTIONS:
        return fact(_DISRUPTIONS[reason], message=message)
    return fact("ToBeRemoved", reason=message_line(reason, 80), message=message)


def _failed(pod: SeenPod) -> list[Finding]:
    reason = text(pod.document, "status", "reason")
    if not reason or (pod.phase != "Failed" and reason != "NodeLost"):
        return []
    about, why = _reason(pod, message_line(text(pod.document, "status", "message")))
    verdict = Verdict.WAITING if pod.deleting else Verdict.FAILING
    if reason == "NodeLost":
        verdict = Verdict.FAILING
    final = pod.phase == "Failed" and not pod.deleting
    return [stating(why, about, verdict=verdict, remedy=pod.describe(), final=final)]


def fate(event: ClusterEvent, seen: Inventory) -> Fact | None:
    """Return who removes a Pod, by an Event, or None if the Pod stays.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/scheduler/framework/preemption/executor.go
    """
    message = message_line(event.message)
    if event.reason == "TaintManagerEviction":
        return None if message.startswith("Cancelling") else fact("TaintEviction")
    if event.reason != "Preempted":
        return fact(_FAILURES[event.reason][1], message=message)
    by = event.related
    if found := _PREEMPTED.match(message):
        preemptor = seen.entry(found["uid"])
        by = f"{found['kind']} {preemptor.name}" if preemptor else by
        by = by or f"{found['kind']} {found['uid']}"
        return fact("Preempted", by=by, node=found["node"])
    return fact("Preempted", said=message)


def disrupted_by(pod: SeenPod) -> Fact | None:
    """Return who removes the Pod, by its condition and its Events, or None."""
    target = pod.condition("DisruptionTarget")
    if target.get("status") != "True":
        return None
    fates = [each for each in pod.events if each.reason in FATES]
    if fates and fates[-1].reason == "Preempted":
        return fate(fates[-1], pod.seen)
    return _disruption(target, message_line(text(target, "message")))


def _disrupted(pod: SeenPod) -> list[Finding]:
    disruption = disrupted_by(pod)
    if disruption is None:
        return []
    if text(pod.document, "status", "reason") in _FAILURES:
        return []  # said already, and better
    target = pod.condition("DisruptionTarget")
    failed = pod.phase == "Failed" and not pod.deleting
    return [
        stating(
            disruption,
            "disruption",
            verdict=Verdict.FAILING if failed else Verdict.WAITING,
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
    finalizers = tuple(message_line(it) for it in holders if isinstance(it, str))
    over = not any(each.running is not None for each in pod.containers)
    # The kubelet ends a grace period when the containers have stopped.
    if finalizers and (over or pod.ended or not _grace(pod)):
        return [
            finding("FinalizerHolds", "deletion", finalizers=finalizers, since=since)
        ]
    if _overdue(pod):
        remedy = kubectl("get node {}", pod.node) if pod.node else pod.describe()
        return [
            finding(
                "GracePeriodOver",
                "deletion",
                grace=_grace(pod),
                node=pod.node,
                remedy=remedy,
                since=since,
            )
        ]
    stops = [each.said for each in pod.events if each.reason == "FailedKillPod"]
    stuck = message_line(stops[-1]) if stops and not over else ""
    more = fact("PodDeleting", stuck=stuck, finalizers=finalizers)
    takes = more._replace(args={**_takes(pod), **more.args})
    return [stating(takes, "deletion", since=since)]


def _takes(pod: SeenPod) -> Mapping[str, Arg]:
    """Return how long the deletion may take, if long, and what it waits for.

    First come the preStop hooks, then SIGTERM, and after the grace period SIGKILL.
    Until then nothing is wrong, and there is nothing to do.
    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination
    """
    running = [each for each in pod.containers if each.running is not None]
    hooks = [each for each in running if mapping(each.spec, "lifecycle").get("preStop")]
    grace = _grace(pod)
    if not running or (grace <= _USUAL and not hooks):
        return {}
    own = number(pod.document, "spec", "terminationGracePeriodSeconds", default=_USUAL)
    waits = tuple(map(_stopping, running[:_SHOWN]))
    return fact("PodDeleting", grace=grace, asked=own != grace, waits=waits).args


def _stopping(container: Container) -> Fact:
    hook = mapping(container.spec, "lifecycle", "preStop")
    if not hook:
        return fact("StopsOnSignal", container=container.name)
    command = mapping(hook, "exec").get("command")
    words = command if isinstance(command, list) else []
    shown = " ".join(each for each in words if isinstance(each, str))
    if sleep := number(hook, "sleep", "seconds"):
        shown = f"sleep {sleep}"
    return fact("PreStopHook", container=container.name, hook=message_line(shown, 80))


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
        why = text(ready, "message") or text(ready, "reason")
        since = moment(ready, "lastTransitionTime")
    else:
        ready = pod.condition("Ready")
        reports = [each for each in pod.events if each.reason == "NodeNotReady"]
        if not reports or ready.get("status") == "True":
            return []
        if text(ready, "reason"):
            return []  # the kubelet has written since, so it is there
        why, since = "", reports[-1].last
    return [
        finding(
            "NodeNotReady",
            "node",
            node=pod.node,
            message=message_line(why),
            # The node controller makes the Pod unready some seconds after its node.
            verdict=Verdict.WAITING if pod.ready else Verdict.FAILING,
            remedy=kubectl("describe node {}", pod.node),
            since=since,
        )
    ]
