"""The columns READY, STATUS and RESTARTS of `kubectl get pods`."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.fields import condition, mapping, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.workloads import ENDED

_NODE_LOST = "NodeLost"


class Columns(NamedTuple):
    """The columns that kubectl prints for a Pod."""

    status: str
    ready: int
    total: int
    restarts: int


def columns(pod: dict[str, JSON]) -> Columns:
    """Return what `kubectl get pods` would print for *pod*.

    The rules are those of printPod, with two more. A container that failed counts
    before one that completed, in any order, as in newer releases
    (https://github.com/kubernetes/kubectl/issues/1511). In a Pod that has ended no
    container waits: that state is old, and the Pod's reason says more.
    https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go
    """
    phase = text(pod, "status", "phase")
    status = text(pod, "status", "reason") or phase
    if condition(pod, "PodScheduled").get("reason") == "SchedulingGated":
        status = "SchedulingGated"
    ended = phase in ENDED

    specs = mappings(pod, "spec", "initContainers")
    sidecars = {
        text(each, "name") for each in specs if each.get("restartPolicy") == "Always"
    }
    total = len(mappings(pod, "spec", "containers")) + len(sidecars)

    initializing = ""
    ready = restarts = sidecar_restarts = 0
    for place, each in enumerate(mappings(pod, "status", "initContainerStatuses")):
        restarts += number(each, "restartCount")
        sidecar = text(each, "name") in sidecars
        if sidecar:
            sidecar_restarts += number(each, "restartCount")
        initializing = _initializing(each, sidecar, f"{place}/{len(specs)}", ended)
        if initializing:
            status = initializing
            break
        ready += sidecar and each.get("ready") is True

    if not initializing or condition(pod, "Initialized").get("status") == "True":
        status, running, restarted = _main(pod, status, ended)
        ready += running
        restarts = sidecar_restarts + restarted

    return Columns(_deleted(pod, status) or "Unknown", ready, total, restarts)


def _initializing(
    status: dict[str, JSON], sidecar: bool, place: str, ended: bool
) -> str:
    """Return what the Pod waits for in this init container, or ""."""
    state = mapping(status, "state")
    terminated = state.get("terminated")
    if isinstance(terminated, dict) and number(terminated, "exitCode") == 0:
        return ""
    if sidecar and status.get("started") is True:
        return ""
    if isinstance(terminated, dict):
        return f"Init:{_ended(terminated)}"
    if ended:
        return ""
    waiting = text(state, "waiting", "reason")
    return f"Init:{place if waiting in ('', 'PodInitializing') else waiting}"


def _main(pod: dict[str, JSON], status: str, ended: bool) -> tuple[str, int, int]:
    """Return the status, how many containers are ready, and their restarts."""
    ready = restarts = 0
    failure = ""
    # From the last container to the first: the first one with a reason counts.
    for each in reversed(mappings(pod, "status", "containerStatuses")):
        restarts += number(each, "restartCount")
        state = mapping(each, "state")
        terminated = state.get("terminated")
        reason = "" if ended else text(state, "waiting", "reason")
        if reason:
            status = reason
        elif isinstance(terminated, dict):
            status = _ended(terminated)
            if number(terminated, "exitCode") != 0:
                failure = status
        elif each.get("ready") is True and isinstance(state.get("running"), dict):
            ready += 1
    if status == "Completed":
        if ready and condition(pod, "Ready").get("status") == "True":
            status = "Running"
        elif failure:
            status = failure
        elif ready:
            status = "NotReady"
    return status, ready, restarts


def _ended(terminated: dict[str, JSON]) -> str:
    if reason := text(terminated, "reason"):
        return reason
    if signal := number(terminated, "signal"):
        return f"Signal:{signal}"
    return f"ExitCode:{number(terminated, 'exitCode')}"


def _deleted(pod: dict[str, JSON], status: str) -> str:
    if not text(pod, "metadata", "deletionTimestamp"):
        return status
    if text(pod, "status", "reason") == _NODE_LOST:
        return "Unknown"
    return status if text(pod, "status", "phase") in ENDED else "Terminating"
