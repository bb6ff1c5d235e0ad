"""Pods of a workload that others made go: preempted, evicted, removed for a taint.

Such a Pod is soon gone. What its condition said is remembered, and Events stay for an
hour.
https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.fields import condition, moment
from kubectl_spy.core.trace.inventory import Entry, Inventory
from kubectl_spy.core.trace.kinds.counting import many
from kubectl_spy.core.trace.picture import Finding, Verdict
from kubectl_spy.core.trace.pods import ending
from kubectl_spy.core.trace.pods.seen_pod import SeenPod
from kubectl_spy.core.trace.wording import brief, one_line

_CREATED = re.compile(
    r"^(?:Created pod: (?P<pod>\S+)|[Cc]reate Pod (?P<ordinal>\S+) in StatefulSet )"
)
"""https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/controller_utils.go"""


class _Lost(NamedTuple):
    name: str
    why: str
    when: float


def lost_pods(entry: Entry, seen: Inventory) -> Finding | None:
    """Return who made Pods of the object go, of the last one that is gone."""
    found = {each.name: each for each in _lost(entry, seen)}
    if not found:
        return None
    *others, last = sorted(found.values(), key=lambda each: each.when)
    more = f"; {many(len(others), 'other Pod')} went before" if others else ""
    told = one_line(f"pod {last.name} is gone: {last.why}{more}")
    return Finding("lost", Verdict.WAITING, told, since=last.when or None)


def _lost(entry: Entry, seen: Inventory) -> Iterator[_Lost]:
    for name in _created(entry, seen):
        if seen.named("", "Pod", entry.namespace, name) is None:
            fate = seen.fate(entry.namespace, name)
            if fate is not None and (why := ending.fate(fate, seen)):
                yield _Lost(name, why, fate.last or 0.0)
    for gone in seen.gone(entry.uid, "Pod"):
        why = ending.disrupted_by(SeenPod.of(gone, seen))
        target = condition(gone.document, "DisruptionTarget")
        if why:
            when = moment(target, "lastTransitionTime") or gone.time
            yield _Lost(gone.name, why, when)


def _created(entry: Entry, seen: Inventory) -> Iterator[str]:
    """Yield the names of Pods that Events say were made for the object."""
    for event in seen.events(entry.uid):
        if event.reason == "SuccessfulCreate":
            found = _CREATED.match(brief(event.message))
            if found is not None:
                yield found["pod"] or found["ordinal"]
