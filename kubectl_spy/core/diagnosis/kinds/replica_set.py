"""ReplicaSets: as many Pods as told, of one template.

https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/
"""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory, owner_uids
from kubectl_spy.core.cluster.label_selectors import matches
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.completion import is_complete, judged
from kubectl_spy.core.diagnosis.kinds.counting import many, many_are
from kubectl_spy.core.diagnosis.kinds.deletion import terminating
from kubectl_spy.core.diagnosis.kinds.generations import unobserved
from kubectl_spy.core.diagnosis.kinds.lost_pods import lost_pods
from kubectl_spy.core.diagnosis.kinds.pod_states import is_replaced
from kubectl_spy.core.diagnosis.kinds.refusals import read_refusal, refused_creation
from kubectl_spy.core.diagnosis.kinds.visibility import unseen_kinds
from kubectl_spy.core.fields import condition, mapping, moment, number, text


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return whether the ReplicaSet has the Pods that it is told to have."""
    children = _children(entry, seen)
    desired = number(entry.document, "spec", "replicas", default=1)
    current = number(entry.document, "status", "replicas")
    summary = _summary(entry, desired)
    early = terminating(entry, seen, summary, children) or unobserved(
        entry, summary, children
    )
    if early is not None:
        return early
    complete = is_complete(entry)
    refused = replica_failure(entry)
    if refused is None and current < desired:
        refused = refused_creation(entry, seen, "Pods")
    candidates = (
        refused,
        _unlabelled(entry, current),
        lost_pods(entry, seen, complete=complete),
        *unseen_kinds(entry, seen, "Pod"),
    )
    verdict, findings = judged(candidates, complete=complete)
    return Diagnosis(
        phase=_phase(entry, desired, current, complete),
        verdict=verdict,
        summary=summary,
        findings=findings,
        children=children,
    )


def _phase(entry: Entry, desired: int, current: int, complete: bool) -> str:
    if complete:
        return "Available" if desired else "ScaledDown"
    if current != desired:
        return "ScalingUp" if current < desired else "ScalingDown"
    available = number(entry.document, "status", "availableReplicas") >= desired
    return "ReplicaFailure" if available and replica_failure(entry) else "Unavailable"


def _unlabelled(entry: Entry, current: int) -> Finding | None:
    """Return that Pods lack labels of the template: taken over bare as they were.

    https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#non-template-pod-acquisitions
    """
    labelled = number(entry.document, "status", "fullyLabeledReplicas")
    if labelled >= current:
        return None
    lacking = many_are(current - labelled, "Pod")
    text_ = f"{lacking} without all labels of the Pod template"
    return Finding("labels", Verdict.WAITING, text_)


def replica_failure(entry: Entry) -> Finding | None:
    """Return what the condition ReplicaFailure says, if it is true.

    A ReplicaSet has it while Pods cannot be created or deleted; its Deployment
    repeats it.
    """
    failure = condition(entry.document, "ReplicaFailure")
    if failure.get("status") != "True":
        return None
    refusal = read_refusal(text(failure, "message"), entry.namespace or "")
    deleting = text(failure, "reason") == "FailedDelete"
    return Finding(
        "condition/ReplicaFailure",
        Verdict.FAILING,
        f"cannot {'delete' if deleting else 'create'} Pods: {refusal.text}",
        remedy=refusal.remedy,
        since=moment(failure, "lastTransitionTime"),
        final=refusal.final,
    )


def released_pods(entry: Entry, seen: Inventory) -> tuple[Child, ...]:
    """Return the Pods that were the ReplicaSet's and that nothing owns now.

    A Pod whose labels no longer match the selector is let go, and lives on. So do all,
    where an owner is deleted and leaves what it owns behind.
    https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#isolating-pods-from-a-replicaset
    https://kubernetes.io/docs/tasks/administer-cluster/use-cascading-deletion/#set-orphan-deletion-policy
    """
    return tuple(
        Child(pod.uid, _why_released(entry, pod), counts=False)
        for pod in seen.released(entry.uid, "Pod")
        if not owner_uids(pod.document)
    )


def _why_released(entry: Entry, pod: Entry) -> str:
    selector = mapping(entry.document, "spec", "selector")
    labels = mapping(pod.document, "metadata", "labels")
    if selector and not matches(selector, labels):
        return "released: labels no longer match"
    return "released by its owner"


def _children(entry: Entry, seen: Inventory) -> tuple[Child, ...]:
    """Return its Pods in the order they were made, and those it let go.

    Unless it has an owner, which shows the latter.
    """
    pods = tuple(
        Child(pod.uid, counts=not is_replaced(pod))
        for pod in seen.owned(entry.uid, "Pod")
    )
    if owner_uids(entry.document):
        return pods
    return pods + released_pods(entry, seen)


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
