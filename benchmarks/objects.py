"""Make the objects and watch events of a load, in the bytes a kube-apiserver sends.

The Pod is one that a real kubelet ran (pod.json): its container starts, exits with 3
and waits in CrashLoopBackOff, again and again.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

NAMESPACE = "bench"
# The last event of a load carries this in its status, so that whoever waits for a
# tool's output knows the end when it is printed.
END_MARKER = "end-of-benchmark"
FIRST_RESOURCE_VERSION = 1_000_000
POD_BYTES = 4_400  # on average, in a watch event

TEMPLATE = Path(__file__).with_name("pod.json").read_text(encoding="utf-8")
CREATED = datetime(2026, 11, 20, 15, 7, 10)


def pod_name(index: int) -> str:
    """Return the name of Pod number *index* of a load."""
    return f"crasher-{index:05}"


def kind_of(index: int, types: int) -> str:
    """Return the kind of object number *index* of a load of so many *types*.

    All but the first are called something else and are Pods all the same.
    """
    number = index % types
    return f"Crasher{number}" if number else "Pod"


def pod_at(index: int, step: int, resource_version: int) -> dict[str, Any]:
    """Return Pod number *index* after *step* changes of its status.

    Steps go running, terminated, CrashLoopBackOff, running …; every step changes
    containerStatuses and times, two of three flip both ready conditions.
    """
    pod: dict[str, Any] = json.loads(TEMPLATE)
    metadata, status = pod["metadata"], pod["status"]
    metadata["name"] = pod_name(index)
    metadata["namespace"] = NAMESPACE
    metadata["uid"] = f"8120e381-d9fe-4873-92bb-{index:012}"
    metadata["resourceVersion"] = str(resource_version)
    restarts, phase = divmod(step, 3)
    now = rfc3339(step)
    metadata["managedFields"][1]["time"] = now
    ready = phase == 0
    for condition in status["conditions"]:
        if condition["type"] in ("Ready", "ContainersReady"):
            condition["status"] = "True" if ready else "False"
            condition["lastTransitionTime"] = rfc3339(step - max(phase - 1, 0))
            if not ready:
                condition["reason"] = "ContainersNotReady"
                condition["message"] = "containers with unready status: [crasher]"
    last, current = terminated(restarts - 1), terminated(restarts)
    container = status["containerStatuses"][0]
    container["ready"] = container["started"] = ready
    container["restartCount"] = restarts
    container["containerID"] = container_id(restarts)
    container["lastState"] = current if phase == 2 else last
    if phase == 0:
        container["state"] = {"running": {"startedAt": now}}
    elif phase == 1:
        container["state"] = current
    else:
        backoff = (
            f"back-off {min(10 * 2 ** min(restarts, 5), 300)}s restarting failed "
            f"container=crasher pod={pod_name(index)}_{NAMESPACE}({metadata['uid']})"
        )
        container["state"] = {
            "waiting": {"reason": "CrashLoopBackOff", "message": backoff}
        }
    return pod


def terminated(restarts: int) -> dict[str, Any]:
    """Return the state of the container that ended after *restarts* restarts."""
    return {
        "terminated": {
            "exitCode": 3,
            "reason": "Error",
            "startedAt": rfc3339(3 * restarts),
            "finishedAt": rfc3339(3 * restarts + 1),
            "containerID": container_id(restarts),
        }
    }


def container_id(restarts: int) -> str:
    """Return the id of the container that runs after *restarts* restarts."""
    digest = (restarts + 1) * 0x9E3779B97F4A7C15 % 2**64
    return f"containerd://{digest:016x}{'b9c7' * 12}"


def rfc3339(step: int) -> str:
    """Return the time of *step*, one second a step."""
    return (CREATED + timedelta(seconds=step)).isoformat() + "Z"


def encode(value: object) -> bytes:
    """Return compact JSON, as a kube-apiserver writes it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def list_item(index: int) -> bytes:
    """Return object number *index* as a list holds it: without apiVersion and kind."""
    pod = pod_at(index, 0, FIRST_RESOURCE_VERSION)
    del pod["apiVersion"], pod["kind"]
    return encode(pod)


def watch_event(kind: str, pod: dict[str, Any]) -> bytes:
    """Return one line of a watch stream."""
    return encode({"type": kind, "object": pod}) + b"\n"


def churn(pods: int, events: int, types: int = 1) -> list[tuple[int, bytes]]:
    """Return *events* MODIFIED lines spread over *pods* objects, each with its number.

    The last one of each type carries the END_MARKER.
    """
    lines = []
    for number in range(events):
        step, index = divmod(number, pods)
        pod = pod_at(index, step + 1, FIRST_RESOURCE_VERSION + number + 1)
        pod["kind"] = kind_of(index, types)
        if number >= events - types:
            pod["status"]["message"] = END_MARKER
        lines.append((index, watch_event("MODIFIED", pod)))
    return lines
