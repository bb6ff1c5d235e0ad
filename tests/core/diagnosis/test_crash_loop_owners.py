"""Nothing is as it should be as long as a Pod of it restarts again and again."""

from __future__ import annotations

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.trace.picture import Node
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.render.findings import text as text_of
from tests.builders import (
    READY,
    Object,
    a_pod,
    budget,
    conditions,
    container,
    endpoint,
    endpoint_slice,
    over,
    running,
    service,
    waiting,
    workload,
)
from tests.recordings import items_of
from tests.tracing import all_listed, selections_for

OK, WAITING = Verdict.OK, Verdict.WAITING
NEW = "2026-11-21T15:04:00Z"
"""Some seconds before the records."""
REPLICAS: Object = {"replicas": 3, "readyReplicas": 3, "availableReplicas": 3}


def pod(number: int, owner: Object, *, restarts: int = 0) -> Object:
    """Return a Pod that is ready; it was restarted some seconds ago, if at all."""
    last = over(1) if restarts else None
    app = container(
        state=running(startedAt=NEW), last=last, restarts=restarts, ready=True
    )
    references = [{"uid": owner["metadata"]["uid"], "kind": "", "controller": True}]
    metadata: Object = {
        "name": f"web-{number}",
        "uid": f"uid-shop-web-{number}",
        "labels": {"app": "web"},
        "ownerReferences": references,
    }
    address = f"10.0.0.{number + 1}"
    return a_pod(
        app,
        conditions=READY,
        metadata=metadata,
        podIP=address,
        podIPs=[{"ip": address}],
    )


def of_kind(kind: str) -> tuple[Object, list[Object], Object]:
    """Return an object that is as it should be, what else there is, and who owns."""
    spec = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}}
    sets = workload("ReplicaSet", "web-1", spec=spec, **REPLICAS)
    sets["status"]["fullyLabeledReplicas"] = 3
    its = service()
    points = [endpoint(f"web-{each}", f"10.0.0.{each + 1}") for each in range(3)]
    slices = endpoint_slice(*points)
    available = conditions(
        Available="True x", Progressing="True NewReplicaSetAvailable"
    )
    match kind:
        case "ReplicaSet":
            return sets, [], sets
        case "Deployment":
            top = workload(
                kind, spec=spec, updatedReplicas=3, conditions=available, **REPLICAS
            )
            sets["metadata"]["ownerReferences"] = [
                {"uid": "web", "kind": kind, "name": "web", "controller": True}
            ]
            return top, [sets], sets
        case "StatefulSet":
            names: Object = {"updateRevision": "a", "currentRevision": "a"}
            counts: Object = {"updatedReplicas": 3, "currentReplicas": 3, **REPLICAS}
            top = workload(kind, spec=spec, **counts, **names)
            return top, [], top
        case "DaemonSet":
            wanted = ("desired", "current", "updated")
            status: Object = {f"{each}NumberScheduled": 3 for each in wanted}
            top = workload(kind, numberReady=3, numberAvailable=3, **status)
            return top, [], top
        case "Widget":
            top = workload(kind, conditions=conditions(Ready="True x"))
            references = [{"uid": "web", "kind": kind, "name": "web"}]
            sets["metadata"]["ownerReferences"] = references
            return top, [sets], sets
        case "Service":
            return its, [slices, sets], sets
        case "Ingress":
            backend = {"service": {"name": "web", "port": {"number": 80}}}
            top = workload(
                kind,
                spec={"defaultBackend": backend},
                loadBalancer={"ingress": [{"ip": "192.0.2.1"}]},
            )
            return top, [its, slices, sets], sets
    numbers = {"allowed": 1, "expected": 3, "healthy": 3, "desired": 2}
    return budget(minAvailable=2, **numbers), [sets], sets


def traced(root: Object, *others: Object) -> Node:
    kinds = selections_for([root, *others])
    uid = root["metadata"]["uid"]
    trace = Trace(Scope((), tuple(kinds.values()), lambda record: record.uid == uid))
    for item in items_of(History(), all_listed(kinds, [root, *others])):
        trace.observe(item)
    (node,) = trace.picture().roots
    return node


KINDS = (
    "ReplicaSet",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "Widget",
    "Service",
    "Ingress",
    "PodDisruptionBudget",
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("restarts", "told"),
    [
        ((0, 2, 0), "1 of 3 Pods in a crash loop"),
        ((0, 3, 2), "2 of 3 Pods in a crash loop"),
        ((0, 1, 0), "1 of 3 Pods was restarted, and may end again"),
        ((1, 1, 1), "3 of 3 Pods were restarted, and may end again"),
    ],
)
def test_nothing_is_fine_above_a_pod_that_restarts_again_and_again(
    kind: str, restarts: tuple[int, ...], told: str
) -> None:
    root, others, owner = of_kind(kind)
    pods = [pod(each, owner, restarts=many) for each, many in enumerate(restarts)]
    node = traced(root, *others, *pods)
    assert node.verdict is WAITING
    assert [text_of(e) for e in node.findings if e.about == "restarts"] == [told]


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_is_fine_above_pods_that_run_on(kind: str) -> None:
    root, others, owner = of_kind(kind)
    node = traced(root, *others, *(pod(each, owner) for each in range(3)))
    assert node.verdict is OK
    assert "restarts" not in {each.about for each in node.findings}


def test_a_budget_is_not_fine_over_a_pod_that_waits_to_be_started_again() -> None:
    root, others, owner = of_kind("PodDisruptionBudget")
    pods = [pod(each, owner) for each in range(3)]
    app = container(
        state=waiting("CrashLoopBackOff"), last=over(1), restarts=4, ready=False
    )
    pods[0]["status"]["containerStatuses"] = [app["status"]]
    node = traced(root, *others, *pods)
    assert node.verdict is WAITING
    assert text_of(node.findings[-1]) == "1 of 3 Pods in a crash loop"


def test_an_object_that_stands_in_two_places_is_the_same_in_both() -> None:
    root, others, owner = of_kind("Ingress")
    other = {**root, "metadata": {**root["metadata"], "name": "shop", "uid": "shop"}}
    others += [root, other, *(pod(each, owner, restarts=2) for each in range(3))]
    kinds = selections_for(others)
    trace = Trace(Scope((), tuple(kinds.values()), lambda it: it.gvk.kind != "Pod"))
    for item in items_of(History(), all_listed(kinds, others)):
        trace.observe(item)
    drawn = [each for each in trace.picture().all() if each.gvk.kind == "Service"]
    assert [each.verdict for each in drawn] == [WAITING, WAITING]
    assert drawn[0].findings == drawn[1].findings
