"""Headlines: what a version means, in a few words."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.headlines.edits import edits
from kubectl_spy.core.headlines.facts import NO_FACTS, changed, facts
from kubectl_spy.core.headlines.noise import signal
from kubectl_spy.core.patch.difference import operations_between

REPLICAS = {"spec": {"replicas": 3}}


def container(name: str = "web", **more: Any) -> dict[str, Any]:
    return {"name": name, "image": "web:1", **more}


def template(*containers: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {
        "spec": {
            "template": {"metadata": metadata, "spec": {"containers": [*containers]}}
        }
    }


def condition(kind: str, status: str, reason: str = "", **more: str) -> dict[str, Any]:
    return {"type": kind, "status": status, "reason": reason, **more}


def conditions(*each: dict[str, Any]) -> dict[str, Any]:
    return {"status": {"conditions": [*each]}}


def ended(state: dict[str, Any], restarts: int = 0) -> dict[str, Any]:
    status = {"name": "web", "state": state, "restartCount": restarts, "ready": False}
    return {
        "spec": {"containers": [{"name": "web"}]},
        "status": {"containerStatuses": [status]},
    }


@pytest.mark.parametrize(
    ("kind", "before", "after", "phrases"),
    [
        (
            "Deployment",
            REPLICAS,
            REPLICAS | {"status": {"readyReplicas": 2}},
            ["ready 0→2 of 3"],
        ),
        (
            "DaemonSet",
            {"status": {"numberReady": 1, "desiredNumberScheduled": 2}},
            {"status": {"numberReady": 2, "desiredNumberScheduled": 2}},
            ["ready 1→2 of 2"],
        ),
        (
            "Deployment",
            conditions(condition("Available", "False", "Minimum")),
            conditions(condition("Available", "True", "Minimum")),
            ["Available ✓"],
        ),
        (
            "Deployment",
            conditions(condition("Progressing", "True", "Updated")),
            conditions(condition("Progressing", "False", "ProgressDeadlineExceeded")),
            ["✗ Progressing: ProgressDeadlineExceeded"],
        ),
        (
            "Job",
            {},
            conditions(condition("Failed", "True", "Backoff")),
            ["✗ Failed: Backoff"],
        ),
        (
            "Node",
            conditions(condition("MemoryPressure", "True")),
            conditions(condition("MemoryPressure", "False")),
            ["no MemoryPressure"],
        ),
        (
            "Node",
            {},
            conditions(condition("Ready", "Unknown", "Lost")),
            ["Ready ?: Lost"],
        ),
        (
            "Pod",
            {"status": {"phase": "Pending"}},
            {"status": {"phase": "Running"}},
            ["Pending → Running"],
        ),
        ("Pod", {}, {"spec": {"nodeName": "n1"}}, ["on n1"]),
        (
            "Pod",
            {},
            ended({"waiting": {"reason": "ImagePullBackOff"}}),
            ["✗ web: ImagePullBackOff"],
        ),
        (
            "Pod",
            {},
            ended({"waiting": {"reason": "ContainerCreating"}}),
            ["web: ContainerCreating"],
        ),
        (
            "Pod",
            ended({"running": {}}, 1),
            ended({"terminated": {"exitCode": 137, "reason": "OOMKilled"}}, 2),
            ["✗ web: OOMKilled, exit code 137", "restarts 1→2"],
        ),
        ("Pod", {}, {"metadata": {"deletionTimestamp": "now"}}, ["being deleted"]),
        (
            "Service",
            {},
            {"status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.10"}]}}},
            ["address 203.0.113.10"],
        ),
        (
            "Widget",
            {"status": {"phase": "Building"}},
            {"status": {"phase": "Ready"}},
            ["Building → Ready"],
        ),
        ("Widget", {"status": {"phase": 3}}, {"status": {"conditions": "none"}}, []),
    ],
)
def test_what_turned_in_a_status(
    kind: str, before: Any, after: Any, phrases: list[str]
) -> None:
    assert changed(facts(kind, before), facts(kind, after)) == phrases


@pytest.mark.parametrize(
    ("before", "after", "phrases"),
    [
        ({"spec": {"replicas": 3}}, {"spec": {"replicas": 5}}, ["replicas 3 → 5"]),
        (
            template(container()),
            template(container(image="web:2")),
            ["image web:1 → web:2"],
        ),
        (
            template(container()),
            template(container(), container("log")),
            ["container log added"],
        ),
        (
            template(container(env=[{"name": "LEVEL", "value": "info"}])),
            template(container(env=[{"name": "LEVEL", "value": "debug"}])),
            ["env LEVEL info → debug"],
        ),
        (
            template(container(resources={"limits": {"memory": "1Gi"}})),
            template(container(resources={"limits": {"memory": "2Gi"}})),
            ["memory limit 1Gi → 2Gi"],
        ),
        (
            template(container()),
            template(
                container(), annotations={"kubectl.kubernetes.io/restartedAt": "now"}
            ),
            ["restarted"],
        ),
        ({"spec": {}}, {"spec": {"paused": True}}, ["paused"]),
        ({"spec": {"suspend": True}}, {"spec": {"suspend": False}}, ["resumed"]),
        (
            {"data": {"LEVEL": "info"}},
            {"data": {"LEVEL": "debug"}},
            ["LEVEL info → debug"],
        ),
        ({"data": {"LEVEL": "info"}}, {"data": {}}, ["LEVEL removed"]),
        (
            {"metadata": {"labels": {"app": "a"}}},
            {"metadata": {"labels": {"app": "b"}}},
            ["label app a → b"],
        ),
        (
            {"metadata": {"finalizers": ["a/b"]}},
            {"metadata": {}},
            ["finalizer a/b removed"],
        ),
        ({"metadata": {"generation": 1}}, {"metadata": {"generation": 2}}, []),
        ({"status": {"phase": "a"}}, {"status": {"phase": "b"}}, []),
    ],
)
def test_what_was_changed_in_an_object(
    before: Any, after: Any, phrases: list[str]
) -> None:
    assert edits(operations_between(before, after)) == phrases


def test_operations_that_answer_nothing_are_counted() -> None:
    old = condition(
        "Available", "False", "No", message="not yet", lastTransitionTime="a"
    )
    new = condition("Available", "True", "Yes", message="there", lastTransitionTime="b")
    before, after = conditions(old), conditions(new)
    before["status"]["observedGeneration"], after["status"]["observedGeneration"] = 1, 2
    kept, folded = signal(operations_between(before, after))
    assert [step.path.rpartition("/")[2] for step in kept] == ["status", "reason"]
    assert folded == {"messages": 1, "times": 1, "generations": 1}


def test_the_message_of_a_condition_that_fails_is_kept() -> None:
    old = condition("Available", "True", "Yes", message="there")
    new = condition("Available", "False", "No", message="not there")
    kept, folded = signal(operations_between(conditions(old), conditions(new)))
    assert len(kept) == 3 and not folded


def test_a_first_version_has_its_facts() -> None:
    after = REPLICAS | {"status": {"readyReplicas": 1}}
    assert changed(NO_FACTS, facts("Deployment", after)) == ["ready 0→1 of 3"]
