"""Kinds whose conditions explain: Namespaces, Nodes and autoscalers."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.render.findings import text as text_of
from tests.builders import CREATED, a_volume, conditions, obj, workload
from tests.core.diagnosis.workloads import texts
from tests.tracing import diagnosis, found

OK, WAITING, FAILING = Verdict.OK, Verdict.WAITING, Verdict.FAILING
DELETED = {"deletionTimestamp": CREATED}


def remedies(of: Diagnosis) -> dict[str, str]:
    return {each.about: each.remedy for each in of.findings if each.remedy}


def namespace(*finalizers: str, **told: str) -> dict[str, Any]:
    """Return a Namespace that is being deleted, as its controller reports on it."""
    return obj(
        "Namespace",
        "old",
        None,
        metadata=DELETED,
        spec={"finalizers": ["kubernetes", *finalizers]},
        status={"phase": "Terminating", "conditions": conditions(**told)},
    )


def test_a_namespace_that_is_stuck_says_what_is_left_and_which_finalizer() -> None:
    stuck = namespace(
        NamespaceDeletionContentFailure="False ContentDeleted All content deleted",
        NamespaceContentRemaining="True SomeResourcesRemain Some resources are "
        "remaining: configmaps. has 2 resource instances, "
        "applications.argoproj.io has 1 resource instances",
        NamespaceFinalizersRemaining="True SomeFinalizersRemain Some content in the "
        "namespace has finalizers remaining: example.com/x in 2 resource instances, "
        "resources-finalizer.argocd.argoproj.io in 1 resource instances",
    )
    of = diagnosis(stuck)
    assert (of.phase, of.verdict) == ("Terminating", WAITING)
    assert texts(of) == [
        "it still holds configmaps (2) and applications.argoproj.io (1)",
        "waits for finalizer example.com/x of 2 objects and finalizer "
        "resources-finalizer.argocd.argoproj.io of 1 object",
    ]
    assert list(remedies(of).values()) == [
        "kubectl get configmaps,applications.argoproj.io -n old",
        "look at the controller that set example.com/x: it has to remove it",
    ]


def test_a_namespace_is_held_by_an_api_group_that_does_not_answer() -> None:
    stuck = namespace(
        NamespaceDeletionDiscoveryFailure="True DiscoveryFailed Discovery failed for "
        "some groups, 1 failing: unable to retrieve the complete list of server APIs: "
        "metrics.k8s.io/v1beta1: stale GroupVersion discovery",
        NamespaceDeletionContentFailure="True ContentDeletionFailed Failed to delete "
        'all resource types, 1 remaining: webhook "x.example.com" denied the request',
    )
    of = diagnosis(stuck)
    discovery, content = of.findings
    assert discovery.verdict is content.verdict is FAILING
    assert "metrics.k8s.io/v1beta1" in text_of(discovery)
    assert discovery.remedy.endswith("kubectl get apiservices")
    assert text_of(content).endswith('webhook "x.example.com" denied the request')


def test_a_fresh_delete_is_no_failure_of_a_namespace() -> None:
    going = namespace(
        NamespaceDeletionContentFailure="True ContentDeletionFailed Failed to delete "
        "all resource types, 1 remaining: unexpected items still remain in "
        "namespace: old for gvr: /v1, Resource=pods"
    )
    assert [each.verdict for each in diagnosis(going).findings] == [WAITING]


def test_a_namespace_may_have_a_finalizer_of_its_own() -> None:
    assert texts(diagnosis(namespace("example.com/fleet"))) == [
        "waits until example.com/fleet is removed from spec.finalizers"
    ]


def test_a_namespace_whose_pods_are_left_says_where_to_look() -> None:
    """The controller reports on nothing but Pods until these are gone."""
    of = diagnosis(namespace())
    assert remedies(of) == {"content": "kubectl get pods -n old"}
    active = namespace()
    del active["metadata"]["deletionTimestamp"]
    active["status"]["phase"] = "Active"
    assert (diagnosis(active).phase, diagnosis(active).verdict) == ("Active", OK)


@pytest.mark.parametrize("kind", ["Widget", "Cluster"])
def test_a_deleting_object_shows_its_conditions(kind: str) -> None:
    going = workload(
        kind,
        metadata={**DELETED, "finalizers": ["example.com/x"]},
        conditions=conditions(
            Deleting="True Draining 2 machines are left",
            Ready="False Deleting cannot delete: bucket is not empty",
        ),
    )
    of = diagnosis({**going, "apiVersion": "example.com/v1"})
    assert (of.phase, of.verdict) == ("Terminating", WAITING)
    assert found(of, "condition/Deleting") == (
        WAITING,
        "Deleting is True (Draining: 2 machines are left)",
    )
    assert found(of, "condition/Ready")[1].endswith("bucket is not empty)")
    assert found(of, "finalizer/example.com/x")[0] is WAITING


def node(*taints: dict[str, str], **told: str) -> dict[str, Any]:
    status = {"conditions": conditions(**told)}
    return obj("Node", "node-1", None, spec={"taints": list(taints)}, status=status)


def taint(key: str, effect: str, value: str = "") -> dict[str, str]:
    return {"key": key, "effect": effect, **({"value": value} if value else {})}


def test_a_volume_that_is_being_deleted_waits_for_its_claim() -> None:
    finalizers = ["kubernetes.io/pv-protection"]
    leaving = {"deletionTimestamp": CREATED, "finalizers": finalizers}
    claim = {"namespace": "shop", "name": "data"}
    of = diagnosis(a_volume("local-1", "Bound", metadata=leaving, claimRef=claim))
    assert found(of, "finalizer/kubernetes.io/pv-protection") == (
        WAITING,
        "being deleted: waits until PersistentVolumeClaim shop/data is gone",
    )
    assert of.findings[0].remedy == ""


def test_a_node_shows_its_taints() -> None:
    tainted = node(
        taint("dedicated", "NoSchedule", "gpu"),
        taint("a", "PreferNoSchedule"),
        Ready="True KubeletReady",
    )
    of = diagnosis(tainted)
    assert (of.phase, of.verdict) == ("Ready", OK)
    assert texts(of, "taint/") == [
        "taint dedicated=gpu:NoSchedule: no new Pod comes here without a toleration",
        "taint a:PreferNoSchedule: new Pods go to other nodes if they can",
    ]


def test_a_node_that_is_cordoned_says_so() -> None:
    cordoned = node(
        taint("node.kubernetes.io/unschedulable", "NoSchedule"), Ready="True"
    )
    cordoned["spec"]["unschedulable"] = True
    of = diagnosis(cordoned)
    assert of.phase == "Ready,SchedulingDisabled"
    assert "cordoned" in texts(of, "taint/")[0]


def test_a_node_that_is_out_of_service_waits() -> None:
    key = "node.kubernetes.io/out-of-service"
    shut_down = node(taint(key, "NoExecute", "nodeshutdown"), Ready="True")
    about = f"taint/{key}=nodeshutdown:NoExecute"
    assert found(diagnosis(shut_down), about)[0] is WAITING


def test_a_node_that_is_silent_says_since_when() -> None:
    key = "node.kubernetes.io/unreachable"
    silent = node(
        taint(key, "NoExecute"),
        Ready="Unknown NodeStatusUnknown Kubelet stopped posting node status.",
    )
    lease = obj(
        "Lease",
        "node-1",
        "kube-node-lease",
        uid="lease",
        owner="node-1",
        spec={"renewTime": "2026-11-21T15:04:05.000000Z"},
    )
    of = diagnosis(silent, lease)
    assert (of.phase, of.verdict) == ("NotReady", FAILING)
    assert found(of, "condition/Ready")[0] is FAILING
    assert [each.since for each in of.findings if each.about == "lease"] == [
        1795273445.0
    ]
    assert found(of, f"taint/{key}:NoExecute")[0] is WAITING
    again = {**silent, "status": {"conditions": conditions(Ready="True")}}
    assert texts(diagnosis(again, lease), "lease") == []


COMPUTED = "the HPA was unable to compute the replica count: "
GOT = "the HPA controller was unable to get the target's current scale: "


@pytest.mark.parametrize(
    ("told", "verdict", "cause", "remedy"),
    [
        (
            f"False FailedGetResourceMetric {COMPUTED}failed to get cpu utilization: "
            "unable to get metrics for resource cpu: unable to fetch metrics from "
            "resource metrics API: the server could not find the requested resource "
            "(get pods.metrics.k8s.io)",
            FAILING,
            "(get pods.metrics.k8s.io))",
            "install or repair metrics-server, which serves metrics.k8s.io: "
            "kubectl get apiservices",
        ),
        (
            f"False FailedGetExternalMetric {COMPUTED}unable to get external metric "
            "shop/queue/nil: unable to fetch metrics from external metrics API: the "
            "server is currently unable to handle the request "
            "(get queue.external.metrics.k8s.io)",
            FAILING,
            "(get queue.external.metrics.k8s.io))",
            "install or repair an adapter that serves "
            "external.metrics.k8s.io: kubectl get apiservices",
        ),
        (
            f"False FailedGetPodsMetric {COMPUTED}unable to get metric rps: unable to "
            "fetch metrics from custom metrics API: no custom metrics API "
            "(custom.metrics.k8s.io) registered",
            FAILING,
            "(custom.metrics.k8s.io) registered)",
            "install or repair an adapter that serves "
            "custom.metrics.k8s.io: kubectl get apiservices",
        ),
        (
            f"False FailedGetResourceMetric {COMPUTED}failed to get cpu utilization: "
            "missing request for cpu in container app of Pod web-1",
            FAILING,
            "container app of Pod web-1)",
            "set resources.requests.cpu of container app in Deployment web",
        ),
        (
            f"False FailedGetResourceMetric {COMPUTED}failed to get cpu utilization: "
            "did not receive metrics for targeted pods (pods might be unready)",
            WAITING,
            "(pods might be unready))",
            "kubectl top pods -n shop",
        ),
        (
            "False AmbiguousSelector pods by selector app=web are controlled by "
            "multiple HPAs: [shop/a shop/b]",
            FAILING,
            "[shop/a shop/b])",
            "leave each Pod to one autoscaler: kubectl get hpa -n shop",
        ),
        ("False Odd something new", WAITING, "(Odd: something new)", ""),
    ],
)
def test_an_autoscaler_names_the_cause_and_the_remedy(
    told: str, verdict: Verdict, cause: str, remedy: str
) -> None:
    of = diagnosis(autoscaler(ScalingActive=told))
    assert found(of, "condition/ScalingActive")[0] is of.verdict is verdict
    assert found(of, "condition/ScalingActive")[1].endswith(cause)
    assert remedies(of).get("condition/ScalingActive", "") == remedy


@pytest.mark.parametrize(
    ("why", "remedy"),
    [
        (
            'deployments.apps "web" not found',
            "create Deployment web, or correct spec.scaleTargetRef",
        ),
        (
            'no matches for kind "Deploymint" in group "apps"',
            "correct apiVersion and kind in spec.scaleTargetRef",
        ),
    ],
)
def test_an_autoscaler_without_its_target_says_so(why: str, remedy: str) -> None:
    of = diagnosis(autoscaler(AbleToScale=f"False FailedGetScale {GOT}{why}"))
    assert found(of, "condition/AbleToScale") == (
        FAILING,
        f"AbleToScale is False (FailedGetScale: {why})",
    )
    assert remedies(of) == {"condition/AbleToScale": remedy}


def autoscaler(**told: str) -> dict[str, Any]:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    return obj(
        "HorizontalPodAutoscaler",
        spec={"scaleTargetRef": target},
        status={"conditions": conditions(**told)},
    )


def test_an_autoscaler_at_rest_says_how_to_go_on() -> None:
    disabled = "False ScalingDisabled scaling is disabled since the replica count of "
    of = diagnosis(autoscaler(ScalingActive=f"{disabled}the target is zero"))
    assert remedies(of) == {
        "condition/ScalingActive": "kubectl scale Deployment/web --replicas=1 -n shop"
    }
