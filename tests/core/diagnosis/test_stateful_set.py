"""What a trace says of StatefulSets."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.diagnosis.finding import Verdict
from tests.builders import CREATED, pod_of, reported, workload
from tests.core.diagnosis.workloads import is_ok, phases, roles, root_at, roots, texts
from tests.tracing import diagnosis, found

TARGET = ("workloads", "StatefulSet/db")


def stateful_set(*, spec: dict[str, Any] | None = None, **status: Any) -> Any:
    """Return a StatefulSet of three that is in the middle of an update."""
    counts = ("replicas", "readyReplicas", "availableReplicas")
    revisions = {"currentRevision": "db-1", "updateRevision": "db-2"}
    return workload(
        "StatefulSet",
        "db",
        spec={"replicas": 3, "updateStrategy": {"type": "RollingUpdate"}}
        | (spec or {}),
        **dict.fromkeys(counts, 3) | revisions | status,
    )


def pods(*revisions: str, unready: int | None = None, **more: Any) -> Any:
    """Return Pods db-0, db-1 and so on, each of the revision given."""
    return [
        pod_of(
            "db",
            f"db-{ordinal}",
            ready=ordinal != unready,
            labels={"controller-revision-hash": revision},
            **more,
        )
        for ordinal, revision in enumerate(revisions)
    ]


def test_a_stateful_set_is_complete_when_numbers_agree() -> None:
    oks = 0
    for _, node, document in roots(*TARGET):
        status = document["status"]
        if is_ok(node):
            oks += 1
            assert status["observedGeneration"] == document["metadata"]["generation"]
            assert status["replicas"] == status["readyReplicas"] == 3
            assert status["availableReplicas"] == status["updatedReplicas"] == 3
            assert status["currentRevision"] == status["updateRevision"]
        assert node.verdict is not Verdict.FAILING
    assert oks


def test_the_phases_tell_making_from_updating() -> None:
    assert phases(*TARGET) == [
        *("Waiting", "ScalingUp", "Unavailable", "Complete"),
        *("Waiting", "Updating", "Complete"),
    ]


def test_each_ordinal_waits_for_the_one_before_it() -> None:
    assert texts(root_at(*TARGET, 2.5)) == ["ordinal 1 waits for ordinal 0 to be ready"]


def test_updates_go_down_from_the_highest_ordinal() -> None:
    assert roles(*TARGET, 35.1) == [
        "db-0: ordinal 0, to be updated",
        "db-1: ordinal 1, to be updated",
        "db-2: ordinal 2",
    ]
    assert texts(root_at(*TARGET, 35.1)) == [
        "ordinal 1 is updated when ordinal 2 is ready"
    ]
    assert texts(root_at(*TARGET, 36)) == [
        "ordinal 1 is made anew when its old Pod has ended"
    ]
    assert roles(*TARGET, 36)[1] == "db-1: ordinal 1, being updated"


def test_a_broken_pod_of_an_old_revision_has_to_be_deleted_by_hand() -> None:
    told = diagnosis(
        stateful_set(readyReplicas=2), *pods("db-1", "db-1", "bad", unready=2)
    )
    assert found(told, "rollout") == (
        Verdict.FAILING,
        "ordinal 2 is not ready and still of an old revision: it is not updated before"
        " it is ready or deleted (OrderedReady)",
    )
    assert told.findings[0].remedy == "kubectl delete pod db-2 -n shop"


def test_a_partition_keeps_the_lower_ordinals_and_is_no_fault() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    kept = stateful_set(spec={"updateStrategy": rolling}, updatedReplicas=1)
    told = diagnosis(kept, *pods("db-1", "db-1", "db-2"))
    assert (told.phase, told.verdict) == ("Complete", Verdict.OK)
    assert texts(told) == ["2 Pods below ordinal 2 keep the old revision (partition 2)"]
    assert [each.role for each in told.children or ()] == [
        "ordinal 0, old revision kept",
        "ordinal 1, old revision kept",
        "ordinal 2",
    ]


def test_on_delete_says_that_somebody_has_to() -> None:
    waiting = stateful_set(spec={"updateStrategy": {"type": "OnDelete"}})
    told = diagnosis(waiting, *pods("db-1", "db-1", "db-2"))
    assert (told.phase, told.verdict) == ("Outdated", Verdict.OK)
    assert told.findings[0].verdict is Verdict.WAITING
    assert texts(told) == [
        "2 Pods are of an old revision: each is updated when somebody deletes it"
        " (OnDelete)"
    ]
    assert told.findings[0].remedy == "kubectl delete pod db-1 -n shop"


def test_ordinals_start_where_the_spec_says() -> None:
    spec = {"replicas": 2, "ordinals": {"start": 1}}
    told = diagnosis(stateful_set(spec=spec), *pods("db-2", "db-2", "db-2"))
    assert [each.role for each in told.children or ()] == [
        "ordinal 0, to be removed",
        "ordinal 1",
        "ordinal 2",
    ]
    assert texts(told) == ["ordinal 0 is deleted: below ordinals.start"]


def test_claims_are_missed_when_they_are_absent() -> None:
    templates = [{"metadata": {"name": "data"}}]
    waiting = stateful_set(spec={"volumeClaimTemplates": templates}, readyReplicas=1)
    claims = [
        workload("PersistentVolumeClaim", f"data-db-{ordinal}", phase=phase)
        for ordinal, phase in enumerate(("Bound", "Pending"))
    ]
    made = pods("db-2", "db-2", "db-2", unready=1)
    told = diagnosis(waiting, *claims, *made)
    # A claim that is not bound stands under the Pod that waits for it.
    assert [each.uid for each in told.children or ()] == [
        each["metadata"]["uid"] for each in made
    ]
    assert texts(told, "claim") == [
        "PersistentVolumeClaim data-db-2 of ordinal 2 does not exist"
    ]
    refused = {"PersistentVolumeClaim": "may not list them"}
    assert texts(diagnosis(waiting, *made, unseen=refused), "claim") == []


def test_a_refusal_names_what_refuses() -> None:
    message = (
        "create Pod db-0 in StatefulSet db failed error: admission webhook "
        '"policy.example.com" denied the request: no latest tag'
    )
    told = diagnosis(
        stateful_set(replicas=0), reported("FailedCreate", message, about="db")
    )
    assert texts(told, "creation") == [
        "cannot create Pods or their claims: admission webhook policy.example.com"
        " denies it: no latest tag"
    ]
    assert told.verdict is Verdict.FAILING


def test_parallel_pods_wait_for_no_other() -> None:
    spec = {"podManagementPolicy": "Parallel"}
    told = diagnosis(
        stateful_set(spec=spec, readyReplicas=1),
        *pods("db-2", "db-2", "db-2", unready=0),
    )
    assert texts(told) == ["waits for 1 Pod to be ready"]


def test_enormous_numbers_cost_nothing() -> None:
    spec = {"replicas": 10**18, "ordinals": {"start": 10**18}}
    told = diagnosis(stateful_set(spec=spec), *pods("db-2"))
    assert texts(told) == [f"ordinal {10**18} is created next"]


def test_min_ready_seconds_are_named() -> None:
    told = diagnosis(
        stateful_set(spec={"minReadySeconds": 30}, availableReplicas=2),
        *pods("db-2", "db-2", "db-2", creationTimestamp=CREATED),
    )
    assert texts(told) == ["waits for 1 Pod to be ready for 30 s (minReadySeconds)"]


def test_pods_above_the_highest_ordinal_go_first() -> None:
    told = diagnosis(
        stateful_set(spec={"replicas": 1}, replicas=2), *pods("db-2", "db-2")
    )
    assert texts(told) == ["ordinal 1 is deleted: too many"]


def test_with_all_pods_of_the_new_revision_nothing_is_left_for_on_delete() -> None:
    waiting = stateful_set(spec={"updateStrategy": {"type": "OnDelete"}})
    assert texts(diagnosis(waiting, *pods("db-2", "db-2", "db-2"))) == []


def test_none_are_wanted_of_a_set_that_is_scaled_down() -> None:
    counts = dict.fromkeys(("replicas", "readyReplicas", "availableReplicas"), 0)
    same = {"currentRevision": "db-2"}
    told = diagnosis(stateful_set(spec={"replicas": 0}, **counts, **same))
    assert (told.phase, told.summary) == ("ScaledDown", "no Pods wanted")
    assert is_ok(told)


def test_an_absent_governing_service_is_no_failure() -> None:
    named = workload("StatefulSet", "db", spec={"replicas": 1, "serviceName": "db"})
    assert found(diagnosis(named), "serviceName") == (
        Verdict.WAITING,
        "Service db (serviceName) does not exist: its Pods have no DNS names",
    )
    service = workload("Service", "db")
    assert texts(diagnosis(named, service), "serviceName") == []
    unseen = {"Service": "may not list services"}
    assert texts(diagnosis(named, unseen=unseen), "serviceName") == []


def test_a_pod_whose_creation_is_refused_is_not_created_next() -> None:
    stateful = workload("StatefulSet", "db", spec={"replicas": 2})
    why = 'Create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: no'
    told = diagnosis(stateful, reported("FailedCreate", why, about="db"))
    assert texts(told, "rollout") == []
    assert texts(told, "creation") == ["cannot create Pods or their claims: no"]
