"""A Service's selector, and the Pods behind it: questions 1 and 2."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import (
    APP,
    backend,
    endpoint_slice,
    node,
    reported,
    service,
    workload,
)
from tests.core.diagnosis.serving import FAILING, OK, UNKNOWN, WAITING, answer, served
from tests.tracing import diagnosis


def test_a_selector_that_matches_is_fine() -> None:
    assert answer(served(), "selector") == "ok: its selector app=web matches Pods"


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ({"app": "web", "tier": "front"}, "nearest is pod web-1: tier is front"),
        ({"app": "web"}, "nearest is pod web-1: it has no label tier"),
        ({"app": "wbe"}, "nearest is pod web-1: app is wbe and it has no label tier"),
        ({"role": "db"}, "no Pod in the namespace has a label app or tier"),
        ({"app": "", "tier": "frontend"}, "nearest is pod web-1: app is empty"),
    ],
)
def test_unmatched_selectors_name_labels(labels: dict[str, str], why: str) -> None:
    selector = {"app": "web", "tier": "frontend"}
    of = diagnosis(service(selector=selector), backend(labels=labels))
    text = f"failing: no Pod has app=web and tier=frontend; {why}"
    assert answer(of, "selector") == text
    assert (of.phase, of.verdict) == ("NoPods", FAILING)


def test_the_nearest_pod_is_the_one_whose_value_is_most_alike() -> None:
    of = diagnosis(
        service(),
        backend("a", labels={"app": "db"}),
        backend("b", labels={"app": "wbe"}),
    )
    assert "nearest is pod b: app is wbe" in answer(of, "selector")


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ({"app": "sick"}, "in the namespace app is sick"),
        ({"app": "web-v2"}, "nearest is pod a: app is web-v2"),
        ({"name": "web"}, "nearest is pod a: it has no label app, but name=web"),
        ({"app": ""}, "in the namespace app is empty"),
    ],
)
def test_the_nearest_pod_is_near_in_value(labels: dict[str, str], why: str) -> None:
    of = diagnosis(service(), backend("a", labels=labels))
    assert answer(of, "selector") == f"failing: no Pod has app=web; {why}"


def test_a_label_that_is_shared_makes_no_other_app_the_nearest() -> None:
    others = [backend(each, labels={"app": each, "env": "prod"}) for each in "abcdefgh"]
    of = diagnosis(service(selector={"app": "payments", "env": "prod"}), *others)
    assert answer(of, "selector") == (
        "failing: no Pod has app=payments and env=prod; in the namespace app is a, b, "
        "c, d, e, f or 2 others"
    )
    pair = [backend("a", labels={"env": "dev", "app": "x"}), backend("b")]
    of = diagnosis(service(selector={"app": "web", "env": "dev"}), pair[0], pair[1])
    assert answer(of, "selector").endswith("nearest is pod b: it has no label env")
    pair[1]["metadata"]["labels"]["env"] = "prod"
    of = diagnosis(service(selector={"app": "web", "env": "dev"}), *pair)
    assert answer(of, "selector").endswith("but no Pod has all of them")


def made_by(kind: str, app: str = "web", **spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": app, "tier": "front"}}}
    return workload(kind, spec={"template": template, **spec})


@pytest.mark.parametrize(
    "kind", ["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"]
)
def test_a_workload_that_is_scaled_to_0_is_the_cause(kind: str) -> None:
    of = diagnosis(
        service(), made_by(kind, replicas=0), backend("sick", labels={"app": "sick"})
    )
    text = (
        f"failing: no Pod has app=web: {kind} web makes such Pods, and is scaled to 0"
    )
    assert answer(of, "selector") == text
    assert of.findings[0].remedy == (
        f"kubectl scale {kind.lower()}/web --replicas=1 -n shop"
    )


def test_a_workload_that_has_no_pods_yet_is_the_cause() -> None:
    of = diagnosis(service(), made_by("Deployment", replicas=3))
    assert answer(of, "selector").endswith("web makes such Pods, and has none yet")
    assert of.findings[0].remedy == "kubectl spy trace deployment/web -n shop"
    of = diagnosis(service(), made_by("DaemonSet"))
    assert answer(of, "selector").endswith("DaemonSet web makes such Pods, on no node")


def test_the_template_of_a_workload_may_be_the_nearest() -> None:
    of = diagnosis(service(), made_by("Deployment", app="wbe", replicas=0))
    assert answer(of, "selector").endswith("nearest is Deployment web: app is wbe")


def test_old_replica_sets_of_a_deployment_are_not_asked() -> None:
    old = made_by("ReplicaSet", replicas=0)
    old["metadata"]["ownerReferences"] = [{"kind": "Deployment", "uid": "d"}]
    of = diagnosis(service(), old, backend("a", labels={"app": "sick"}))
    assert answer(of, "selector").endswith("in the namespace app is sick")


def test_pods_that_leave_one_by_one_are_the_last_of_what_is_scaled_to_0() -> None:
    going = backend(metadata={"deletionTimestamp": "2026-11-20T15:00:00Z"})
    of = diagnosis(service(), going, made_by("Deployment", replicas=0))
    assert answer(of, "selector").startswith(
        "failing: all Pods with app=web are terminating or have ended: Deployment web "
        "makes such Pods"
    )


def test_pods_of_another_namespace_are_none() -> None:
    of = diagnosis(service(), backend(namespace="other"))
    text = "failing: no Pod has app=web: there are no Pods in the namespace"
    assert answer(of, "selector") == text
    assert of.findings[0].remedy == (
        "kubectl get deploy,sts,ds -n shop shows what is scaled to 0"
    )


def test_without_the_right_to_list_pods_only_that_is_unknown() -> None:
    of = diagnosis(service(), endpoint_slice(), unseen={"Pod": "pods are forbidden"})
    text = "unknown: which Pods have app=web is unknown: pods are forbidden"
    assert answer(of, "selector") == text


def test_slices_without_a_selector_have_another_writer() -> None:
    of = diagnosis(service(selector=None))
    assert answer(of, "selector").startswith("ok: it has no selector: somebody else")
    assert answer(of, "endpoints") == (
        "failing: no EndpointSlice has the label kubernetes.io/service-name=web: "
        "traffic goes nowhere"
    )
    assert (of.phase, of.verdict) == ("NoEndpoints", FAILING)


def waiting(reason: str) -> dict[str, Any]:
    return {"state": {"waiting": {"reason": reason}}, "ready": False, "started": False}


def ended(code: int, reason: str) -> dict[str, Any]:
    return {
        "state": {"terminated": {"exitCode": code, "reason": reason}},
        "ready": False,
    }


@pytest.mark.parametrize(
    ("container", "line"),
    [
        (waiting("ContainerCreating"), "waiting: waits to be created"),
        (waiting("CreateContainerError"), "failing: cannot be created"),
        (
            ended(137, "OOMKilled"),
            "failing: ran out of memory (OOMKilled), it has no limit of its own: the "
            "node's memory ran out, will be restarted",
        ),
        (
            {"state": {"running": {}}, "ready": False},
            "waiting: running, not ready: its readiness probe (GET :8080/) has not "
            "passed",
        ),
    ],
)
def test_the_unready_container_is_named(container: dict[str, Any], line: str) -> None:
    of = diagnosis(service(), backend(ready=False, container=container))
    verdict, told = line.split(": ", 1)
    assert answer(of, "pods") == f"{verdict}: 0 of 1 Pods ready; web-1: {told}"


def test_a_failing_readiness_probe_shows_its_answer() -> None:
    sick = backend(ready=False)
    failure = reported(
        "Unhealthy",
        'Readiness probe failed: Get "http://10.0.0.3:8080/": read tcp '
        "10.0.0.1:51234->10.0.0.3:8080: read: connection reset by peer",
        about=sick,
        field=APP,
        first="2026-11-20T15:01:00Z",
    )
    of = diagnosis(service(), sick, failure)
    assert answer(of, "pods") == (
        "failing: 0 of 1 Pods ready; web-1: readiness probe (GET :8080/) failed: "
        'Get "http://10.0.0.3:8080/": read tcp 10.0.0.3:8080: read: connection reset '
        "by peer"
    )


def test_a_probe_of_the_container_before_is_of_the_past() -> None:
    sick = backend(ready=False)
    failure = reported(
        "Unhealthy",
        "Readiness probe failed: HTTP probe failed with statuscode: 503",
        about=sick,
        field=APP,
        count=9,
        first="2026-11-20T14:00:00Z",
    )
    of = diagnosis(service(), sick, failure)
    assert "its readiness probe (GET :8080/) has not passed" in answer(of, "pods")


def test_init_containers_and_sidecars_keep_a_pod_too() -> None:
    booting = backend(ready=False, container=waiting("PodInitializing"))
    booting["spec"]["initContainers"] = [
        {"name": "past"},
        {"name": "setup"},
        {"name": "mesh", "restartPolicy": "Always"},
    ]
    booting["status"]["initContainerStatuses"] = [
        {"name": "past", "state": {"terminated": {"exitCode": 0}}},
        {"name": "setup", "state": {"running": {}}},
        {"name": "mesh", "state": {"waiting": {"reason": "ImagePullBackOff"}}},
    ]
    of = diagnosis(service(), booting)
    assert answer(of, "pods") == (
        "failing: 0 of 1 Pods ready; web-1: sidecar mesh: cannot pull image"
    )
    booting["status"]["initContainerStatuses"].pop()
    of = diagnosis(service(), booting)
    assert answer(of, "pods").endswith("web-1: init container setup: running")


def test_a_pod_that_cannot_be_scheduled_says_why() -> None:
    conditions = [
        {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": "0/3 nodes are available: 3 Insufficient cpu.",
        }
    ]
    of = diagnosis(service(), backend(node="", conditions=conditions))
    assert answer(of, "pods") == (
        "waiting: 0 of 1 Pods ready; web-1: none of 3 nodes fits: insufficient cpu (3)"
    )


def test_readiness_gates_are_named() -> None:
    gated = backend(
        conditions=[
            {"type": "Ready", "status": "False", "reason": "ReadinessGatesNotReady"},
            {"type": "ContainersReady", "status": "True"},
        ],
        readinessGates=[{"conditionType": "target-health.example.com/web"}],
    )
    of = diagnosis(service(), gated)
    assert answer(of, "pods").endswith(
        "web-1: not ready: readiness gate target-health.example.com/web is not met, "
        "nobody has set that condition"
    )


@pytest.mark.parametrize(
    ("container", "why"),
    [
        ({}, "waits to be created"),
        (
            {"state": {"running": {}}, "started": False},
            "running, not ready: its startup probe (TCP :80) has not passed",
        ),
    ],
)
def test_a_starting_pod_shows_its_progress(container: dict[str, Any], why: str) -> None:
    booting = backend(ready=False, container={"ready": False, **container})
    booting["spec"]["containers"][0]["startupProbe"] = {"tcpSocket": {"port": 80}}
    of = diagnosis(service(), booting)
    assert answer(of, "pods") == f"waiting: 0 of 1 Pods ready; web-1: {why}"


def test_a_pod_may_be_unready_for_what_only_its_kubelet_knows() -> None:
    ready = {"type": "Ready", "status": "False", "reason": "PodReadyToStart"}
    of = diagnosis(service(), backend(conditions=[ready]))
    assert answer(of, "pods").endswith("web-1: not ready: PodReadyToStart")
    unprobed = backend(
        ready=False, container={"state": {"running": {}}, "ready": False}
    )
    del unprobed["spec"]["containers"][0]["readinessProbe"]
    of = diagnosis(service(), unprobed)
    assert answer(of, "pods").endswith("web-1: running, not ready")


def test_other_reasons_are_counted() -> None:
    reasons = ("ErrImagePull", "CrashLoopBackOff", "InvalidImageName")
    of = diagnosis(
        service(),
        *(backend(each, ready=False, container=waiting(each)) for each in reasons),
    )
    assert answer(of, "pods").endswith("; 1 more not ready for other reasons")


def test_a_lost_node_is_the_reason_for_its_pods() -> None:
    of = diagnosis(service(), backend(ready=False), node(ready="Unknown"))
    assert answer(of, "pods").endswith("web-1: node node-1 is not ready")


def test_pods_with_one_reason_share_it() -> None:
    creating = waiting("ContainerCreating")
    of = diagnosis(
        service(),
        backend("a"),
        *(backend(name, ready=False, container=creating) for name in "bcd"),
        backend("e", ready=False, container=waiting("ErrImagePull")),
    )
    assert answer(of, "pods") == (
        "failing: 1 of 5 Pods ready; e: cannot pull image; b and 2 more: waits to be "
        "created"
    )
    assert of.summary == "ClusterIP 10.96.0.9, 1 of 5 Pods ready"


def test_terminating_pods_do_not_count() -> None:
    going = backend("b", metadata={"deletionTimestamp": "2026-11-20T15:00:00Z"})
    done = backend("c", ready=False)
    done["status"]["phase"] = "Succeeded"
    of = served(going, done)
    assert answer(of, "pods") == (
        "ok: 1 of 1 Pods ready; 1 terminating; 1 ended (Succeeded or Failed)"
    )
    assert of.verdict is OK
    children = of.children or ()
    assert [each.counts for each in children] == [False, False, True, True]


def test_only_pods_that_leave_are_no_pods() -> None:
    going = backend(metadata={"deletionTimestamp": "2026-11-20T15:00:00Z"})
    of = diagnosis(service(), going, endpoint_slice())
    assert answer(of, "pods") == "waiting: no Pod is left; 1 terminating"
    assert (of.phase, of.verdict) == ("NotReady", WAITING)


def test_not_ready_pods_may_get_traffic_all_the_same() -> None:
    of = diagnosis(service(publishNotReadyAddresses=True), backend(ready=False))
    assert answer(of, "pods").endswith("publishNotReadyAddresses gives traffic to all")


def test_unknown_kinds_do_not_fail_a_service() -> None:
    of = served()
    assert {each.verdict for each in of.findings} == {OK, UNKNOWN}
    assert (of.phase, of.verdict) == ("Serving", OK)
