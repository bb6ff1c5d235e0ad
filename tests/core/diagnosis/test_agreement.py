"""What a trace says of an object and what `--for ready` waits for are one thing.

But for a Pod that restarts again and again: between two runs its statuses are fine.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.readiness.readiness import State, readiness
from tests.builders import bundled, conditions, pod_of, reported, workload
from tests.examples import examples
from tests.extras.serve.api_server.streams import recording_names
from tests.tracing import diagnosis, recorded_pictures

STREAMS = [name for name in recording_names() if name != "node"]


def targets(stream: str) -> list[str]:
    """Return every object in a recording that is traced by rules of its kind."""
    recording = bundled(stream)
    documents = [document for _, document in recording.initial]
    documents += [step.object for step in recording.steps]
    return sorted(
        {
            f"{each['kind']}/{each['metadata']['name']}"
            for each in documents
            if each["kind"] not in ("Event", "EndpointSlice", "Endpoints", "Service")
        }
    )


@pytest.mark.parametrize("stream", STREAMS)
def test_a_trace_and_readiness_agree_at_every_moment(stream: str) -> None:
    compared = 0
    for target in targets(stream):
        for trace, picture in recorded_pictures(stream, target):
            for node in picture.roots:
                entry = trace.seen.entry(node.uid)
                if entry is None:
                    continue
                state = readiness(entry.document)
                where = (stream, target, node.phase, node.summary, state)
                probed = any(each.about.startswith("probe/") for each in node.findings)
                if any(restarts for _, restarts in node.pods):
                    # Between two runs of a crash loop all statuses are fine.
                    assert node.verdict is not Verdict.OK, where
                elif not state.judged and state.state is not State.IN_PROGRESS:
                    assert node.verdict is Verdict.UNJUDGED, where
                elif state.state is State.CURRENT:
                    # That a liveness probe fails, only Events tell.
                    assert node.verdict is Verdict.OK or probed, where
                elif state.state is State.FAILED:
                    assert node.verdict is Verdict.FAILING, where
                    assert node.final is state.final, where
                else:
                    assert node.verdict is not Verdict.OK, where
                compared += 1
    assert compared


REPLICAS = ("replicas", "readyReplicas", "availableReplicas")
COUNTS = {
    "Deployment": (*REPLICAS, "updatedReplicas"),
    "ReplicaSet": (*REPLICAS, "fullyLabeledReplicas"),
    "StatefulSet": (*REPLICAS, "updatedReplicas", "currentReplicas"),
    "DaemonSet": (
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "updatedNumberScheduled",
        "numberReady",
        "numberAvailable",
    ),
    "Job": ("active", "succeeded", "failed"),
}
CONDITIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "Deployment": {
        "Available": ("True x", "False MinimumReplicasUnavailable"),
        "Progressing": (
            "True NewReplicaSetAvailable",
            "True ReplicaSetUpdated",
            "False ProgressDeadlineExceeded",
            "False ReplicaSetCreateError no",
            "Unknown DeploymentPaused",
        ),
        "ReplicaFailure": ("True FailedCreate no", "False x"),
    },
    "ReplicaSet": {"ReplicaFailure": ("True FailedCreate no", "True FailedDelete no")},
    "Job": {
        "Failed": ("True BackoffLimitExceeded", "False x"),
        "Complete": ("True CompletionsReached", "False x"),
        "FailureTarget": ("True BackoffLimitExceeded",),
        "SuccessCriteriaMet": ("True SuccessPolicy",),
        "Suspended": ("True JobSuspended", "False JobResumed"),
    },
}
STRATEGIES: tuple[dict[str, Any], ...] = (
    {},
    {"type": "OnDelete"},
    {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}},
)


@st.composite
def workloads(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """Return a workload that is mostly, but not quite, as it should be."""
    wanted = draw(st.integers(0, 3))
    near = st.sampled_from([wanted, wanted, wanted, wanted + 1, max(wanted - 1, 0)])
    status: dict[str, Any] = {name: draw(near) for name in COUNTS[kind]}
    status["observedGeneration"] = draw(st.sampled_from([2, 2, 2, 1]))
    told = {
        name: draw(st.sampled_from(each))
        for name, each in CONDITIONS.get(kind, {}).items()
        if draw(st.booleans())
    }
    status["conditions"] = conditions(**told)
    spec: dict[str, Any] = {"replicas": wanted}
    if kind == "DaemonSet":
        status["numberMisscheduled"] = draw(st.integers(0, 1))
    if kind in ("StatefulSet", "DaemonSet"):
        spec["updateStrategy"] = draw(st.sampled_from(STRATEGIES))
    if kind == "StatefulSet":
        status["currentRevision"] = "a"
        status["updateRevision"] = draw(st.sampled_from("ab"))
    if kind == "Deployment":
        spec["paused"] = draw(st.booleans())
    if kind == "Job":
        spec = {"completions": wanted, "backoffLimit": 6}
        status["startTime"] = "2026-11-21T15:00:00Z"
        status["failedIndexes"] = draw(st.sampled_from(["", "1"]))
        del status["observedGeneration"]
    return workload(kind, metadata={"generation": 2}, spec=spec, **status)


@pytest.mark.parametrize("kind", COUNTS)
@examples(300)
@given(st.data())
def test_trace_and_readiness_agree_on_any_status(
    kind: str, data: st.DataObject
) -> None:
    target = data.draw(workloads(kind))
    others = (
        reported("FailedCreate", "Error creating: no", about="web"),
        pod_of("web", "web-0", ready=data.draw(st.booleans())),
    )
    told = diagnosis(target, *others)
    state = readiness(target)
    where = (told, state)
    assert (told.verdict is Verdict.OK) == (state.state is State.CURRENT), where
    if state.state is State.FAILED:
        assert told.verdict is Verdict.FAILING, where
    if told.verdict is Verdict.OK:
        assert not any(each.verdict is Verdict.FAILING for each in told.findings)
        assert rolled_out(target), where
    assert told.phase not in ("Complete", "Available") or told.verdict is Verdict.OK


def rolled_out(target: dict[str, Any]) -> bool:
    """Return whether `kubectl rollout status` would end well, where it would end.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go
    """
    kind, spec, status = target["kind"], target["spec"], target["status"]
    if kind in ("ReplicaSet", "Job"):
        return True  # it knows nothing of those
    if status["observedGeneration"] < 2:
        return False
    strategy = spec.get("updateStrategy", {})
    if strategy.get("type") == "OnDelete":
        return True  # nor of those
    match kind:
        case "Deployment":
            reasons = [each["reason"] for each in status["conditions"]]
            return (
                "ProgressDeadlineExceeded" not in reasons
                and status["updatedReplicas"] >= spec["replicas"]
                and status["replicas"] <= status["updatedReplicas"]
                and status["availableReplicas"] >= status["updatedReplicas"]
            )
        case "DaemonSet":
            desired = status["desiredNumberScheduled"]
            updated = status["updatedNumberScheduled"]
            return bool(updated >= desired and status["numberAvailable"] >= desired)
    partition = strategy.get("rollingUpdate", {}).get("partition", 0)
    return bool(
        status["readyReplicas"] >= spec["replicas"]
        and status["updatedReplicas"] >= spec["replicas"] - partition
        and (partition or status["currentRevision"] == status["updateRevision"])
    )
