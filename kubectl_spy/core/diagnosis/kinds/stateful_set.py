"""StatefulSets: Pods with ordinals, each with its claims, made and updated in order.

https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.completion import is_complete, judged
from kubectl_spy.core.diagnosis.kinds.deletion import terminating
from kubectl_spy.core.diagnosis.kinds.generations import unobserved
from kubectl_spy.core.diagnosis.kinds.lost_pods import lost_pods
from kubectl_spy.core.diagnosis.kinds.ordinals import Ordinals, claim_names, ordinals
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ending, is_replaced
from kubectl_spy.core.diagnosis.kinds.refusals import refused_creation
from kubectl_spy.core.diagnosis.kinds.stateful_set_rollout import next_step
from kubectl_spy.core.diagnosis.kinds.visibility import unseen_kinds
from kubectl_spy.core.fields import number, text
from kubectl_spy.core.remedy import advice


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return how far the StatefulSet is, and which ordinal holds it up."""
    at = ordinals(entry, seen)
    children = tuple(_pods(at))
    summary = _summary(entry, at)
    stale = f"{number(entry.document, 'status', 'readyReplicas')} ready"
    early = terminating(entry, seen, summary, children) or unobserved(
        entry, stale, children
    )
    if early is not None:
        return early
    complete = is_complete(entry)
    unseen = unseen_kinds(entry, seen, "Pod")
    refused = None
    if number(entry.document, "status", "replicas") < at.desired:
        refused = refused_creation(entry, seen, "Pods or their claims")
    # What is refused is not created next.
    step = None if unseen or refused else next_step(entry, at)
    candidates = (
        refused,
        step,
        *_missing_claims(entry, at, seen),
        _governing_service(entry, seen),
        lost_pods(entry, seen, complete=complete),
        *unseen,
    )
    verdict, findings = judged(candidates, complete=complete)
    return Diagnosis(
        phase=_phase(entry, at, complete),
        verdict=verdict,
        summary=summary,
        findings=findings,
        children=children,
    )


def _phase(entry: Entry, at: Ordinals, complete: bool) -> str:
    status = entry.document.get("status")
    current = number(status, "replicas")
    if complete and at.on_delete and _is_updating(entry):
        return "Outdated"  # and it stays so until somebody deletes Pods
    if complete:
        return "Complete" if at.desired else "ScaledDown"
    if _is_updating(entry):
        return "Updating"
    if current != at.desired:
        return "ScalingUp" if current < at.desired else "ScalingDown"
    return "Unavailable"


def _is_updating(entry: Entry) -> bool:
    """Tell whether there is a revision to update to, and not all are of it."""
    status = entry.document.get("status")
    return text(status, "currentRevision") != text(status, "updateRevision")


def _summary(entry: Entry, at: Ordinals) -> str:
    status = entry.document.get("status")
    current = number(status, "replicas")
    if at.desired == 0 and current == 0:
        return "no Pods wanted"
    ready, available = (
        number(status, each) for each in ("readyReplicas", "availableReplicas")
    )
    parts = [f"{ready} of {at.desired} ready"]
    if available != ready:
        parts.append(f"{available} available")
    if current > at.desired:
        parts.append(f"{current - at.desired} too many")
    if _is_updating(entry):
        parts.append(f"{number(status, 'updatedReplicas')} updated")
    return ", ".join(parts)


def _pods(at: Ordinals) -> Iterator[Child]:
    """Yield the Pods by ordinal, each with what is going to happen to it."""
    for ordinal, pod in at.pods.items():
        role = f"ordinal {ordinal}"
        if not at.wanted(ordinal):
            role += ", to be removed"
        elif at.outdated(ordinal) and at.kept(ordinal):
            role += ", old revision kept"
        elif at.outdated(ordinal):
            role += ", being updated" if is_ending(pod) else ", to be updated"
        yield Child(pod.uid, role, counts=not is_replaced(pod))


def _missing_claims(entry: Entry, at: Ordinals, seen: Inventory) -> Iterator[Finding]:
    if seen.unseen("", "PersistentVolumeClaim", entry.namespace):
        return
    for ordinal, pod in at.pods.items():
        if is_ending(pod) or not at.wanted(ordinal):
            continue  # its claims may be deleted with it
        for name in claim_names(entry, ordinal):
            if _claim(entry, name, seen) is None:
                yield Finding(
                    f"claim/{name}",
                    Verdict.WAITING,
                    f"PersistentVolumeClaim {name} of ordinal {ordinal} does not exist",
                )


def _governing_service(entry: Entry, seen: Inventory) -> Finding | None:
    """Return that the Service is missing that the names of its Pods hang on.

    The Pods run without it.
    https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#stable-network-id
    """
    name = text(entry.document, "spec", "serviceName")
    if not name or seen.unseen("", "Service", entry.namespace):
        return None
    if seen.named("", "Service", entry.namespace, name) is not None:
        return None
    return Finding(
        "serviceName",
        Verdict.WAITING,
        f"Service {name} (serviceName) does not exist: its Pods have no DNS names",
        advice(
            "create a headless Service {} in namespace {}", name, entry.namespace or ""
        ),
    )


def _claim(entry: Entry, name: str, seen: Inventory) -> Entry | None:
    return seen.named("", "PersistentVolumeClaim", entry.namespace, name)
