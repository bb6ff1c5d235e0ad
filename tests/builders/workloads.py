"""Workloads and their Pods, as their controllers write them, and claims of volumes."""

from __future__ import annotations

from typing import Any

from tests.builders.objects import CREATED, Object, manifest, obj


def workload(
    kind: str,
    name: str = "web",
    *,
    owner: str = "",
    metadata: Object | None = None,
    spec: Object | None = None,
    **status: Any,
) -> Object:
    """Return an object of namespace shop whose uid is its name.

    Its controller has seen it, unless *status* says otherwise.
    """
    if kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"):
        status = {"observedGeneration": 1, **status}
    references = [{"uid": owner, "kind": "", "name": owner, "controller": True}]
    held = {"generation": 1, "creationTimestamp": CREATED}
    held |= {"ownerReferences": references} if owner else {}
    held |= metadata or {}
    return obj(kind, name, uid=name, metadata=held, spec=spec or {}, status=status)


def pod_of(owner: str, name: str, *, ready: bool = True, **more: Any) -> Object:
    """Return a Pod of *owner*; *more* are parts of its metadata."""
    ready_condition = {"type": "Ready", "status": "True" if ready else "False"}
    return workload(
        "Pod",
        name,
        owner=owner,
        metadata=more,
        phase="Running",
        conditions=[ready_condition],
    )


def replica_set(pods: int, ready: int, namespace: str = "default") -> Object:
    """Return `rs/web`, that wants so many *pods*."""
    counts = dict.fromkeys(("readyReplicas", "availableReplicas"), ready)
    counts |= dict.fromkeys(("replicas", "fullyLabeledReplicas"), pods)
    return manifest(
        "ReplicaSet",
        "web",
        namespace,
        metadata={"uid": "uid-web", "generation": 1},
        spec={"replicas": pods, "selector": {"matchLabels": {"app": "web"}}},
        status={**counts, "observedGeneration": 1},
    )


def replica(number: int, ready: bool) -> Object:
    """Return a Pod of `rs/web`, running, and ready or not."""
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet"}
    owner |= {"name": "web", "uid": "uid-web"}
    app = {
        "name": "app",
        "ready": ready,
        "started": True,
        "restartCount": 0,
        "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}},
    }
    return manifest(
        "Pod",
        f"web-{number:02}",
        "default",
        metadata={"uid": f"uid-{number}", "ownerReferences": [owner]},
        spec={"nodeName": "node1", "containers": [{"name": "app", "image": "app:1"}]},
        status={
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": str(ready)}],
            "containerStatuses": [app],
        },
    )


def a_claim(
    phase: str = "Pending",
    name: str = "data",
    *,
    metadata: Object | None = None,
    spec: Object | None = None,
    **status: Any,
) -> Object:
    """Return a PersistentVolumeClaim of 10Gi, of the class fast."""
    wanted = {"resources": {"requests": {"storage": "10Gi"}}}
    return obj(
        "PersistentVolumeClaim",
        name,
        uid="claim-uid",
        metadata=metadata,
        spec={"storageClassName": "fast", **wanted, **(spec or {})},
        status={"phase": phase, **status},
    )


def a_volume(
    name: str = "pv-1",
    phase: str = "Available",
    *,
    metadata: Object | None = None,
    **spec: Any,
) -> Object:
    """Return a PersistentVolume of 10Gi, of the class fast, whose uid is its name."""
    offered: Object = {"capacity": {"storage": "10Gi"}, "storageClassName": "fast"}
    return obj(
        "PersistentVolume",
        name,
        None,
        uid=name,
        metadata=metadata,
        spec={**offered, "accessModes": ["ReadWriteOnce"], **spec},
        status={"phase": phase},
    )
