"""A Service's selector, and the Pods behind it: questions 1 and 2."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Verdict
from tests.builders import (
    Object,
    backend,
    endpoint_slice,
    node,
    served,
    service,
    workload,
)
from tests.core.diagnosis.cases import Row, Rules, check, rows, unseen

LEFT = {"deletionTimestamp": "2026-11-20T15:00:00Z"}
FRONTEND = {"app": "web", "tier": "frontend"}


def labelled(name: str = "web-1", /, **labels: str) -> Object:
    return backend(name, labels=labels)


def made_by(kind: str, app: str = "web", **spec: Any) -> Object:
    template = {"metadata": {"labels": {"app": app, "tier": "front"}}}
    return workload(kind, spec={"template": template, **spec})


OLD = made_by("ReplicaSet", replicas=0)
OLD["metadata"]["ownerReferences"] = [{"kind": "Deployment", "uid": "d"}]
IDLE = made_by("Deployment", replicas=0)
ALIKE = [labelled(each, app=each, env="prod") for each in "abcdefgh"]
SELECTORS: Rules = {
    "a selector that matches is fine": (
        *served(),
        "selector: SelectorMatches selector=[app=web]",
    ),
    "the nearest Pod has a label of another value": (
        *(service(selector=FRONTEND), labelled(app="web", tier="front")),
        "NoPods failing",
        "selector: SelectorMatchesNothing differs=(LabelsDiffer "
        "labels=[(LabelIs key=tier value=front)] pod=web-1) "
        "selector=[app=web, tier=frontend]",
    ),
    "the nearest Pod lacks a label": (
        *(service(selector=FRONTEND), labelled(app="web")),
        "selector ~ LabelsDiffer labels=[(LabelAbsent key=tier)] pod=web-1",
    ),
    "all differences of the nearest Pod are named": (
        *(service(selector=FRONTEND), labelled(app="wbe")),
        "selector ~ LabelsDiffer labels=[(LabelIs key=app value=wbe), "
        "(LabelAbsent key=tier)] pod=web-1",
    ),
    "no Pod has any of the labels": (
        *(service(selector=FRONTEND), labelled(role="db")),
        "selector ~ NoSuchLabel labels=[app, tier]",
    ),
    "the nearest Pod has a label without a value": (
        *(service(selector=FRONTEND), labelled(app="", tier="frontend")),
        "selector ~ LabelsDiffer labels=[(LabelIs key=app)] pod=web-1",
    ),
    "the nearest Pod is the one whose value is most alike": (
        *(service(), labelled("a", app="db"), labelled("b", app="wbe")),
        "selector ~ LabelsDiffer labels=[(LabelIs key=app value=wbe)] pod=b",
    ),
    "a Pod of another value is not near": (
        *(service(), labelled("a", app="sick")),
        "selector: SelectorMatchesNothing differs=(LabelValues "
        "labels=[(LabelHas key=app last=sick)]) selector=[app=web]",
    ),
    "a Pod whose value begins alike is near": (
        *(service(), labelled("a", app="web-v2")),
        "selector ~ LabelsDiffer labels=[(LabelIs key=app value=web-v2)] pod=a",
    ),
    "a Pod with the value in another label is near": (
        *(service(), labelled("a", name="web")),
        "selector ~ LabelsDiffer labels=[(LabelAbsent key=app other=name "
        "value=web)] pod=a",
    ),
    "a Pod of an empty value is not near": (
        *(service(), labelled("a", app="")),
        "selector ~ LabelValues labels=[(LabelHas key=app last=empty)]",
    ),
    "a label that is shared makes no other app the nearest": (
        *(service(selector={"app": "payments", "env": "prod"}), *ALIKE),
        "selector ~ LabelValues labels=[(LabelHas key=app last=2 others "
        "values=[a, b, c, d, e, f])]",
    ),
    "a Pod of that app is the nearest": (
        service(selector={"app": "web", "env": "dev"}),
        *(labelled("a", env="dev", app="x"), backend("b")),
        "selector ~ LabelsDiffer labels=[(LabelAbsent key=env)] pod=b",
    ),
    "no Pod has all of the labels": (
        service(selector={"app": "web", "env": "dev"}),
        *(labelled("a", env="dev", app="x"), labelled("b", app="web", env="prod")),
        "selector ~ LabelsApart",
    ),
    "a workload that has no Pods yet is the cause": (
        *(service(), made_by("Deployment", replicas=3)),
        "selector ~ PodsComing kind=Deployment name=web",
        "selector -> kubectl spy trace deployment/web -n shop",
    ),
    "a DaemonSet may have no node": (
        *(service(), made_by("DaemonSet")),
        "selector ~ PodsOnNoNode kind=DaemonSet name=web",
    ),
    "the template of a workload may be the nearest": (
        *(service(), made_by("Deployment", app="wbe", replicas=0)),
        "selector ~ LabelsDiffer kind=Deployment labels=[(LabelIs key=app "
        "value=wbe)] name=web",
    ),
    "old ReplicaSets of a Deployment are not asked": (
        *(service(), OLD, labelled("a", app="sick")),
        "selector ~ LabelValues labels=[(LabelHas key=app last=sick)]",
    ),
    "Pods that leave one by one are the last of what is scaled to 0": (
        *(service(), backend(metadata=LEFT), IDLE),
        "selector ~ left made=(ScaledToZero kind=Deployment name=web)",
    ),
    "Pods of another namespace are none": (
        *(service(), backend(namespace="other")),
        "selector: SelectorMatchesNothing none selector=[app=web]",
        "selector -> kubectl get deploy,sts,ds -n shop shows what is scaled to 0",
    ),
    "without the right to list Pods only that is unknown": (
        *(service(), endpoint_slice()),
        unseen(Pod="pods are forbidden"),
        "selector: SelectedPodsUnseen selector=[app=web] why=(ListRefused "
        "message=pods are forbidden)",
    ),
    "slices without a selector have another writer": (
        service(selector=None),
        "selector: SelectorAbsent",
        "endpoints: EndpointSliceMissing name=web",
        "NoEndpoints failing",
    ),
}


@rows(SELECTORS)
def test_a_selector_that_matches_no_pod_names_what_is_near(row: Row) -> None:
    check(row)


@pytest.mark.parametrize(
    "kind", ["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"]
)
def test_a_workload_that_is_scaled_to_0_is_the_cause(kind: str) -> None:
    sick = labelled("sick", app="sick")
    check(
        (
            *(service(), made_by(kind, replicas=0), sick),
            f"selector ~ made=(ScaledToZero kind={kind} name=web)",
            f"selector -> kubectl scale {kind.lower()}/web --replicas=1 -n shop",
        )
    )


def waits(name: str, reason: str = "ContainerCreating") -> Object:
    state = {"waiting": {"reason": reason}}
    return backend(name, ready=False, container={"state": state, "ready": False})


UNPROBED = backend(ready=False, container={"state": {"running": {}}, "ready": False})
del UNPROBED["spec"]["containers"][0]["readinessProbe"]
STARTING = [{"type": "Ready", "status": "False", "reason": "PodReadyToStart"}]
ENDED = backend("c", ready=False)
ENDED["status"]["phase"] = "Succeeded"
PODS: Rules = {
    "a Pod may be unready for what only its kubelet knows": (
        *(service(), backend(conditions=STARTING)),
        "pods ~ PodUnready pod=web-1 why=(PodNotReady reason=PodReadyToStart)",
    ),
    "a Pod may be unready without a probe": (
        service(),
        UNPROBED,
        "pods ~ PodUnready pod=web-1 why=(ContainerNotReady)",
    ),
    "other reasons are counted": (
        *(service(), waits("a", "ErrImagePull"), waits("b", "CrashLoopBackOff")),
        waits("c", "InvalidImageName"),
        "pods ~ others=1 pods=3 ready=0",
    ),
    "a lost node is the reason for its Pods": (
        *(service(), backend(ready=False), node(ready="Unknown")),
        "pods ~ PodUnready pod=web-1 why=(NodeNotReady node=node-1)",
    ),
    "Pods with one reason share it, and failures come first": (
        *(service(), backend("a"), waits("b"), waits("c"), waits("d")),
        waits("e", "ErrImagePull"),
        "pods ~ failing SelectedPodsUnready pods=5 ready=1",
        "pods ~ reasons=[(PodUnready pod=e why=(ImagePullFailed)),"
        " (PodUnready others=2 pod=b why=(ContainerCreating))]",
        "= ClusterIP 10.96.0.9, 1 of 5 Pods ready",
    ),
    "only Pods that leave are no Pods": (
        *(service(), backend(metadata=LEFT), endpoint_slice()),
        "NotReady waiting",
        "pods: SelectedPodsUnready terminating=1",
    ),
    "Pods that are not ready may get traffic all the same": (
        *(service(publishNotReadyAddresses=True), backend(ready=False)),
        "pods ~ unready",
    ),
}


@rows(PODS)
def test_the_reasons_of_unready_pods_are_told(row: Row) -> None:
    """What a Pod says itself is tested in `test_unready_agreement.py`."""
    check(row)


def test_terminating_pods_do_not_count() -> None:
    pods = "pods: SelectedPods ended=1 pods=1 ready=1 terminating=1"
    row = (*served(backend("b", metadata=LEFT), ENDED), pods, "Serving ok")
    counts = [each.counts for each in check(row).children or ()]
    assert counts == [False, False, True, True]


def test_unknown_kinds_do_not_fail_a_service() -> None:
    of = check((*served(), "Serving ok"))
    assert {each.verdict for each in of.findings} == {Verdict.OK, Verdict.UNKNOWN}
