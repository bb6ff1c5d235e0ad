"""What a StatefulSet waits for now, in one line.

Pods are created from the lowest ordinal up and updated from the highest down, and one
that is not ready holds up all others.
https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#update-strategies
"""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.counting import many, many_are
from kubectl_spy.core.diagnosis.kinds.ordinals import Ordinals
from kubectl_spy.core.diagnosis.kinds.pod_states import (
    has_ended,
    is_ending,
    is_ready,
    is_replaced,
)
from kubectl_spy.core.fields import mapping, number
from kubectl_spy.core.remedy import kubectl


def next_step(stateful_set: Entry, at: Ordinals) -> Finding | None:
    """Return what happens next and what it waits for; None if nothing is to be done."""
    blocking = at.blocking()
    if blocking is not None:
        found = _stuck(stateful_set, at, blocking) if at.ordered else None
        return found or _waiting(_creating(stateful_set, at, blocking))
    if too_many := [each for each in at.pods if each >= at.first + at.desired]:
        return _waiting(f"ordinal {max(too_many)} is deleted: too many")
    if too_few := [each for each in at.pods if each < at.first]:
        return _waiting(f"ordinal {max(too_few)} is deleted: below ordinals.start")
    if at.on_delete:
        return _on_delete(stateful_set, at)
    updated_next = at.next_update()
    if updated_next is not None:
        return _waiting(f"ordinal {updated_next} is updated next")
    if kept := sum(map(at.outdated, filter(at.kept, at.pods))):
        text = (
            f"{many(kept, 'Pod')} below ordinal {at.first + at.partition} "
            f"keep{'s' if kept == 1 else ''} the old revision (partition"
            f" {at.partition})"
        )
        return Finding("rollout", Verdict.OK, text)
    missing = at.desired - number(stateful_set.document, "status", "availableReplicas")
    if missing > 0 and (ready := _ready(stateful_set)) != "ready":
        return _waiting(f"waits for {many(missing, 'Pod')} to be {ready}")
    return None


def _stuck(stateful_set: Entry, at: Ordinals, blocking: int) -> Finding | None:
    """Return that a Pod of an old revision holds up the update that would mend it.

    https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#forced-rollback
    """
    pod = at.pods.get(blocking)
    if pod is None or is_replaced(pod) or at.on_delete:
        return None
    if at.kept(blocking) or not at.outdated(blocking):
        return None
    return Finding(
        "rollout",
        Verdict.FAILING,
        f"ordinal {blocking} is not ready and still of an old revision: it is not"
        " updated before it is ready or deleted (OrderedReady)",
        remedy=kubectl("delete pod {}", pod.name, namespace=stateful_set.namespace),
    )


def _creating(stateful_set: Entry, at: Ordinals, blocking: int) -> str:
    pod = at.pods.get(blocking)
    if pod is not None and is_ending(pod):
        return f"ordinal {blocking} is made anew when its old Pod has ended"
    if pod is not None and has_ended(pod):
        return f"ordinal {blocking} is made anew: its Pod has ended"
    if pod is None:
        return f"ordinal {blocking} is created next"
    ready = _ready(stateful_set)
    if not at.ordered:
        others = sum(not is_ready(each) for each in at.pods.values())
        return f"waits for {many(others, 'Pod')} to be {ready}"
    missing = [each for each in _above(at, blocking) if each not in at.pods]
    if missing:
        return f"ordinal {missing[0]} waits for ordinal {blocking} to be {ready}"
    due = at.next_update()
    if due is not None and not at.on_delete:
        return f"ordinal {due} is updated when ordinal {blocking} is {ready}"
    return f"waits for ordinal {blocking} to be {ready}"


def _above(at: Ordinals, ordinal: int) -> range:
    """Return the ordinals above one: as many as it takes to find one without a Pod."""
    last = min(at.first + at.desired, ordinal + len(at.pods) + 2)
    return range(ordinal + 1, last)


def _on_delete(stateful_set: Entry, at: Ordinals) -> Finding | None:
    old = [ordinal for ordinal in at.pods if at.outdated(ordinal)]
    if not old:
        return None
    pod = at.pods[old[-1]].name
    return Finding(
        "rollout",
        Verdict.WAITING,
        f"{many_are(len(old), 'Pod')} of an old revision: each is updated when"
        " somebody deletes it (OnDelete)",
        remedy=kubectl("delete pod {}", pod, namespace=stateful_set.namespace),
    )


def _ready(stateful_set: Entry) -> str:
    spec = mapping(stateful_set.document, "spec")
    seconds = number(spec, "minReadySeconds")
    return f"ready for {seconds} s (minReadySeconds)" if seconds else "ready"


def _waiting(text: str) -> Finding:
    return Finding("rollout", Verdict.WAITING, text)
