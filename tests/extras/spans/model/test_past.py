"""What was over before the watch is shown as far as it is certain, and no further."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.times import rfc3339
from tests.extras.spans.model.watch import Document, Watch, deployment, obj, times
from tests.tracing import START

NOW = 3000.0


def started(
    ready: float, *, status: str = "True", restarts: int = 0, **spec: Any
) -> Document:
    """Return a Pod whose container started 2 s after it was created."""
    running = {"running": {"startedAt": rfc3339(START + 2)}}
    container = {
        "name": "app",
        "ready": status == "True",
        "restartCount": restarts,
        "state": running,
    }
    return obj(
        "Pod",
        "web",
        spec=spec,
        status={
            "phase": "Running",
            "conditions": [
                {
                    "type": "PodScheduled",
                    "status": "True",
                    "lastTransitionTime": rfc3339(START + 1),
                },
                {
                    "type": "Ready",
                    "status": status,
                    "lastTransitionTime": rfc3339(START + ready),
                },
            ],
            "containerStatuses": [container],
        },
    )


def probed(**probe: int) -> dict[str, Any]:
    return {"containers": [{"name": "app", "readinessProbe": probe}]}


def shown(watch: Watch) -> dict[str, tuple[float, float | None]]:
    return {name: times(each) for name, each in watch.spans(NOW).items()}


SURE = {"Pod.Pending": (0, 1), "Pod.ContainerCreating": (1, 2)}


@pytest.mark.parametrize(
    ("ready", "spec"),
    [
        (1262, {}),
        (1262, probed(periodSeconds=5)),
        (30, probed()),
        (5, probed(failureThreshold=1)),
        (30, probed(initialDelaySeconds=60) | {"readinessGates": [{}]}),
        (70, probed(periodSeconds=600)),
    ],
)
def test_a_pod_that_may_have_flapped_had_started_before(
    ready: float, spec: dict[str, Any]
) -> None:
    watch = Watch("Pod")
    watch.observe(NOW, started(ready, **spec), "LISTED")
    assert shown(watch) == {**SURE, "Pod.create": (0, 2)}


@pytest.mark.parametrize(
    ("ready", "spec"),
    [
        (3, {}),
        (20, probed()),
        (70, probed(initialDelaySeconds=60)),
        (4, probed(failureThreshold=1)),
    ],
)
def test_a_pod_that_cannot_have_flapped_was_starting_until_ready(
    ready: float, spec: dict[str, Any]
) -> None:
    watch = Watch("Pod")
    watch.observe(NOW, started(ready, **spec), "LISTED")
    expected = {**SURE, "Pod.NotReady": (2, ready), "Pod.create": (0, ready)}
    assert shown(watch) == expected


def test_a_pod_that_is_unready_again_is_not_being_created() -> None:
    watch = Watch("Pod")
    watch.observe(NOW, started(2900, status="False"), "LISTED")
    assert shown(watch) == {
        **SURE,
        "Pod.create": (0, 2),
        "Pod.recover": (2900, None),
        "Pod.NotReady": (2900, None),
    }


def test_a_pod_that_was_never_ready_still_is_being_created() -> None:
    watch = Watch("Pod")
    watch.observe(NOW, started(1, status="False"), "LISTED")
    assert shown(watch) == {**SURE, "Pod.create": (0, None), "Pod.NotReady": (2, None)}


def rolled_out(
    generation: int, available: float, rollout: float, revision: str = "1"
) -> Document:
    found = deployment(
        generation,
        metadata={"annotations": {"deployment.kubernetes.io/revision": revision}},
    )
    found["status"]["conditions"] = [
        {
            "type": "Available",
            "status": "True",
            "lastTransitionTime": rfc3339(START + available),
        },
        {
            "type": "Progressing",
            "status": "True",
            "reason": "NewReplicaSetAvailable",
            "lastTransitionTime": rfc3339(START),
            "lastUpdateTime": rfc3339(START + rollout),
        },
    ]
    return found


@pytest.mark.parametrize("generation", [1, 2])
def test_scaled_deployments_were_created_before(generation: int) -> None:
    watch = Watch()
    watch.observe(NOW, rolled_out(generation, 1044, 40), "LISTED")
    expected = {"Deployment.create": (0, 40), "Deployment.UntilAvailable": (0, 40)}
    assert shown(watch) == expected


def test_the_start_of_an_earlier_rollout_is_unknown() -> None:
    watch = Watch()
    watch.observe(NOW, rolled_out(2, 1044, 1044, "2"), "LISTED")
    assert shown(watch) == {"Deployment.create": (0, 0)}


def test_a_deployment_that_is_unavailable_again_is_not_being_created() -> None:
    watch = Watch()
    listed = rolled_out(1, 2900, 40)
    listed["status"]["availableReplicas"] = 0
    listed["status"]["conditions"][0]["status"] = "False"
    watch.observe(NOW, listed, "LISTED")
    assert shown(watch) == {
        "Deployment.recover": (2900, None),
        "Deployment.Unavailable": (2900, None),
    }


def test_a_pod_that_became_ready_while_the_connection_was_lost_says_when() -> None:
    watch = Watch("Pod")
    watch.observe(3, started(1, status="False"), "ADDED")
    watch.lists(1500, 1000, started(1262))
    assert times(watch.spans()["Pod.NotReady"]) == (3, 1262)
