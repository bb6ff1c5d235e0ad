"""Who preempted or evicted a Pod, also when it is gone."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Diagnosis
from tests.builders import pod_of, reported, workload
from tests.core.diagnosis.workloads import lose, texts
from tests.tracing import diagnosed_in, diagnosis, found, inventory

SET = workload("ReplicaSet", "web-1", spec={"replicas": 1}, replicas=1)
CREATED = reported("SuccessfulCreate", "Created pod: web-1-x", about="web-1")


def of_pod(reason: str, message: str, **more: Any) -> dict[str, Any]:
    """Return an Event about Pod web-1-x, that nobody has seen."""
    pod = {"namespace": "shop", "name": "web-1-x", "uid": "web-1-x"}
    about = {"apiVersion": "v1", "kind": "Pod", **pod}
    return reported(reason, message, about=about, **more)


PREEMPTED = of_pod(
    "Preempted",
    "Preempted by pod urgent-uid on node node-1",
    related={"kind": "Pod", "namespace": "prod", "name": "urgent"},
)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (PREEMPTED, "preempted by Pod prod/urgent on node node-1"),
        (
            of_pod("Preempted", "Preempted by pod urgent-uid on node node-1"),
            "preempted by pod urgent-uid on node node-1",
        ),
        (
            of_pod("Evicted", "The node was low on resource: memory."),
            "Evicted: The node was low on resource: memory.",
        ),
        (
            of_pod("TaintManagerEviction", "Marking for deletion Pod shop/web-1-x"),
            "evicted for a NoExecute taint of its node",
        ),
    ],
)
def test_the_cause_of_a_deleted_pod_is_shown(told: dict[str, Any], why: str) -> None:
    assert texts(diagnosis(SET, CREATED, told), "lost") == [
        f"pod web-1-x is gone: {why}"
    ]
    # As long as it is there, it says so itself.
    assert (
        texts(diagnosis(SET, CREATED, told, pod_of("web-1", "web-1-x")), "lost") == []
    )


def test_a_deletion_that_was_cancelled_made_no_pod_go() -> None:
    cancelled = of_pod(
        "TaintManagerEviction", "Cancelling deletion of Pod shop/web-1-x"
    )
    assert texts(diagnosis(SET, CREATED, cancelled), "lost") == []


def test_the_pods_of_others_are_not_counted() -> None:
    assert texts(diagnosis(SET, PREEMPTED), "lost") == []


def watched(pod: dict[str, Any], *others: dict[str, Any]) -> Diagnosis:
    """Return what is said of the owner of a Pod that was seen, and is deleted."""
    seen = inventory(SET, pod, *others)
    lose(seen, pod)
    return diagnosed_in(seen, "web-1")


def test_conditions_of_deleted_pods_are_remembered() -> None:
    pod = pod_of("web-1", "web-1-x")
    target = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    pod["status"]["conditions"].append(target)
    assert texts(watched(pod), "lost") == [
        "pod web-1-x is gone: evicted by the Eviction API, as kubectl drain does: "
        "Eviction API: evicting"
    ]
    target |= {"reason": "PreemptionByScheduler", "message": "preempting"}
    assert texts(watched(pod, PREEMPTED), "lost") == [
        "pod web-1-x is gone: preempted by Pod prod/urgent on node node-1"
    ]
    assert texts(watched(pod_of("web-1", "web-1-x")), "lost") == []


def test_a_preempted_pod_names_who_preempted_it_while_it_ends() -> None:
    pod = pod_of("web-1", "web-1-x")
    target = {"type": "DisruptionTarget", "status": "True"}
    target |= {"reason": "PreemptionByScheduler", "message": "preempting"}
    pod["status"]["conditions"].append(target)
    assert found(diagnosis(pod, PREEMPTED), "disruption")[1] == (
        "preempted by Pod prod/urgent on node node-1"
    )
    # By its name where it is in the same trace.
    preemptor = pod_of("other", "urgent")
    preemptor["metadata"]["uid"] = "urgent-uid"
    plain = of_pod("Preempted", "Preempted by pod urgent-uid on node node-1")
    assert found(diagnosis(pod, plain, preemptor), "disruption")[1] == (
        "preempted by pod urgent on node node-1"
    )


def test_a_pod_of_a_stateful_set_is_found_by_its_name() -> None:
    stateful = workload("StatefulSet", "db", spec={"replicas": 1})
    created = reported(
        "SuccessfulCreate", "Create Pod db-0 in StatefulSet db successful", about="db"
    )
    evicted = of_pod("Evicted", "The node was low on resource: memory.")
    evicted["involvedObject"]["name"] = "db-0"
    (told,) = texts(diagnosis(stateful, created, evicted), "lost")
    assert told.startswith("pod db-0 is gone: Evicted")


def evicted(name: str, at: str, **more: Any) -> dict[str, Any]:
    """Return a Pod of the ReplicaSet that is evicted through the API."""
    pod = pod_of("web-1", name, creationTimestamp="2026-11-21T10:00:00Z", **more)
    target = {"type": "DisruptionTarget", "status": "True", "lastTransitionTime": at}
    pod["status"]["conditions"].append(target | {"reason": "EvictionByEvictionAPI"})
    return pod


def lost_of(
    *gone: dict[str, Any], others: tuple[dict[str, Any], ...] = (), of: Any = SET
) -> list[str]:
    """Return what is said of the Pods that go, one after the other."""
    seen = inventory(of, *others)
    for each in gone:
        lose(seen, each)
    return texts(diagnosed_in(seen, "web-1"), "lost")


WHY = "evicted by the Eviction API, as kubectl drain does"
NOON, LATER = "2026-11-21T12:00:00Z", "2026-11-21T12:01:00Z"


@pytest.mark.parametrize("turn", [1, -1])
def test_pods_deleted_in_one_second_have_no_order(turn: int) -> None:
    pods = [evicted(name, NOON) for name in ("web-1-a", "web-1-b")]
    assert lost_of(*pods[::turn]) == [
        f"pod web-1-b is gone: {WHY}; 1 other Pod went before"
    ]


def test_a_pod_is_lost_until_another_one_is_ready_in_its_place() -> None:
    gone = evicted("web-1-a", NOON)
    for ready, made, told in (
        (False, LATER, [f"pod web-1-a is gone: {WHY}"]),
        (True, LATER, []),
        (True, NOON, []),  # times are of whole seconds
        (True, "2026-11-21T11:00:00Z", [f"pod web-1-a is gone: {WHY}"]),
    ):
        other = pod_of("web-1", "web-1-b", ready=ready, creationTimestamp=made)
        assert lost_of(gone, others=(other,)) == told


def test_a_workload_that_is_complete_misses_no_pod() -> None:
    whole = workload("ReplicaSet", "web-1", spec={"replicas": 1})
    for each in ("", "ready", "available", "fullyLabeled"):
        whole["status"][f"{each}Replicas" if each else "replicas"] = 1
    assert lost_of(evicted("web-1-a", NOON), of=whole) == []


def test_a_recreated_pod_does_not_inherit_the_cause() -> None:
    stateful = workload("StatefulSet", "web-1", spec={"replicas": 1})
    first = evicted("db-0", NOON, uid="first")
    second = pod_of("web-1", "db-0", uid="second", creationTimestamp=LATER)
    fate = of_pod("Evicted", "low on memory", firstTimestamp=NOON, lastTimestamp=NOON)
    fate["involvedObject"] |= {"name": "db-0", "uid": "first"}
    message = "create Pod db-0 in StatefulSet db successful"
    made = [
        reported("SuccessfulCreate", message, first=each, number=number, about="web-1")
        for number, each in enumerate(("2026-11-21T11:00:00Z", LATER))
    ]
    told = [f"pod db-0 is gone: {WHY}"]
    assert lost_of(first, of=stateful) == told
    assert lost_of(first, others=(second,), of=stateful) == []
    for seen in ((first, second), (second,), ()):
        assert lost_of(*seen, others=(*made, fate), of=stateful) == []
    third = pod_of("web-1", "db-0", uid="third", creationTimestamp=LATER)
    target = {"type": "DisruptionTarget", "status": "True"}
    third["status"]["conditions"].append(target | {"reason": "DeletionByPodGC"})
    preempted = fate | {"reason": "Preempted", "message": "preempted"}
    (told_of_third,) = lost_of(third, others=(preempted,), of=stateful)
    assert told_of_third == "pod db-0 is gone: removed because its node is gone"
