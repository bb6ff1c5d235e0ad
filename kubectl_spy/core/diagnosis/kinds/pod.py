"""Pods: their state, what they wait for, and what fails.

https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
"""

from __future__ import annotations

import re

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.references import controller_of
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict, finding
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready
from kubectl_spy.core.diagnosis.pods import (
    containers,
    ending,
    probes,
    restarts,
    scheduling,
    volumes,
)
from kubectl_spy.core.diagnosis.pods.columns import Columns, columns
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import message_line, tidy
from kubectl_spy.core.fields import mappings, moment, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl
from kubectl_spy.core.wording import many

_RESIZES = (
    ("PodResizePending", "Infeasible", "ResizeInfeasible", "ResizePending"),
    ("PodResizeInProgress", "Error", "ResizeFailed", "Resizing"),
)
"""By condition: the reason that is a failure, and the codes for it and for others."""
_HELPERS = re.compile(
    r"sidecar|proxy|agent|envoy|istio|linkerd|fluent|vector|collector|otel|exporter"
    r"|vault|logger|shipper|tailer"
)
"""What containers are called that help another one."""
_TERMINATED = ("Completed", "Error", "OOMKilled")
_PATIENCE = 10.0  # seconds that a kubelet may take to report a Pod for the first time


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return the state of the Pod; its phase is the STATUS of `kubectl get pods`."""
    pod = SeenPod.of(entry, inventory)
    shown = columns(entry.document)
    found = [
        *ending.findings(pod),
        *scheduling.findings(pod),
        *volumes.findings(pod),
        *containers.findings(pod),
        *_gates(pod),
        *_outlived(pod),
        *_resize(pod),
        *_silence(pod),
    ]
    found += _unexplained(pod, found) or _unready(pod, found)
    loops = restarts.of_loops(pod)
    return Diagnosis(
        phase=message_line(shown.status, 80),
        verdict=_verdict(pod, found, loops),
        summary=_summary(pod, shown),
        findings=tidy(
            containers.named(pod, restarts.final_if_template_fails(pod, found))
        ),
        children=volumes.children(pod),
        since=_since(pod, shown.status),
        final=pod.ended and not pod.deleting,
        restarts=loops,
    )


def unready(entry: Entry, inventory: Inventory) -> Finding | None:
    """Return the finding that best explains why the Pod is unready; None if ready."""
    if is_ready(entry):
        return None
    diagnosed = inventory.once(diagnose, entry)
    verdicts = (diagnosed.verdict, Verdict.FAILING, Verdict.WAITING, Verdict.UNKNOWN)
    # The answer to a probe says more than that its container is not ready.
    best = min(
        (each for each in diagnosed.findings if each.verdict in verdicts),
        key=lambda it: (verdicts.index(it.verdict), not it.about.startswith("probe/")),
        default=finding("PodNotReady", "pod", phase=diagnosed.phase),
    )
    return restarts.without_restarts(best._replace(verdict=diagnosed.verdict))


def _verdict(pod: SeenPod, found: list[Finding], loops: int) -> Verdict:
    if not pod.deleting and pod.phase == "Succeeded":
        return Verdict.OK
    if not pod.deleting and pod.phase == "Failed":
        return Verdict.FAILING
    if any(each.verdict is Verdict.FAILING for each in found):
        return Verdict.FAILING
    if pod.deleting:
        return Verdict.WAITING
    if pod.phase == "Unknown":
        return Verdict.UNKNOWN
    return Verdict.OK if pod.ready and not loops else Verdict.WAITING


def _summary(pod: SeenPod, shown: Columns) -> str:
    parts = []
    if not pod.ended:
        parts.append(f"{shown.ready}/{shown.total} ready")
    if shown.restarts:
        parts.append(many(shown.restarts, "restart"))
    if pod.node:
        parts.append(f"on {pod.node}")
    return message_line(", ".join(parts))


def _since(pod: SeenPod, status: str) -> float | None:
    if status == "Terminating":
        return ending.deletion_began(pod)
    if status in ("Pending", "SchedulingGated"):
        return moment(pod.document, "metadata", "creationTimestamp")
    if status == "ContainerCreating":
        return moment(pod.document, "status", "startTime")
    times: list[float | None] = []
    for each in pod.containers:
        if status == "Running":
            times.append(each.started)
        elif status == restarts.BACK_OFF:
            times.append(moment(each.terminated_before, "finishedAt"))
        elif status in _TERMINATED:
            times.append(moment(each.terminated, "finishedAt"))
    return max((each for each in times if each is not None), default=None)


def _gates(pod: SeenPod) -> list[Finding]:
    """Return the readiness gates that keep a Pod with ready containers from ready.

    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-readiness-gate
    """
    if pod.deleting or pod.ended:
        return []
    gates = mappings(pod.document, "spec", "readinessGates")
    if gates and pod.condition("ContainersReady").get("status") != "True":
        return []
    found = []
    for each in gates:
        kind = text(each, "conditionType")
        gate = pod.condition(kind)
        if gate.get("status") == "True":
            continue
        why = text(gate, "message") or text(gate, "reason")
        found.append(
            finding(
                "ReadinessGateUnmet",
                f"gate/{kind}",
                gate=message_line(kind),
                unset=not gate,
                message=message_line(why),
                remedy=pod.describe(),
                since=moment(gate, "lastTransitionTime"),
            )
        )
    return found


def _outlived(pod: SeenPod) -> list[Finding]:
    """Return that containers of a Job run on after others have done their work.

    https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
    """
    if pod.deleting or pod.ended:
        return []
    if text(controller_of(pod.document), "kind") != "Job":
        return []
    main = [each for each in pod.containers if each.role == "container"]
    serving = [each for each in main if each.running is not None]
    done = [each for each in main if each.done]
    if not serving or not done or len(done) + len(serving) < len(main):
        return []
    if not all(map(_serves, serving)):
        return []  # it may be at work
    left = tuple(each.name for each in serving)
    ended = (moment(each.terminated, "finishedAt") or 0.0 for each in done)
    names = tuple(each.name for each in done)
    since = max(ended) or None
    return [
        finding("SidecarOutlives", "completion", done=names, left=left, since=since)
    ]


def _serves(container: Container) -> bool:
    """Return whether a container serves others, as far as its spec tells."""
    named = f"{container.name} {text(container.spec, 'image')}"
    return bool(mappings(container.spec, "ports")) or bool(_HELPERS.search(named))


def _resize(pod: SeenPod) -> list[Finding]:
    """Return the progress of an in-place resize.

    https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/
    """
    if pod.deleting or pod.ended:
        return []
    found = []
    for kind, failure, failing, waiting in _RESIZES:
        resize = pod.condition(kind)
        if resize.get("status") != "True":
            continue
        failed = text(resize, "reason") == failure
        message = message_line(text(resize, "message"))
        since = moment(resize, "lastTransitionTime")
        code = failing if failed else waiting
        found.append(finding(code, "resize", message=message, since=since))
    return found


def _silence(pod: SeenPod) -> list[Finding]:
    """Return a finding if the Pod is bound and no kubelet has reported it yet.

    spec.nodeName may name a node that does not exist. A Pod that was created with it
    has no condition PodScheduled before its kubelet sets it.
    https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename
    """
    if not pod.node or pod.deleting or pod.ended:
        return []
    if any(each.status for each in pod.containers):
        return []
    since = moment(pod.condition("PodScheduled"), "lastTransitionTime")
    began = since or moment(pod.document, "metadata", "creationTimestamp")
    began = pod.entry.since(began) or pod.entry.time
    code, remedy = "KubeletSilent", kubectl("get node {}", pod.node)
    if pod.seen.is_before(began + _PATIENCE):  # this is normal for a moment
        remedy = NO_REMEDY
    elif not pod.seen.unseen("", "Node") and (
        pod.seen.named("", "Node", None, pod.node) is None
    ):
        code, remedy = "NodeMissing", _of_missing_node(pod)
    return [finding(code, "kubelet", node=pod.node, remedy=remedy, since=since)]


def _of_missing_node(pod: SeenPod) -> Remedy:
    """Return what to do about a node that does not exist.

    Only what owns the Pod makes it again.
    """
    delete = kubectl("delete pod {}", pod.entry.name, namespace=pod.entry.namespace)
    if controller_of(pod.document):
        again = "bring back Node {}, or delete the Pod to have it created again: {}"
        return advice(again, pod.node, delete)
    anew = "bring back Node {}, or make the Pod anew without spec.nodeName: {}"
    return advice(anew, pod.node, delete)


def _unready(pod: SeenPod, found: list[Finding]) -> list[Finding]:
    """Return that the Pod is not ready if no other finding explains it."""
    if pod.ready or pod.deleting or pod.ended:
        return []
    if any(each.verdict in (Verdict.FAILING, Verdict.WAITING) for each in found):
        return []
    if pod.marked_unready:
        look = kubectl("describe node {}", pod.node)
        return [finding("NodeMarkedUnready", "ready", node=pod.node, remedy=look)]
    reason = message_line(text(pod.condition("Ready"), "reason"))
    if reason == "PodCompleted":  # its phase follows
        return []
    return [finding("PodNotReady", "ready", reason=reason)]


def _unexplained(pod: SeenPod, found: list[Finding]) -> list[Finding]:
    """Return that the reason may be in Events, if those cannot be read."""
    unseen = pod.seen.unseen("", "Event", pod.entry.namespace, owned=True)
    if not unseen or pod.deleting or pod.ended:
        return []
    waits = volumes.preparing(pod) or any(
        each.running is not None and not each.ready and probes.awaited(each)
        for each in pod.containers
    )
    pulls = any(
        each.code == "ImagePullFailed" and "message" not in each.args for each in found
    )
    if waits or pulls:
        return [finding("EventsUnseen", "events", why=unseen)]
    return []
