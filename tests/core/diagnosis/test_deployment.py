"""What a trace says of Deployments and their ReplicaSets."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.core.diagnosis.wording import clock_time
from tests.builders import CREATED, Object, conditions, pod_of, reported, workload
from tests.core.diagnosis.cases import Row, Rules, check, diagnosed, rows, unseen
from tests.core.diagnosis.workloads import root_at, roots, texts
from tests.tracing import diagnosis

TARGET = ("deploy-rollout", "Deployment/nginx")
OLD, NEW = "nginx-865d967699", "nginx-bc988676b"
ROLLED_OUT = "True NewReplicaSetAvailable"
EXCEEDED = conditions(Progressing="False ProgressDeadlineExceeded timed out")
SHORT = conditions(Available="False MinimumReplicasUnavailable", Progressing=ROLLED_OUT)
NO_PODS = unseen(Pod="may not list pods")
NO_SETS = unseen(ReplicaSet="may not list replicasets.apps")
NEITHER = unseen(**NO_PODS.reasons, **NO_SETS.reasons)
COUNTS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")


def deployment(
    *, spec: dict[str, Any] | None = None, metadata: Any = None, **status: Any
) -> Object:
    """Return a Deployment of three that is rolled out, but for what is given."""
    rolling = {"maxSurge": "25%", "maxUnavailable": "25%"}
    return workload(
        "Deployment",
        metadata=metadata,
        spec={
            "replicas": 3,
            "progressDeadlineSeconds": 600,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
            "template": {"spec": {"containers": [{"image": "b"}]}},
            **(spec or {}),
        },
        **dict.fromkeys(COUNTS, 3)
        | {"conditions": conditions(Available="True", Progressing=ROLLED_OUT)}
        | status,
    )


def replica_set(revision: int, image: str, wanted: int, **status: Any) -> Object:
    template = {
        "metadata": {"labels": {"pod-template-hash": str(revision)}},
        "spec": {"containers": [{"image": image}]},
    }
    annotations = {"deployment.kubernetes.io/revision": str(revision)}
    return workload(
        "ReplicaSet",
        f"web-{revision}",
        owner="web",
        metadata={"annotations": annotations},
        spec={"replicas": wanted, "template": template},
        **{"replicas": wanted, **status},
    )


def both(new: int, old: int) -> tuple[Object, Object]:
    """Return the ReplicaSets of both revisions, that want so many Pods."""
    return replica_set(2, "b", new), replica_set(1, "a", old)


def test_a_healthy_rollout_never_fails() -> None:
    for time, node, _ in roots(*TARGET):
        assert node.verdict is not Verdict.FAILING, (time, node.findings)


def test_a_pod_that_was_relabelled_stays_in_sight_and_does_not_count() -> None:
    node = root_at(*TARGET, 40)
    *_, released = node.children
    assert (released.gvk.kind, released.counts) == ("Pod", False)
    assert released.role == "released: labels no longer match"
    assert (node.phase, node.summary) == (
        "Complete",
        "revision 2: 3 of 3 updated, 3 available",
    )


def shown(of: Diagnosis) -> str:
    """Return the roles of the children; `+` marks those that count."""
    roles = (each.role + (" +" if each.counts else "") for each in of.children or ())
    return "; ".join(roles).replace("revision ", "")


NOT_SEEN = {"generation": 2}
MENDED = deployment(metadata=NOT_SEEN)
OLD_ONES = [replica_set(n, image, 0) for n, image in ((1, "x"), (2, "y"), (3, "z"))]
OTHERS = (replica_set(2, "c", 3), replica_set(1, "x", 0))
NEXT = (replica_set(1, "b", 3), replica_set(2, "c", 1))
UNDONE = (replica_set(1, "b", 0), replica_set(2, "c", 3))
REVISIONS: Rules = {
    "an older revision is shown only while it has Pods": (
        *(deployment(), *OLD_ONES, replica_set(4, "b", 3), pod_of("web-1", "stuck")),
        "4, current +; 3, previous; 1, older",
    ),
    # After `kubectl rollout undo`, before the numbers are written anew.
    "the current revision is the one with the template of now": (
        *(deployment(metadata={"generation": 9}), *UNDONE),
        "1, current; 2, previous",
    ),
    # Each type has a stream of its own, and they are not in step.
    "a ReplicaSet that is seen before its template is the next one": (
        *(deployment(), *NEXT),
        "1, current +; 2, next +",
    ),
    # As with one that Pod Security forbids, when the Deployment was just mended.
    "a ReplicaSet of another template does not count for one that was just mended": (
        *(MENDED, *OTHERS),
        "2, newest; 1, previous",
    ),
    "a ReplicaSet of another template does not count": (
        *(deployment(), *OTHERS),
        "2, newest; 1, previous",
    ),
    "no ReplicaSet counts while the Deployment is not observed": (
        *(MENDED, *NEXT),
        "1, current; 2, previous",
    ),
}


@rows(REVISIONS)
def test_revisions_have_roles(row: Row) -> None:
    assert shown(diagnosed(row)) == row[-1]


@pytest.mark.parametrize(
    "kind", ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"]
)
def test_an_object_that_no_controller_takes_up_says_where_to_look(kind: str) -> None:
    """As where the controller manager does not run, or is without its leader."""
    new = workload(kind)
    new["status"] = {}
    told = diagnosis(new)
    assert told.phase == "Waiting"
    assert texts(told) == ["no controller has seen it"]
    assert "lease kube-controller-manager" in told.findings[0].remedy
    new["metadata"]["creationTimestamp"] = "2026-11-21T15:03:06Z"  # 59 s ago
    told = diagnosis(new)
    assert texts(told) == ["the controller has not seen it yet"]
    assert told.findings[0].remedy == ""


@pytest.mark.parametrize(
    "spec", [{"suspend": True}, {"managedBy": "kueue.x-k8s.io/multikueue"}]
)
def test_jobs_of_other_controllers_name_no_lease(spec: dict[str, Any]) -> None:
    told = diagnosis(workload("Job", spec=spec))
    assert told.verdict is Verdict.WAITING
    assert not any("lease" in each.remedy for each in told.findings)


def test_the_progress_deadline_is_final() -> None:
    told = diagnosis(deployment(conditions=EXCEEDED))
    assert told.findings[0].final and told.since is not None


@pytest.mark.parametrize(
    ("revision", "others", "unseen", "paused", "undo"),
    [
        ("1", [1], {}, False, False),
        ("1", [], NO_SETS.reasons, False, False),
        ("2", [], NO_SETS.reasons, False, True),
        ("2", [], NO_SETS.reasons, True, False),
        ("2", [2], {}, False, False),  # revisionHistoryLimit is 0
        ("2", [1, 2], {}, False, True),
        ("2", [1, 2], {}, True, False),
    ],
)
def test_undo_is_offered_only_with_another_revision_and_unless_paused(
    revision: str, others: list[int], unseen: dict[str, str], paused: bool, undo: bool
) -> None:
    """kubectl refuses to undo the rollout of a paused Deployment.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go
    """
    stuck = deployment(
        spec={"paused": paused},
        metadata={"annotations": {"deployment.kubernetes.io/revision": revision}},
        updatedReplicas=1,
        conditions=EXCEEDED,
    )
    sets = (
        replica_set(each, "b" if each == int(revision) else "a", 1) for each in others
    )
    finding = diagnosis(stuck, *sets, unseen=unseen).findings[0]
    assert finding.about == "condition/Progressing"
    assert finding.remedy.startswith("fix what its Pods show")
    assert ("rollout undo" in finding.remedy) is undo


QUOTA = (
    'True FailedCreate pods "web-2-abcde" is forbidden: exceeded quota: compute,'
    " requested: limits.cpu=2,pods=1, used: limits.cpu=3,pods=3,"
    " limited: limits.cpu=4,pods=9"
)


def going(*finalizers: str) -> Object:
    metadata = {"deletionTimestamp": CREATED, "finalizers": list(finalizers)}
    return deployment(metadata=metadata)


def recreating(**more: Any) -> Object:
    spec = {"strategy": {"type": "Recreate"}}
    return deployment(spec=spec, replicas=0, updatedReplicas=0, **more)


DEPLOYMENTS: Rules = {
    "a status of an old generation is ignored": (
        deployment(metadata=NOT_SEEN, conditions=EXCEEDED),
        "Waiting waiting",
    ),
    "when a generation was asked for before the watch is not known": (
        MENDED,
        "generation: NotObserved generation=2",
        "generation -> nothing",
    ),
    "the progress deadline says how to go back": (
        deployment(replicas=4, updatedReplicas=1, conditions=EXCEEDED),
        *both(1, 3),
        "Failed failing",
        "condition/Progressing: NoProgress seconds=600",
        "condition/Progressing -> fix what its Pods show, or kubectl rollout "
        "undo deployment/web -n shop",
    ),
    "a quota in a condition has a remedy": (
        deployment(
            updatedReplicas=0,
            conditions=conditions(
                Available="True",
                Progressing="True NewReplicaSetCreated",
                ReplicaFailure=QUOTA,
            ),
        ),
        replica_set(2, "b", 1, replicas=0),
        replica_set(1, "a", 3),
        "Progressing failing",
        "condition/ReplicaFailure: CreationRefused what=Pods "
        "why=(QuotaExceeded amounts=[(QuotaAmount limit=4 requested=2 "
        "resource=limits.cpu used=3), (QuotaAmount limit=9 requested=1 "
        "resource=pods used=3)] quota=compute)",
        "condition/ReplicaFailure -> kubectl describe quota compute -n shop",
    ),
    "a Pod that broke is missing by a failure": (
        deployment(availableReplicas=2, conditions=SHORT),
        replica_set(1, "b", 3),
        pod_of("web-1", "a", ready=False, creationTimestamp="2026-11-21T14:00:00Z"),
        "Unavailable failing",
        (
            "condition/Available: failing PodsUnavailable desired=3 minimum=3"
            " unavailable=0"
        ),
    ),
    "a Pod that is made for a deleted one is awaited": (
        deployment(availableReplicas=2, conditions=SHORT),
        replica_set(1, "b", 3),
        pod_of("web-1", "a", ready=False, creationTimestamp=CREATED),
        "Unavailable waiting",
        "condition/Available: PodsUnavailable desired=3 minimum=3 unavailable=0",
    ),
    "where Pods may not be listed, too few of a full set are a failure": (
        deployment(availableReplicas=2, conditions=SHORT),
        NO_PODS,
        (
            "condition/Available: failing PodsUnavailable desired=3 minimum=3"
            " unavailable=0"
        ),
    ),
    "a forbidden list is reported once": (
        deployment(),
        NEITHER,
        "Complete ok",
        "replicasets: ReplicaSetsUnseen why=(ListForbidden resource=replicasets.apps)",
        "replicasets -> ask for list and watch on replicasets.apps",
        "pods: PodsUnseen why=(ListForbidden resource=pods)",
        "pods -> ask for list and watch on pods",
    ),
    "what a Deployment cannot see is not said below it again": (
        *(replica_set(1, "b", 3), deployment()),
        NEITHER,
        "no pods",
    ),
    "rights are not asked for where they would not help": (
        deployment(),
        unseen(Pod="pods are not listed yet"),
        "pods: PodsUnseen why=(ListRefused message=pods are not listed yet)",
        "pods -> nothing",
    ),
    "deletion in the foreground names what must be gone first": (
        *(going("foregroundDeletion", "x"), *both(3, 0)),
        "Terminating waiting",
        "finalizer/foregroundDeletion: OwnedFirst left=[2 ReplicaSets]",
        "finalizer/x: FinalizerHolds finalizer=x",
    ),
    "leftover Pods are reported": (
        going("orphan"),
        "finalizer/orphan: OrphanDeletion",
    ),
    "a Deployment of none is scaled down": (
        deployment(spec={"replicas": 0}, **dict.fromkeys(COUNTS, 0)),
        replica_set(1, "b", 0),
        "ScaledDown ok",
        "= no Pods wanted",
    ),
    "a refused ReplicaSet shows the server's words": (
        deployment(
            availableReplicas=0,
            conditions=conditions(
                Available="False MinimumReplicasUnavailable",
                Progressing="False ReplicaSetCreateError exceeded quota",
            ),
        ),
        "Failed failing",
        "condition/Progressing: RolloutBlocked message=exceeded quota",
        (
            "condition/Available: failing PodsUnavailable desired=3 minimum=3"
            " unavailable=0"
        ),
    ),
}


@pytest.mark.parametrize(
    ("created", "image", "verdict", "how"),
    [(3, "b", "ok ", " complete"), (0, "a", "", ""), (1, "b", "", " half")],
)
def test_a_pause_names_what_it_holds_up(
    created: int, image: str, verdict: str, how: str
) -> None:
    held = conditions(Available="True", Progressing="Unknown DeploymentPaused")
    paused = deployment(spec={"paused": True}, updatedReplicas=created, conditions=held)
    resume = "paused -> kubectl rollout resume deployment/web -n shop"
    sets = replica_set(2, image, created)
    check((paused, sets, f"paused: {verdict}RolloutPaused{how}", resume))
    assert diagnosis(paused, sets).verdict is (
        Verdict.OK if verdict else Verdict.WAITING
    )


@rows(DEPLOYMENTS)
def test_deployments_say_what_is_amiss(row: Row) -> None:
    check(row)


ROLLOUTS: Rules = {
    "numbers are shown without ReplicaSets": (
        deployment(updatedReplicas=1, conditions=conditions(Available="True")),
        NO_SETS,
        "rollout: PodsCreating desired=3 old updated=1",
    ),
    "the ReplicaSet of the new revision is awaited": (
        deployment(updatedReplicas=0, conditions=[]),
        "rollout: ReplicaSetAwaited",
    ),
    "the only Pod is not counted as all of them": (
        deployment(
            spec={"replicas": 1}, replicas=2, updatedReplicas=1, availableReplicas=1
        ),
        *both(1, 1),
        "rollout: OldPodsLeft desired=1 old=1 one surge=1 unavailable=0",
    ),
    "Recreate waits for the old Pods to be gone": (
        recreating(
            availableReplicas=0,
            conditions=conditions(
                Available="False MinimumReplicasUnavailable",
                Progressing="True ReplicaSetUpdated",
            ),
        ),
        replica_set(1, "a", 0),
        pod_of("web-1", "one", deletionTimestamp=CREATED),
        pod_of("web-1", "two", deletionTimestamp=CREATED),
        "rollout: OldPodsFirst ending=2 pods=2",
    ),
    "Recreate goes on when the old Pods are gone": (
        *(recreating(), *both(3, 0)),
        "rollout: PodsCreating coming=3 desired=3 updated=0",
    ),
    "Pods whose creation is refused by an Event are not on the way": (
        deployment(replicas=0, updatedReplicas=0, availableReplicas=0),
        replica_set(2, "b", 3),
        reported("FailedCreate", 'pods "x" is forbidden: no', about="web-2"),
        "rollout: PodsCreating desired=3 refused=3 updated=0",
    ),
    "Pods whose creation is refused by a condition are not on the way": (
        deployment(
            replicas=0,
            updatedReplicas=0,
            conditions=conditions(ReplicaFailure="True FailedCreate no"),
        ),
        replica_set(2, "b", 3),
        "rollout: PodsCreating desired=3 refused=3 updated=0",
    ),
}


@pytest.mark.parametrize(
    ("counts", "sets", "told"),
    [
        # created, updated, available; wanted of the new and of the old revision
        ((3, 0, 3), (0, 3), "PodsCreating desired=3 old soon updated=0"),
        ((3, 2, 2), (2, 0), "PodsCreating desired=3 old soon updated=2"),
        ((2, 2, 2), (2, 0), "PodsCreating desired=3 soon updated=2"),
        ((4, 1, 4), (1, 3), "PodsCreating desired=3 old room updated=1"),
        ((4, 3, 4), (3, 1), "OldPodsLeft desired=3 old=1 room"),
        ((4, 4, 4), (4, 0), "PodsTooMany pods=1"),
        ((3, 3, 2), (3, 0), "PodsAwaited pods=1 seconds=9"),
    ],
)
def test_each_step_of_a_rollout_is_shown(
    counts: tuple[int, int, int], sets: tuple[int, int], told: str
) -> None:
    names = ("replicas", "updatedReplicas", "availableReplicas")
    rolling = deployment(
        spec={"minReadySeconds": 9},
        conditions=conditions(Available="True", Progressing="True ReplicaSetUpdated"),
        **dict(zip(names, counts, strict=True)),
    )
    found = check((rolling, *both(*sets), f"rollout: {told}"))
    assert found.verdict is Verdict.WAITING
    assert len(texts(found, "rollout")) == 1


@rows(ROLLOUTS)
def test_what_a_rollout_waits_for_is_shown(row: Row) -> None:
    assert len(texts(check(row), "rollout")) == 1


def bare(
    wanted: int, made: int, *, failure: str = "", full: bool = False, labeled: int = 0
) -> Object:
    """Return a ReplicaSet of nobody; a *full* one has its Pods ready."""
    ready = ("readyReplicas", "availableReplicas", "fullyLabeledReplicas")
    counts: dict[str, Any] = dict.fromkeys(ready, made) if full else {}
    counts |= {"fullyLabeledReplicas": labeled} if labeled else {}
    counts |= {"conditions": conditions(ReplicaFailure=failure)} if failure else {}
    labels = {"app": "web", "tier": "front", "hash": "1"}
    spec = {"replicas": wanted, "template": {"metadata": {"labels": labels}}}
    return workload("ReplicaSet", spec=spec, replicas=made, **counts)


FORBIDDEN = reported(
    "FailedCreate",
    'Error creating: pods "web-" is forbidden: error looking up service account'
    ' shop/robot: serviceaccount "robot" not found',
    about="web",
)
LATER = reported("SuccessfulCreate", first="2026-11-21T15:00:09Z", about="web")
STAYS = "True FailedDelete webhook says no"
ADOPTING = bare(2, 2, full=True, labeled=1)


def adopted(**labels: str) -> tuple[Object, Object]:
    """Return two Pods of a ReplicaSet, the second with other *labels*."""
    whole = {"app": "web", "tier": "front", "hash": "1"}
    return (
        pod_of("web", "web-a", labels=whole),
        pod_of("web", "web-b", labels={"app": "web", **labels}),
    )


REPLICA_SETS: Rules = {
    "a bare ReplicaSet tells what keeps it from making Pods": (
        *(bare(2, 0), FORBIDDEN),
        "ScalingUp failing",
        "creation: CreationRefused what=Pods why=(ServiceAccountMissing "
        "kind=ServiceAccount name=robot)",
        "no others",
    ),
    "a later success is news": (
        bare(2, 0),
        FORBIDDEN,
        LATER,
        "no others",
    ),
    "a full ReplicaSet needs no more Pods": (
        *(bare(2, 2, full=True), FORBIDDEN),
        "Available ok",
    ),
    "a ReplicaSet names the Pod that lacks a label of its template": (
        *(ADOPTING, *adopted(tier="front")),
        "Unlabeled waiting",
        "labels: LabelsLacking labels=[hash=1] pod=web-b",
        "labels -> kubectl label pod web-b hash=1 -n shop",
        "no others",
    ),
    "a ReplicaSet names all labels that a Pod lacks": (
        *(ADOPTING, *adopted()),
        "labels: LabelsLacking labels=[hash=1, tier=front] pod=web-b",
        "labels -> kubectl label pod web-b hash=1 tier=front -n shop",
        "no others",
    ),
    "a label of another value is overwritten": (
        *(ADOPTING, *adopted(tier="b", hash="1")),
        "labels: LabelsLacking labels=[tier=front] pod=web-b",
        "labels -> kubectl label pod web-b tier=front --overwrite -n shop",
        "no others",
    ),
    "a ReplicaSet counts Pods that lack labels where Pods are unknown": (
        ADOPTING,
        NO_PODS,
        "Unlabeled waiting",
        "labels: LabelsLacking pods=1",
    ),
    "a failure of a full ReplicaSet is reported": (
        bare(2, 2, full=True, failure=STAYS),
        "ReplicaFailure failing",
        "condition/ReplicaFailure: DeletionRefused why=(RequestRefused "
        "message=webhook says no)",
        "no others",
    ),
    "a Pod that cannot be deleted is a failure while it is one too many": (
        bare(1, 2, failure=STAYS),
        "ScalingDown failing",
        "condition/ReplicaFailure: DeletionRefused why=(RequestRefused "
        "message=webhook says no)",
    ),
}


@rows(REPLICA_SETS)
def test_replica_sets_say_what_is_amiss(row: Row) -> None:
    check(row)


def test_a_replica_failure_does_not_fail_a_complete_rollout() -> None:
    """And still it is told: the next change will fail at it."""
    refusal = """True FailedCreate pods "x" is forbidden: violates PodSecurity "a": b"""
    its = conditions(Available="True", Progressing=ROLLED_OUT, ReplicaFailure=refusal)
    told = check(
        (
            deployment(conditions=its),
            "Complete ok",
            "condition/ReplicaFailure: waiting CreationRefused what=Pods"
            " why=(PodSecurityForbids level=a message=b)",
        )
    )
    assert not any(each.final for each in told.findings)


def test_a_time_that_no_calendar_has_is_none() -> None:
    assert clock_time(1e300) == ""
