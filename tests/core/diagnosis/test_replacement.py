"""What a Pod that fails means to the workload that puts another in its place."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Verdict
from tests.builders import (
    CREATED,
    a_pod,
    conditions,
    container,
    over,
    pod_of,
    waiting,
    workload,
)
from tests.core.diagnosis.workloads import roots
from tests.tracing import diagnosis, found

CONTROLLERS = ("ReplicaSet", "StatefulSet", "DaemonSet", "Job")
BAD_IMAGE = container("app", waiting("InvalidImageName"), image="shop/APP")
NEVER: dict[str, Any] = {"image": "shop/app", "imagePullPolicy": "Never"}


def controlled(pod: dict[str, Any], kind: str, *, controller: bool = True) -> Any:
    reference = {"kind": kind, "uid": "web", "name": "web", "controller": controller}
    pod["metadata"]["ownerReferences"] = [reference]
    return pod


def owner(kind: str, *, role: str = "containers", **image: str) -> dict[str, Any]:
    """Return a workload whose template has one container, of that image."""
    template = {"spec": {role: [{"name": "other"}, {"name": "app", **image}]}}
    return workload(kind, spec={"replicas": 1, "template": template})


def evicted() -> dict[str, Any]:
    return a_pod(container("app"), phase="Failed", reason="Evicted", message="disk")


def finals(pod: dict[str, Any], *others: dict[str, Any]) -> list[str]:
    return [each.about for each in diagnosis(pod, *others).findings if each.final]


@pytest.mark.parametrize("kind", [*CONTROLLERS, "Widget"])
def test_nothing_is_final_of_a_pod_in_whose_place_another_comes(kind: str) -> None:
    exited = a_pod(
        container("app", {"terminated": over(3)}),
        phase="Failed",
        spec={"restartPolicy": "Never"},
    )
    assert finals(controlled(exited, kind)) == []
    assert finals(controlled(evicted(), kind)) == []


def test_a_bare_pod_is_over_when_it_has_failed() -> None:
    assert finals(evicted()) == ["eviction"]
    # Who owns it without controlling it puts none in its place.
    assert finals(controlled(evicted(), "Widget", controller=False)) == ["eviction"]
    assert finals(a_pod(BAD_IMAGE, phase="Pending")) == ["container/app"]


@pytest.mark.parametrize("kind", CONTROLLERS)
def test_errors_of_the_template_are_final_except_for_jobs(kind: str) -> None:
    pod = controlled(a_pod(BAD_IMAGE, phase="Pending"), kind)
    asked = owner(kind, image="shop/APP")
    assert finals(pod, asked) == ([] if kind == "Job" else ["container/app"])
    assert finals(pod, owner(kind, image="shop/app")) == []  # it is mended there
    assert finals(pod) == []  # what the template says is not known


def test_an_image_that_is_never_pulled_is_final_while_the_policy_says_so() -> None:
    never = container("app", waiting("ErrImageNeverPull"), **NEVER)
    pod = controlled(a_pod(init=(never,), phase="Pending"), "ReplicaSet")
    asked = owner("ReplicaSet", role="initContainers", **NEVER)
    assert finals(pod, asked) == ["init/app"]
    mended = owner("ReplicaSet", role="initContainers", image="shop/app")
    assert finals(pod, mended) == []


@pytest.mark.parametrize("kind", CONTROLLERS[:3])
@pytest.mark.parametrize(
    ("phase", "metadata", "counts"),
    [
        ("Failed", {}, False),
        ("Succeeded", {}, False),
        ("Running", {"deletionTimestamp": CREATED}, False),
        ("Running", {}, True),
    ],
)
def test_only_a_pod_that_stays_counts_for_its_owner(
    kind: str, phase: str, metadata: dict[str, Any], counts: bool
) -> None:
    pod = pod_of("web", "web-0", ready=False, **metadata)
    pod["status"]["phase"] = phase
    told = diagnosis(workload(kind, spec={"replicas": 1}), pod)
    assert [each.counts for each in told.children or ()] == [counts]


@pytest.mark.parametrize("end", ["", "Failed", "FailureTarget"])
def test_failed_pods_count_for_a_job_when_it_has_given_up(end: str) -> None:
    pod = pod_of("copy", "copy-0", ready=False)
    pod["status"]["phase"] = "Failed"
    ended = {end: "True BackoffLimitExceeded"} if end else {}
    job = workload(
        "Job",
        "copy",
        spec={"backoffLimit": 6},
        startTime=CREATED,
        failed=1,
        conditions=conditions(**ended),
    )
    told = diagnosis(job, pod)
    assert [each.counts for each in told.children or ()] == [bool(end)]
    expected = Verdict.FAILING if end else Verdict.WAITING
    assert (told.verdict, found(told, "failures")[0]) == (expected, expected)
    assert any(each.final for each in told.findings) is bool(end)


def test_nothing_under_a_recorded_job_is_final_before_the_job_gives_up() -> None:
    finals_seen = set()
    for _, root, document in roots("workloads", "Job/failing"):
        over = any(
            each["type"] in ("Failed", "FailureTarget") and each["status"] == "True"
            for each in document["status"].get("conditions", [])
        )
        final = any(each is not None and each.final for _, each in root.failing())
        assert final is over, root.summary
        finals_seen.add(final)
    assert finals_seen == {False, True}


def test_an_evicted_pod_does_not_make_its_deployment_fail() -> None:
    """The Pod was available once, and its successor is on the way."""
    told = conditions(
        Available="False MinimumReplicasUnavailable",
        Progressing="True NewReplicaSetAvailable",
    )
    counts: dict[str, Any] = {
        "replicas": 1,
        "updatedReplicas": 1,
        "availableReplicas": 0,
    }
    spec: dict[str, Any] = {"replicas": 1, "template": {"spec": {}}}
    deployment = workload("Deployment", spec=spec, conditions=told, **counts)
    replica_set = workload("ReplicaSet", "web-1", owner="web", spec=spec, replicas=1)
    gone = pod_of(
        "web-1", "gone", ready=False, creationTimestamp="2026-11-20T00:00:00Z"
    )
    assert diagnosis(deployment, replica_set, gone).verdict is Verdict.FAILING
    gone["status"] |= {"phase": "Failed", "reason": "Evicted"}
    assert diagnosis(deployment, replica_set, gone).verdict is Verdict.WAITING


def test_a_failed_pod_of_an_old_revision_does_not_hold_up_a_stateful_set() -> None:
    labels = {"controller-revision-hash": "db-1"}
    pod = pod_of("db", "db-0", ready=False, labels=labels)
    revisions: dict[str, Any] = {"currentRevision": "db-1", "updateRevision": "db-2"}
    stateful_set = workload(
        "StatefulSet", "db", spec={"replicas": 1}, replicas=1, **revisions
    )
    assert found(diagnosis(stateful_set, pod), "rollout")[0] is Verdict.FAILING
    pod["status"]["phase"] = "Failed"
    assert found(diagnosis(stateful_set, pod), "rollout") == (
        Verdict.WAITING,
        "ordinal 0 is recreated: its Pod has ended",
    )


def test_failed_indexes_are_not_for_good_where_a_policy_may_spare_them() -> None:
    def indexes(**spec: Any) -> tuple[Verdict, bool]:
        job = workload("Job", spec=spec, startTime=CREATED, active=1, failedIndexes="1")
        (told,) = [each for each in diagnosis(job).findings if each.about == "indexes"]
        return told.verdict, told.final

    assert indexes() == (Verdict.FAILING, True)
    assert indexes(successPolicy={"rules": [{"succeededCount": 1}]}) == (
        Verdict.WAITING,
        False,
    )
