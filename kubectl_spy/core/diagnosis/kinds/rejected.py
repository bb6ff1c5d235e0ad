"""Pods of one owner that fail as a whole, one after the other, for one reason.

A kubelet refuses a Pod that it cannot run, and the controller makes another one at
once. Each lives for a moment, and none of them counts: it is replaced.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/lifecycle/predicate.go
"""

from __future__ import annotations

from collections import Counter

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Finding, finding
from kubectl_spy.core.diagnosis.kinds.pod_states import has_failed, is_ready
from kubectl_spy.core.diagnosis.pods import ending
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.fields import moment, text
from kubectl_spy.core.remedy import kubectl

_ENOUGH = 3  # one or two may be accidents
_LATELY = 600.0  # seconds before the last Pod was created
_LIVES = 10.0  # seconds after which a Pod has not been refused


def rejected_pods(entry: Entry, inventory: Inventory) -> Finding | None:
    """Return why the last Pods of the object failed, if most did so alike."""
    pods = [*inventory.owned(entry.uid, "Pod"), *inventory.gone(entry.uid, "Pod")]
    if not any(map(has_failed, pods)):
        return None
    pods.sort(key=_created, reverse=True)
    newest = _created(pods[0])[0]
    if not has_failed(pods[0]) and not inventory.is_before(newest + _LIVES):
        return None
    last: list[Entry] = []
    for pod in pods:
        if is_ready(pod) or _created(pod)[0] < newest - _LATELY:
            break
        if has_failed(pod) and _why(pod):
            last.append(pod)
    reason, count = next(iter(Counter(map(_why, last)).most_common(1)), ("", 0))
    if count < _ENOUGH:
        return None
    first = next(each for each in last if _why(each) == reason)
    why = ending.failure(SeenPod.of(first, inventory))
    describe = kubectl("describe pod {}", first.name, namespace=entry.namespace)
    return finding("PodsRejected", "rejected", pods=count, why=why, remedy=describe)


def _created(pod: Entry) -> tuple[float, float]:
    return moment(pod.document, "metadata", "creationTimestamp") or 0.0, pod.time


def _why(pod: Entry) -> str:
    return text(pod.document, "status", "reason")
