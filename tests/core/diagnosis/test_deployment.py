"""What a trace says of Deployments and their ReplicaSets."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.diagnosis.wording import clock_time
from kubectl_spy.render.findings import text as text_of
from tests.builders import CREATED, conditions, pod_of, reported, workload
from tests.core.diagnosis.workloads import is_ok, phases, roles, root_at, roots, texts
from tests.tracing import diagnosis, found

TARGET = ("deploy-rollout", "Deployment/nginx")
OLD, NEW = "nginx-865d967699", "nginx-bc988676b"
ROLLED_OUT = "True NewReplicaSetAvailable"


def deployment(
    *, spec: dict[str, Any] | None = None, metadata: Any = None, **status: Any
) -> dict[str, Any]:
    """Return a Deployment of three that is rolled out, but for what is given."""
    counts = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
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
        **dict.fromkeys(counts, 3)
        | {"conditions": conditions(Available="True", Progressing=ROLLED_OUT)}
        | status,
    )


def replica_set(
    revision: int, image: str, wanted: int, **status: Any
) -> dict[str, Any]:
    name = f"web-{revision}"
    labels = {"pod-template-hash": str(revision)}
    template = {"metadata": {"labels": labels}, "spec": {"containers": []}}
    template["spec"] = {"containers": [{"image": image}]}
    annotations = {"deployment.kubernetes.io/revision": str(revision)}
    return workload(
        "ReplicaSet",
        name,
        owner="web",
        metadata={"annotations": annotations},
        spec={"replicas": wanted, "template": template},
        **{"replicas": wanted, **status},
    )


def test_a_deployment_is_complete_when_all_numbers_agree() -> None:
    counts = ("replicas", "updatedReplicas", "availableReplicas")
    oks = 0
    for _, node, document in roots(*TARGET):
        status, wanted = document["status"], document["spec"]["replicas"]
        if is_ok(node):
            oks += 1
            assert status["observedGeneration"] == document["metadata"]["generation"]
            assert [status[each] for each in counts] == [wanted] * 3
        else:
            assert node.phase not in ("Complete", "ScaledDown")
    assert oks


def test_a_healthy_rollout_never_fails() -> None:
    for time, node, _ in roots(*TARGET):
        assert node.verdict is not Verdict.FAILING, (time, node.findings)


def test_the_phases_tell_a_rollout_from_a_replaced_pod_and_from_scaling() -> None:
    assert phases(*TARGET) == [
        *("Waiting", "Progressing", "Complete"),  # created
        *("Waiting", "Progressing", "Complete"),  # a new image
        *("Unavailable", "Complete"),  # a Pod is killed
        *("Unavailable", "Complete"),  # a Pod is relabelled
        *("Waiting", "Unavailable", "Complete"),  # scaled to five
    ]


def test_a_rollout_tells_what_it_waits_for_at_each_step() -> None:
    told: list[str] = []
    for time, node, _ in roots(*TARGET):
        if 13 < time < 20:
            told += [each for each in texts(node, "rollout") if each not in told]
    assert told == [
        "0 of 3 new Pods are created, 1 on the way",
        "1 of 3 new Pods are created; the next is created when one more is available"
        " (maxSurge 1, maxUnavailable 0)",
        "1 of 3 new Pods are created; the next is created when an old Pod is deleted",
        "1 of 3 new Pods are created, 1 on the way",
        "2 of 3 new Pods are created; the next is created when one more is available"
        " (maxSurge 1, maxUnavailable 0)",
        "2 of 3 new Pods are created; the next is created when an old Pod is deleted",
        "2 of 3 new Pods are created, 1 on the way",
        "all 3 new Pods are created; 1 old Pod is deleted when one more is available"
        " (maxSurge 1, maxUnavailable 0)",
        "all 3 new Pods are created; 1 old Pod is being deleted",
        "2 Pods are still ending",
        "1 Pod is still ending",
    ]


def test_numbers_of_another_generation_are_not_shown_as_those_of_this_one() -> None:
    waiting = [node for _, node, _ in roots(*TARGET) if node.phase == "Waiting"]
    assert {node.summary for node in waiting} == {"0 available", "3 available"}
    assert texts(waiting[-1]) == ["the controller has not seen generation 3 yet"]


def test_the_current_replica_set_comes_first_and_alone_counts() -> None:
    assert roles(*TARGET, 13) == [f"{OLD}: revision 1, current"]
    assert roles(*TARGET, 14) == [
        f"{NEW}: revision 2, current",
        f"{OLD}: revision 1, previous",
    ]
    node = root_at(*TARGET, 14)
    assert [each.counts for each in node.children] == [True, False]


def test_a_pod_that_was_relabelled_stays_in_sight_and_does_not_count() -> None:
    node = root_at(*TARGET, 40)
    *_, released = node.children
    assert (released.gvk.kind, released.counts) == ("Pod", False)
    assert released.role == "released: labels no longer match"
    assert (node.phase, node.summary) == (
        "Complete",
        "revision 2: 3 of 3 updated, 3 available",
    )


def test_an_older_revision_is_shown_only_while_it_has_pods() -> None:
    sets = [replica_set(n, image, 0) for n, image in ((1, "x"), (2, "y"), (3, "z"))]
    pod = pod_of("web-1", "stuck")
    shown = diagnosis(deployment(), *sets, replica_set(4, "b", 3), pod).children
    assert [(each.uid, each.role, each.counts) for each in shown or ()] == [
        ("web-4", "revision 4, current", True),
        ("web-3", "revision 3, previous", False),
        ("web-1", "revision 1, older", False),
    ]


def test_the_current_revision_is_the_one_with_the_template_of_now() -> None:
    """After `kubectl rollout undo`, before the numbers are written anew."""
    sets = replica_set(1, "b", 0), replica_set(2, "c", 3)
    undone = deployment(metadata={"generation": 9})
    shown = diagnosis(undone, *sets).children or ()
    assert [each.role for each in shown] == [
        "revision 1, current",
        "revision 2, previous",
    ]


def test_a_replica_set_that_is_seen_before_its_template_is_the_next_one() -> None:
    """Each type has a stream of its own, and they are not in step."""
    sets = replica_set(1, "b", 3), replica_set(2, "c", 1)
    shown = diagnosis(deployment(), *sets).children or ()
    assert [(each.role, each.counts) for each in shown] == [
        ("revision 1, current", True),
        ("revision 2, next", True),
    ]


def test_a_replica_set_of_another_template_does_not_count() -> None:
    """As with one that Pod Security forbids, when the Deployment was just mended."""
    sets = replica_set(2, "c", 3), replica_set(1, "x", 0)
    mended = deployment(metadata={"generation": 2})
    for changed in (mended, deployment()):
        assert [
            (each.role, each.counts)
            for each in diagnosis(changed, *sets).children or ()
        ] == [("revision 2, newest", False), ("revision 1, previous", False)]


def test_no_replica_set_counts_while_the_deployment_is_not_observed() -> None:
    sets = replica_set(1, "b", 3), replica_set(2, "c", 1)
    told = diagnosis(deployment(metadata={"generation": 2}), *sets)
    assert [(each.role, each.counts) for each in told.children or ()] == [
        ("revision 1, current", False),
        ("revision 2, previous", False),
    ]


def test_a_status_of_an_old_generation_is_ignored() -> None:
    late = deployment(
        metadata={"generation": 2},
        conditions=conditions(Progressing="False ProgressDeadlineExceeded x"),
    )
    told = diagnosis(late)
    assert (told.phase, told.verdict) == ("Waiting", Verdict.WAITING)


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


def test_when_a_generation_was_asked_for_before_the_watch_is_not_known() -> None:
    told = diagnosis(deployment(metadata={"generation": 2}))
    assert text_of(told.findings[0]) == "the controller has not seen generation 2 yet"
    assert told.findings[0].remedy == ""


def test_the_progress_deadline_is_final_and_says_how_to_go_back() -> None:
    stuck = deployment(
        replicas=4,
        updatedReplicas=1,
        conditions=conditions(
            Available="True", Progressing="False ProgressDeadlineExceeded timed out"
        ),
    )
    told = diagnosis(stuck, replica_set(2, "b", 1), replica_set(1, "a", 3))
    finding = told.findings[0]
    assert (told.phase, told.verdict) == ("Failed", Verdict.FAILING)
    assert text_of(finding) == "no progress for 600 s (progressDeadlineSeconds)"
    assert finding.remedy == (
        "fix what its Pods show, or kubectl rollout undo deployment/web -n shop"
    )
    assert finding.final and told.since is not None


@pytest.mark.parametrize(
    ("revision", "others", "unseen", "paused", "undo"),
    [
        ("1", [1], {}, False, False),
        ("1", [], {"ReplicaSet": "may not list replicasets"}, False, False),
        ("2", [], {"ReplicaSet": "may not list replicasets"}, False, True),
        ("2", [], {"ReplicaSet": "may not list replicasets"}, True, False),
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
        conditions=conditions(Progressing="False ProgressDeadlineExceeded timed out"),
    )
    sets = (
        replica_set(each, "b" if each == int(revision) else "a", 1) for each in others
    )
    finding = diagnosis(stuck, *sets, unseen=unseen).findings[0]
    assert finding.about == "condition/Progressing"
    assert finding.remedy.startswith("fix what its Pods show")
    assert ("rollout undo" in finding.remedy) is undo


def test_a_quota_in_a_condition_has_a_remedy() -> None:
    message = (
        'pods "web-2-abcde" is forbidden: exceeded quota: compute, requested: '
        "limits.cpu=2,pods=1, used: limits.cpu=3,pods=3, limited: limits.cpu=4,pods=9"
    )
    stuck = deployment(
        updatedReplicas=0,
        conditions=conditions(
            Available="True",
            Progressing="True NewReplicaSetCreated",
            ReplicaFailure=f"True FailedCreate {message}",
        ),
    )
    told = diagnosis(stuck, replica_set(2, "b", 1, replicas=0), replica_set(1, "a", 3))
    assert told.verdict is Verdict.FAILING
    assert found(told, "condition/ReplicaFailure")[1] == (
        "cannot create Pods: quota compute is exceeded: limits.cpu requested 2, "
        "used 3 of 4, pods requested 1, used 3 of 9"
    )
    assert told.findings[0].remedy == "kubectl describe quota compute -n shop"


@pytest.mark.parametrize(
    ("created", "image", "verdict", "text"),
    [
        (3, "b", Verdict.OK, "paused: changes of the Pod template are not rolled out"),
        (0, "a", Verdict.WAITING, "paused: the changed Pod template is not rolled out"),
        (1, "b", Verdict.WAITING, "paused: the rollout stands still half way"),
    ],
)
def test_a_pause_names_what_it_holds_up(
    created: int, image: str, verdict: Verdict, text: str
) -> None:
    paused = deployment(
        spec={"paused": True},
        updatedReplicas=created,
        conditions=conditions(Available="True", Progressing="Unknown DeploymentPaused"),
    )
    told = diagnosis(paused, replica_set(2, image, created))
    assert (told.phase, told.verdict) == ("Paused", verdict)
    assert found(told, "paused") == (verdict, text)
    assert told.findings[-1].remedy == "kubectl rollout resume deployment/web -n shop"


@pytest.mark.parametrize(
    ("made", "verdict"),
    [
        ("2026-11-21T14:00:00Z", Verdict.FAILING),  # it was there before, and broke
        (CREATED, Verdict.WAITING),  # it is made for one that was deleted
    ],
)
def test_broken_pods_are_not_missing_pods(made: str, verdict: Verdict) -> None:
    short = deployment(
        availableReplicas=2,
        conditions=conditions(
            Available="False MinimumReplicasUnavailable", Progressing=ROLLED_OUT
        ),
    )
    pod = pod_of("web-1", "web-1-a", ready=False, creationTimestamp=made)
    told = diagnosis(short, replica_set(1, "b", 3), pod)
    assert (told.phase, told.verdict) == ("Unavailable", verdict)
    assert found(told, "condition/Available") == (
        verdict,
        "fewer Pods are available than the minimum of 3 (3 wanted, maxUnavailable 0)",
    )


def test_recreate_waits_for_the_old_pods_to_be_gone() -> None:
    recreating = deployment(
        spec={"strategy": {"type": "Recreate"}},
        replicas=0,
        updatedReplicas=0,
        availableReplicas=0,
        conditions=conditions(
            Available="False MinimumReplicasUnavailable",
            Progressing="True ReplicaSetUpdated",
        ),
    )
    pods = [pod_of("web-1", name, deletionTimestamp=CREATED) for name in ("one", "two")]
    told = diagnosis(recreating, replica_set(1, "a", 0), *pods)
    assert texts(told, "rollout") == [
        "waits until 2 old Pods are gone (2 ending); then the new ones are created "
        "(strategy Recreate)"
    ]


def test_a_forbidden_list_is_reported_once() -> None:
    why = {"Pod": "may not list pods", "ReplicaSet": "may not list replicasets.apps"}
    told = diagnosis(deployment(), unseen=why)
    assert is_ok(told)
    unknown = [each for each in told.findings if each.verdict is Verdict.UNKNOWN]
    assert [(each.about, text_of(each), each.remedy) for each in unknown] == [
        (
            "replicasets",
            "unknown: may not list replicasets.apps, so its ReplicaSets and Pods are"
            " not shown",
            "ask for list and watch on replicasets.apps",
        ),
        (
            "pods",
            "unknown: may not list pods, so its Pods are not shown",
            "ask for list and watch on pods",
        ),
    ]
    below = diagnosis(replica_set(1, "b", 3), deployment(), unseen=why)
    assert texts(below, "pods") == []


def test_rights_are_not_asked_for_where_they_would_not_help() -> None:
    told = diagnosis(deployment(), unseen={"Pod": "pods are not listed yet"})
    (unknown,) = [each for each in told.findings if each.verdict is Verdict.UNKNOWN]
    assert (text_of(unknown), unknown.remedy) == (
        "unknown: pods are not listed yet, so its Pods are not shown",
        "",
    )


def test_deletion_in_the_foreground_names_what_must_be_gone_first() -> None:
    metadata = {"deletionTimestamp": CREATED, "finalizers": ["foregroundDeletion", "x"]}
    sets = replica_set(1, "a", 0), replica_set(2, "b", 3)
    told = diagnosis(deployment(metadata=metadata), *sets)
    assert (told.phase, told.verdict) == ("Terminating", Verdict.WAITING)
    assert texts(told, "finalizer") == [
        "being deleted: first 2 ReplicaSets must be gone",
        "being deleted: waits until finalizer x is removed",
    ]


def test_a_deployment_of_none_is_scaled_down() -> None:
    counts = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    none = deployment(spec={"replicas": 0}, **dict.fromkeys(counts, 0))
    told = diagnosis(none, replica_set(1, "b", 0))
    assert (told.phase, told.summary) == ("ScaledDown", "no Pods wanted")
    assert is_ok(told)


def test_a_bare_replica_set_tells_what_keeps_it_from_making_pods() -> None:
    bare = workload("ReplicaSet", spec={"replicas": 2}, replicas=0)
    refused = 'Error creating: pods "web-" is forbidden: error looking up service '
    refused += 'account shop/robot: serviceaccount "robot" not found'
    failed = reported("FailedCreate", refused, about="web")
    told = diagnosis(bare, failed)
    assert (told.phase, told.verdict) == ("ScalingUp", Verdict.FAILING)
    assert texts(told) == ["cannot create Pods: service account robot does not exist"]
    later = reported("SuccessfulCreate", first="2026-11-21T15:00:09Z", about="web")
    assert texts(diagnosis(bare, failed, later)) == []
    full = workload("ReplicaSet", spec={"replicas": 2}, replicas=2, readyReplicas=2)
    full["status"] |= {"availableReplicas": 2, "fullyLabeledReplicas": 2}
    told = diagnosis(full, failed)
    assert (told.phase, told.verdict) == ("Available", Verdict.OK)


def test_a_replica_failure_does_not_fail_a_complete_rollout() -> None:
    """And still it is told: the next change will fail at it."""
    refusal = """True FailedCreate pods "x" is forbidden: violates PodSecurity "a": b"""
    told = diagnosis(
        deployment(
            conditions=conditions(
                Available="True", Progressing=ROLLED_OUT, ReplicaFailure=refusal
            )
        )
    )
    assert (told.phase, told.verdict) == ("Complete", Verdict.OK)
    assert found(told, "condition/ReplicaFailure") == (
        Verdict.WAITING,
        "cannot create Pods: Pod Security a forbids it: b",
    )
    assert not any(each.final for each in told.findings)


def adopting() -> dict[str, Any]:
    """Return a ReplicaSet of two ready Pods, one of which lacks labels."""
    template = {"metadata": {"labels": {"app": "web", "tier": "front", "hash": "1"}}}
    spec = {"replicas": 2, "template": template}
    adopted = workload("ReplicaSet", spec=spec, replicas=2, readyReplicas=2)
    adopted["status"] |= {"availableReplicas": 2, "fullyLabeledReplicas": 1}
    return adopted


@pytest.mark.parametrize(
    ("labels", "lacking", "command"),
    [
        ({"tier": "front"}, "label hash=1", "hash=1"),
        ({}, "labels hash=1 and tier=front", "hash=1 tier=front"),
        ({"tier": "b", "hash": "1"}, "label tier=front", "tier=front --overwrite"),
    ],
)
def test_a_replica_set_names_the_pod_that_lacks_labels_of_its_template(
    labels: dict[str, str], lacking: str, command: str
) -> None:
    pods = [pod_of("web", name) for name in ("web-a", "web-b")]
    pods[0]["metadata"]["labels"] = {"app": "web", "tier": "front", "hash": "1"}
    pods[1]["metadata"]["labels"] = {"app": "web", **labels}
    told = diagnosis(adopting(), *pods)
    assert (told.phase, told.verdict) == ("Unlabeled", Verdict.WAITING)
    assert texts(told) == [f"pod web-b lacks {lacking} of the Pod template"]
    assert told.findings[0].remedy == f"kubectl label pod web-b {command} -n shop"


def test_a_replica_set_counts_pods_that_lack_labels_where_pods_are_unknown() -> None:
    told = diagnosis(adopting(), unseen={"Pod": "may not list pods"})
    assert (told.phase, told.verdict) == ("Unlabeled", Verdict.WAITING)
    assert texts(told, "labels") == ["1 Pod lacks labels of the Pod template"]


def test_a_replica_failure_of_a_full_set_is_reported() -> None:
    """`--for ready` waits for its end, as kstatus does."""
    counts = ("replicas", "readyReplicas", "availableReplicas", "fullyLabeledReplicas")
    refusal = conditions(ReplicaFailure="True FailedDelete webhook says no")
    full = workload("ReplicaSet", spec={"replicas": 2}, conditions=refusal)
    full["status"] |= dict.fromkeys(counts, 2)
    told = diagnosis(full)
    assert (told.phase, told.verdict) == ("ReplicaFailure", Verdict.FAILING)
    assert texts(told) == ["cannot delete Pods: webhook says no"]


def test_a_pod_that_cannot_be_deleted_is_a_failure_while_it_is_one_too_many() -> None:
    refusal = conditions(ReplicaFailure="True FailedDelete webhook says no")
    shrinking = workload(
        "ReplicaSet", spec={"replicas": 1}, replicas=2, conditions=refusal
    )
    told = diagnosis(shrinking)
    assert (told.phase, told.verdict) == ("ScalingDown", Verdict.FAILING)
    assert "cannot delete Pods: webhook says no" in texts(told)


@pytest.mark.parametrize(
    ("counts", "sets", "text"),
    [
        # created, updated, available; wanted of the new and of the old revision
        ((3, 0, 3), (0, 3), "0 of 3 new Pods are created; the next comes as soon as"),
        ((3, 2, 2), (2, 0), "2 of 3 new Pods are created; the next comes as soon as"),
        ((2, 2, 2), (2, 0), "2 of 3 Pods are created; the next comes as soon as the"),
        ((4, 1, 4), (1, 3), "1 of 3 new Pods are created; an old one makes room for"),
        ((4, 3, 4), (3, 1), "all 3 new Pods are created; 1 old Pod is left to delete"),
        ((4, 4, 4), (4, 0), "1 Pod is too many and being deleted"),
        ((3, 3, 2), (3, 0), "waits for 1 Pod to be ready for 9 s (minReadySeconds)"),
    ],
)
def test_each_step_of_a_rollout_is_shown(
    counts: tuple[int, int, int], sets: tuple[int, int], text: str
) -> None:
    created, updated, available = counts
    rolling = deployment(
        spec={"minReadySeconds": 9},
        replicas=created,
        updatedReplicas=updated,
        availableReplicas=available,
        conditions=conditions(Available="True", Progressing="True ReplicaSetUpdated"),
    )
    told = diagnosis(
        rolling, replica_set(2, "b", sets[0]), replica_set(1, "a", sets[1])
    )
    (found_text,) = texts(told, "rollout")
    assert found_text.startswith(text)
    assert told.verdict is Verdict.WAITING


def test_numbers_are_shown_without_replica_sets() -> None:
    rolling = deployment(updatedReplicas=1, conditions=conditions(Available="True"))
    unseen = {"ReplicaSet": "may not list replicasets.apps"}
    assert texts(diagnosis(rolling, unseen=unseen), "rollout") == [
        "1 of 3 new Pods are created"
    ]
    rolling = deployment(updatedReplicas=0, conditions=[])
    assert texts(diagnosis(rolling), "rollout") == [
        "the ReplicaSet of the new revision is not created yet"
    ]


def test_the_only_pod_is_not_counted_as_all_of_them() -> None:
    one = deployment(spec={"replicas": 1}, replicas=2, updatedReplicas=1)
    one["status"]["availableReplicas"] = 1
    told = diagnosis(one, replica_set(2, "b", 1), replica_set(1, "a", 1))
    assert texts(told, "rollout") == [
        "the new Pod is created; 1 old Pod is deleted when one more is available"
        " (maxSurge 1, maxUnavailable 0)"
    ]


def test_a_refused_replica_set_shows_the_servers_words() -> None:
    failed = "False ReplicaSetCreateError forbidden: exceeded quota"
    stuck = deployment(
        availableReplicas=0,
        conditions=conditions(
            Available="False MinimumReplicasUnavailable", Progressing=failed
        ),
    )
    told = diagnosis(stuck)
    assert (told.phase, told.verdict) == ("Failed", Verdict.FAILING)
    assert found(told, "condition/Progressing")[1] == (
        "the rollout cannot go on: forbidden: exceeded quota"
    )
    assert found(told, "condition/Available")[0] is Verdict.FAILING


def test_where_pods_may_not_be_listed_too_few_of_a_full_set_are_a_failure() -> None:
    short = deployment(
        availableReplicas=2,
        conditions=conditions(
            Available="False MinimumReplicasUnavailable", Progressing=ROLLED_OUT
        ),
    )
    told = diagnosis(short, unseen={"Pod": "may not list pods"})
    assert found(told, "condition/Available")[0] is Verdict.FAILING


def test_leftover_pods_are_reported() -> None:
    metadata = {"deletionTimestamp": CREATED, "finalizers": ["orphan"]}
    told = diagnosis(deployment(metadata=metadata))
    assert texts(told, "finalizer") == [
        "being deleted: what it owns is left behind without an owner"
    ]


def test_a_time_that_no_calendar_has_is_none() -> None:
    assert clock_time(1e300) == ""


def test_recreate_goes_on_when_the_old_pods_are_gone() -> None:
    recreating = deployment(
        spec={"strategy": {"type": "Recreate"}}, replicas=0, updatedReplicas=0
    )
    told = diagnosis(recreating, replica_set(2, "b", 3), replica_set(1, "a", 0))
    assert texts(told, "rollout") == ["0 of 3 Pods are created, 3 on the way"]


def test_pods_whose_creation_is_refused_are_not_on_the_way() -> None:
    begun = deployment(replicas=0, updatedReplicas=0, availableReplicas=0)
    refused = reported("FailedCreate", 'pods "web-2-x" is forbidden: no', about="web-2")
    told = diagnosis(begun, replica_set(2, "b", 3), refused)
    assert texts(told, "rollout") == ["0 of 3 Pods are created, 3 refused"]
    failing = deployment(
        replicas=0,
        updatedReplicas=0,
        conditions=conditions(ReplicaFailure="True FailedCreate no"),
    )
    told = diagnosis(failing, replica_set(2, "b", 3))
    assert texts(told, "rollout") == ["0 of 3 Pods are created, 3 refused"]
