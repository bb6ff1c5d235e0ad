"""HorizontalPodAutoscaler: how far it is by its conditions, and what it scales.

https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.trace.inventory import Entry, Inventory
from kubectl_spy.core.trace.kinds import generic
from kubectl_spy.core.trace.picture import Child, Diagnosis


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return how the autoscaler is; what it scales stands under it."""
    return generic.diagnose(entry, seen)._replace(
        children=tuple(_children(entry, seen))
    )


def _children(entry: Entry, seen: Inventory) -> Iterator[Child]:
    target = mapping(entry.document, "spec", "scaleTargetRef")
    group = text(target, "apiVersion").rpartition("/")[0]
    kind, name = text(target, "kind"), text(target, "name")
    scaled = seen.named(group, kind, entry.namespace, name)
    if scaled is not None:
        yield Child(scaled.uid, "what it scales")
    for owned in seen.owned(entry.uid):
        if scaled is None or owned.uid != scaled.uid:
            yield Child(owned.uid)
