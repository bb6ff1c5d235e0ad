"""StatefulSets: Pods with ordinals, each with its claims, made and updated in order.

Pods are created from the lowest ordinal up and updated from the highest down. With
OrderedReady, one Pod that is not ready holds up all others.
https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import (
    Child,
    Diagnosis,
    Fact,
    Finding,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds.pod_states import (
    is_ending,
    is_ready,
)
from kubectl_spy.core.diagnosis.kinds.refusals import refused_creation
from kubectl_spy.core.diagnosis.kinds.rejected import rejected_pods
from kubectl_spy.core.diagnosis.kinds.workloads import (
    early_diagnosis,
    is_complete,
    judged,
    lost_pods,
    ready_seconds,
    unseen_kinds,
)
from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.remedy import kubectl


class _Ordinals(NamedTuple):
    """The Pods of a StatefulSet by ordinal, and its spec."""

    pods: dict[int, Entry]  # in order
    first: int
    desired: int
    partition: int  # ordinals from here on are updated
    update_revision: str
    on_delete: bool
    ordered: bool  # podManagementPolicy is OrderedReady, not Parallel

    @property
    def end(self) -> int:
        """The first ordinal above those that should exist."""
        return self.first + self.desired

    def wanted(self, ordinal: int) -> bool:
        return self.first <= ordinal < self.end

    def outdated(self, ordinal: int) -> bool:
        """Tell whether the Pod exists and is not of the update revision."""
        pod = self.pods.get(ordinal)
        if pod is None or not self.update_revision:
            return False
        labels = mapping(pod.document, "metadata", "labels")
        return text(labels, "controller-revision-hash") != self.update_revision

    def kept(self, ordinal: int) -> bool:
        """Tell whether the partition keeps the ordinal from being updated."""
        return ordinal < self.first + self.partition

    def blocking(self) -> int | None:
        """Return the lowest ordinal that has no ready Pod."""
        # The spec may ask for any number: the search ends at the first gap.
        for ordinal in range(self.first, self.end):
            pod = self.pods.get(ordinal)
            if pod is None or not is_ready(pod):
                return ordinal
        return None

    def next_update(self) -> int | None:
        """Return the highest ordinal that is still to update."""
        due = (
            ordinal
            for ordinal, pod in self.pods.items()
            if self.wanted(ordinal)
            and self.outdated(ordinal)
            and not self.kept(ordinal)
            and not is_ending(pod)
        )
        return max(due, default=None)


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return the progress of the StatefulSet, and which ordinal holds it up."""
    at = _ordinals(entry, inventory)
    status = entry.document.get("status")
    children = tuple(_pods(at))
    summary = _summary(entry, at)
    stale = f"{number(status, 'readyReplicas')} ready"
    early = early_diagnosis(entry, inventory, summary, children, stale=stale)
    if early is not None:
        return early
    complete = is_complete(entry)
    unseen = unseen_kinds(entry, inventory, "Pod")
    refused = None
    if number(status, "replicas") < at.desired:
        refused = refused_creation(entry, inventory, "Pods or their claims")
    candidates = (
        refused,
        None if unseen or refused else _next_step(entry, at),
        *_missing_claims(entry, at, inventory),
        _governing_service(entry, inventory),
        lost_pods(entry, inventory, complete=complete),
        None if complete else rejected_pods(entry, inventory),
        *unseen,
    )
    verdict, findings = judged(candidates, complete=complete)
    phase = _phase(entry, at, complete)
    return Diagnosis(phase, verdict, summary, findings, children)


def _ordinals(entry: Entry, inventory: Inventory) -> _Ordinals:
    document = entry.document
    found = {
        ordinal: pod
        for pod in inventory.owned(entry.uid, "Pod")
        if (ordinal := _ordinal(pod.name, entry.name)) is not None
    }
    strategy = mapping(document, "spec", "updateStrategy")
    return _Ordinals(
        pods=dict(sorted(found.items())),
        first=max(number(document, "spec", "ordinals", "start"), 0),
        desired=max(number(document, "spec", "replicas", default=1), 0),
        partition=number(strategy, "rollingUpdate", "partition"),
        update_revision=text(document, "status", "updateRevision"),
        on_delete=text(strategy, "type") == "OnDelete",
        ordered=text(document, "spec", "podManagementPolicy") != "Parallel",
    )


def _ordinal(pod: str, stateful_set: str) -> int | None:
    found = re.fullmatch(r"-([0-9]{1,10})", pod[len(stateful_set) :])
    return int(found[1]) if found and pod.startswith(stateful_set) else None


def _phase(entry: Entry, at: _Ordinals, complete: bool) -> str:
    current = number(entry.document, "status", "replicas")
    if complete and at.on_delete and _is_updating(entry):
        return "Outdated"  # until somebody deletes Pods
    if complete:
        return "Complete" if at.desired else "ScaledDown"
    if _is_updating(entry):
        return "Updating"
    if current != at.desired:
        return "ScalingUp" if current < at.desired else "ScalingDown"
    return "Unavailable"


def _is_updating(entry: Entry) -> bool:
    status = entry.document.get("status")
    return text(status, "currentRevision") != text(status, "updateRevision")


def _summary(entry: Entry, at: _Ordinals) -> str:
    status = entry.document.get("status")
    current, ready, available, updated = (
        number(status, each)
        for each in (
            "replicas",
            "readyReplicas",
            "availableReplicas",
            "updatedReplicas",
        )
    )
    if at.desired == 0 and current == 0:
        return "no Pods wanted"
    parts = [f"{ready} of {at.desired} ready"]
    if available != ready:
        parts.append(f"{available} available")
    if current > at.desired:
        parts.append(f"{current - at.desired} too many")
    if _is_updating(entry):
        parts.append(f"{updated} updated")
    return ", ".join(parts)


