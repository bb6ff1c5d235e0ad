"""ReplicaSets: a number of Pods from one template.

https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/
"""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.references import owner_uids
from kubectl_spy.core.cluster.selectors import matches
from kubectl_spy.core.diagnosis.finding import (
    Child,
    Diagnosis,
    Finding,
    finding,
)
from kubectl_spy.core.diagnosis.kinds.refusals import read_refusal, refused_creation
from kubectl_spy.core.diagnosis.kinds.rejected import rejected_pods
from kubectl_spy.core.diagnosis.kinds.workloads import (
    early_diagnosis,
    is_complete,
    judged,
    lost_pods,
    unseen_kinds,
)
from kubectl_spy.core.diagnosis.services.seen_service import labels_of
from kubectl_spy.core.fields import condition, mapping, moment, number, text
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.wording import many


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return whether the ReplicaSet has the Pods that its spec asks for."""
    children = _children(entry, inventory)
    desired = number(entry.document, "spec", "replicas", default=1)
    current = number(entry.document, "status", "replicas")
    summary = _summary(entry, desired)
    early = early_diagnosis(entry, inventory, summary, children, stale=summary)
    if early is not None:
        return early
    complete = is_complete(entry)
    refused = replica_failure(entry)
    if refused is None and current < desired:
        refused = refused_creation(entry, inventory, "Pods")
    candidates = (
        refused,
        _unlabeled(entry, current, inventory),
        lost_pods(entry, inventory, complete=complete),
        None if complete else rejected_pods(entry, inventory),
        *unseen_kinds(entry, inventory, "Pod"),
    )
    verdict, findings = judged(candidates, complete=complete)
    phase = _phase(entry, desired, current, complete)
    return Diagnosis(phase, verdict, summary, findings, children)


def _phase(entry: Entry, desired: int, current: int, complete: bool) -> str:
    if complete:
        return "Available" if desired else "ScaledDown"
    if current != desired:
        return "ScalingUp" if current < desired else "ScalingDown"
    if number(entry.document, "status", "availableReplicas") < desired:
        return "Unavailable"
    return "ReplicaFailure" if replica_failure(entry) else "Unlabeled"


def _unlabeled(entry: Entry, current: int, inventory: Inventory) -> Finding | None:
    """Return a finding if it has adopted Pods without all labels of its template.

    Kubernetes counts them, and does nothing about it. For kstatus it is in progress.
    https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#non-template-pod-acquisitions
    """
    labeled = number(entry.document, "status", "fullyLabeledReplicas")
    if labeled >= current:
        return None
    wanted = labels_of(entry.document, "spec", "template", "metadata", "labels")
    for pod in inventory.owned(entry.uid, "Pod"):
        labels = labels_of(pod.document)
        lacking = sorted(wanted.items() - labels.items())
        if not lacking or pod.replaced:
            continue
        texts = tuple(f"{key}={value}" for key, value in lacking)
        command = "label pod {}" + " {}" * len(texts)
        if any(key in labels for key, _ in lacking):
            command += " --overwrite"
        return finding(
            "LabelsLacking",
            "labels",
            pod=pod.name,
            labels=texts,
            others=current - labeled - 1 or None,
            remedy=kubectl(command, pod.name, *texts, namespace=entry.namespace),
        )
    return finding("LabelsLacking", "labels", pods=current - labeled)


def replica_failure(entry: Entry) -> Finding | None:
    """Return the cause of the condition ReplicaFailure, if it is true.

    A ReplicaSet has it while Pods cannot be created or deleted. Its Deployment copies
    it.
    """
    failure = condition(entry.document, "ReplicaFailure")
    if failure.get("status") != "True":
        return None
    refusal = read_refusal(text(failure, "message"), entry.namespace or "")
    since = moment(failure, "lastTransitionTime")
    about = "condition/ReplicaFailure"
    if text(failure, "reason") == "FailedDelete":
        return refusal.stated("DeletionRefused", about, since=since)
    return refusal.stated("CreationRefused", about, "Pods", since)


def released_pods(entry: Entry, inventory: Inventory) -> tuple[Child, ...]:
    """Return the Pods that the ReplicaSet once owned and that nothing owns now.

    A Pod is released when its labels no longer match, and when its owner is deleted
    with --cascade=orphan.
    https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#isolating-pods-from-a-replicaset
    https://kubernetes.io/docs/tasks/administer-cluster/use-cascading-deletion/#set-orphan-deletion-policy
    """
    return tuple(
        Child(pod.uid, _released_role(entry, pod), counts=False)
        for pod in inventory.released(entry.uid, "Pod")
        if not owner_uids(pod.document)
    )


def _released_role(entry: Entry, pod: Entry) -> str:
    selector = mapping(entry.document, "spec", "selector")
    labels = mapping(pod.document, "metadata", "labels")
    if selector and not matches(selector, labels):
        return "released: labels no longer match"
    return "released by its owner"


def _children(entry: Entry, inventory: Inventory) -> tuple[Child, ...]:
    """Return its Pods by age, then the released ones, unless its owner shows those."""
    pods = tuple(
        Child(pod.uid, counts=not pod.replaced)
        for pod in inventory.owned(entry.uid, "Pod")
    )
    if owner_uids(entry.document):
        return pods
    return pods + released_pods(entry, inventory)


def _summary(entry: Entry, desired: int) -> str:
    current = number(entry.document, "status", "replicas")
    ready = number(entry.document, "status", "readyReplicas")
    available = number(entry.document, "status", "availableReplicas")
    if desired == 0 and current == 0:
        return "no Pods wanted"
    if current > desired:
        parts = [f"{many(current, 'Pod')}, {desired} wanted", f"{ready} ready"]
    elif current < desired:
        parts = [f"{current} of {desired} created", f"{ready} ready"]
    else:
        parts = [f"{ready} of {desired} ready"]
    if available != ready:
        parts.append(f"{available} available")
    return ", ".join(parts)
