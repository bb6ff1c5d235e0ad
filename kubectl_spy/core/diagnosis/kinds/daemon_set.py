"""DaemonSets: a Pod on each node that is to have one.

https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.completion import is_complete, judged
from kubectl_spy.core.diagnosis.kinds.counting import int_or_percent, many, many_are
from kubectl_spy.core.diagnosis.kinds.deletion import terminating
from kubectl_spy.core.diagnosis.kinds.generations import unobserved
from kubectl_spy.core.diagnosis.kinds.lost_pods import lost_pods
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready, is_replaced
from kubectl_spy.core.diagnosis.kinds.refusals import refused_creation
from kubectl_spy.core.diagnosis.kinds.visibility import unseen_kinds
from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.remedy import kubectl

_GENERATION = "deprecated.daemonset.template.generation"
_POD_GENERATION = "pod-template-generation"


class Numbers(NamedTuple):
    """Nodes of a DaemonSet, as its status counts them."""

    desired: int
    """Nodes that are to have a Pod."""
    current: int
    """Of those, the ones that have."""
    ready: int
    updated: int
    available: int
    misscheduled: int
    """Nodes that have a Pod and should not."""


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return on how many nodes the DaemonSet is as it should be."""
    children = _children(entry, seen)
    at = _numbers(entry)
    early = terminating(entry, seen, _summary(at), children) or unobserved(
        entry, f"{at.ready} ready", children
    )
    if early is not None:
        return early
    refused = None
    if at.current < at.desired:
        refused = refused_creation(entry, seen, "Pods")
    complete = is_complete(entry)
    candidates = (
        refused,
        _rollout(entry, at),
        _misscheduled(at),
        lost_pods(entry, seen, complete=complete),
        *unseen_kinds(entry, seen, "Pod"),
    )
    verdict, findings = judged(candidates, complete=complete)
    return Diagnosis(
        phase=_phase(at, complete),
        verdict=verdict,
        summary=_summary(at),
        findings=findings,
        children=children,
    )


def _numbers(entry: Entry) -> Numbers:
    status = mapping(entry.document, "status")
    return Numbers(
        desired=number(status, "desiredNumberScheduled"),
        current=number(status, "currentNumberScheduled"),
        ready=number(status, "numberReady"),
        updated=number(status, "updatedNumberScheduled"),
        available=number(status, "numberAvailable"),
        misscheduled=number(status, "numberMisscheduled"),
    )


def _phase(at: Numbers, complete: bool) -> str:
    if complete and at.updated < at.desired:
        return "Outdated"  # and it stays so until somebody deletes Pods (OnDelete)
    if complete:
        return "Complete" if at.desired else "NoNodes"
    if at.current < at.desired:
        return "ScalingUp"
    if at.updated < at.desired:
        return "Updating"
    return "Unavailable"


def _summary(at: Numbers) -> str:
    if at.desired == 0 and at.misscheduled == 0:
        return "no node is to run it"
    parts = [f"ready on {at.ready} of {many(at.desired, 'node')}"]
    if at.available != at.ready:
        parts.append(f"available on {at.available}")
    if at.updated != at.desired:
        parts.append(f"updated on {at.updated}")
    if at.misscheduled:
        parts.append(f"misscheduled on {at.misscheduled}")
    return ", ".join(parts)


def _rollout(entry: Entry, at: Numbers) -> Finding | None:
    """Return what is left to do, and what bounds it."""
    about, waiting = "rollout", Verdict.WAITING
    if at.desired == 0:
        why = "no node matches its nodeSelector, node affinity and tolerations"
        return Finding(about, Verdict.OK, why) if not at.misscheduled else None
    if at.current < at.desired:
        missing = many_are(at.desired - at.current, "node")
        return Finding(about, waiting, f"{missing} still without a Pod")
    strategy = mapping(entry.document, "spec", "updateStrategy")
    old = many(at.desired - at.updated, "node")
    if at.updated < at.desired and text(strategy, "type") == "OnDelete":
        return Finding(
            about,
            waiting,
            f"the old revision is on {old}: a Pod is updated when somebody deletes it"
            " (OnDelete)",
            remedy=kubectl("delete pod POD", namespace=entry.namespace),
        )
    if at.updated < at.desired:
        return Finding(about, waiting, f"still to update: {old} ({_limits(entry, at)})")
    if at.available < at.desired:
        missing = many(at.desired - at.available, "node")
        seconds = number(entry.document, "spec", "minReadySeconds")
        ready = f"ready for {seconds} s (minReadySeconds)" if seconds else "ready"
        return Finding(about, waiting, f"waits until its Pod on {missing} is {ready}")
    return None


def _limits(entry: Entry, at: Numbers) -> str:
    limits = mapping(entry.document, "spec", "updateStrategy", "rollingUpdate")
    of = at.desired  # both are rounded up here
    if surge := int_or_percent(limits, "maxSurge", of=of, up=True):
        return f"{surge} at a time: maxSurge {surge}"
    most = int_or_percent(limits, "maxUnavailable", of=of, up=True) or 1
    return f"{most} at a time: maxUnavailable {most}"


def _misscheduled(at: Numbers) -> Finding | None:
    """Return that there are Pods where none is wanted; the others are fine even so.

    They are deleted, but for those on nodes that got a taint that evicts nobody.
    https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
    """
    if not at.misscheduled:
        return None
    where = many(at.misscheduled, "node")
    text = (
        f"a Pod runs on {where} that should not have one; it is deleted, unless all"
        " that is against it is a taint NoSchedule"
    )
    return Finding("misscheduled", Verdict.WAITING, text)


def _children(entry: Entry, seen: Inventory) -> tuple[Child, ...]:
    """Return its Pods: those that are not ready first, then by node."""
    annotations = mapping(entry.document, "metadata", "annotations")
    generation = text(annotations, _GENERATION)
    found = []
    for pod in seen.owned(entry.uid, "Pod"):
        node = _node_name(pod)
        labels = mapping(pod.document, "metadata", "labels")
        old = text(labels, _POD_GENERATION) not in ("", generation)
        outdated = ", to be updated" if old and generation else ""
        role = f"{node or 'no node yet'}{outdated}"
        child = Child(pod.uid, role, counts=not is_replaced(pod))
        found.append(((is_ready(pod), node, pod.name), child))
    return tuple(child for _, child in sorted(found, key=lambda each: each[0]))


def _node_name(pod: Entry) -> str:
    """Return the node that the Pod runs on, or that it was made for."""
    if node := text(pod.document, "spec", "nodeName"):
        return node
    # How a Pod that the scheduler has still to place is bound to its node:
    # https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#how-daemon-pods-are-scheduled
    affinity = mapping(pod.document, "spec", "affinity", "nodeAffinity")
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    for term in mappings(affinity, required, "nodeSelectorTerms"):
        for field in mappings(term, "matchFields"):
            values = field.get("values")
            if field.get("key") == "metadata.name" and isinstance(values, list):
                return next((each for each in values if isinstance(each, str)), "")
    return ""