def _pods(at: _Ordinals) -> Iterator[Child]:
    for ordinal, pod in at.pods.items():
        role = f"ordinal {ordinal}"
        if not at.wanted(ordinal):
            role += ", to be removed"
        elif at.outdated(ordinal) and at.kept(ordinal):
            role += ", old revision kept"
        elif at.outdated(ordinal):
            role += ", being updated" if is_ending(pod) else ", to be updated"
        yield Child(pod.uid, role, counts=not pod.replaced)


def _missing_claims(
    entry: Entry, at: _Ordinals, inventory: Inventory
) -> Iterator[Finding]:
    kind = "PersistentVolumeClaim"
    if inventory.unseen("", kind, entry.namespace):
        return
    templates = mappings(entry.document, "spec", "volumeClaimTemplates")
    volumes = [name for each in templates if (name := text(each, "metadata", "name"))]
    for ordinal, pod in at.pods.items():
        if is_ending(pod) or not at.wanted(ordinal):
            continue  # its claims may be deleted with it
        for volume in volumes:
            claim = f"{volume}-{entry.name}-{ordinal}"
            if inventory.named("", kind, entry.namespace, claim) is None:
                about = f"claim/{claim}"
                yield finding(
                    "ClaimOfOrdinalMissing", about, claim=claim, ordinal=ordinal
                )


def _governing_service(entry: Entry, inventory: Inventory) -> Finding | None:
    """Return a finding if the Service does not exist that gives its Pods DNS names.

    https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#stable-network-id
    """
    name = text(entry.document, "spec", "serviceName")
    if not name or inventory.unseen("", "Service", entry.namespace):
        return None
    if inventory.named("", "Service", entry.namespace, name) is not None:
        return None
    return finding(
        "GoverningServiceMissing",
        "serviceName",
        kind="Service",
        name=name,
        namespace=entry.namespace or "",
    )


def _next_step(entry: Entry, at: _Ordinals) -> Finding | None:
    """Return the next step and what it waits for; None if nothing is left to do.

    https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#update-strategies
    """
    blocking = at.blocking()
    if blocking is not None:
        stuck = _stuck(entry, at, blocking) if at.ordered else None
        return stuck or stating(_creating(entry, at, blocking), "rollout")
    if too_many := [each for each in at.pods if each >= at.end]:
        return _waiting("OrdinalDeleted", ordinal=max(too_many), surplus=True)
    if too_few := [each for each in at.pods if each < at.first]:
        return _waiting("OrdinalDeleted", ordinal=max(too_few))
    if at.on_delete:
        return _on_delete(entry, at)
    updated_next = at.next_update()
    if updated_next is not None:
        return _waiting("OrdinalUpdatedNext", ordinal=updated_next)
    if kept := sum(map(at.outdated, filter(at.kept, at.pods))):
        ordinal, partition = at.first + at.partition, at.partition
        return _waiting(
            "OldRevisionKept", pods=kept, ordinal=ordinal, partition=partition
        )
    missing = at.desired - number(entry.document, "status", "availableReplicas")
    if missing > 0 and (seconds := ready_seconds(entry)):
        return _waiting("PodsAwaited", pods=missing, seconds=seconds)
    return None


def _waiting(code: str, **args: int | None) -> Finding:
    return stating(fact(code, **args), "rollout")


def _stuck(entry: Entry, at: _Ordinals, blocking: int) -> Finding | None:
    """Return a finding if a Pod of an old revision holds up the update that repairs it.

    https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#forced-rollback
    """
    pod = at.pods.get(blocking)
    if pod is None or pod.replaced or at.on_delete:
        return None
    if at.kept(blocking) or not at.outdated(blocking):
        return None
    remedy = kubectl("delete pod {}", pod.name, namespace=entry.namespace)
    return finding("OldRevisionBlocks", "rollout", ordinal=blocking, remedy=remedy)


def _creating(entry: Entry, at: _Ordinals, blocking: int) -> Fact:
    pod = at.pods.get(blocking)
    if pod is None:
        return fact("OrdinalCreatedNext", ordinal=blocking)
    if pod.replaced:
        ended = not is_ending(pod)
        return fact("OrdinalReplaced", ordinal=blocking, ended=ended)
    seconds = ready_seconds(entry)
    if not at.ordered:
        others = sum(not is_ready(each) for each in at.pods.values())
        return fact("PodsAwaited", pods=others, seconds=seconds)
    # Enough ordinals to find one without a Pod, whatever number the spec asks for.
    above = range(blocking + 1, min(at.end, blocking + len(at.pods) + 2))
    missing = next((each for each in above if each not in at.pods), None)
    due = at.next_update()
    if missing is None and (due is None or at.on_delete):
        return fact("OrdinalAwaited", blocking=blocking, seconds=seconds)
    code, ordinal = "OrdinalWaits", missing
    if missing is None:
        code, ordinal = "OrdinalUpdateWaits", due
    return fact(code, ordinal=ordinal, blocking=blocking, seconds=seconds)


def _on_delete(entry: Entry, at: _Ordinals) -> Finding | None:
    old = [ordinal for ordinal in at.pods if at.outdated(ordinal)]
    if not old:
        return None
    pod = at.pods[old[-1]].name
    remedy = kubectl("delete pod {}", pod, namespace=entry.namespace)
    return finding("UpdatesOnDelete", "rollout", pods=len(old), remedy=remedy)
