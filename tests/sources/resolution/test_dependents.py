"""What is watched along with what was asked for."""

from __future__ import annotations

import pytest

from kubectl_spy.core.objects import Selection
from kubectl_spy.sources.resolution.dependents import Dependents, dependents
from tests.sources.resolution.test_resolve import REAL, Server, resolved


def along_with(line: str, **flags: object) -> Dependents:
    return dependents(REAL, resolved(line, Server(), **flags).selections)


def explaining(line: str) -> set[str]:
    """Return what a trace watches beside all that others do."""
    selections = resolved(line, Server()).selections
    found = dependents(REAL, selections, explained=True)
    return words(found.all) - words(dependents(REAL, selections).all)


def test_a_trace_also_watches_what_pods_need_to_start() -> None:
    storage = {"/persistentvolumes", "/storageclasses"}
    its = {"/nodes", "default/configmaps"} | storage
    for line in ("deploy/web", "pod/web", "ds/web", "job/web"):
        assert explaining(line) == its
    assert explaining("sts/web") == its | {"default/services"}
    assert explaining("pvc/data") == storage
    assert explaining("cm/web") == set()
    # Claims that nobody owns are of interest, too.
    selections = resolved("pod/web", Server()).selections
    found = dependents(REAL, selections, explained=True)
    assert "default/resourceclaims" in words(found.beside)


def words(selections: tuple[Selection, ...]) -> set[str]:
    """Return `NAMESPACE/TYPE` of each, with its labels; no namespace is all of them."""
    return {
        f"{each.namespace or ''}/{each.resource.plural}"
        + (f" {each.label_selector}" if each.label_selector else "")
        for each in selections
    }


@pytest.mark.parametrize(
    ("line", "owned", "beside"),
    [
        (
            "deploy/web",
            {"replicasets", "pods", "events", "resourceclaims"},
            {"persistentvolumeclaims"},
        ),
        ("pod/web", {"events", "resourceclaims"}, {"persistentvolumeclaims"}),
        ("cm/web", {"events"}, set()),
    ],
)
def test_built_in_types_own_known_types(
    line: str, owned: set[str], beside: set[str]
) -> None:
    found = along_with(line)
    assert words(found.owned) == {f"default/{each}" for each in owned}
    assert words(found.beside) == {f"default/{each}" for each in beside}
    assert not any(each.asked for each in found.all)


MAKERS = {
    "default/deployments",
    "default/statefulsets",
    "default/daemonsets",
    "default/replicasets !pod-template-hash",
    "default/replicationcontrollers",
}
ROUTING = {
    "default/pods",
    "default/endpointslices",
    "/nodes",
    "kube-system/pods",
    "kube-system/services k8s-app=kube-dns",
    "kube-system/endpointslices k8s-app=kube-dns",
}


def test_a_service_watches_pods_and_slices() -> None:
    found = along_with("svc/web")
    assert words(found.owned) == {"default/events"}
    assert words(found.beside) == ROUTING


def test_an_ingress_needs_its_services_and_what_they_need() -> None:
    found = along_with("ingress/web")
    assert words(found.owned) == {"default/events"}
    assert words(found.beside) == ROUTING | {"default/services", "/ingressclasses"}


def test_an_autoscaler_watches_its_target_and_below() -> None:
    """It is named in the autoscaler, which may come later, and name another."""
    found = along_with("hpa/web")
    assert words(found.owned) == {
        f"default/{each}"
        for each in ("events", "pods", "controllerrevisions", "resourceclaims")
    }
    assert words(found.beside) == {
        f"default/{each}"
        for each in (
            "deployments",
            "statefulsets",
            "replicasets",
            "replicationcontrollers",
            "persistentvolumeclaims",
        )
    }


def test_a_stateful_set_needs_its_claims() -> None:
    found = along_with("sts/web")
    assert words(found.owned) == {
        f"default/{each}"
        for each in ("pods", "events", "controllerrevisions", "resourceclaims")
    }
    assert words(found.beside) == {"default/persistentvolumeclaims"}


def test_a_requested_type_is_watched_once() -> None:
    found = along_with("deploy,rs,pods")
    assert words(found.owned) == {"default/events", "default/resourceclaims"}
    assert words(found.beside) == {"default/persistentvolumeclaims"}


def test_one_object_of_a_type_does_not_stand_for_all_of_them() -> None:
    found = along_with("svc/web pod/web-0")
    assert "default/pods" in words(found.beside)


def test_all_namespaces_hold_each_of_them() -> None:
    found = along_with("svc", all_namespaces=True)
    assert words(found.beside) == {"/endpointslices", "/nodes", "/pods"}


def test_a_disruption_budget_needs_the_pods_it_may_select() -> None:
    found = along_with("pdb/web")
    assert words(found.owned) == {"default/events"}
    assert words(found.beside) == {"default/pods"}


@pytest.mark.parametrize("line", ["svc/web", "ingress/web", "pdb/web"])
def test_a_trace_also_watches_owners_of_selected_pods(line: str) -> None:
    """And all that says why one of those does not start, as its own trace has it."""
    others = {"default/poddisruptionbudgets", "/nodes"} if line == "pdb/web" else set()
    pods = explaining("pod/web") - {"/nodes"}
    claims = {"default/persistentvolumeclaims", "default/resourceclaims"}
    assert explaining(line) == MAKERS | others | pods | claims


def test_a_custom_resource_may_own_anything_in_its_namespace() -> None:
    found = along_with("widgets/w0")
    types = {each.resource.plural for each in found.owned}
    assert {"deployments", "pods", "services", "events", "jobs"} <= types
    # Each of them once, though two API groups serve Events.
    assert len(types) == len(found.owned)
    assert {each.namespace for each in found.owned} == {"default"}
