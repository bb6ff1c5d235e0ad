"""STATUS, READY and RESTARTS, rule for rule as printPod has them."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.pods.columns import columns
from tests.builders import a_pod, container, over, running, waiting

DELETED = {"deletionTimestamp": "2026-11-21T15:05:00Z"}
GATED = {"PodScheduled": {"status": "False", "reason": "SchedulingGated"}}
READY = {"Ready": "True"}
INITIALIZED = {"Initialized": "True"}

UP = container("up", running(), ready=True)
NOT_READY = container("up", running())
WAITS = container("waits", waiting("ImagePullBackOff"))
DONE = container("done", {"terminated": over(0, "Completed")})
FAILED = container("failed", {"terminated": over(1)})
SIDECAR = container("proxy", running(), restartPolicy="Always", ready=True)
STARTING = container("proxy", running(), restartPolicy="Always", started=False)


def ended(code: int, **more: Any) -> dict[str, Any]:
    return container("bare", {"terminated": {"exitCode": code, **more}})


@pytest.mark.parametrize(
    ("pod", "status"),
    [
        (a_pod(phase="Pending"), "Pending"),
        (a_pod(phase=""), "Unknown"),
        (a_pod(phase="Pending", conditions=GATED), "SchedulingGated"),
        (a_pod(phase="Failed", reason="Evicted"), "Evicted"),
        (a_pod(WAITS, phase="Failed", reason="Evicted"), "Evicted"),
        (a_pod(WAITS, phase="Failed"), "Failed"),
        (a_pod(UP, init=(WAITS,), phase="Failed", reason="Evicted"), "Evicted"),
        (a_pod(UP, init=(STARTING,), phase="Failed", reason="Evicted"), "Evicted"),
        (a_pod(WAITS, FAILED, phase="Failed", reason="Evicted"), "Error"),
        (a_pod(UP), "Running"),
        (a_pod(NOT_READY), "Running"),
        (a_pod(container(state=waiting("ContainerCreating"))), "ContainerCreating"),
        (a_pod(FAILED), "Error"),
        (a_pod(ended(3)), "ExitCode:3"),
        (a_pod(ended(137, signal=9)), "Signal:9"),
        (a_pod(DONE, phase="Succeeded"), "Completed"),
        (a_pod(DONE, UP, conditions=READY), "Running"),
        (a_pod(DONE, UP), "NotReady"),
        (a_pod(DONE, FAILED), "Error"),
        (a_pod(FAILED, UP), "Error"),
        (a_pod(UP, init=(DONE,)), "Running"),
        (a_pod(UP, init=(FAILED,)), "Init:Error"),
        (a_pod(UP, init=(ended(3),)), "Init:ExitCode:3"),
        (a_pod(UP, init=(ended(9, signal=9),)), "Init:Signal:9"),
        (a_pod(init=(DONE, NOT_READY, UP)), "Init:1/3"),
        (
            a_pod(init=(container("i", waiting("CrashLoopBackOff")),)),
            "Init:CrashLoopBackOff",
        ),
        (a_pod(init=(container("i", waiting("PodInitializing")),)), "Init:0/1"),
        (a_pod(UP, init=(SIDECAR,)), "Running"),
        (a_pod(UP, init=(STARTING,)), "Init:0/1"),
        (a_pod(FAILED, init=(FAILED,), conditions=INITIALIZED), "Error"),
        (a_pod(UP, metadata=DELETED), "Terminating"),
        (a_pod(DONE, phase="Succeeded", metadata=DELETED), "Completed"),
        (a_pod(UP, reason="NodeLost", metadata=DELETED), "Unknown"),
    ],
)
def test_status(pod: dict[str, Any], status: str) -> None:
    assert columns(pod).status == status


def test_ready_counts_sidecars_and_no_other_init_containers() -> None:
    shown = columns(a_pod(UP, DONE, init=(DONE, SIDECAR)))
    assert (shown.ready, shown.total) == (2, 3)


def test_restarts_of_init_containers_count_until_they_are_done() -> None:
    setup = container("setup", waiting("CrashLoopBackOff"), restarts=4)
    assert columns(a_pod(container(), init=(setup,))).restarts == 4
    done = container("setup", {"terminated": over(0)}, restarts=4)
    app = container(state=running(), ready=True, restarts=1)
    assert columns(a_pod(app, init=(done,))).restarts == 1
