"""Pods, as kubelet and scheduler write them."""

from __future__ import annotations

from typing import Any

from tests.builders.objects import CREATED, obj

NODE, STARTED = "node-1", CREATED


def pod(
    name: str = "web",
    *,
    rv: str = "1",
    uid: str = "",
    phase: str | None = "Pending",
    **metadata: Any,
) -> dict[str, Any]:
    """Return a small Pod."""
    return obj(
        "Pod",
        name,
        uid=uid,
        metadata={"resourceVersion": rv, **metadata},
        spec={"nodeName": "node1"},
        status={} if phase is None else {"phase": phase},
    )


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
    return obj(
        "Pod",
        "web-0",
        uid="pod-uid",
        metadata={"creationTimestamp": STARTED, **(metadata or {})},
        spec={
            "nodeName": NODE,
            "initContainers": [each["spec"] for each in init],
            "containers": [each["spec"] for each in containers],
            **(spec or {}),
        },
        status={
            "phase": phase,
            "conditions": told,
            "initContainerStatuses": [e["status"] for e in init if e["status"]],
            "containerStatuses": [e["status"] for e in containers if e["status"]],
            **status,
        },
    )


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
