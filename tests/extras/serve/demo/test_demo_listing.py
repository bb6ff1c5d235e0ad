"""Lists, pages and single objects are answered as a kube-apiserver does."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from tests.builders import manifest
from tests.extras.serve.api_server.server import ApiServer
from tests.extras.serve.api_server.streams import load_document
from tests.extras.serve.demo.client import ask, config_map

MAPS = "/api/v1/namespaces/shop/configmaps"
ERRORS = load_document("errors")
WIDGET = manifest("Widget", "a", None)


def names(document: Any) -> list[str]:
    return [item["metadata"]["name"] for item in document["items"]]


@pytest.mark.parametrize(
    "error",
    ["notfound", "unknown-path", "bad-continue", "bad-selector", "too-large-rv"],
)
def test_errors_are_those_of_a_real_server(error: str) -> None:
    recorded = ERRORS[error]
    with ApiServer() as server:
        reply = ask(server, recorded["request"])
    body = recorded["body"].replace("current: 2328", "current: 1")
    assert (reply.status, reply.body.decode()) == (recorded["status"], body)
    assert reply.headers["Content-Type"] == recorded["content_type"]
    assert reply.headers["Retry-After"] == recorded["retry_after"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nopes",
        "/api/v1/namespaces/shop/nodes",
        "/api/v1/pods/a-pod-without-namespace",
        "/api/v1/namespaces/shop/pods/a/log",
        "/api/v1/namespaces/shop/configmaps/a/status",
        "/apis/apps/v2/deployments",
    ],
)
def test_a_resource_that_no_version_has_is_not_found(path: str) -> None:
    with ApiServer() as server:
        reply = ask(server, path)
    assert (reply.status, reply.document["reason"]) == (404, "NotFound")
    said = "the server could not find the requested resource"
    assert reply.document["message"] == said


@pytest.mark.parametrize("path", ["/", "/nope", "/apis/nope.io/v1/things"])
def test_an_unserved_path_is_404(path: str) -> None:
    with ApiServer() as server:
        reply = ask(server, path)
    assert (reply.status, reply.body) == (404, b"404 page not found\n")


def test_an_object_is_answered_with_its_type() -> None:
    with ApiServer() as server:
        stored = server.put(config_map("a"))
        assert ask(server, f"{MAPS}/a").document == stored
    assert (stored["apiVersion"], stored["kind"]) == ("v1", "ConfigMap")


def test_a_status_is_the_object() -> None:
    with ApiServer(["node"]) as server:
        node = ask(server, "/api/v1/nodes/node1").document
        assert ask(server, "/api/v1/nodes/node1/status").document == node


def test_items_of_a_list_come_without_their_type() -> None:
    with ApiServer() as server:
        server.put(config_map("b"))
        server.put(config_map("a"))
        document = ask(server, MAPS).document
    assert list(document) == ["kind", "apiVersion", "metadata", "items"]
    assert document["kind"] == "ConfigMapList"
    assert document["metadata"] == {"resourceVersion": "3"}
    assert names(document) == ["a", "b"]
    assert not {"kind", "apiVersion"} & set(document["items"][0])


def test_all_namespaces_are_listed_together() -> None:
    with ApiServer(["pod-boot", "recreate"]) as server:
        everywhere = ask(server, "/api/v1/configmaps").document
        one = ask(server, "/api/v1/namespaces/recreate/configmaps").document
        none = ask(server, "/api/v1/namespaces/nope/configmaps").document
    counts = [len(each["items"]) for each in (everywhere, one, none)]
    assert counts == [4, 2, 0]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("color=red", "a"),
        ("color==red,size=l", "a"),
        ("color!=red", "bc"),
        ("color", "ab"),
        ("!color", "c"),
        ("! color", "c"),
        ("color in (red, blue)", "ab"),
        ("color notin (red)", "bc"),
        ("color in (red,blue),size", "a"),
        ("size=", ""),
        ("example.com/weight>3", "b"),
        ("example.com/weight<3", ""),
    ],
)
def test_labels_select(labels: str, expected: str) -> None:
    with ApiServer() as server:
        server.put(config_map("a", color="red", size="l"))
        server.put(config_map("b", color="blue", **{"example.com/weight": "4"}))
        server.put(config_map("c"))
        document = ask(server, f"{MAPS}?labelSelector={quote(labels)}").document
    assert names(document) == list(expected)


@pytest.mark.parametrize("labels", ["=red", "color in red", "a=b=c", "in the end"])
def test_labels_that_make_no_selector_are_a_bad_request(labels: str) -> None:
    with ApiServer() as server:
        reply = ask(server, f"{MAPS}?labelSelector={quote(labels)}")
    assert reply.status == 400
    assert reply.document["message"].startswith("unable to parse requirement")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("metadata.name=a", ["shop/a", "store/a"]),
        ("metadata.name==a,metadata.namespace=shop", ["shop/a"]),
        ("metadata.name!=a", ["shop/b"]),
        ("metadata.namespace!=shop", ["store/a"]),
    ],
)
def test_fields_select(fields: str, expected: list[str]) -> None:
    with ApiServer() as server:
        server.put(config_map("a"))
        server.put(config_map("b"))
        server.put(config_map("a", "store"))
        path = f"/api/v1/configmaps?fieldSelector={quote(fields)}"
        items = ask(server, path).document["items"]
    found = [f"{i['metadata']['namespace']}/{i['metadata']['name']}" for i in items]
    assert found == expected


def test_pods_and_events_have_their_own_fields() -> None:
    with ApiServer(["pod-bad-volume"], speed=0) as server:
        server.play()
        server.wait_until_played(5)

        def count(path: str) -> int:
            path = f"/api/v1/namespaces/pod-bad-volume/{path}"
            return len(ask(server, path).document["items"])

        assert count("pods") == 3
        assert count("pods?fieldSelector=spec.nodeName%3D") == 1
        assert count("pods?fieldSelector=spec.nodeName%3Dnode1") == 2
        assert count("pods?fieldSelector=status.phase%3DPending") == 1
        unscheduled = "involvedObject.kind%3DPod,reason%3DFailedScheduling"
        assert count(f"events?fieldSelector={unscheduled}") == 1


def test_a_field_selector_needs_an_operator() -> None:
    with ApiServer() as server:
        reply = ask(server, f"{MAPS}?fieldSelector=metadata.name")
    assert reply.status == 400


def test_a_custom_object_that_is_absent_names_its_group() -> None:
    with ApiServer() as server:
        reply = ask(server, "/apis/example.com/v1/namespaces/shop/widgets/nope")
    assert reply.document["message"] == 'widgets.example.com "nope" not found'
    details = {"name": "nope", "group": "example.com", "kind": "widgets"}
    assert reply.document["details"] == details


def test_items_of_a_list_of_custom_resources_come_with_their_type() -> None:
    with ApiServer() as server:
        stored = server.put(WIDGET)
        document = ask(server, "/apis/example.com/v1/widgets").document
    assert document["items"] == [stored]
    assert document["metadata"] == {"resourceVersion": "2", "continue": ""}


def test_an_expired_page_is_refused() -> None:
    with ApiServer() as server:
        for name in "abc":
            server.put(config_map(name))
        token = ask(server, f"{MAPS}?limit=2").document["metadata"]["continue"]
        server.put(config_map("d"))
        server.compact()
        reply = ask(server, f"{MAPS}?limit=2&continue={token}")
    assert (reply.status, reply.document["reason"]) == (410, "Expired")


def test_pages_are_of_one_state() -> None:
    with ApiServer() as server:
        for name in "abcde":
            server.put(config_map(name))
        first = ask(server, f"{MAPS}?limit=2").document
        server.delete(config_map("c"))
        server.put(config_map("d", color="red"))
        server.put(config_map("f"))
        token = first["metadata"]["continue"]
        second = ask(server, f"{MAPS}?limit=2&continue={token}").document
        token = second["metadata"]["continue"]
        third = ask(server, f"{MAPS}?limit=2&continue={token}").document
    assert [names(page) for page in (first, second, third)] == [
        ["a", "b"],
        ["c", "d"],
        ["e"],
    ]
    assert second["items"][1]["metadata"]["labels"] == {}
    assert {page["metadata"]["resourceVersion"] for page in (first, second, third)} == {
        "6"
    }
    assert first["metadata"]["remainingItemCount"] == 3
    assert "continue" not in third["metadata"]


def test_only_reading_is_served() -> None:
    with ApiServer() as server:
        reply = ask(server, f"{MAPS}/a", method="DELETE")
        assert ask(server, "/api/v1/bindings").status == 405
    assert (reply.status, reply.document["reason"]) == (405, "MethodNotAllowed")
