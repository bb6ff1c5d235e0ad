"""Taints of Kubernetes itself, and what they say of a node.

https://kubernetes.io/docs/reference/labels-annotations-taints/
"""

from __future__ import annotations

CORDONED = "node.kubernetes.io/unschedulable"
_TROUBLE = frozenset(
    {
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
        "node.kubernetes.io/memory-pressure",
        "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/pid-pressure",
        "node.kubernetes.io/network-unavailable",
        "node.kubernetes.io/out-of-service",
        "node.cloudprovider.kubernetes.io/uninitialized",
        "node.cloudprovider.kubernetes.io/shutdown",
    }
)


def is_trouble(key: str) -> bool:
    """Tell whether a taint with *key* is there for as long as something is wrong."""
    return key in _TROUBLE
