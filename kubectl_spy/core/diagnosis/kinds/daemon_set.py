"""DaemonSets: a Pod on each node that is to have one.

https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import (
    Child,
    Diagnosis,
    Finding,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready
from kubectl_spy.core.diagnosis.kinds.refusals import refused_creation
from kubectl_spy.core.diagnosis.kinds.rejected import rejected_pods
from kubectl_spy.core.diagnosis.kinds.workloads import (
    early_diagnosis,
    int_or_percent,
    is_complete,
    judged,
    lost_pods,
    ready_seconds,
    unseen_kinds,
)
from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.wording import many

_GENERATION = "deprecated.daemonset.template.generation"
_POD_GENERATION = "pod-template-generation"


class _Numbers(NamedTuple):
    """Nodes, as the status counts them."""

    desired: int  # nodes that should have a Pod
    current: int  # nodes that should have a Pod and have one
    ready: int
    updated: int
    available: int
    misscheduled: int  # nodes that have a Pod and should not have one


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return on how many nodes the DaemonSet runs as its spec asks."""
    children = _children(entry, inventory)
    at = _numbers(entry)
    stale = f"{at.ready} ready"
    early = early_diagnosis(entry, inventory, _summary(at), children, stale=stale)
    if early is not None:
        return early
    refused = None
    if at.current < at.desired:
        refused = refused_creation(entry, inventory, "Pods")
    complete = is_complete(entry)
    candidates = (
        refused,
        _rollout(entry, at),
        _misscheduled(at),
        lost_pods(entry, inventory, complete=complete),
        None if complete else rejected_pods(entry, inventory),
        *unseen_kinds(entry, inventory, "Pod"),
    )
    verdict, findings = judged(candidates, complete=complete)
    return Diagnosis(_phase(at, complete), verdict, _summary(at), findings, children)


def _numbers(entry: Entry) -> _Numbers:
    status = mapping(entry.document, "status")
    return _Numbers(
        desired=number(status, "desiredNumberScheduled"),
        current=number(status, "currentNumberScheduled"),
        ready=number(status, "numberReady"),
        updated=number(status, "updatedNumberScheduled"),
        available=number(status, "numberAvailable"),
        misscheduled=number(status, "numberMisscheduled"),
    )


def _phase(at: _Numbers, complete: bool) -> str:
    if complete and at.updated < at.desired:
        return "Outdated"  # until somebody deletes Pods (OnDelete)
    if complete:
        return "Complete" if at.desired else "NoNodes"
    if at.current < at.desired:
        return "ScalingUp"
    if at.updated < at.desired:
        return "Updating"
    return "Unavailable"


def _summary(at: _Numbers) -> str:
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


def _rollout(entry: Entry, at: _Numbers) -> Finding | None:
    about = "rollout"
    if at.desired == 0:
        return None if at.misscheduled else finding("NoNodeMatches", about)
    if at.current < at.desired:
        return finding("NodesWithoutPod", about, nodes=at.desired - at.current)
    strategy = mapping(entry.document, "spec", "updateStrategy")
    old = at.desired - at.updated
    if old > 0 and text(strategy, "type") == "OnDelete":
        remedy = kubectl("delete pod POD", namespace=entry.namespace)
        return finding("UpdatesOnDelete", about, nodes=old, remedy=remedy)
    if old > 0:
        limits = _limits(entry, at)
        return stating(fact("NodesToUpdate", nodes=old, **limits), about)
    if missing := max(at.desired - at.available, 0):
        seconds = ready_seconds(entry)
        return finding("NodesAwaited", about, nodes=missing, seconds=seconds)
    return None


def _limits(entry: Entry, at: _Numbers) -> dict[str, int]:
    limits = mapping(entry.document, "spec", "updateStrategy", "rollingUpdate")
    of = at.desired  # both are rounded up here
    if surge := int_or_percent(limits, "maxSurge", of=of, up=True):
        return {"surge": surge}
    most = int_or_percent(limits, "maxUnavailable", of=of, up=True)
    return {"unavailable": most or 1}


def _misscheduled(at: _Numbers) -> Finding | None:
    """Return a finding if Pods run on nodes that should not have one.

    The controller deletes them, except on nodes with only a NoSchedule taint.
    https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
    """
    if not at.misscheduled:
        return None
    return finding("Misscheduled", "misscheduled", nodes=at.misscheduled)


def _children(entry: Entry, inventory: Inventory) -> tuple[Child, ...]:
    """Return its Pods, those that are not ready first, then by node."""
    annotations = mapping(entry.document, "metadata", "annotations")
    generation = text(annotations, _GENERATION)
    found = []
    for pod in inventory.owned(entry.uid, "Pod"):
        node = _node_name(pod)
        labels = mapping(pod.document, "metadata", "labels")
        old = text(labels, _POD_GENERATION) not in ("", generation)
        outdated = ", to be updated" if old and generation else ""
        role = f"{node or 'no node yet'}{outdated}"
        child = Child(pod.uid, role, counts=not pod.replaced)
        found.append(((is_ready(pod), node, pod.name), child))
    return tuple(child for _, child in sorted(found, key=lambda each: each[0]))


def _node_name(pod: Entry) -> str:
    if node := text(pod.document, "spec", "nodeName"):
        return node
    # The controller sets this affinity, and the scheduler binds the Pod by it.
    # https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#how-daemon-pods-are-scheduled
    affinity = mapping(pod.document, "spec", "affinity", "nodeAffinity")
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    for term in mappings(affinity, required, "nodeSelectorTerms"):
        for field in mappings(term, "matchFields"):
            values = field.get("values")
            if field.get("key") == "metadata.name" and isinstance(values, list):
                return next((each for each in values if isinstance(each, str)), "")
    return ""
