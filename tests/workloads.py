"""A ReplicaSet and its Pods, as their controllers write them."""

from __future__ import annotations

from typing import Any


def pod(number: int, ready: bool) -> dict[str, Any]:
    """Return a Pod of `rs/web`, running, and ready or not."""
    status = "True" if ready else "False"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"web-{number:02}",
            "namespace": "default",
            "uid": f"uid-{number}",
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "ReplicaSet",
                    "name": "web",
                    "uid": "uid-web",
                }
            ],
        },
        "spec": {
            "nodeName": "node1",
            "containers": [{"name": "app", "image": "app:1"}],
        },
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": status}],
            "containerStatuses": [
                {
                    "name": "app",
                    "ready": ready,
                    "started": True,
                    "restartCount": 0,
                    "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}},
                }
            ],
        },
    }


def replica_set(pods: int, ready: int) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": "web",
            "namespace": "default",
            "uid": "uid-web",
            "generation": 1,
        },
        "spec": {"replicas": pods, "selector": {"matchLabels": {"app": "web"}}},
        "status": {
            "replicas": pods,
            "fullyLabeledReplicas": pods,
            "readyReplicas": ready,
            "availableReplicas": ready,
            "observedGeneration": 1,
        },
    }
