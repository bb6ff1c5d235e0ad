"""Why a kubelet rejects a Pod that was bound to its node.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/lifecycle/predicate.go
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Record = dict[str, Any]


def rejection(pod: Record, node: Record, others: Iterable[Record]) -> tuple[str, str]:
    """Return reason and message, or "" for both; *others* are the Pods on the node."""
    used = sum(_cpu(each) for each in others)
    requested, capacity = _cpu(pod), _milli(node["status"]["allocatable"]["cpu"])
    if requested and used + requested > capacity:
        amounts = f"requested: {requested}, used: {used}, capacity: {capacity}"
        return "OutOfcpu", f"Node didn't have enough resource: cpu, {amounts}"
    wanted = pod["spec"].get("nodeSelector", {}).items()
    if not wanted <= node["metadata"]["labels"].items():
        why = "node(s) didn't match Pod's node affinity/selector"
        return "NodeAffinity", f"Predicate NodeAffinity failed: {why}"
    return "", ""


def _cpu(pod: Record) -> int:
    return sum(
        _milli(each.get("resources", {}).get("requests", {}).get("cpu", "0"))
        for each in pod["spec"]["containers"]
    )


def _milli(quantity: str) -> int:
    """Return thousandths of a CPU.

    >>> _milli("250m"), _milli("2")
    (250, 2000)
    """
    if quantity.endswith("m"):
        return int(quantity[:-1])
    return int(float(quantity) * 1000)
