"""What failed, when, and which write likely did it."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.answer.failure import Failure
from kubectl_spy.core.answer.timeline import Warned
from kubectl_spy.core.diagnosis.finding import fact
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import time_of
from kubectl_spy.render.findings import text as text_of
from kubectl_spy.render.summary import failure_lines
from tests.builders import CREATED, conditions, workload
from tests.core.summary.cluster import (
    ABSENT,
    ENV,
    PULL,
    Cluster,
    Document,
    config,
    deployment,
    pod,
    replica_set,
    well,
)
from tests.tracing import START

NEW_IMAGE = PatchOperation(
    "replace",
    "/spec/template/spec/containers/0/image",
    "app:2",
    "app:1",
    label="name=app",
)


def roll_out(cluster: Cluster, image: str, *state: str, **container: Any) -> None:
    """Have the controller and the kubelet follow a new template."""
    cluster.write(replica_set(image, **container), by="kube-controller-manager")
    cluster.write(pod(image, *state, **container), by="kubelet")


def found(cluster: Cluster) -> Failure:
    cluster.now += 30
    (failure,) = cluster.failures()
    return failure


def causes(cluster: Cluster) -> list[tuple[str, tuple[str, ...], bool]]:
    return [
        (each.write.record.name, each.write.edit.what, each.certain)
        for each in found(cluster).by
    ]


def test_a_failed_pull_is_laid_to_the_write_of_its_image_and_not_to_later_ones() -> (
    None
):
    cluster = well()
    cluster.write(deployment("app:2"), after=10)
    cluster.now += 1
    roll_out(cluster, "app:2", *PULL)
    cluster.write(deployment("app:2", 3), by="scaler")
    noted = deployment("app:2", 3)
    noted["metadata"]["annotations"] = {"note": "harmless"}
    cluster.write(noted)
    failure = found(cluster)
    assert (failure.top.name, failure.began, failure.until) == ("web", START + 11, None)
    assert text_of(failure.finding).startswith("cannot pull image app:2")
    (suspect,) = failure.by
    assert suspect.write.edit.what == ("image app:1 → app:2",)
    assert suspect.lag == 1
    assert suspect.certain


def test_a_write_that_something_else_tells_of_is_the_most_likely_cause_at_best() -> (
    None
):
    """Where it was seen, as in the test before, it is certain."""
    cluster = Cluster()
    cluster.listed()
    cluster.now += 10
    cluster.left(deployment("app:2"), NEW_IMAGE)
    roll_out(cluster, "app:2", *PULL)
    failure = found(cluster)
    (suspect,) = failure.by
    assert suspect.write.edit.what == ("image app:1 → app:2",)
    assert suspect.write.edit.source == "web-2"
    assert not suspect.certain
    assert failure_lines(failure)[-1] == (
        "most likely by: ≈ image app:1 → app:2, 2.0s before, by edit (web-2)"
    )


def test_so_it_is_of_what_failed_when_the_memory_of_the_server_begins() -> None:
    cluster = Cluster()
    cluster.listed()
    cluster.now += 10
    cluster.left(deployment("app:2"), NEW_IMAGE)
    cluster.first(replica_set("app:2"))
    cluster.first(pod("app:2", *PULL))
    (suspect,) = found(cluster).by
    assert suspect.write.edit.source == "web-2" and not suspect.certain


def test_a_pod_that_is_older_than_such_a_write_fails_for_something_else() -> None:
    cluster = Cluster()
    cluster.listed()
    cluster.first(replica_set("app:2"))
    cluster.first(pod("app:2", *PULL))
    cluster.now += 10
    cluster.left(deployment("app:2"), NEW_IMAGE)
    assert found(cluster).by == []


def test_what_has_run_well_since_its_creation_is_not_its_cause() -> None:
    cluster = Cluster()
    cluster.listed()
    cluster.write(deployment(), by="kubectl-create")
    roll_out(cluster, "app:1")
    cluster.now += 60
    cluster.write(pod("app:1", "CrashLoopBackOff", "back-off 10s"), by="kubelet")
    failure = found(cluster)
    assert failure.by == []
    assert failure.why_not == fact("NoChangeExplains", changes=1)


def test_a_deleted_object_that_the_failure_names_is_certain() -> None:
    cluster = well(**ENV)
    cluster.delete("settings", after=5)
    cluster.now += 5
    labelled = deployment(**ENV)
    labelled["metadata"]["labels"] = {"team": "blue"}
    cluster.write(labelled)
    cluster.write(pod("app:1", *ABSENT, **ENV), by="kubelet")
    assert causes(cluster) == [("settings", ("deleted",), True)]


def test_a_named_object_that_two_writes_explain_is_likely_only() -> None:
    cluster = well()
    cluster.delete("settings", after=5)
    cluster.write(deployment("app:2", **ENV), after=5)
    roll_out(cluster, "app:2", *ABSENT, **ENV)
    assert [name for name, _, _ in causes(cluster)] == ["web", "settings"]
    assert not any(certain for _, _, certain in causes(cluster))


def test_writes_of_what_it_does_not_need_are_no_suspects() -> None:
    cluster = well()
    cluster.write(config(a="2"), config(name="other"), after=5)
    cluster.now += 5
    cluster.write(pod("app:1", "CrashLoopBackOff", "back-off 10s"), by="kubelet")
    assert causes(cluster) == []


def test_what_fails_from_the_beginning_cannot_be_told() -> None:
    cluster = Cluster()
    cluster.write(deployment(), replica_set(), pod("app:1", *PULL))
    cluster.listed()
    cluster.write(deployment("app:1", 2), after=5)
    assert found(cluster).why_not == fact("FailedFromTheBeginning")


def test_kinds_that_were_not_watched_are_named() -> None:
    cluster = Cluster("ConfigMap")
    cluster.write(deployment(**ENV), replica_set(**ENV), pod(**ENV))
    cluster.listed()
    cluster.write(pod("app:1", *ABSENT, **ENV), by="kubelet", after=5)
    assert found(cluster).why_not == fact("NoChangeExplains", unwatched=("ConfigMap",))


def test_trouble_of_a_second_is_no_failure() -> None:
    cluster = well()
    cluster.write(pod("app:1", *PULL), by="kubelet", after=5)
    cluster.write(pod(), by="kubelet", after=1)
    cluster.now += 30
    assert cluster.failures() == []


def test_what_fails_again_for_the_same_is_one_failure() -> None:
    cluster = well()
    for _ in range(3):
        cluster.write(pod("app:1", *PULL), by="kubelet", after=5)
        cluster.write(pod(), by="kubelet", after=5)
    failure = found(cluster)
    assert (failure.began, failure.until, failure.times) == (START + 5, START + 30, 3)
    summary = cluster.summary()
    assert [[each.times for each in summary.failures()] for _ in "12"] == [[3], [3]]


def test_controllers_of_the_control_plane_are_nobody() -> None:
    cluster = well()
    cluster.write(deployment("app:1", 4), by="kube-controller-manager", after=5)
    cluster.write(config(a="3"), by="argocd-controller")
    shown = cluster.summary().shown
    assert [(each.record.name, each.edit.managers) for each in shown] == [
        ("settings", ("argocd-controller",))
    ]


@pytest.mark.parametrize("late", [False, True])
def test_a_limit_range_counts_for_pods_that_came_after_it(late: bool) -> None:
    cluster = well()
    bounds = config("LimitRange", "bounds")
    died = {
        "exitCode": 137,
        "reason": "OOMKilled",
        "finishedAt": "2026-11-21T15:01:00Z",
    }
    new = pod("app:1", "CrashLoopBackOff", "back-off 10s")
    new["metadata"] |= {"uid": "new", "name": "new"}
    new["status"]["containerStatuses"][0]["lastState"] = {"terminated": died}
    cluster.now += 5
    if not late:
        cluster.write(bounds)
    started = pod()
    started["metadata"] |= {"uid": "new", "name": "new"}
    cluster.write(started, by="kubelet")
    if late:
        cluster.write(bounds)
    cluster.write(new, by="kubelet", after=5)
    assert [name for name, _, _ in causes(cluster)] == ([] if late else ["bounds"])


def test_the_diagnoses_that_are_made_grow_as_the_records_do() -> None:
    made = []
    for count in (100, 200):
        cluster = well()
        for number in range(count):
            cluster.now += 1
            cluster.write(pod("app:1", *PULL) if number % 2 else pod(), by="kubelet")
        summary = cluster.summary()
        made.append(summary.diagnoses)
    assert made[1] <= 2.1 * made[0]


def test_the_image_of_a_bare_pod_may_fail_some_time_after_it_was_set() -> None:
    cluster = Cluster()
    bare = pod("app:1")
    del bare["metadata"]["ownerReferences"]
    cluster.write(bare, by="kubectl-run")
    cluster.listed()
    for image, *state in (("app:2",), ("app:2", *PULL)):
        cluster.now += 10
        new = pod(image, *state)
        bare["spec"] = new["spec"]
        bare["status"] = new["status"]
        cluster.write(bare, by="kubelet" if state else "kubectl-edit")
    (suspect,) = found(cluster).by
    assert suspect.write.edit.what == ("image app:1 → app:2",)


def test_writes_during_a_crash_loop_are_no_suspects_of_it() -> None:
    crash = "CrashLoopBackOff", "back-off 10s"
    cluster = well(**ENV)
    cluster.write(pod("app:1", *crash, **ENV), by="kubelet", after=5)
    cluster.write(config(a="2"), after=5)
    stale = deployment(**ENV)
    stale["metadata"]["generation"] = 2
    cluster.write(stale)
    cluster.write(config(name="other"), after=5)
    stale["status"]["observedGeneration"] = 2
    cluster.write(stale, by="kube-controller-manager")
    failure = found(cluster)
    assert (failure.began, failure.until, failure.by) == (START + 5, None, [])


@pytest.mark.parametrize(("replicas", "causes_it"), [(3, True), (9, False)])
def test_fewer_pods_may_be_overloaded_and_more_may_not(
    replicas: int, causes_it: bool
) -> None:
    cluster = Cluster()
    cluster.write(deployment("app:1", 6), replica_set(), pod())
    cluster.listed()
    cluster.write(deployment("app:1", replicas), after=5)
    cluster.now += 20
    unready = pod("app:1", "x")
    container = unready["status"]["containerStatuses"][0]
    container["state"] = {"running": {"startedAt": "2026-11-21T15:00:01Z"}}
    unready["spec"]["containers"][0]["readinessProbe"] = {"httpGet": {"port": 80}}
    cluster.write(unready, by="kubelet")
    said = "Readiness probe failed: HTTP probe failed with statuscode: 503"
    cluster.report(unready, "Unhealthy", said, 9)
    assert len(found(cluster).by) == causes_it


def test_what_fails_when_a_late_list_shows_it_cannot_be_told() -> None:
    cluster = Cluster()
    cluster.write(config(), deployment(**ENV), replica_set(**ENV))
    cluster.write(pod("app:1", *PULL, **ENV))
    cluster.listed()
    late = [each for each in cluster.events if each.selection.resource.plural == "pods"]
    cluster.events = [each for each in cluster.events if each not in late]
    cluster.write(deployment("app:1", 2, **ENV), config("Secret", "regcred"), after=1)
    cluster.now += 4
    cluster.events += [each._replace(time=cluster.now) for each in late]
    assert found(cluster).why_not == fact("FailedFromTheBeginning")


def crashed(restarts: int, ended: str) -> Document:
    crashing = pod("app:1", "CrashLoopBackOff", "back-off 10s")
    last = {"terminated": {"exitCode": 1, "finishedAt": ended}}
    crashing["status"]["containerStatuses"][0] |= {
        "restartCount": restarts,
        "lastState": last,
    }
    return crashing


BEFORE = "2026-11-21T15:03:05Z"


@pytest.mark.parametrize(
    ("failing", "since", "bound"),
    [
        (pod("app:1", *PULL), START, True),
        (crashed(0, BEFORE), START - 60, False),
        (crashed(7, BEFORE), START - 60, True),
        (
            workload(
                "Deployment", conditions=conditions(ReplicaFailure="True x quota")
            ),
            time_of(CREATED),
            False,
        ),
    ],
)
def test_what_failed_already_began_before_or_when_its_condition_turned(
    failing: Document, since: float, bound: bool
) -> None:
    cluster = Cluster()
    cluster.write(failing)
    cluster.listed()
    failure = found(cluster)
    assert (failure.since, failure.bound) == (since, bound)


def test_so_it_is_of_a_late_list_though_the_object_changes_at_once() -> None:
    cluster = Cluster()
    cluster.listed()
    cluster.now += 10
    cluster.write(config())
    cluster.first(pod("app:1", *PULL))
    changed = pod("app:1", *PULL)
    changed["metadata"]["labels"] = {"changed": "at-once"}
    cluster.write(changed, by="kubelet", after=0.2)
    cluster.write(config(a="2"), after=5)
    failure = found(cluster)
    assert (failure.since, failure.bound) == (START + 10, True)
    failed_later = well()
    failed_later.write(pod("app:1", *PULL), by="kubelet", after=5)
    assert not found(failed_later).bound


def test_a_service_that_was_well_in_between_fails_for_a_new_cause() -> None:
    cluster = Cluster()
    service = workload("Service", "front", spec={"selector": {"app": "web"}})
    cluster.write(pod(), service)
    cluster.listed()
    for label in ("wbe", "web", "wbe"):
        cluster.now += 90
        service["spec"] = {"selector": {"app": label}}
        cluster.write(service)
    cluster.now += 60
    failures = cluster.failures()
    assert [each.began - START for each in failures] == [90, 270]
    assert [each.by[0].lag for each in failures] == [0, 0]


def widget(number: int, **told: str) -> Document:
    """Return a custom resource with conditions."""
    found = conditions(**told)
    for each in found:
        each["lastTransitionTime"] = "2026-11-21T15:04:15Z"
    return workload("Widget", spec={"size": number}, conditions=found)


@pytest.mark.parametrize(
    ("told", "seconds", "text"),
    [
        ({"Ready": "False Invalid"}, 90, ["Ready is False (Invalid)"]),
        ({"Ready": "False Invalid"}, 30, []),
        ({"Ready": "False Creating"}, 900, []),
        ({"Ready": "True Fine"}, 30, []),
        (
            {"Ready": "False Invalid", "Degraded": "True Size"},
            30,
            ["Degraded is True (Size)"],
        ),
    ],
)
def test_a_custom_resource_fails_if_its_condition_tells_so_for_a_minute(
    told: dict[str, str], seconds: float, text: list[str]
) -> None:
    cluster = Cluster()
    cluster.write(widget(1, Ready="True Fine"))
    cluster.listed()
    cluster.write(widget(9, Ready="True Fine"), after=5)
    cluster.write(widget(9, **told), by="widget-operator", after=5)
    cluster.now += seconds
    failures = cluster.failures()
    assert [text_of(each.finding) for each in failures] == text
    assert all(it.by[0].write.edit.what == ("size 1 → 9",) for it in failures)


def warnings(cluster: Cluster) -> list[Warned]:
    """Return what should be looked at, where nothing fails."""
    summary = cluster.summary()
    assert summary.failures() == []
    return summary.warnings()


def test_what_is_ready_and_lacks_something_is_a_warning_after_a_minute() -> None:
    cluster = Cluster()
    cluster.write(widget(1, Ready="True Fine", Synced="True"))
    cluster.listed()
    cluster.write(widget(9, Ready="True Fine", Synced="True"), after=5)
    cluster.write(widget(9, Ready="True Fine", Synced="False Error"), after=5)
    cluster.now += 50
    assert warnings(cluster) == []
    cluster.now += 20
    (warned,) = warnings(cluster)
    assert text_of(warned.finding) == "Synced is False (Error)"
    assert [each.write.edit.what for each in warned.by] == [("size 1 → 9",)]
    cluster.write(widget(1, Ready="True Fine", Synced="True"))
    cluster.now += 5
    assert warnings(cluster) == []


def test_what_was_deleted_and_is_still_there_hangs() -> None:
    cluster = Cluster()
    held = widget(1)
    held["metadata"]["finalizers"] = ["example.com/hold"]
    cluster.write(held)
    cluster.listed()
    cluster.now += 5
    held["metadata"]["deletionTimestamp"] = "2026-11-21T15:00:05Z"
    cluster.write(held)
    cluster.now += 70
    (failure,) = cluster.failures()
    assert text_of(failure.finding) == (
        "being deleted: waits until finalizer example.com/hold is removed"
    )
    assert [each.write.edit.what for each in failure.by] == [
        ("deletion asked for; still there: finalizer example.com/hold",)
    ]
