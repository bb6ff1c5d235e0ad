"""Pods of more than one PodDisruptionBudget: the Eviction API evicts none of them.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/registry/core/pod/storage/eviction.go
"""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.label_selectors import matches
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.pod_states import is_replaced
from kubectl_spy.core.diagnosis.wording import listed, one_line
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.remedy import advice, kubectl

_SHOWN = 3
"""Pods and budgets that one line names."""


def selected(budget: Entry, pods: Iterable[Entry]) -> list[Entry]:
    """Return those of *pods*, all of its namespace, that a budget selects."""
    selector = mapping(budget.document, "spec").get("selector")
    if not isinstance(selector, dict):
        return []
    return [
        each
        for each in pods
        if matches(selector, mapping(each.document, "metadata", "labels"))
    ]


def overlap(entry: Entry, pods: list[Entry], seen: Inventory) -> Finding | None:
    """Return which other budgets select some of the *pods* of a budget."""
    counted = [each for each in pods if not _goes_anyway(each)]
    budgets: list[str] = []
    shared: dict[str, None] = {}
    for other in seen.every(entry.gvk.group, entry.gvk.kind, entry.namespace):
        leaving = text(other.document, "metadata", "deletionTimestamp")
        if other.uid == entry.uid or leaving:
            continue
        if both := selected(other, counted):
            budgets.append(other.name)
            shared |= dict.fromkeys(each.name for each in both)
    if not budgets:
        return None
    many = len(budgets) > 1
    told = f"PodDisruptionBudget{'s' if many else ''} {_named(budgets)}"
    told += f" select{'' if many else 's'} {_named(list(shared))} as well"
    told += ": no Pod of two budgets can be evicted, and drains wait for good"
    remedy = advice(
        "leave each Pod to one budget, correct a selector or delete one: {}",
        kubectl("get pdb", namespace=entry.namespace),
    )
    return Finding("overlap", Verdict.FAILING, one_line(told, 400), remedy)


def _goes_anyway(pod: Entry) -> bool:
    """Tell whether a Pod may be evicted whatever its budgets say."""
    return is_replaced(pod) or text(pod.document, "status", "phase") == "Pending"


def _named(names: list[str]) -> str:
    if len(names) > _SHOWN:
        names = [*names[:_SHOWN], f"{len(names) - _SHOWN} more"]
    return listed(names)
