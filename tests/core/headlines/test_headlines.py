"""Headlines: what a version means, in a few words."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.headlines.edits import Edit, edits
from kubectl_spy.core.headlines.edits import changed as changed_spec
from kubectl_spy.core.headlines.facts import NO_FACTS, Facts, Phrase, changed, facts
from kubectl_spy.core.headlines.headlines import Headlines
from kubectl_spy.core.headlines.noise import signal
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.patch.difference import operations_between
from tests import builders


def container(name: str = "web", **more: Any) -> dict[str, Any]:
    return {"name": name, "image": "web:1", **more}


def key(name: str) -> dict[str, Any]:
    return {"secretKeyRef": {"name": "db", "key": name}}


RESTARTED = "kubectl.kubernetes.io/restartedAt"


def template(*containers: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    made = {"metadata": metadata, "spec": {"containers": [*containers]}}
    return {"spec": {"template": made}}


def web(**more: Any) -> dict[str, Any]:
    """Return a template of one container."""
    return template(container(**more))


def condition(kind: str, status: str, reason: str = "", **more: str) -> dict[str, Any]:
    return {"type": kind, "status": status, "reason": reason, **more}


def conditions(*each: dict[str, Any]) -> dict[str, Any]:
    return {"status": {"conditions": [*each]}}


def told(**reported: str) -> dict[str, Any]:
    """Return a status with conditions, each `STATUS REASON`."""
    return {"conditions": builders.conditions(**reported)}


def ready(containers: str, pod: str) -> dict[str, Any]:
    return told(ContainersReady=containers, Ready=pod)


def ended(restarts: int = 0, **state: Any) -> dict[str, Any]:
    status = {"name": "web", "state": state, "restartCount": restarts, "ready": False}
    return {"containerStatuses": [status]}


def first(**state: Any) -> dict[str, Any]:
    return {
        "phase": "Pending",
        "initContainerStatuses": [{"name": "migrate", "state": state}],
    }


def counts(numbers: str) -> dict[str, Any]:
    """Return a status with `NAME=NUMBER` each."""
    pairs = (each.split("=") for each in numbers.split())
    return {name: int(number) for name, number in pairs}


def texts(before: Facts, after: Facts) -> list[str]:
    return [each.text for each in changed(before, after)]


DONE = {"exitCode": 0, "reason": "Completed"}
KILLED = {"exitCode": 137, "reason": "OOMKilled"}
EXCEEDED = "False ProgressDeadlineExceeded"
NO_IMAGE, CREATING = {"reason": "ImagePullBackOff"}, {"reason": "ContainerCreating"}
GATED = "False ReadinessGatesNotReady"
EVICTED = {"phase": "Failed", "reason": "Evicted"}
ADDRESS = {"loadBalancer": {"ingress": [{"ip": "203.0.113.10"}]}}
DESIRED = "desiredNumberScheduled=2"


@pytest.mark.parametrize(
    ("kind", "before", "after", "phrases"),
    [
        (
            "DaemonSet",
            f"numberReady=1 {DESIRED}",
            f"numberReady=2 {DESIRED}",
            "ready 1→2 of 2",
        ),
        (
            "Deployment",
            told(Available="False M"),
            told(Available="True M"),
            "Available ✓",
        ),
        (
            "Deployment",
            told(Progressing="True Updated"),
            told(Progressing=EXCEEDED),
            "✗ Progressing: ProgressDeadlineExceeded",
        ),
        ("Job", {}, told(Failed="True Backoff"), "✗ Failed: Backoff"),
        (
            "Node",
            told(MemoryPressure="True"),
            told(MemoryPressure="False"),
            "no MemoryPressure",
        ),
        ("Node", {}, told(Ready="Unknown Lost"), "Ready=Unknown: Lost"),
        ("Pod", {"phase": "Pending"}, {"phase": "Running"}, "Pending → Running"),
        ("Pod", {}, ended(waiting=NO_IMAGE), "✗ web: ImagePullBackOff"),
        ("Pod", {}, ended(waiting=CREATING), "web: ContainerCreating"),
        (
            "Pod",
            ended(1, running={}),
            ended(2, terminated=KILLED),
            "✗ web: OOMKilled, exit code 137; restarts 1→2",
        ),
        ("Pod", ended(1, running={}), EVICTED, "Failed (Evicted)"),
        ("Pod", ready("True", "True"), ready("True", GATED), f"✗ Ready: {GATED[6:]}"),
        ("Pod", ready("True", "False"), ready("True", "True"), "Ready ✓"),
        ("Pod", ready("True", "True"), ready("False", "False"), ""),
        ("Pod", ended(running={}), ended(terminated=DONE), "web: Completed"),
        ("Pod", {}, first(running={}), "Pending; migrate: running"),
        ("Pod", {}, first(terminated=DONE), "Pending; migrate: Completed"),
        ("Deployment", "readyReplicas=1", "readyReplicas=2", "ready 1→2"),
        (
            "Deployment",
            "availableReplicas=1 readyReplicas=1",
            "availableReplicas=2 readyReplicas=2",
            "ready 1→2",
        ),
        (
            "DaemonSet",
            "currentNumberScheduled=3 desiredNumberScheduled=3",
            "currentNumberScheduled=4 desiredNumberScheduled=5",
            "desired 3→5; Pods 3→4",
        ),
        (
            "HorizontalPodAutoscaler",
            "currentReplicas=1 desiredReplicas=1",
            "currentReplicas=1 desiredReplicas=5",
            "desired 1→5",
        ),
        ("Service", {}, ADDRESS, "address 203.0.113.10"),
        ("Widget", {"phase": "Building"}, {"phase": "Ready"}, "Building → Ready"),
        ("Widget", {"phase": 3}, {"conditions": "none"}, ""),
    ],
)
def test_headlines_name_status_changes(
    kind: str, before: Any, after: Any, phrases: str
) -> None:
    old, new = (
        {"status": counts(each) if isinstance(each, str) else each}
        for each in (before, after)
    )
    assert "; ".join(texts(facts(kind, old), facts(kind, new))) == phrases


THREE = {"spec": {"replicas": 3}}


@pytest.mark.parametrize(
    ("kind", "before", "after", "phrase"),
    [
        (
            "Deployment",
            THREE,
            THREE | {"status": counts("readyReplicas=2")},
            "ready 0→2 of 3",
        ),
        (
            "StatefulSet",
            THREE | {"status": counts("availableReplicas=3")},
            THREE | {"status": counts("availableReplicas=1")},
            "available 3→1 of 3",
        ),
        ("Pod", {}, {"spec": {"nodeName": "n1"}}, "on n1"),
        ("Pod", {}, {"metadata": {"deletionTimestamp": "now"}}, "being deleted"),
    ],
)
def test_headlines_name_what_the_spec_and_the_metadata_say(
    kind: str, before: Any, after: Any, phrase: str
) -> None:
    assert texts(facts(kind, before), facts(kind, after)) == [phrase]


def data(**members: Any) -> dict[str, Any]:
    return {"data": members}


def spec(**members: Any) -> dict[str, Any]:
    return {"spec": members}


def metadata(**members: Any) -> dict[str, Any]:
    return {"metadata": members}


def env(**variables: str) -> dict[str, Any]:
    return web(env=[{"name": name, "value": it} for name, it in variables.items()])


def secret(name: str) -> dict[str, Any]:
    return web(env=[{"name": "TOKEN", "valueFrom": key(name)}])


def memory(limit: str) -> dict[str, Any]:
    return web(resources={"limits": {"memory": limit}})


def ports(**numbers: int) -> dict[str, Any]:
    return spec(ports=[{"name": each, "port": n} for each, n in numbers.items()])


NEW = container(image="web:2")
INIT = {"initContainers": [container("i")]}
FROM = "env TOKEN valueFrom.secretKeyRef"


@pytest.mark.parametrize(
    ("before", "after", "phrases"),
    [
        (spec(replicas=3), spec(replicas=5), "replicas 3 → 5"),
        (web(), template(NEW), "image web:1 → web:2"),
        (web(), template(container(), container("log")), "container log added"),
        (env(LEVEL="info"), env(LEVEL="debug"), "env LEVEL info → debug"),
        (memory("1Gi"), memory("2Gi"), "memory limit 1Gi → 2Gi"),
        (web(), template(container(), annotations={RESTARTED: "now"}), "restarted"),
        (spec(), spec(paused=True), "paused"),
        (spec(suspend=True), spec(suspend=False), "resumed"),
        (data(LEVEL="info"), data(LEVEL="debug"), "LEVEL info → debug"),
        (data(LEVEL="info"), data(), "LEVEL removed"),
        (
            metadata(labels={"app": "a"}),
            metadata(labels={"app": "b"}),
            "label app a → b",
        ),
        (metadata(finalizers=["a/b"]), metadata(), "finalizer a/b removed"),
        (data(paused="false"), data(paused="true"), "paused false → true"),
        (spec(), spec(suspend=False), "suspend false"),
        (data(**{"9000": "a:1"}), data(**{"9000": "a:2"}), "9000 a:1 → a:2"),
        (data(containers="a"), data(), "containers removed"),
        ({"rules": []}, {"rules": ["get"]}, "rules.0 get added"),
        (
            web(),
            web(env=[{"name": "A", "value": "1"}, {"name": "B"}]),
            "env A added: 1; env B added",
        ),
        (secret("k"), secret("z"), f"{FROM}.key k → z"),
        (
            secret("k"),
            env(TOKEN="z"),
            f"{FROM}.name removed; {FROM}.key removed; env TOKEN value z",
        ),
        (env(), secret("k"), f"env TOKEN added: {dumps(key('k')).decode()}"),
        (ports(http=1, b=2), ports(http=3, b=2), "ports.http.port 1 → 3"),
        (ports(http=1), ports(http=1, b=2), "ports b added"),
        (
            template(container(), container("log", args=["-v"])),
            template(NEW, container("log", args=["-v", "-q"])),
            "web: image web:1 → web:2; log: args.1 -q added",
        ),
        (
            spec(containers=[container()], **INIT),
            spec(containers=[NEW], **INIT),
            "web: image web:1 → web:2",
        ),
        (
            template(container(), container("log", image="log:1")),
            template(NEW, container("log", image="log:2")),
            "web: image web:1 → web:2; log: image log:1 → log:2",
        ),
        (
            template(container(), annotations={RESTARTED: "a"}),
            template(container(), annotations={"b": "c"}),
            f"template annotation {RESTARTED} removed; template annotation b c",
        ),
        (spec(renewTime="a"), spec(renewTime="b"), ""),
        (metadata(generation=1), metadata(generation=2), ""),
        ({"status": {"phase": "a"}}, {"status": {"phase": "b"}}, ""),
    ],
)
def test_headlines_name_changes(before: Any, after: Any, phrases: str) -> None:
    assert "; ".join(edits(operations_between(before, after), after)) == phrases


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
    kept, folded, _ = signal(operations_between(before, after), after, [])
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
    kept, folded, members = signal(patch, after, [])
    assert [step.value for step in kept] == [condition("Ready", "True")]
    assert not folded and members == {"times": 1}


@pytest.mark.parametrize(
    ("kind", "status", "before"),
    [
        ("Available", "False", "True Yes"),
        ("Ready", "False", "False Pending"),
        ("MemoryPressure", "True", "False Enough"),
    ],
)
def test_the_message_of_a_condition_that_fails_is_kept(
    kind: str, status: str, before: str
) -> None:
    old = condition(kind, *before.split(), message="before")
    after = conditions(condition(kind, status, "Why", message="the answer"))
    kept, folded, _ = signal(operations_between(conditions(old), after), after, [])
    assert "the answer" in [step.value for step in kept]
    assert not folded


ONE_OF_THREE = "readyReplicas=1 availableReplicas=1 unavailableReplicas=2"


@pytest.mark.parametrize(
    ("before", "after", "counted", "folded"),
    [
        ("readyReplicas=1", "readyReplicas=2", ("ready", 1, 2), 1),
        ("readyReplicas=1", "readyReplicas=2", None, 0),
        ({"ready": False}, {"ready": True}, None, 0),
        ({"active": [1]}, {"active": [1, 2]}, None, 0),
        (
            ONE_OF_THREE,
            "readyReplicas=3 availableReplicas=3 unavailableReplicas=1",
            ("ready", 1, 3),
            3,
        ),
        (
            ONE_OF_THREE,
            "readyReplicas=3 availableReplicas=2 unavailableReplicas=1",
            ("ready", 1, 3),
            1,
        ),
        (
            "availableReplicas=1 unavailableReplicas=2",
            "availableReplicas=2 unavailableReplicas=1",
            ("available", 1, 2),
            2,
        ),
    ],
)
def test_a_count_in_the_headline_is_not_repeated(
    before: Any, after: Any, counted: Any, folded: int
) -> None:
    old, new = (
        {"status": counts(each) if isinstance(each, str) else each}
        for each in (before, after)
    )
    patch = operations_between(old, new)
    found = signal(patch, new, [Phrase("", counted=counted)])[1]
    assert sum(found.values()) == folded


def test_a_first_version_has_its_facts() -> None:
    after = THREE | {"status": counts("readyReplicas=1")}
    assert texts(NO_FACTS, facts("Deployment", after)) == ["ready 1 of 3"]


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
    assert texts(NO_FACTS, after) == [phrase]
    assert texts(after, NO_FACTS) == [f"no longer {kind}"]


def test_what_people_wrote_is_no_failure_although_it_has_its_mark() -> None:
    history, headlines = History(), Headlines()
    for kind, rv, text in (("LISTED", "1", "well"), ("MODIFIED", "2", "a · ✗ b")):
        config = {**builders.pod(rv=rv), "data": {"text": text}}
        (record,) = history.observe(builders.event(kind, config))
        headline = headlines.of(record)
    assert str(headline) == "text well → a · ✗ b" and not headline.fails
