"""What was well and is no more is named, and what never was is not."""

from __future__ import annotations

from typing import Any

from tests.builders import conditions, workload
from tests.core.summary.cluster import Cluster, Document, deployment, pod, well
from tests.tracing import START

WAITS = "False Reconciling"


def widget(ready: str, **metadata: Any) -> Document:
    return workload("Widget", metadata=metadata, conditions=conditions(Ready=ready))


def named(cluster: Cluster) -> list[tuple[str, float]]:
    summary = cluster.summary()
    found = summary.unwell(summary.failures())
    return [(each.of.name, each.since - START) for each in found]


def told(*states: Document, after: float = 70) -> list[tuple[str, float]]:
    """Return what is not well some seconds after the last of *states*, 10 s apart."""
    cluster = Cluster()
    for state in states:
        cluster.write(state, by="operator")
        cluster.now += 10
    cluster.now += after - 10
    return named(cluster)


def test_what_was_well_and_waits_for_a_minute_is_not_well() -> None:
    assert told(widget("True"), widget(WAITS)) == [("web", 10.0)]
    assert told(widget("True"), widget(WAITS), after=50) == []


def test_what_never_was_well_is_not_named_for_its_age() -> None:
    assert told(widget(WAITS), after=3600) == []


def test_what_is_well_again_or_asked_to_go_is_not_named() -> None:
    assert told(widget("True"), widget(WAITS), widget("True")) == []
    going = widget(WAITS, deletionTimestamp="2026-11-21T15:04:20Z")
    assert told(widget("True"), going) == []


def test_a_condition_that_turned_long_after_the_creation_says_that_it_was_well() -> (
    None
):
    one, turned = widget(WAITS), "2026-11-21T15:03:05Z"
    one["metadata"]["creationTimestamp"] = "2026-11-21T14:00:00Z"
    one["status"]["conditions"][0]["lastTransitionTime"] = turned
    cluster = Cluster()
    cluster.write(one)
    cluster.listed()
    assert named(cluster) == [("web", -60.0)]


def test_a_rollout_that_advances_is_well_enough() -> None:
    cluster = well()
    for ready in (5, 4, 3, 2, 3, 4):
        rolling = deployment(replicas=6)
        rolling["status"] |= {"readyReplicas": ready, "availableReplicas": ready}
        rolling["status"]["unavailableReplicas"] = 6 - ready
        cluster.write(rolling, by="kube-controller-manager", after=40)
    cluster.now += 30
    assert named(cluster) == []


def test_what_fails_is_no_more_than_failing() -> None:
    cluster, less = well(), deployment()
    less["status"] |= {"readyReplicas": 0, "availableReplicas": 0}
    cluster.write(pod("app:1", "ContainerCreating"), by="kubelet", after=10)
    cluster.write(less, by="kube-controller-manager")
    cluster.now += 100
    assert not cluster.failures() and named(cluster) == [("web", 10.0)]
    cluster.write(pod("app:1", "ErrImagePull", "not found"), by="kubelet")
    cluster.now += 100
    assert cluster.failures() and named(cluster) == []


def test_what_waits_is_named_if_warnings_about_it_come_again_and_again() -> None:
    for count, wanted in ((2, 0), (3, 1)):
        cluster = Cluster()
        cluster.write(waiting := pod("app:1", "ContainerCreating"), by="kubelet")
        cluster.report(waiting, "NodeBusy", "too many at a time", count)
        cluster.now += 100
        assert len(named(cluster)) == wanted


def test_what_its_controller_works_at_has_ten_minutes() -> None:
    for after, wanted in ((590, []), (610, [("web", 10.0)])):
        assert (
            told(widget("True"), widget("Unknown Progressing"), after=after) == wanted
        )
    cluster, rolling = well(), deployment()
    rolling["status"] |= {"readyReplicas": 0, "availableReplicas": 0}
    rolling["status"]["conditions"] = conditions(
        Available="False", Progressing="True ReplicaSetUpdated"
    )
    cluster.write(rolling, by="kube-controller-manager", after=10)
    cluster.write(pod("app:1", "ContainerCreating"), by="kubelet")
    cluster.now += 100
    assert named(cluster) == []


def test_what_somebody_wants_so_or_what_ends_is_not_named() -> None:
    for spec, status in (
        ({"suspend": True}, {}),
        ({"running": False}, {}),
        ({"replicas": 0}, {}),
        ({}, {"phase": "Succeeded"}),
        ({}, {"conditions": conditions(Ready="False Paused")}),
    ):
        after = widget(WAITS)
        after["spec"], after["status"] = spec, {**after["status"], **status}
        assert told(widget("True"), after) == []
        assert told(widget("True"), widget(WAITS))


def test_a_pod_that_runs_is_not_named_for_its_startup_probe() -> None:
    cluster = Cluster()
    starting = pod("app:1", "ContainerCreating")
    starting["status"]["phase"] = "Running"
    cluster.write(starting, by="kubelet")
    cluster.report(starting, "Unhealthy", "Startup probe failed", 9)
    cluster.now += 100
    assert named(cluster) == []


def test_a_workload_of_which_some_serve_has_ten_minutes() -> None:
    for after, wanted in ((300, []), (700, [("web", 10.0)])):
        cluster, fewer = well(), deployment(replicas=3)
        fewer["status"] |= {"readyReplicas": 1, "availableReplicas": 1}
        cluster.write(fewer, by="kube-controller-manager", after=10)
        cluster.now += after
        assert named(cluster) == wanted
