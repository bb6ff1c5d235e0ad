"""Pods for tests, as kubelet and scheduler write them."""

from __future__ import annotations

from typing import Any

NODE = "node-1"
STARTED = "2026-11-21T15:00:00Z"


def a_pod(
    *containers: dict[str, Any],
    init: tuple[dict[str, Any], ...] = (),
    phase: str = "Running",
    conditions: dict[str, Any] | None = None,
    spec: dict[str, Any] | None = None,
    metadata: dict[str, Any] | None = None,
    **status: Any,
) -> dict[str, Any]:
    """Return Pod web-0 of namespace shop; *containers* are what `container` returns.

    *conditions* are statuses, or whole conditions, by type.
    """
    told = [
        {"type": kind, "lastTransitionTime": STARTED}
        | ({"status": each} if isinstance(each, str) else each)
        for kind, each in (conditions or {}).items()
    ]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "web-0",
            "namespace": "shop",
            "uid": "pod-uid",
            "resourceVersion": "1",
            "creationTimestamp": STARTED,
            **(metadata or {}),
        },
        "spec": {
            "nodeName": NODE,
            "initContainers": [each["spec"] for each in init],
            "containers": [each["spec"] for each in containers],
            **(spec or {}),
        },
        "status": {
            "phase": phase,
            "conditions": told,
            "initContainerStatuses": [e["status"] for e in init if e["status"]],
            "containerStatuses": [e["status"] for e in containers if e["status"]],
            **status,
        },
    }


def container(
    name: str = "app",
    state: dict[str, Any] | None = None,
    *,
    last: dict[str, Any] | None = None,
    ready: bool = False,
    started: bool | None = None,
    restarts: int = 0,
    **spec: Any,
) -> dict[str, Any]:
    """Return spec and status of a container; *last* is how it ended before."""
    status: dict[str, Any] = {}
    if state is not None:
        status = {"name": name, "ready": ready, "restartCount": restarts}
        status |= {"state": state, "lastState": {"terminated": last} if last else {}}
        status["started"] = ready if started is None else started
    return {"spec": {"name": name, "image": "shop/app:2", **spec}, "status": status}


def running(**member: Any) -> dict[str, Any]:
    return {"running": {"startedAt": STARTED, **member}}


def waiting(reason: str, message: str = "") -> dict[str, Any]:
    told = {"reason": reason}
    return {"waiting": told | ({"message": message} if message else {})}


def over(code: int, reason: str = "Error", **more: Any) -> dict[str, Any]:
    """Return how a run ended that took a minute."""
    return {
        "exitCode": code,
        "reason": reason,
        "startedAt": STARTED,
        "finishedAt": "2026-11-21T15:01:00Z",
        **more,
    }


def event(
    reason: str,
    message: str,
    *,
    field: str = "",
    kind: str = "Warning",
    about: str = "pod-uid",
    first: str = "2026-11-21T15:00:30Z",
    last: str = "",
) -> dict[str, Any]:
    """Return an Event of the Pod, or of the object whose uid is *about*."""
    uid = f"{reason}/{field}/{message}"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": uid[:40],
            "namespace": "shop",
            "uid": uid,
            "resourceVersion": "1",
        },
        "involvedObject": {"kind": "Pod", "uid": about, "fieldPath": field},
        "type": kind,
        "reason": reason,
        "message": message,
        "firstTimestamp": first,
        "lastTimestamp": last or first,
        "count": 1,
    }


APP = "spec.containers{app}"
CREATING = {"PodScheduled": "True", "PodReadyToStartContainers": "False"}
READY = {"Ready": "True", "ContainersReady": "True", "PodScheduled": "True"}
UNREADY = {"Ready": "False", "ContainersReady": "False", "PodScheduled": "True"}


OF_KUBELET = {
    "subresource": "status",
    "fieldsType": "FieldsV1",
    "fieldsV1": {"f:status": {"f:containerStatuses": {}}},
}
"""The entry in managedFields of the manager that writes how containers are."""


def ready_since(at: str) -> dict[str, Any]:
    """Return the conditions of a Pod that is ready since a time."""
    return {kind: {"status": "True", "lastTransitionTime": at} for kind in READY}
