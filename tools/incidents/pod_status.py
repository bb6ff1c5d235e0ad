"""The parts of a Pod's status, as a kubelet writes them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

Record = dict[str, Any]
NO_SECRET = (
    "Unable to retrieve some image pull secrets ({}); attempting to pull the image may"
    " not succeed."
)


def now(*, micro: bool = False) -> str:
    """Return the time as Kubernetes writes it."""
    fraction = ".%f" if micro else ""
    return datetime.now(timezone.utc).strftime(f"%Y-%m-%dT%H:%M:%S{fraction}Z")


COMPLETED = {"exitCode": 0, "reason": "Completed"}


def container_statuses(
    pod: Record, acting: Record, *, initialized: bool, over: bool
) -> Record:
    """Return the statuses of all containers; those that do not act are well.

    When the Pod is *over*, they have ended well.
    """
    spec = pod["spec"]
    if not initialized:
        waiting = {"waiting": {"reason": "PodInitializing"}}
        mains = [container_status(each, waiting) for each in spec["containers"]]
        return {"initContainerStatuses": [acting], "containerStatuses": mains}
    running: Record = {"running": {"startedAt": now()}}
    ended = {"terminated": {**COMPLETED, "finishedAt": now()}}
    known = {each["name"]: each for each in pod["status"].get("containerStatuses", [])}
    mains = []
    for each in spec["containers"]:
        old = known.get(each["name"], {}).get("state", {}).get("running")
        state = {"running": old} if old else running
        others = container_status(each, ended if over else state, ready=not over)
        mains.append(acting if each["name"] == acting["name"] else others)
    inits = [
        container_status(each, ended, ready=True)
        for each in spec.get("initContainers", [])
    ]
    done = {"initContainerStatuses": inits} if inits else {}
    return {"containerStatuses": mains, **done}


def container_status(
    container: Record, state: Record, *, ready: bool = False
) -> Record:
    """Return the status of a container in *state*."""
    return {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "ready": ready,
        "started": "running" in state,
        "restartCount": 0,
        "state": {"waiting": None, "running": None, "terminated": None, **state},
    }


def pod_conditions(
    container: str,
    *,
    ready: bool,
    done: bool,
    initialized: bool,
    has_sandbox: bool,
    starts: bool,
    gates: list[str],
) -> list[Record]:
    """Return the conditions of a Pod of which one container acts.

    *gates* are the readiness gates that nobody has opened:
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/status/generate.go
    """
    message = f"containers with unready status: [{container}]"
    unready = {
        "reason": "PodCompleted" if done else "ContainersNotReady",
        "message": None if done else message,
    }
    moment = {"status": "True" if ready else "False", "lastTransitionTime": now()}
    cause = {"reason": None, "message": None} if ready else unready
    kinds = ("Ready", "ContainersReady")
    conditions = [{"type": each, **moment, **cause} for each in kinds]
    if ready and gates:
        missing = 'corresponding condition of pod readiness gate "{}" does not exist.'
        told = ", ".join(missing.format(each) for each in gates)
        closed = {"reason": "ReadinessGatesNotReady", "message": told}
        conditions[0].update(status="False", **closed)
    others = {"PodReadyToStartContainers": has_sandbox, "Initialized": initialized}
    for each, is_so in others.items() if starts else ():
        when = {"status": str(is_so), "lastTransitionTime": now()}
        conditions.append({"type": each, **when})
    return conditions
