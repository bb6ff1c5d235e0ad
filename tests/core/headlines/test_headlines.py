"""Headlines: what a version means, in a few words."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.headlines.edits import Edit, edits
from kubectl_spy.core.headlines.edits import changed as changed_spec
from kubectl_spy.core.headlines.facts import NO_FACTS, changed, facts
from kubectl_spy.core.headlines.noise import signal
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.patch.difference import operations_between

REPLICAS = {"spec": {"replicas": 3}}


def container(name: str = "web", **more: Any) -> dict[str, Any]:
    return {"name": name, "image": "web:1", **more}


def key(name: str) -> dict[str, Any]:
    return {"secretKeyRef": {"name": "db", "key": name}}


FROM_SECRET = {"name": "TOKEN", "valueFrom": key("k")}
RESTARTED = "kubectl.kubernetes.io/restartedAt"


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


def first(state: dict[str, Any]) -> dict[str, Any]:
    statuses = [{"name": "migrate", "state": state}]
    return {"status": {"phase": "Pending", "initContainerStatuses": statuses}}


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
            ["Ready=Unknown: Lost"],
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
        (
            "Pod",
            ended({"running": {}}, 1) | {"metadata": {}},
            {"status": {"phase": "Failed", "reason": "Evicted"}},
            ["Failed (Evicted)"],
        ),
        ("Pod", {}, {"metadata": {"deletionTimestamp": "now"}}, ["being deleted"]),
        (
            "Pod",
            conditions(
                condition("ContainersReady", "True"), condition("Ready", "True")
            ),
            conditions(
                condition("ContainersReady", "True"),
                condition("Ready", "False", "ReadinessGatesNotReady"),
            ),
            ["✗ Ready: ReadinessGatesNotReady"],
        ),
        (
            "Pod",
            conditions(
                condition("ContainersReady", "True"), condition("Ready", "False")
            ),
            conditions(
                condition("ContainersReady", "True"), condition("Ready", "True")
            ),
            ["Ready ✓"],
        ),
        (
            "Pod",
            conditions(
                condition("ContainersReady", "True"), condition("Ready", "True")
            ),
            conditions(
                condition("ContainersReady", "False"), condition("Ready", "False")
            ),
            [],
        ),
        (
            "Pod",
            ended({"running": {}}),
            ended({"terminated": {"exitCode": 0, "reason": "Completed"}}),
            ["web: Completed"],
        ),
        ("Pod", {}, first({"running": {}}), ["Pending", "migrate: running"]),
        (
            "Pod",
            {},
            first({"terminated": {"exitCode": 0, "reason": "Completed"}}),
            ["Pending", "migrate: Completed"],
        ),
        (
            "StatefulSet",
            {"spec": {"replicas": 3}, "status": {"availableReplicas": 3}},
            {"spec": {"replicas": 3}, "status": {"availableReplicas": 1}},
            ["available 3→1 of 3"],
        ),
        (
            "Deployment",
            {"status": {"availableReplicas": 1, "readyReplicas": 1}},
            {"status": {"availableReplicas": 2, "readyReplicas": 2}},
            ["ready 1→2"],
        ),
        (
            "DaemonSet",
            {"status": {"currentNumberScheduled": 3, "desiredNumberScheduled": 3}},
            {"status": {"currentNumberScheduled": 4, "desiredNumberScheduled": 5}},
            ["desired 3→5", "Pods 3→4"],
        ),
        (
            "HorizontalPodAutoscaler",
            {"status": {"currentReplicas": 1, "desiredReplicas": 1}},
            {"status": {"currentReplicas": 1, "desiredReplicas": 5}},
            ["desired 1→5"],
        ),
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
def test_headlines_name_status_changes(
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
        (
            {"data": {"paused": "false"}},
            {"data": {"paused": "true"}},
            ["paused false → true"],
        ),
        ({"spec": {}}, {"spec": {"suspend": False}}, ["suspend false"]),
        ({"data": {"9000": "a:1"}}, {"data": {"9000": "a:2"}}, ["9000 a:1 → a:2"]),
        ({"data": {"containers": "a"}}, {"data": {}}, ["containers removed"]),
        ({"rules": []}, {"rules": ["get"]}, ["rules.0 get added"]),
        (
            template(container()),
            template(container(env=[{"name": "A", "value": "1"}, {"name": "B"}])),
            ["env A added: 1", "env B added"],
        ),
        (
            template(container(env=[FROM_SECRET])),
            template(container(env=[{"name": "TOKEN", "valueFrom": key("z")}])),
            ["env TOKEN valueFrom.secretKeyRef.key k → z"],
        ),
        (
            template(container(env=[FROM_SECRET])),
            template(container(env=[{"name": "TOKEN", "value": "z"}])),
            [
                "env TOKEN valueFrom.secretKeyRef.name removed",
                "env TOKEN valueFrom.secretKeyRef.key removed",
                "env TOKEN value z",
            ],
        ),
        (
            template(container(env=[])),
            template(container(env=[FROM_SECRET])),
            [f"env TOKEN added: {dumps(key('k')).decode()}"],
        ),
        (
            {
                "spec": {
                    "ports": [{"name": "http", "port": 1}, {"name": "b", "port": 2}]
                }
            },
            {
                "spec": {
                    "ports": [{"name": "http", "port": 3}, {"name": "b", "port": 2}]
                }
            },
            ["ports.http.port 1 → 3"],
        ),
        (
            {"spec": {"ports": [{"name": "http", "port": 1}]}},
            {
                "spec": {
                    "ports": [{"name": "http", "port": 1}, {"name": "b", "port": 2}]
                }
            },
            ["ports b added"],
        ),
        (
            template(container(), container("log", args=["-v"])),
            template(container(image="web:2"), container("log", args=["-v", "-q"])),
            ["web: image web:1 → web:2", "log: args.1 -q added"],
        ),
        (
            {"spec": {"containers": [container()], "initContainers": [container("i")]}},
            {
                "spec": {
                    "containers": [container(image="web:2")],
                    "initContainers": [container("i")],
                }
            },
            ["web: image web:1 → web:2"],
        ),
        (
            template(container(), container("log", image="log:1")),
            template(container(image="web:2"), container("log", image="log:2")),
            ["web: image web:1 → web:2", "log: image log:1 → log:2"],
        ),
        (
            template(container(), annotations={RESTARTED: "a"}),
            template(container(), annotations={"b": "c"}),
            [f"template annotation {RESTARTED} removed", "template annotation b c"],
        ),
        ({"spec": {"renewTime": "a"}}, {"spec": {"renewTime": "b"}}, []),
        ({"metadata": {"generation": 1}}, {"metadata": {"generation": 2}}, []),
        ({"status": {"phase": "a"}}, {"status": {"phase": "b"}}, []),
    ],
)
def test_headlines_name_changes(before: Any, after: Any, phrases: list[str]) -> None:
    assert edits(operations_between(before, after), after) == phrases


REGISTRY = "registry.internal.example.com:5000/platform-team/backend/services"
DIGEST = f"{REGISTRY}/payments@sha256:{60 * 'a'}"
LIST = [{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}]


@pytest.mark.parametrize(
    ("before", "after", "phrase"),
    [
        (f"{DIGEST}aaaa", f"{DIGEST}bbbb", f"{DIGEST}aaaa → {DIGEST}bbbb"),
        (
            f"{REGISTRY}/payments/{60 * 'x'}:1",
            f"{REGISTRY}/paymenst/{60 * 'x'}:1",
            f"{REGISTRY}/payments/{60 * 'x'}:1 → {REGISTRY}/paymenst/{60 * 'x'}:1",
        ),
        (
            f"{400 * 'a'}1{400 * 'b'}",
            f"{400 * 'a'}2{400 * 'b'}",
            f"…{40 * 'a'}1{40 * 'b'}… → …{40 * 'a'}2{40 * 'b'}…",
        ),
        (f"{DIGEST}{200 * 'a'}", "web:1", f"{DIGEST[:100]} … {97 * 'a'} → web:1"),
        (300 * " ", 301 * " ", "changed"),
        ("a", LIST, f"a → {dumps(LIST).decode()}"),
    ],
)
def test_changed_values_show_what_differs(before: Any, after: Any, phrase: str) -> None:
    old, new = ({"spec": {"x": each}} for each in (before, after))
    said = changed_spec(operations_between(old, new), new)
    assert said.removeprefix("x ") == phrase


def test_operations_that_answer_nothing_are_counted() -> None:
    old = condition(
        "Available", "False", "No", message="not yet", lastTransitionTime="a"
    )
    new = condition("Available", "True", "Yes", message="there", lastTransitionTime="b")
    before, after = conditions(old), conditions(new)
    before["status"]["observedGeneration"], after["status"]["observedGeneration"] = 1, 2
    kept, folded, _ = signal(operations_between(before, after), after, "Available ✓")
    assert [step.path.rpartition("/")[2] for step in kept] == ["status", "reason"]
    assert folded == {"messages": 1, "times": 1, "generations": 1}


def test_what_explains_failures_comes_first() -> None:
    env = [{"name": str(n), "value": "x"} for n in range(5)]
    before, after = template(container()), template(container(image="web:2", env=env))
    after["metadata"] = {"labels": {"app": "a"}}
    after["spec"] |= {"paused": True, "replicas": 2}
    after["spec"]["strategy"] = {"rollingUpdate": {"a": 1}, "type": "Recreate"}
    patch = operations_between(before, after)
    first = "replicas 2 · paused · strategy.type Recreate · image web:1 → web:2"
    assert changed_spec(patch, after) == f"{first} · 7 more"
    full = Edit(0, (), tuple(edits(patch, after))).text(full=True)
    assert full.startswith(first) and "env 4 added: x" in full


def test_members_left_out_of_values_are_no_operations() -> None:
    after = conditions(condition("Ready", "True", lastTransitionTime="a"))
    patch = operations_between({"status": {"conditions": []}}, after)
    kept, folded, members = signal(patch, after, "")
    assert [step.value for step in kept] == [condition("Ready", "True")]
    assert not folded and members == {"times": 1}


def test_the_message_of_a_condition_that_fails_is_kept() -> None:
    old = condition("Available", "True", "Yes", message="there")
    new = condition("Available", "False", "No", message="not there")
    after = conditions(new)
    kept, folded, _ = signal(operations_between(conditions(old), after), after, "")
    assert len(kept) == 3 and not folded


@pytest.mark.parametrize(
    ("kind", "status", "before"),
    [("Ready", "False", "Pending"), ("MemoryPressure", "True", "Enough")],
)
def test_failing_conditions_keep_messages(kind: str, status: str, before: str) -> None:
    old = condition(kind, "False", before, message="before")
    new = condition(kind, status, "Why", message="the answer")
    after = conditions(new)
    kept, _, _ = signal(operations_between(conditions(old), after), after, "")
    assert "the answer" in [step.value for step in kept]


@pytest.mark.parametrize(
    ("before", "after", "headline", "folded"),
    [
        ({"readyReplicas": 1}, {"readyReplicas": 2}, "ready 1→2 of 3", 1),
        ({"readyReplicas": 1}, {"readyReplicas": 2}, "a · b · 3 more", 0),
        ({"ready": False}, {"ready": True}, "", 0),
        ({"active": [1]}, {"active": [1, 2]}, "", 0),
        (
            {"readyReplicas": 1, "availableReplicas": 1, "unavailableReplicas": 2},
            {"readyReplicas": 3, "availableReplicas": 3, "unavailableReplicas": 1},
            "ready 1→3 of 3",
            3,
        ),
        (
            {"readyReplicas": 1, "availableReplicas": 1, "unavailableReplicas": 2},
            {"readyReplicas": 3, "availableReplicas": 2, "unavailableReplicas": 1},
            "ready 1→3 of 3",
            1,
        ),
        (
            {"availableReplicas": 1, "unavailableReplicas": 2},
            {"availableReplicas": 2, "unavailableReplicas": 1},
            "available 1→2 of 3",
            2,
        ),
    ],
)
def test_a_count_in_the_headline_is_not_repeated(
    before: Any, after: Any, headline: str, folded: int
) -> None:
    new = {"status": after}
    patch = operations_between({"status": before}, new)
    assert sum(signal(patch, new, headline)[1].values()) == folded


def test_a_first_version_has_its_facts() -> None:
    after = REPLICAS | {"status": {"readyReplicas": 1}}
    assert changed(NO_FACTS, facts("Deployment", after)) == ["ready 1 of 3"]


@pytest.mark.parametrize(
    ("kind", "status", "phrase"),
    [
        ("ScalingLimited", "False", "ScalingLimited=False: Why"),
        ("Suspended", "False", "Suspended=False: Why"),
        ("Reconciling", "False", "Reconciling=False: Why"),
        ("Denied", "True", "✗ Denied: Why"),
        ("MemoryPressure", "False", "no MemoryPressure"),
        ("Accepted", "False", "✗ Accepted: Why"),
    ],
)
def test_only_known_conditions_are_rated(kind: str, status: str, phrase: str) -> None:
    after = facts("Widget", conditions(condition(kind, status, "Why")))
    assert changed(NO_FACTS, after) == [phrase]
    assert changed(after, NO_FACTS) == [f"no longer {kind}"]
