"""The taints that Kubernetes itself sets on nodes.

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
    """Return whether the taint *key* means that something is wrong with the node."""
    return key in _TROUBLE
