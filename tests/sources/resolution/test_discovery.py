"""Reading discovery documents, real and broken."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.objects import GroupVersionKind
from kubectl_spy.errors import ConnectionFailed, Forbidden, RequestRefused, SpyError
from kubectl_spy.sources.resolution.discovery import Catalogue, discover
from tests.sources.api_server import DISCOVERY

PLAIN = {path: document for path, document in DISCOVERY.items() if "(" not in path}
AGGREGATED = {path: DISCOVERY[f"{path} (aggregated)"] for path in ("/api", "/apis")}


def discovered(documents: dict[str, Any]) -> tuple[Catalogue, list[str]]:
    """Return what *documents* by path say, and the paths asked for."""
    asked = []

    def fetch(path: str, accept: str) -> Any:
        asked.append(path)
        document = documents.get(path, RequestRefused("no", status=404))
        if isinstance(document, SpyError):
            raise document
        return document

    return discover(fetch), asked


def test_aggregated_discovery_takes_two_requests() -> None:
    catalogue, asked = discovered(AGGREGATED)
    assert asked == ["/api", "/apis"]
    assert catalogue.failed == ()


def test_both_kinds_of_discovery_say_the_same() -> None:
    aggregated, _ = discovered(AGGREGATED)
    plain, asked = discovered(PLAIN)
    assert plain.resources == aggregated.resources
    assert len(asked) == len(PLAIN) - 1  # all but /version


def test_the_core_group_comes_first_and_the_preferred_version_before_others() -> None:
    catalogue, _ = discovered(AGGREGATED)
    assert catalogue.resources[0].gvk.group == ""
    autoscalers = [
        item.gvk.version
        for item in catalogue.resources
        if item.plural == "horizontalpodautoscalers"
    ]
    assert autoscalers == ["v2", "v1"]


def test_a_preferred_version_that_is_not_listed_first_is_moved_there() -> None:
    documents = deepcopy(PLAIN)
    for group in documents["/apis"]["groups"]:
        group["versions"].reverse()
    catalogue, _ = discovered(documents)
    found = catalogue.find(
        GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler")
    )
    first = next(i for i in catalogue.resources if i.gvk.group == "autoscaling")
    assert first == found


def test_a_resource_knows_its_scope_verbs_names_and_status() -> None:
    catalogue, _ = discovered(AGGREGATED)
    deployment = catalogue.find(GroupVersionKind("apps", "v1", "Deployment"))
    assert deployment is not None
    assert (deployment.plural, deployment.singular) == ("deployments", "deployment")
    assert deployment.short_names == ("deploy",)
    assert deployment.categories == ("all",)
    assert deployment.namespaced
    assert deployment.has_status
    assert {"list", "watch"} < set(deployment.verbs)
    configmap = catalogue.find(GroupVersionKind("", "v1", "ConfigMap"))
    assert configmap is not None
    assert not configmap.has_status
    node = catalogue.find(GroupVersionKind("", "v1", "Node"))
    assert node is not None
    assert not node.namespaced
    assert catalogue.find(GroupVersionKind("", "v1", "Nothing")) is None


def test_a_stale_group_is_named_and_what_is_known_of_it_kept() -> None:
    documents = deepcopy(AGGREGATED)
    version = documents["/apis"]["items"][1]["versions"][0]
    version["freshness"] = "Stale"
    catalogue, _ = discovered(documents)
    assert catalogue.failed == ("apps/v1 (stale)",)
    assert catalogue.find(GroupVersionKind("apps", "v1", "Deployment"))


def test_groups_that_fail_do_not_stop_the_others() -> None:
    documents: dict[str, Any] = dict(PLAIN)
    documents["/apis/apps/v1"] = RequestRefused("busy", status=503)
    documents["/apis/batch/v1"] = ConnectionFailed("timed out")
    catalogue, _ = discovered(documents)
    assert catalogue.failed == ("apps/v1 (503)", "batch/v1 (no answer)")
    assert catalogue.find(GroupVersionKind("example.com", "v1", "Widget"))


def test_one_of_the_two_lists_may_be_missing() -> None:
    catalogue, _ = discovered({"/apis": AGGREGATED["/apis"]})
    assert catalogue.failed == ("/api (404)",)
    catalogue, _ = discovered({"/api": AGGREGATED["/api"]})
    assert catalogue.failed == ("/apis (404)",)
    assert {item.gvk.group for item in catalogue.resources} == {""}


def test_aggregated_and_plain_answers_may_be_mixed() -> None:
    mixed = {**PLAIN, "/apis": AGGREGATED["/apis"]}
    assert discovered(mixed)[0].resources == discovered(AGGREGATED)[0].resources


@pytest.mark.parametrize(
    "error",
    [
        Forbidden("no", status=403),
        RequestRefused("no", status=500),
        ConnectionFailed("no"),
    ],
)
def test_if_neither_list_can_be_had_the_reason_is_raised(error: SpyError) -> None:
    with pytest.raises(type(error)):
        discovered({"/api": error, "/apis": error})


def test_an_unreachable_server_is_asked_once() -> None:
    asked = []

    def fetch(path: str, accept: str) -> Any:
        asked.append(path)
        raise ConnectionFailed("refused")

    with pytest.raises(ConnectionFailed):
        discover(fetch)
    assert asked == ["/api"]


def test_a_connection_lost_halfway_is_no_catalogue_without_groups() -> None:
    with pytest.raises(ConnectionFailed):
        discovered({**PLAIN, "/apis": ConnectionFailed("reset")})


def test_names_that_could_leave_their_place_in_a_url_are_ignored() -> None:
    documents = deepcopy(AGGREGATED)
    rows = documents["/api"]["items"][0]["versions"][0]["resources"]
    for bad in ("../secrets", "a/b", "a?b", "", "a{name}", "a%2f", "a\nb"):
        rows.append({**rows[2], "resource": bad})
    assert discovered(documents)[0].resources == discovered(AGGREGATED)[0].resources


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "kind",
                    "items",
                    "groups",
                    "versions",
                    "version",
                    "resources",
                    "resource",
                    "metadata",
                    "verbs",
                    "name",
                ]
            ),
            inner | st.just("APIGroupDiscoveryList"),
            max_size=4,
        )
    ),
)


@given(JSON, JSON)
def test_any_json_is_a_catalogue(api: Any, apis: Any) -> None:
    catalogue, _ = discovered({"/api": api, "/apis": apis})
    assert json.dumps(catalogue.failed)
