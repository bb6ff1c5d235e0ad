"""What a trace says of StatefulSets."""

from __future__ import annotations

from typing import Any

from tests.builders import CREATED, Object, pod_of, reported, workload
from tests.core.diagnosis.cases import Row, Rules, check, rows, unseen
from tests.core.diagnosis.workloads import phases, roles, root_at, texts

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
        "ordinal 1 is recreated when its old Pod has ended"
    ]
    assert roles(*TARGET, 36)[1] == "db-1: ordinal 1, being updated"


def partitioned(number: int) -> dict[str, Any]:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": number}}
    return {"updateStrategy": rolling}


ON_DELETE = {"updateStrategy": {"type": "OnDelete"}}
NEW = pods("db-2", "db-2", "db-2")
HALF = pods("db-1", "db-1", "db-2")
UNREADY = pods("db-2", "db-2", "db-2", unready=1)
CLAIMING = stateful_set(
    spec={"volumeClaimTemplates": [{"metadata": {"name": "data"}}]}, readyReplicas=1
)
CLAIMS = [
    workload("PersistentVolumeClaim", f"data-db-{ordinal}", phase=phase)
    for ordinal, phase in enumerate(("Bound", "Pending"))
]
NO_COUNTS: Any = dict.fromkeys(("replicas", "readyReplicas", "availableReplicas"), 0)
SERVED = workload("StatefulSet", "db", spec={"replicas": 1, "serviceName": "db"})


def refused(message: str) -> Object:
    message = f"create Pod db-0 in StatefulSet db failed error: {message}"
    return reported("FailedCreate", message, about="db")


STATEFUL_SETS: Rules = {
    "a broken Pod of an old revision has to be deleted by hand": (
        *(stateful_set(readyReplicas=2), *pods("db-1", "db-1", "bad", unready=2)),
        "rollout: OldRevisionBlocks ordinal=2",
        "rollout -> kubectl delete pod db-2 -n shop",
    ),
    "a partition keeps the lower ordinals and is no fault": (
        *(stateful_set(spec=partitioned(2), updatedReplicas=1), *HALF),
        "Complete ok",
        "rollout: OldRevisionKept ordinal=2 partition=2 pods=2",
        "no others",
        "> ordinal 0, old revision kept; ordinal 1, old revision kept; ordinal 2",
    ),
    "OnDelete says that somebody has to": (
        *(stateful_set(spec=ON_DELETE), *HALF),
        "Outdated ok",
        "rollout: UpdatesOnDelete pods=2",
        "no others",
        "rollout -> kubectl delete pod db-1 -n shop",
    ),
    "ordinals start where the spec says": (
        *(stateful_set(spec={"replicas": 2, "ordinals": {"start": 1}}), *NEW),
        "rollout: OrdinalDeleted ordinal=0",
        "no others",
        "> ordinal 0, to be removed; ordinal 1; ordinal 2",
    ),
    # A claim that is not bound stands under the Pod that waits for it.
    "claims are missed when they are absent": (
        *(CLAIMING, *CLAIMS, *UNREADY),
        "claim/data-db-2: ClaimOfOrdinalMissing claim=data-db-2 ordinal=2",
        "> ordinal 0; ordinal 1; ordinal 2",
    ),
    "claims are not missed where they may not be listed": (
        *(CLAIMING, *UNREADY, unseen(PersistentVolumeClaim="may not list them")),
        "no claim",
    ),
    "a refusal names what refuses": (
        stateful_set(replicas=0),
        refused('admission webhook "policy.example.com" denied the request: no'),
        "Updating failing",
        "creation: CreationRefused what=Pods or their claims "
        "why=(WebhookDenies message=no webhook=policy.example.com)",
    ),
    "a Pod whose creation is refused is not created next": (
        workload("StatefulSet", "db", spec={"replicas": 2}),
        refused('pods "db-0" is forbidden: no'),
        "creation: CreationRefused what=Pods or their claims "
        "why=(RequestRefused message=no)",
        "no rollout",
    ),
    "parallel Pods wait for no other": (
        stateful_set(spec={"podManagementPolicy": "Parallel"}, readyReplicas=1),
        *pods("db-2", "db-2", "db-2", unready=0),
        "rollout: PodsAwaited pods=1",
        "no others",
    ),
    "enormous numbers cost nothing": (
        stateful_set(spec={"replicas": 10**18, "ordinals": {"start": 10**18}}),
        *pods("db-2"),
        "rollout: OrdinalCreatedNext ordinal=1000000000000000000",
        "no others",
    ),
    "minReadySeconds are named": (
        stateful_set(spec={"minReadySeconds": 30}, availableReplicas=2),
        *pods("db-2", "db-2", "db-2", creationTimestamp=CREATED),
        "rollout: PodsAwaited pods=1 seconds=30",
        "no others",
    ),
    "Pods above the highest ordinal go first": (
        *(stateful_set(spec={"replicas": 1}, replicas=2), *pods("db-2", "db-2")),
        "rollout: OrdinalDeleted ordinal=1 surplus",
        "no others",
    ),
    "with all Pods of the new revision nothing is left for OnDelete": (
        *(stateful_set(spec=ON_DELETE), *NEW),
        "no others",
    ),
    "none are wanted of a set that is scaled down": (
        stateful_set(spec={"replicas": 0}, currentRevision="db-2", **NO_COUNTS),
        *("ScaledDown ok", "= no Pods wanted"),
    ),
    "an absent governing Service is no failure": (
        SERVED,
        "serviceName: GoverningServiceMissing kind=Service name=db namespace=shop",
    ),
    "a governing Service may be there": (
        *(SERVED, workload("Service", "db")),
        "no serviceName",
    ),
    "a governing Service may be unseen": (
        *(SERVED, unseen(Service="may not list services")),
        "no serviceName",
    ),
}


@rows(STATEFUL_SETS)
def test_stateful_sets_say_what_they_wait_for(row: Row) -> None:
    check(row)
