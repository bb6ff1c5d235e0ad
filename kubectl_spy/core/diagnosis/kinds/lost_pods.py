"""Pods of a workload that others made go: preempted, evicted, removed for a taint.

Such a Pod is soon gone. What its condition said is remembered, and Events stay for an
hour.
https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.counting import many
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready
from kubectl_spy.core.diagnosis.pods import ending
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.diagnosis.wording import brief, one_line
from kubectl_spy.core.fields import condition, moment

_CREATED = re.compile(
    r"^(?:Created pod: (?P<pod>\S+)|[Cc]reate Pod (?P<ordinal>\S+) in StatefulSet )"
)
"""https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/controller_utils.go"""


class _Lost(NamedTuple):
    name: str
    why: str
    when: float


def lost_pods(entry: Entry, seen: Inventory, *, complete: bool) -> Finding | None:
    """Return who made Pods of the object go, of the last one that is not replaced.

    Of an object that is *complete* none is missed.
    """
    if complete:
        return None
    pods = [*seen.owned(entry.uid, "Pod"), *seen.gone(entry.uid, "Pod")]
    found = {
        each.name: each
        for each in sorted(_lost(entry, seen), key=lambda each: each.when)
        if not any(_follows(pod, each) for pod in pods)
    }
    if not found:
        return None
    *others, last = sorted(found.values(), key=lambda each: (each.when, each.name))
    more = f"; {many(len(others), 'other Pod')} went before" if others else ""
    told = one_line(f"pod {last.name} is gone: {last.why}{more}")
    return Finding("lost", Verdict.WAITING, told, since=last.when or None)


def _follows(pod: Entry, lost: _Lost) -> bool:
    """Tell whether *pod* was made later, by the same name, or is ready in its place.

    A controller may replace a Pod within the second in which it is made to go.
    """
    made = moment(pod.document, "metadata", "creationTimestamp") or 0.0
    if pod.name == lost.name:
        return made > lost.when
    return made >= int(lost.when) > 0 and is_ready(pod)


def _lost(entry: Entry, seen: Inventory) -> Iterator[_Lost]:
    for name, made in _created(entry, seen).items():
        if seen.named("", "Pod", entry.namespace, name) is None:
            fate = seen.fate(entry.namespace, name)
            if fate is None or (fate.last or 0.0) < made:
                continue
            if why := ending.fate(fate, seen):
                yield _Lost(name, why, fate.last or 0.0)
    for gone in seen.gone(entry.uid, "Pod"):
        why = ending.disrupted_by(SeenPod.of(gone, seen))
        target = condition(gone.document, "DisruptionTarget")
        if why:
            when = moment(target, "lastTransitionTime") or gone.time
            yield _Lost(gone.name, why, when)


def _created(entry: Entry, seen: Inventory) -> dict[str, float]:
    """Return when Pods were last made for the object, by name, as Events say."""
    made: dict[str, float] = {}
    for event in seen.events(entry.uid):
        if event.reason == "SuccessfulCreate":
            found = _CREATED.match(brief(event.message))
            if found is not None:
                made[found["pod"] or found["ordinal"]] = event.last or 0.0
    return made
