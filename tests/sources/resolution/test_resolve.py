"""kubectl's way from a typed word to a type."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from kubectl_spy.core.objects import Selection
from kubectl_spy.errors import NotServed, SpyError
from kubectl_spy.sources.resolution.discovery import Catalogue, discover
from kubectl_spy.sources.resolution.resolve import Resolution, find, resolve
from kubectl_spy.sources.resolution.target import TargetSpec, parse_targets
from tests.builders import resource
from tests.sources.api_server import DISCOVERY

REAL = discover(lambda path, accept: DISCOVERY[f"{path} (aggregated)"])


@dataclass
class Server:
    """Serves one catalogue, and another one once it is asked anew."""

    first: Catalogue = REAL
    later: Catalogue = REAL
    namespace: str = "default"
    refreshed: list[bool] = field(default_factory=list)

    def catalogue(self, *, refresh: bool = False) -> Catalogue:
        self.refreshed.append(refresh)
        return self.later if refresh else self.first


def resolved(line: str, server: Server | None = None, **flags: object) -> Resolution:
    """Return what *line* means to *server*."""
    specs = parse_targets(line.split())
    return resolve(server or Server(), specs, **flags)  # type: ignore[arg-type]


def types(resolution: Resolution) -> list[str]:
    """Return TYPE.VERSION.GROUP of each selection."""
    return [
        f"{item.resource.plural}.{item.resource.gvk.version}.{item.resource.gvk.group}"
        for item in resolution.selections
    ]


@pytest.mark.parametrize(
    ("word", "type_"),
    [
        ("pods", "pods.v1."),
        ("pod", "pods.v1."),
        ("po", "pods.v1."),
        ("Pod", "pods.v1."),
        ("PODS", "pods.v1."),
        ("deploy", "deployments.v1.apps"),
        ("Deployment", "deployments.v1.apps"),
        ("deployments.apps", "deployments.v1.apps"),
        ("deploy.apps", "deployments.v1.apps"),
        ("deployments.v1.apps", "deployments.v1.apps"),
        ("deploy.ap", "deployments.v1.apps"),
        ("hpa", "horizontalpodautoscalers.v2.autoscaling"),
        ("hpa.autoscaling", "horizontalpodautoscalers.v2.autoscaling"),
        ("hpa.v1.autoscaling", "horizontalpodautoscalers.v1.autoscaling"),
        ("netpol", "networkpolicies.v1.networking.k8s.io"),
        ("ing.networking", "ingresses.v1.networking.k8s.io"),
        ("events.events.k8s.io", "events.v1.events.k8s.io"),
        ("ev.events", "events.v1.events.k8s.io"),
        ("pods.v1.", "pods.v1."),
        ("widgets.example.com", "widgets.v1.example.com"),
        ("wd", "widgets.v1.example.com"),
        ("crd", "customresourcedefinitions.v1.apiextensions.k8s.io"),
        ("crds", "customresourcedefinitions.v1.apiextensions.k8s.io"),
        ("leases.v1.coordination.k8s.io", "leases.v1.coordination.k8s.io"),
        ("leases.coordination.k8s.io", "leases.v1.coordination.k8s.io"),
    ],
)
def test_every_name_of_a_type_finds_it(word: str, type_: str) -> None:
    resolution = resolved(word)
    assert types(resolution) == [type_]
    assert resolution.notes == ()


def test_events_are_in_two_groups_and_a_note_says_which_is_followed() -> None:
    resolution = resolved("events")
    assert types(resolution) == ["events.v1."]
    (note,) = resolution.notes
    assert "following events.v1.; for another one say events.events.k8s.io" in note


@pytest.mark.parametrize(
    "word", ["pods.v2.", "pods.apps", "deployments.v2.apps", "deploy.v1beta1.apps"]
)
def test_a_group_or_version_that_is_not_served_is_not_replaced(word: str) -> None:
    with pytest.raises(NotServed):
        resolved(word)


def test_a_selection_carries_names_namespace_and_selectors() -> None:
    (selection,) = resolved(
        "po", namespace="shop", label_selector="app=web", field_selector="a=b"
    ).selections
    assert selection.namespace == "shop"
    assert selection.label_selector == "app=web"
    assert selection.field_selector == "a=b"
    assert resolved("po").selections[0].namespace == "default"
    assert resolved("po/a").selections[0].name == "a"
    assert resolved("po", all_namespaces=True).selections[0].namespace is None


def test_cluster_wide_types_drop_the_namespace() -> None:
    for line in ("nodes", "nodes/n1"):
        assert resolved(line, namespace="shop").selections[0].namespace is None


def test_a_category_expands_to_what_can_be_watched_each_once() -> None:
    resolution = resolved("all")
    assert types(resolution) == [
        "pods.v1.",
        "replicationcontrollers.v1.",
        "services.v1.",
        "daemonsets.v1.apps",
        "deployments.v1.apps",
        "replicasets.v1.apps",
        "statefulsets.v1.apps",
        "horizontalpodautoscalers.v2.autoscaling",
        "cronjobs.v1.batch",
        "jobs.v1.batch",
        "widgets.v1.example.com",
    ]
    assert resolution.notes == ()


def test_duplicates_are_merged() -> None:
    assert types(resolved("po,pods,Pod,all"))[:2] == [
        "pods.v1.",
        "replicationcontrollers.v1.",
    ]
    assert len(resolved("po/a pod/a pods.v1./a").selections) == 1


def test_kubespys_form_takes_its_version_and_kind_exactly() -> None:
    (selection,) = resolved("autoscaling/v1 horizontalPodAutoscaler shop/a").selections
    assert selection.resource.gvk.version == "v1"
    assert (selection.namespace, selection.name) == ("shop", "a")
    (selection,) = resolved("v1 node n1", namespace="shop").selections
    assert selection.namespace is None
    with pytest.raises(NotServed, match="apps/v1 pod; did you mean v1 Pod"):
        resolved("apps/v1 pod a")
    with pytest.raises(NotServed):
        resolved("v1 pods a")


def test_a_full_name_wins_over_a_short_name_and_that_over_a_kind() -> None:
    first = resource("Alpha", "a.io", "v1", short_names=("beta",))
    second = resource("Beta", "b.io", "v1", plural="betas", short_names=("gamma",))
    third = resource("Gamma", "c.io", "v1", plural="gs", singular="g")
    catalogue = Catalogue((first, second, third))
    assert find(catalogue, "beta") == [second]
    assert find(catalogue, "gamma") == [second]
    assert find(Catalogue((third,)), "GAMMA") == [third]


def test_version_and_group_are_tried_before_a_group_of_that_name() -> None:
    by_version = resource("Thing", "apps", "v1")
    by_group = resource("Thing", "v1.apps", "v2")
    assert find(Catalogue((by_group, by_version)), "things.v1.apps") == [by_version]
    assert find(Catalogue((by_group,)), "things.v1.apps") == [by_group]


def test_an_exact_group_wins_over_one_that_begins_so() -> None:
    longer = resource("Thing", "example.com.au", "v1")
    exact = resource("Thing", "example.com", "v1")
    catalogue = Catalogue((longer, exact))
    assert find(catalogue, "things.example.com") == [exact]
    assert find(catalogue, "things.example") == [longer, exact]


def test_a_type_of_several_groups_takes_the_first_and_says_so() -> None:
    core = resource("Service", "", "v1")
    knative = resource("Service", "serving.knative.dev", "v1")
    metrics = resource("Service", "metrics.k8s.io", "v1", verbs=("get", "list"))
    server = Server(Catalogue((core, knative, metrics)))
    resolution = resolved("services", server)
    assert resolution.selections[0].resource == core
    assert resolution.notes == (
        '"services" is served by several API groups: following services.v1.; '
        "for another one say services.serving.knative.dev",
    )
    assert resolved("services.v1.", server).notes == ()
    assert resolved("services.serving.knative.dev", server).notes == ()


def test_an_unknown_type_is_looked_for_once_more_and_then_named() -> None:
    server = Server(first=REAL._replace(cached=True))
    with pytest.raises(NotServed, match='"deploymnets"; did you mean deployments'):
        resolved("deploymnets", server)
    assert server.refreshed == [False, True]
    server = Server()
    with pytest.raises(NotServed, match="see kubectl api-resources"):
        resolved("qqqqqq", server)
    assert server.refreshed == [False]


def test_a_type_that_is_new_since_the_cache_is_found() -> None:
    server = Server(first=Catalogue((), cached=True))
    assert types(resolved("wd", server)) == ["widgets.v1.example.com"]


def test_an_unknown_type_mentions_groups_that_failed() -> None:
    server = Server(Catalogue((), ("metrics.k8s.io/v1 (503)",)))
    with pytest.raises(NotServed, match=r"failed for metrics.k8s.io/v1 \(503\)"):
        resolved("podmetrics", server)


@pytest.mark.parametrize(
    ("word", "verbs"), [("bindings", "create"), ("cs", "get, list")]
)
def test_unwatchable_types_are_errors_with_a_name(word: str, verbs: str) -> None:
    with pytest.raises(SpyError, match=f"the server offers {verbs}") as caught:
        resolved(word)
    assert caught.value.exit_code == 1


def test_selections_can_be_compared_and_kept_in_sets() -> None:
    spec = TargetSpec("po", "a")
    one = resolve(Server(), [spec]).selections[0]
    assert {one} == {Selection(resource=one.resource, namespace="default", name="a")}
